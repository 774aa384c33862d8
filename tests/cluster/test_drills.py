"""A cup on a cluster loses nothing, whatever fails meanwhile: see `tests.cluster.drills`."""

from __future__ import annotations

import random
import secrets
from pathlib import Path

import pytest

from tests.cluster.drills.campaign import Campaign, play_reference, run_campaign
from tests.cluster.drills.cup import DrillCup
from tests.cluster.drills.kinds import PlannedDrill, cup_for, expected_seconds, plan
from tests.cluster.drills.site import WORKERS
from tests.support import lab as laboratory


def drill(folder: Path, cup: DrillCup, drills: list[PlannedDrill], *workers: str) -> Campaign:
    """Play a cup with these drills; it must end as without them."""
    if why := laboratory.missing():
        pytest.skip(f"no laboratory: {why}")
    folder.chmod(0o755)  # the database and bots run as other users
    cup.write_bots(folder / "bots")
    reference = play_reference(cup, folder)
    place = folder / "drills"
    campaign = run_campaign(place, folder / "bots", cup, drills, reference, workers=workers or WORKERS)
    report = [*campaign.table(), *campaign.messages, *campaign.problems]
    assert not campaign.problems, "\n".join(report)
    assert len(campaign.events) == len(drills)
    return campaign


def test_a_worker_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    cup = DrillCup(bots=2, games=4, think=0.03, mark=f"drill-{secrets.token_hex(6)}")
    drills = [PlannedDrill("worker killed", 0.0, seed=SUPERVISOR)]
    campaign = drill(tmp_path, cup, drills, "lab-2", "lab-3")
    assert campaign.events[0].target == "lab-2: supervisor"
    assert campaign.runs["lab-2"] == 2


SUPERVISOR = next(
    seed
    for seed in range(1000)
    if (rng := random.Random(seed)).choice([0, 1]) == 0 and rng.choice([0, 1, 2, 3]) == 0
)
"""The seed of a drill that kills the supervisor of the first of two workers."""


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_twenty_drills_lose_nothing(tmp_path: Path, seed: int) -> None:
    drills = plan(20, random.Random(seed))
    drill(tmp_path, cup_for(expected_seconds(drills)), drills)
