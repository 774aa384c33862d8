"""Bots that are built once for each platform of a cluster. The other platform here is pretended."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from botequim import registry
from botequim.bots.digests import digest_of
from botequim.bots.entrant import Entrant
from botequim.bots.prepare import prepare
from botequim.cli import main
from botequim.cluster import platforms
from botequim.cluster import portable as portable_module
from botequim.cluster.build_rights import TRANSFER_SECONDS, BuildRights
from botequim.cluster.platforms import platform_capabilities, platform_name
from botequim.cluster.portable import runs_here, to_portable
from botequim.core import clock
from botequim.core.options import resolve_options
from botequim.core.process import Sandbox
from botequim.cup.paths import CupPaths
from botequim.engine.executors import Completed, Executor, Lost
from botequim.engine.jobs import GameSetup, SeriesJob
from botequim.records.record import Record
from botequim.testing import ManualClock
from tests import ROOT
from tests.support.cluster import STEADY_SPEED, Cluster, altered_machine, bots_of, open_cluster
from tests.support.cup_commands import Captured, cup, run
from tests.support.isolated_games import sandbox as sandbox
from tests.support.pace import PATIENCE, until

OTHER = "aarch64"
OTHER_PLATFORM = platform_name().replace(platform_name().partition("-")[0], OTHER, 1)
PRETEND = f"from botequim.cluster import platforms\nplatforms.local_platforms = lambda: {{'{OTHER}'}}\n"
ROCK = """#include <stdio.h>
int main(void) { puts("{\\"move\\": \\"ROCK\\"}"); return 0; }
"""
COMPILE = "cc -o bot bot.c"
BINARY = {need for need in platform_capabilities() if need.startswith("platform:") and "i386" not in need}
BINARY |= {"libc:glibc"}
PATIENT = f"[limits]\nmove = {PATIENCE}\nstart = {PATIENCE}\n[options]\nrounds = 2\n"


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with open_cluster(tmp_path / "cluster", altered_machine(tmp_path / "python", STEADY_SPEED)) as opened:
        yield opened


@pytest.fixture
def elsewhere(tmp_path: Path) -> dict[str, str]:
    """Return variables for a worker all of whose processes take this machine for another one."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(STEADY_SPEED + PRETEND)
    return {"PYTHONPATH": f"{folder}:{ROOT}"}


def c_bot(folder: Path, build: str) -> Path:
    folder.mkdir()
    (folder / "bot.c").write_text(ROCK)
    (folder / "botequim.toml").write_text(f"build = '''{build}'''\ncommand = \"./bot\"\n")
    return folder


# --- cups ----------------------------------------------------------------------------------------------


