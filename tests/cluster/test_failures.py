"""Workers, schedulers and coordinators that are killed: nothing is lost, and no bot is left."""

from __future__ import annotations

import random
import secrets
import signal
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from botequim.cup.config_parser import read
from botequim.cup.paths import CupPaths
from botequim.cup.runner import Runner, begin
from botequim.engine.executors import LocalProcesses
from botequim.sandbox.none import NoSandbox
from tests.support import processes
from tests.support.cluster import (
    COMMAND,
    NO_ISOLATION,
    STEADY_SPEED,
    Cluster,
    Service,
    altered_machine,
    bots_of,
    open_cluster,
)
from tests.support.cup_commands import cup
from tests.support.gated_bots import write_bot
from tests.support.pace import PATIENCE, until
from tests.support.processes import Process
from tests.support.small_disk import small_disk

STAGES = f"""
restart = "series"
[limits]
move = {PATIENCE:g}
start = {PATIENCE:g}
[[stages]]
name = "league"
format = "round_robin"
games = 2
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("failures")
    with open_cluster(
        folder / "cluster", altered_machine(folder / "python", NO_ISOLATION + STEADY_SPEED)
    ) as opened:
        opened.start_worker("lab-1")
        yield opened


NAMES = ("alpha", "beta", "gamma")


def write_cup(folder: Path, **bots: Any) -> Path:
    entrants = {name: str(write_bot(folder / name, **bots)) for name in NAMES}
    return cup(folder / "cup.toml", entrants, stages=STAGES)


class PlayedCup:
    """A cup of three bots that wait until `go_on` is called, and the processes that play it."""

    def __init__(self, folder: Path, expected: Any) -> None:
        """`expected` are its results."""
        self.mark = f"mark-{secrets.token_hex(8)}"
        self.gate = folder / "gate"
        self.file = write_cup(folder, gate=self.gate, mark=self.mark)
        self.errors = folder / "errors"
        self._expected = expected
        self._started: list[subprocess.Popen[bytes]] = []

    def bots(self) -> set[Process]:
        return bots_of(self.mark)

    def bots_on(self, worker: Service) -> set[Process]:
        """Return the bots that a worker plays with now."""
        own = processes.trees(one for one in processes.children() if one.pid == worker.pid)
        return {one for one in own if self.mark in processes.command(one)}

    def start(self, cluster: Cluster) -> subprocess.Popen[bytes]:
        words = [*COMMAND, "cup", "run", str(self.file), "--trust", "--quiet", "--cluster", cluster.address]
        with self.errors.open("ab") as errors:
            self._started.append(subprocess.Popen(words, stdout=errors, stderr=errors))
        return self._started[-1]

    def said(self) -> str:
        return self.errors.read_text(encoding="utf-8")

    def wait_for(self, words: str) -> None:
        def is_said() -> bool:
            assert self._started[-1].poll() is None or words in self.said(), self.said()
            return words in self.said()

        until(is_said, f"that the coordinator says {words!r}")

    def finish(self) -> None:
        """Let the bots play, and compare the results."""
        self.gate.touch()
        assert self._started[-1].wait(PATIENCE) == 0, self.said()
        assert "Traceback" not in self.said()
        with CupPaths.of(self.file).storage.open_results(check=True) as store:
            assert store.results() == self._expected

    def close(self) -> None:
        for process in self._started:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The results of the cup if it is played here, and nothing fails."""
    found = read(write_cup(tmp_path_factory.mktemp("expected")))
    with CupPaths.of_cup(found).storage.open_results(write=True) as store:
        start = partial(LocalProcesses, 1)
        for _ in Runner(found, store, begin(found, store, None), NoSandbox(), False, start).play():
            pass
        return store.results()


@pytest.fixture
def played(tmp_path: Path, expected: Any) -> Iterator[PlayedCup]:
    made = PlayedCup(tmp_path, expected)
    yield made
    made.close()


def end_and_wait(worker: Service, played: PlayedCup, end: Callable[[], None]) -> None:
    """End something of a worker while it plays, and wait until its bots have ended."""
    bots = until(lambda: played.bots_on(worker), "that it plays")
    end()
    until(lambda: not bots & played.bots(), "that its bots have ended")


@pytest.mark.slow  # the same between two workers: test_drills
def test_a_killed_worker_loses_nothing_and_leaves_no_bot(cluster: Cluster, played: PlayedCup) -> None:
    second = cluster.start_worker("lab-2")
    played.start(cluster)
    end_and_wait(second, played, lambda: processes.kill(second.child()))
    played.wait_for("lab-2 is gone; its series is played again")
    cluster.wait_until_joined("lab-2", 2)
    assert "the worker process ended unexpectedly; it is started again" in second.output()
    end_and_wait(second, played, second.kill)
    played.finish()


def test_a_scheduler_that_is_killed_and_started_again(tmp_path: Path, played: PlayedCup) -> None:
    machine = altered_machine(tmp_path / "python", NO_ISOLATION + STEADY_SPEED)
    with open_cluster(tmp_path / "cluster", machine) as cluster:
        worker = cluster.start_worker("lab-1")
        play_with_another_scheduler(cluster, worker, played)


def play_with_another_scheduler(cluster: Cluster, worker: Service, played: PlayedCup) -> None:
    played.start(cluster)
    end_and_wait(worker, played, cluster.scheduler.kill)
    played.wait_for("the connection to the scheduler")
    cluster.forget_bots("lab-1")
    cluster.restart_scheduler(cache="another scheduler")
    played.wait_for("the scheduler answers again")
    until(lambda: played.bots_on(worker), "that it plays again")
    played.finish()
    assert "the connection to the scheduler is lost" in worker.output()


@pytest.mark.slow  # test_cup_run kills and interrupts coordinators; test_executor loses their connection
def test_a_coordinator_that_is_killed_or_interrupted(cluster: Cluster, played: PlayedCup) -> None:
    (worker,) = (one for one in cluster.services if one.name == "lab-1")
    killed = played.start(cluster)
    end_and_wait(worker, played, killed.kill)
    interrupted = played.start(cluster)
    end_and_wait(worker, played, lambda: interrupted.send_signal(signal.SIGINT))
    assert interrupted.wait(PATIENCE) == 130
    again = f"botequim cup run {played.file} --trust --cluster {cluster.address}"
    assert f"To continue:\n  {again}\n" in played.said()
    played.start(cluster)
    played.finish()


@pytest.mark.slow  # what a full disk means for bots on their way: test_bot_cache, test_parcel_store
def test_a_machine_whose_disk_is_full_leaves_and_the_cup_goes_on(
    cluster: Cluster, played: PlayedCup, tmp_path: Path
) -> None:
    noise = random.Random(7).randbytes(1 << 21)
    for name in NAMES:
        (tmp_path / name / "noise").write_bytes(noise)
    place = cluster.folder / "lab-3"
    place.mkdir()
    third = cluster.start_worker("lab-3", command=[*small_disk(place, "1m"), *COMMAND])
    played.start(cluster)
    text = third.wait_for("lab-3 cannot get bots ready: ")
    assert "the disk is full" in text
    played.wait_for("lab-3 cannot get bots ready: ")
    until(lambda: "scheduler: lab-3 left" in cluster.scheduler.output())
    played.finish()
