"""Ours, not theirs: what befalls the referee's own machine is charged to no bot, and played again."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import botequim
from botequim import registry
from botequim.core.errors import BotequimError
from botequim.core.options import resolve_options
from botequim.cup.paths import CupPaths
from botequim.engine.referee import Step
from botequim.engine.series import Series, seat_assignments
from botequim.sandbox.procfs import children, descendants
from botequim.storage.values import StoredFault
from tests.support.pace import PATIENCE, until
from tests.zoo.animal import WIRES, Animal, everywhere, plays_on
from tests.zoo.census import as_before, census
from tests.zoo.keeper import BACKENDS, OPTIONS, SMALL, bot, judge, let_loose, secrets

BUBBLEWRAP = BACKENDS["bubblewrap"]


def _process_name(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


THINKING = """
def think(turn):
    with open("/proc/self/comm", "w") as name:
        name.write("thinking")
    time.sleep({seconds})
"""
"""For bots that are to be met in the middle of a game: the name of a process is seen through a sandbox."""


def _thinking(below: int) -> int:
    """Return how many bots think, among the descendants of a process."""
    return sum(_process_name(pid) == "thinking" for pid in descendants(below))


def _end_sandboxes(below: int) -> int:
    """As `pkill -9 bwrap` does, but of one family only; how many were ended."""
    found = [pid for pid in descendants(below) if _process_name(pid) == "bwrap"]
    for pid in sorted(found):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return len(found)


@pytest.mark.parametrize("wire", WIRES)
def test_a_sandbox_that_is_ended_in_the_middle_of_a_game(wire: str, tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    sandbox = BUBBLEWRAP.sandbox()
    game = registry.game(wire)
    options = resolve_options(game.name, game.options, OPTIONS.get(wire, {}))
    with secrets(mark, tmp_path) as facts, tempfile.TemporaryDirectory(dir=tmp_path) as workshop:
        home = bot(None, wire, tmp_path, facts)
        if wire == "rps":  # must be there for long enough to be ended
            with (home / "animal.py").open("a") as file:
                file.write(THINKING.format(seconds=PATIENCE))
        entrant = replace(BUBBLEWRAP.entrant(home, wire, sandbox, Path(workshop)), limits=SMALL)
        seated = seat_assignments(game.teams(options), [entrant, entrant], ["one", "other"])

        def strike(step: Step) -> None:
            if step.number > 4:
                _end_sandboxes(os.getpid())

        async def strike_while_it_thinks() -> None:
            while _thinking(os.getpid()) < 2:  # both: neither sandbox is still being set up
                await asyncio.sleep(0.01)
            _end_sandboxes(os.getpid())

        async def play() -> None:
            async with Series(game, seated, games=1, sandbox=sandbox) as series:
                if wire == "rps":
                    striking = asyncio.create_task(strike_while_it_thinks())
                    await series.play("ours", options)
                    await striking
                else:
                    await series.play("ours", options, emit=strike)

        before = census(mark)
        with pytest.raises(BotequimError, match=r"ended from outside"):
            asyncio.run(play())
        assert as_before(before, mark) == before


# --- in a cup: played again ----------------------------------------------------------------------------


def _cup(folder: Path) -> Path:
    """Three bots that behave, at rps, so slow that they can be met in the middle of a game."""
    with secrets(uuid.uuid4().hex, folder) as facts:
        home = bot(None, "rps", folder, facts)
    with (home / "animal.py").open("a") as file:
        file.write(THINKING.format(seconds=1))
    path = folder / "copa.toml"
    text = 'name = "Copa"\ngame = "rps"\nseed = "7"\n[options]\nrounds = 1\n[limits]\nmove = 60\n'
    text += '[[stages]]\nname = "league"\nformat = "round_robin"\ngames = 1\n'
    for name in ("ana", "bia", "caio"):
        text += f'[[entrants]]\nname = "{name}"\nbot = "{home}"\n'
    path.write_text(text, encoding="utf-8")
    return path


@contextlib.contextmanager
def _run(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a cup; it is ended with the block."""
    command = [sys.executable, "-m", "botequim", "cup", "run", str(path), "--workers", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def _table(path: Path) -> tuple[list[str], list[StoredFault]]:
    """The series that are there, and every fault."""
    with CupPaths.of(path).storage.open_results() as store:
        return sorted(store.results()["league"]), store.faults()


def _busy(cup: int) -> list[int]:
    """The workers of a cup whose bots are thinking."""
    found = []
    for pid in children(cup):
        with contextlib.suppress(OSError):
            if b"helper_process" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found += [pid] if _thinking(pid) == 2 else []
    return found


def test_a_cup_plays_a_series_again_whose_sandbox_was_ended(tmp_path: Path) -> None:
    path = _cup(tmp_path)
    with _run(path) as process:
        until(lambda: any(_end_sandboxes(pid) for pid in _busy(process.pid)))
        _, told = process.communicate()
    assert process.returncode == 0, told
    assert "the sandbox" in told
    series, faults = _table(path)
    assert len(series) == 3
    assert faults == []


def test_a_cup_goes_on_with_other_workers_when_one_was_killed(tmp_path: Path) -> None:
    path = _cup(tmp_path)
    with _run(path) as process:
        (worker,) = until(lambda: _busy(process.pid))
        bots = list(descendants(worker))
        os.kill(worker, signal.SIGKILL)
        _, told = process.communicate()
    assert process.returncode == 0, told
    assert "a worker process ended unexpectedly" in told
    series, faults = _table(path)
    assert len(series) == 3
    assert faults == []
    until(lambda: not any(Path(f"/proc/{pid}/cwd").exists() for pid in bots))


DISK = """
set -e
mount -t tmpfs -o size={size} none {place}
cp {cup} {place}/copa.toml
code=0
{botequim} cup run {place}/copa.toml --workers 2 >{told}/out1 2>{told}/err1 || code=$?
echo $code >{told}/code1
{botequim} cup status {place}/copa.toml --json >{told}/status1 2>/dev/null || true
mount --options-mode ignore -o remount,size=64m none {place}
{botequim} cup run {place}/copa.toml --workers 2 >{told}/out2 2>{told}/err2
{botequim} cup status {place}/copa.toml --json >{told}/status2
"""


def test_a_cup_on_a_full_disk_loses_nothing_and_goes_on(tmp_path: Path) -> None:
    """In a mount namespace of its own, so that the disk is gone with it."""
    place, told = tmp_path / "disk", tmp_path / "told"
    place.mkdir()
    told.mkdir()
    text = 'name = "Copa"\ngame = "cubos"\nseed = "7"\n'
    text += '[[stages]]\nname = "league"\nformat = "round_robin"\ngames = 10\n'
    for at in range(6):
        text += f'[[entrants]]\nname = "p{at}"\nbot = "{("greedy", "random")[at % 2]}"\n'
    cup = tmp_path / "copa.toml"
    cup.write_text(text, encoding="utf-8")
    script = DISK.format(
        size="400k", place=place, cup=cup, told=told, botequim=f"{shlex.quote(sys.executable)} -m botequim"
    )
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    result = subprocess.run(
        ["unshare", *user, "--mount", "sh", "-c", script], capture_output=True, text=True, check=False
    )
    said = {path.name: path.read_text() for path in told.iterdir()}
    assert result.returncode == 0, (result.stderr, said)
    assert said["code1"] != "0\n"
    assert "the disk is full" in said["err1"]
    assert "Traceback" not in said["err1"]
    assert not json.loads(said["status1"])["over"]
    after = json.loads(said["status2"])
    assert after["over"]
    (stage,) = after["stages"]
    assert stage["series"] == 15
    assert [row["figures"]["games"] for row in stage["standings"]] == [50] * 6
    assert not list(place.iterdir())


def test_records_on_a_full_disk(tmp_path: Path) -> None:
    place = tmp_path / "disk"
    place.mkdir()
    python = shlex.quote(sys.executable)
    script = (
        f"mount -t tmpfs -o size=64k none {place}; {python} -m botequim match cubos greedy random "
        f"--games 200 --quiet --records {place}; code=$?; ls {place} | grep -c partial; exit $code"
    )
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    result = subprocess.run(
        ["unshare", *user, "--mount", "sh", "-c", script], capture_output=True, text=True, check=False
    )
    assert result.returncode not in (0, -1)
    assert "the disk is full" in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout.splitlines()[-1] == "0", "no half records"


# --- clocks --------------------------------------------------------------------------------------------


def test_a_clock_that_jumps_is_nobodys_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An hour forward, an hour back, at every look."""
    jumps = itertools.cycle([3600.0, -3600.0, 0.0])
    monkeypatch.setattr(time, "time", lambda now=time.time: now() + next(jumps))
    monkeypatch.setattr(time, "time_ns", lambda now=time.time_ns: now() + int(next(jumps) * 1e9))
    tame = Animal("behaves", "se comporta", "", everywhere(plays_on()))
    with secrets(uuid.uuid4().hex, tmp_path) as facts:
        for played in let_loose(tame, BUBBLEWRAP, tmp_path, facts):
            judge(played)
            for turn in played.with_it.turns:
                assert all(0 <= (made.micros or 0) < 60_000_000 for made in turn)


def test_nothing_looks_at_the_clock_on_the_wall() -> None:
    """It may be set while a game is played; what is measured is measured by clocks that only go on."""
    wall = re.compile(
        r"\btime\.(time|time_ns|localtime|gmtime)\(|\bdatetime\.(now|utcnow|today)\(|CLOCK_REALTIME"
    )
    source = Path(botequim.__file__).parent
    found = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if wall.search(path.read_text(encoding="utf-8"))
    }
    assert found <= DATES, "a clock that can be set is for dates that people read, and for nothing else"


DATES = {"core/clock.py"}
"""Where dates are told."""
