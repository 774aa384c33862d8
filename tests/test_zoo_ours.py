"""Ours, not theirs: what befalls the referee's own machine is charged to no bot, and played again."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import tempfile
import uuid
from dataclasses import replace
from pathlib import Path

import pytest

from botequim import registry
from botequim.core.errors import BotequimError
from botequim.core.options import settle
from botequim.referee import Step
from botequim.sandbox.watch import descendants
from botequim.series import Series, chairs
from tests.zoo.animal import WIRES
from tests.zoo.census import as_before, census
from tests.zoo.keeper import BACKENDS, OPTIONS, SMALL, bot, secrets

BUBBLEWRAP = BACKENDS["bubblewrap"]


def _called(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def _end_sandboxes(below: int, *, every: bool) -> int:
    """As `pkill -9 bwrap` does, but of one family only; how many were ended."""
    found = [pid for pid in descendants(below) if _called(pid) == "bwrap"]
    for pid in sorted(found)[: None if every else 1]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return len(found)


@pytest.mark.parametrize("wire", WIRES)
def test_a_sandbox_that_is_ended_in_the_middle_of_a_game(wire: str, tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    sandbox = BUBBLEWRAP.sandbox()
    game = registry.game(wire)
    options = settle(game.name, game.options, OPTIONS.get(wire, {}))
    with secrets(mark, tmp_path) as facts, tempfile.TemporaryDirectory(dir=tmp_path) as workshop:
        home = bot(None, wire, tmp_path, facts)
        if wire == "rps":  # must be there for long enough to be ended
            with (home / "animal.py").open("a") as file:
                file.write("def think(turn):\n    time.sleep(1)\n")
        entrant = replace(BUBBLEWRAP.entrant(home, wire, sandbox, Path(workshop)), limits=SMALL)
        seated = chairs(game.teams(options), [entrant, entrant], ["one", "other"])

        def strike(step: Step | None = None) -> None:
            if step is None or step.number > 4:
                _end_sandboxes(os.getpid(), every=True)

        async def play() -> None:
            async with Series(game, seated, games=1, sandbox=sandbox) as series:
                if wire == "rps":
                    asyncio.get_running_loop().call_later(0.5, strike)
                await series.play("ours", options, emit=strike if wire != "rps" else None)

        before = census(mark)
        with pytest.raises(BotequimError, match=r"ended from outside"):
            asyncio.run(play())
        assert as_before(before, mark) == before
