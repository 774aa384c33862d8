"""The processes of a worker, without a cluster around them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from botequim.cluster.jobs import Batch, PortableJob
from botequim.cluster.portable import to_portable
from botequim.cluster.slots import ForwardMessage, Slots
from botequim.engine.executors import Completed, Lost
from botequim.engine.helper_process import HelperProcess
from botequim.engine.jobs import SeriesJob
from botequim.engine.machine import Machine
from tests.support.executor_jobs import Reporter, job, wait_for_file
from tests.support.pace import PATIENCE, until

StartSlots = Callable[..., Slots]


@pytest.fixture
def start() -> Iterator[StartSlots]:
    started: list[Slots] = []

    def start_slots(forward: ForwardMessage = lambda run, sender, message: None) -> Slots:
        started.append(Slots(Machine("lab-1", 1.0), None, forward))
        return started[-1]

    yield start_slots
    for slots in started:
        slots.close()


def batch(*jobs: SeriesJob[Any], observer: Any = None) -> Batch:
    def portable(one: SeriesJob[Any]) -> PortableJob:
        return PortableJob.of(one, tuple(map(to_portable, one.entrants)), isolated=False)

    return Batch("run", tuple(map(portable, jobs)), observer)


def test_jobs_are_played_one_after_another_in_a_process_that_stays(start: StartSlots) -> None:
    slots, before = start(), set(HelperProcess.running)
    for task in ("first", "second"):
        with slots.task(task):
            assert [type(one) for one in slots.play(task, batch(job("a"), job("b")), {})] == [Completed] * 2
    assert len(HelperProcess.running - before) == 1
    assert slots.is_idle


def test_what_observers_have_sent_is_forwarded_before_the_result(start: StartSlots) -> None:
    received: list[bytes] = []

    def forward(run: str, sender: int, message: bytes) -> None:
        time.sleep(0.3)  # as over a slow network
        received.append(message)

    played = start(forward).play("task", batch(job("a"), observer=Reporter), {})
    assert [type(one) for one in played] == [Completed]
    assert received == [b"a 0", b"a 1", b"a 2"]


def test_a_task_that_is_cancelled_before_it_has_a_process_gets_none(start: StartSlots) -> None:
    slots, before = start(), set(HelperProcess.running)
    with slots.task("task"):
        slots.cancel("task")
        assert [type(one) for one in slots.play("task", batch(job()), {})] == [Lost]
    assert HelperProcess.running == before
    with slots.task("another"):
        assert [type(one) for one in slots.play("another", batch(job()), {})] == [Completed]


def test_a_machine_that_leaves_is_not_the_fault_of_its_jobs(start: StartSlots, tmp_path: Path) -> None:
    gate = tmp_path / "never"
    with closing(start()) as slots, ThreadPoolExecutor(1) as pool:
        playing = pool.submit(slots.play, "task", batch(job(str(gate), wait_for_file)), {})
        until(gate.with_suffix(".begun").exists)
        slots.close()
        (lost,) = playing.result(PATIENCE)
        assert isinstance(lost, Lost)
        assert not lost.by_job
        assert "lab-1 is gone" in str(lost.reason)
        assert [type(one) for one in slots.play("late", batch(job()), {})] == [Lost]