def seats(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """Return the machines and the seats of the C bots, from all records of a cup."""
    found = []
    with CupPaths.of(path).storage.open_results() as store:
        assert store.faults() == []
        for series in store.series():
            for number in range(len(series.result.games)):
                lines = store.record(series.stage, series.result.key, number)
                assert lines is not None
                header = json.loads(lines[0])
                names = [seat for seat in header["seats"] if seat["name"].startswith("rock")]
                found += [(header["machine"]["label"], seat) for seat in names]
    return found


@pytest.mark.slow  # who builds what: the tests of the scheduler below
def test_a_bot_is_built_once_for_each_platform(
    cluster: Cluster, elsewhere: dict[str, str], tmp_path: Path, capsys: Captured
) -> None:
    bot = c_bot(tmp_path / "rock", f"{COMPILE} && date +%s.%N >moment")  # each build makes other files
    stage = '[[stages]]\nname = "{}"\nformat = "round_robin"\ngames = 2\n'
    stages = "".join(map(stage.format, ("one", "two", "three")))
    entrants = {"rock 1": str(bot), "rock 2": str(bot), "greedy": "greedy", "random": "random"}
    path = cup(tmp_path / "c.toml", entrants, game="rps", stages=PATIENT + stages)

    def play(stage: str) -> None:
        code, _, err = run(capsys, "run", str(path), "--stage", stage, "--cluster", cluster.address)
        assert code == 0, err

    first = [cluster.start_worker(f"other-{at}", environment=elsewhere) for at in range(2)]
    play("one")
    assert {(seat["name"], seat["platform"]) for _, seat in seats(path)} == {
        ("rock 1", OTHER_PLATFORM),
        ("rock 2", OTHER_PLATFORM),
    }
    for worker in first:
        worker.stop()
    second = cluster.start_worker("other-2", environment=elsewhere)
    play("two")
    second.stop()
    cluster.start_worker("own")
    play("three")

    shutil.rmtree(bot)
    by_machine: dict[str, set[tuple[str, str]]] = {}
    for label, seat in seats(path):
        place = "own" if label == "own" else "other"
        by_machine.setdefault(place, set()).add((seat["name"], seat["files"]))
        assert (seat.get("platform") == OTHER_PLATFORM) == (place == "other")
    with CupPaths.of(path).storage.open_results() as store:
        pins = {name: pin["digest"] for name, pin in store.entrants().items() if name.startswith("rock")}
    assert by_machine["own"] == set(pins.items())
    assert len(by_machine["other"]) == 2, "all machines of the platform have the same files"
    (built,) = {files for _, files in by_machine["other"]}
    assert built not in pins.values()
    assert cluster.scheduler.output().count(f"for {OTHER_PLATFORM}") == 1

    bundle = tmp_path / "bundle"
    assert run(capsys, "report", str(path), "--bundle", str(bundle))[0] == 0
    manifest = json.loads((bundle / "bundle.json").read_text())
    for name in pins:
        assert manifest["entrants"][name]["builds"] == {OTHER_PLATFORM: [built]}
    assert main(["verify", str(bundle)]) == 0
    capsys.readouterr()
    manifest["entrants"]["rock 1"]["builds"] = {OTHER_PLATFORM: [digest_of(tmp_path / "elsewhere")]}
    (bundle / "bundle.json").write_text(json.dumps(manifest))
    assert main(["verify", str(bundle)]) == 1
    assert '"rock 1" did not play with the files of the entrant' in capsys.readouterr().out


# --- failures ------------------------------------------------------------------------------------------


def keep_lines(job: SeriesJob[list[Any]]) -> Callable[[GameSetup, Record], list[Any]]:
    return lambda setup, record: list(record.contents())


class Play:
    """A game of a C bot on the cluster."""

    def __init__(self, executor: Executor, bot: Path, sandbox: Sandbox) -> None:
        workshop = bot.parent / "workshop"
        workshop.mkdir()
        work = prepare(str(bot), "rps", sandbox, workshop=workshop, isolated=True)
        self.bot = asyncio.run(work).with_limits({"move": PATIENCE, "start": PATIENCE})
        rules = registry.game("rps")
        self.job = SeriesJob(
            "stage", "key", "rps", resolve_options("rps", rules.options, {"rounds": 2}),
            (self.bot, Entrant("random", "random")), ("rock", "random"),
            ((GameSetup(0, (0, 1), "builds"),),), keep_lines,
        )  # fmt: skip
        self.executor = executor
        self.losses: list[str] = []
        self.header: dict[str, Any] | None = None
        executor.submit(self.job)

    def advance(self) -> bool:
        """Let the executor work. Return whether the game was played."""
        for outcome in self.executor.wait(0.1):
            if isinstance(outcome, Completed):
                ((self.header, *turns, _),) = outcome.result.games
                assert not any("fault" in move for turn in turns for move in turn["moves"])
            else:
                assert isinstance(outcome, Lost), outcome
                assert not outcome.by_job
                self.losses.append(str(outcome.reason))
                self.job = replace(self.job, attempt=self.job.attempt + 1)
                self.executor.submit(self.job)
        return self.header is not None

    def finish(self) -> dict[str, Any]:
        """Return the header of the record."""
        until(self.advance, "that the game is played")
        assert self.header is not None
        return self.header


@pytest.mark.slow
def test_a_worker_that_dies_while_it_builds_does_not_hold_up_the_others(
    cluster: Cluster, elsewhere: dict[str, str], tmp_path: Path, sandbox: Sandbox
) -> None:
    build = f"case $PWD in */lame/*) sleep 98765.4321;; esac; {COMPILE}"
    lame = cluster.start_worker("lame", environment=elsewhere)
    with cluster.executor(isolated=True) as executor:
        play = Play(executor, c_bot(tmp_path / "rock", build), sandbox)
        until(lambda: play.advance() or bots_of("98765.4321"), "that the build begins")
        cluster.start_worker("quick", environment=elsewhere)
        lame.kill()
        header = play.finish()
    assert header["machine"]["label"] == "quick"
    assert header["seats"][0]["platform"] == OTHER_PLATFORM
    assert len(play.losses) == 1


@pytest.mark.slow
def test_a_bot_that_cannot_be_built_for_a_platform_plays_on_the_others(
    cluster: Cluster, elsewhere: dict[str, str], tmp_path: Path, sandbox: Sandbox
) -> None:
    build = f"case $PWD in */poor*/*) echo no compiler >&2; exit 3;; esac; {COMPILE}"
    cluster.start_worker("poor", environment=elsewhere)
    cluster.start_worker("poor-2", environment=elsewhere)
    with cluster.executor(isolated=True) as executor:
        play = Play(executor, c_bot(tmp_path / "rock", build), sandbox)
        until(lambda: play.advance() or play.losses, "that the build fails")
        cluster.start_worker("own")
        header = play.finish()
    assert header["machine"]["label"] == "own"
    assert header["seats"][0]["files"] == play.bot.digest
    assert "platform" not in header["seats"][0]
    assert "cannot be built" in play.losses[0]
    assert f"for {OTHER_PLATFORM}" in play.losses[0]
    assert cluster.scheduler.output().count("\nno compiler\n") == 1, "one has tried"


# --- what a machine needs --------------------------------------------------------------------------------


def test_a_machine_without_the_platform_of_a_bot_needs_a_sandbox_to_build_it(
    tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = prepare(str(c_bot(tmp_path / "rock", COMPILE)), "rps", sandbox, workshop=tmp_path, isolated=True)
    entrant = asyncio.run(work)
    portable = to_portable(entrant)
    assert portable.build is not None
    assert portable.needs == portable.needs_of_machine(isolated=False) == BINARY
    assert portable.needs_of_machine(isolated=True) == {portable.build.need}
    assert runs_here(portable)
    assert to_portable(replace(entrant, sources=None)).build is None, "of a cup that was stored before"
    monkeypatch.setattr(portable_module, "glibc_version", lambda: 1)
    assert not runs_here(portable), "its programs need a newer glibc"
    monkeypatch.undo()
    monkeypatch.setattr(platforms, "local_platforms", lambda: {OTHER})
    assert not runs_here(portable)


# --- the right to build ----------------------------------------------------------------------------------

NEED, PLATFORM = "build:1", "aarch64-glibc2.36"
FILES = {"digest": "v2-1"}


def ask(rights: BuildRights, worker: str, platform: str = PLATFORM) -> dict[str, Any]:
    return rights.ask(NEED, platform, worker, 10.0)


def test_one_worker_of_each_platform_builds_at_a_time() -> None:
    rights = BuildRights(lambda name: True)
    assert ask(rights, "a") == {"build": True}
    assert ask(rights, "b") == {"build": False}
    assert ask(rights, "a") == {"build": False}, "its other threads wait too"
    assert ask(rights, "c", "riscv64-musl") == {"build": True}
    assert rights.finish(NEED, PLATFORM, FILES) == FILES
    assert ask(rights, "b") == {"files": FILES}
    assert ask(rights, "d", "riscv64-musl") == {"build": False}


def test_a_worker_loses_the_right_to_build_when_it_leaves_or_takes_too_long() -> None:
    with clock.use_clock(ManualClock()) as manual:
        rights = BuildRights(lambda name: True)
        assert ask(rights, "a")["build"]
        rights.forget_worker("b")
        assert not ask(rights, "b")["build"]
        rights.forget_worker("a")
        assert ask(rights, "b")["build"]
        manual.advance(10.0 + TRANSFER_SECONDS)
        assert ask(rights, "c")["build"]
        rights.fail(NEED, PLATFORM, "b", None)
        assert not ask(rights, "d")["build"], "the right is not b's any more"
    late = {"digest": "v2-2"}
    assert rights.finish(NEED, PLATFORM, late) == late
    assert rights.finish(NEED, PLATFORM, FILES) == late, "all play with what was built first"


def test_a_failure_counts_for_the_platform_until_the_worker_leaves() -> None:
    rights = BuildRights(lambda name: True)
    why = {"text": "no compiler"}
    assert ask(rights, "a")["build"]
    rights.fail(NEED, PLATFORM, "a", why)
    assert ask(rights, "b") == {"failure": why}
    assert rights.failures(PLATFORM) == [NEED]
    assert rights.failures("riscv64-musl") == []
    rights.forget_worker("a")
    assert rights.failures(PLATFORM) == []
    assert ask(rights, "b")["build"]


def test_what_the_scheduler_has_lost_is_built_again() -> None:
    parcels = {"v2-1"}
    rights = BuildRights(parcels.__contains__)
    assert ask(rights, "a")["build"]
    rights.finish(NEED, PLATFORM, FILES)
    parcels.clear()
    assert ask(rights, "b") == {"build": True}
