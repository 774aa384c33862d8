"""`python -m tests.cluster.drills`: twenty drills in one cup, three times.

First the cup is played on this machine without a cluster. Then it is played on a cluster of laboratory
machines while parts of that cluster fail. Each time it prints what was done and what programs said, and
compares the moves and results of both. It needs root, because machines are namespaces.
"""

from __future__ import annotations

import argparse
import os
import random
import secrets
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

from tests.cluster.drills.campaign import Campaign, play_reference, run_campaign
from tests.cluster.drills.cup import DrillCup, PlayedCup
from tests.cluster.drills.kinds import PlannedDrill, cup_for, expected_seconds, plan
from tests.support import environment, lab, processes

KEEP: Final = "keep"
"""The name of a file by which the folder of a run is kept."""


def main(words: list[str] | None = None) -> int:
    options = _parser().parse_args(words)
    if why := lab.missing():
        print(f"no laboratory: {why}", file=sys.stderr)
        return 2
    environment.normalise()
    signal.signal(signal.SIGTERM, _interrupt)
    processes.adopt_orphans()
    threading.Thread(target=_reap_orphans, daemon=True).start()
    first = options.seed if options.seed is not None else secrets.randbelow(1_000_000)
    seeds = [first + number for number in range(options.times)]
    plans = {seed: plan(options.drills, random.Random(seed)) for seed in seeds}
    with _folder() as folder:
        if options.keep:
            (folder / KEEP).touch()
        cup = cup_for(max(expected_seconds(drills) for drills in plans.values()))
        print(f"seeds {seeds}; {cup.series} series of {cup.games} games; files in {folder}", flush=True)
        cup.write_bots(folder / "bots")
        reference = play_reference(cup, folder)
        held = [_run(folder, cup, seed, drills, reference) for seed, drills in plans.items()]
        if not all(held):
            (folder / KEEP).touch()
            print(f"DOES NOT HOLD; the logs are in {folder}")
        return 0 if all(held) else 1


def _reap_orphans() -> None:
    """In a thread: collect what sandboxes leave. Whoever started a process has ten seconds to do it first."""
    dead: set[int] = set()
    while True:
        dead = processes.reap_orphans((), dead)
        time.sleep(10)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.cluster.drills", description=__doc__)
    parser.add_argument("--drills", type=int, default=20, metavar="N", help="drills in a cup (20)")
    parser.add_argument("--times", type=int, default=3, metavar="N", help="cups (3)")
    parser.add_argument("--seed", type=int, metavar="N", help="the seed of the first cup; the next has N + 1")
    parser.add_argument("--keep", action="store_true", help="keep the files if everything holds, too")
    return parser


def _run(folder: Path, cup: DrillCup, seed: int, drills: list[PlannedDrill], reference: PlayedCup) -> bool:
    campaign = run_campaign(folder / f"seed-{seed}", folder / "bots", cup, drills, reference, seed=seed)
    for line in _report(campaign, len(reference.series)):
        print(line)
    sys.stdout.flush()
    return not campaign.problems


def _report(campaign: Campaign, series: int) -> Iterator[str]:
    yield f"\nseed {campaign.seed}: {len(campaign.events)} drills, {campaign.seconds:.0f} s"
    yield from campaign.table()
    yield "starts: " + ", ".join(f"{name} {count}" for name, count in campaign.runs.items())
    yield "messages, with the number of programs that said them (N is a number):"
    yield from (f"  {count:3} {text}" for text, count in sorted(campaign.messages.items()))
    if campaign.problems:
        yield from (f"PROBLEM: {problem}" for problem in campaign.problems)
    else:
        yield f"holds: {series} series exactly once, with the moves and results of the cup without a cluster;"
        yield "  the bundle is correct, no bot is left, no traceback"


@contextmanager
def _folder() -> Iterator[Path]:
    """Yield the folder of all files, and remove it if nothing is wrong."""
    folder = Path(tempfile.mkdtemp(prefix="botequim-drills-"))
    folder.chmod(0o755)
    os.environ["TMPDIR"] = str(folder)
    tempfile.tempdir = None
    yield folder
    if not (folder / KEEP).exists():
        shutil.rmtree(folder, ignore_errors=True)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
