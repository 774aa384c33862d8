"""The contract of every executor, and the loop that uses one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from botequim.core.errors import BotequimError, InputError
from botequim.core.messages import msg
from botequim.engine import executors
from botequim.engine.executors import (
    Completed,
    Executor,
    Failed,
    InProcess,
    LocalProcesses,
    Lost,
    Outcome,
    StartExecutor,
)
from botequim.engine.job_loop import MAX_LOSSES, FinishedJob, RepeatedJob, run_jobs
from botequim.engine.jobs import JobId, JobResult, SeriesJob
from tests.support.elsewhere import Elsewhere
from tests.support.executor_contract import ExecutorContract, outcomes
from tests.support.executor_jobs import end_process, job, wait_for_file
from tests.support.pace import PATIENCE, until
from tests.support.processes import children

OBSERVED: dict[str, StartExecutor] = {
    "elsewhere": Elsewhere,
    "one worker": partial(LocalProcesses, 1),
    "two workers": partial(LocalProcesses, 2),
}
"""Executors for cups; their games can be observed. Add new executors here."""
EXECUTORS: dict[str, Callable[[], Executor]] = {
    "in-process": InProcess,
    **{name: partial(start, None) for name, start in OBSERVED.items()},
}
"""The contract holds for each of them."""


@pytest.fixture(params=EXECUTORS)
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    with EXECUTORS[request.param]() as made:
        yield made


@pytest.fixture(params=OBSERVED)
def start(request: pytest.FixtureRequest) -> StartExecutor:
    return OBSERVED[request.param]


class TestContract(ExecutorContract):
    """What every executor must do. `tests/cluster/test_executor.py` tests the cluster in the same way."""


# --- worker processes ----------------------------------------------------------------------------------


def test_workers_are_other_processes_and_as_many_as_wanted(tmp_path: Path) -> None:
    gates = [str(tmp_path / name) for name in "ab"]
    with LocalProcesses(2) as executor:
        for gate in gates:
            executor.submit(job(gate, wait_for_file, 1))
        until(lambda: all(Path(gate).with_suffix(".begun").exists() for gate in gates))
        assert executor.wait(0.01) == []
        for gate in gates:
            Path(gate).touch()
        found = outcomes(executor)
    pids = {found[job(gate).id].result.games for gate in gates}  # type: ignore[union-attr]
    assert len(pids) == 2
    assert (os.getpid(),) not in pids


def test_a_worker_that_ends_loses_only_the_job_it_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "SHORT_SECONDS", PATIENCE)
    with LocalProcesses(1) as executor:
        executor.submit(job("first"))
        assert outcomes(executor)
        for one in (job("ends", end_process), job("next"), job("last")):
            executor.submit(one)
        found = outcomes(executor)
    assert isinstance(found.pop(job("ends").id), Lost)
    assert {type(one) for one in found.values()} == {Completed}
    assert len(found) == 2


def test_busy_workers_end_at_once(tmp_path: Path) -> None:
    gate = tmp_path / "never"
    others = children()
    with LocalProcesses(1) as executor:
        executor.submit(job(str(gate), wait_for_file))
        until(gate.with_suffix(".begun").exists)
        workers = children() - others
        assert workers
    assert not workers & children()


# --- the loop ------------------------------------------------------------------------------------------


class ScriptedExecutor(InProcess):
    """Gives each job the next outcome of a list; after these, all are completed."""

    capacity = 2  # type: ignore[misc]

    def __init__(self, *script: Callable[[JobId], Outcome]) -> None:
        super().__init__()
        self._script = list(script)
        self.seen: list[SeriesJob[Any]] = []

    def wait(self, timeout: float | None = None) -> Sequence[Outcome]:
        assert len(self._jobs) <= self.capacity
        one = self._jobs.pop(next(reversed(self._jobs)))
        self.seen.append(one)
        return [self._script.pop(0)(one.id) if self._script else complete(one.id)]


def complete(id: JobId) -> Outcome:
    return Completed(id, JobResult(id, (), 0.0))


def failing(error: Exception) -> Callable[[JobId], Outcome]:
    return lambda id: Failed(id, error)


def run_loop(executor: Executor, count: int, attempts: int = 1) -> list[FinishedJob | RepeatedJob]:
    jobs = iter([job(str(number)) for number in range(count)])
    return list(run_jobs(executor, lambda: next(jobs, None), attempts=attempts))


def test_every_job_is_finished_once_in_any_order() -> None:
    events = run_loop(ScriptedExecutor(), 5)
    assert sorted(event.job.key for event in events) == list("01234")
    assert {type(event) for event in events} == {FinishedJob}


def test_a_job_may_follow_from_the_result_of_another() -> None:
    finished: list[str] = []
    scripted = ScriptedExecutor()

    def next_job() -> SeriesJob[Any] | None:
        return job(str(len(finished))) if len(finished) < 3 and not scripted.pending() else None

    for event in run_jobs(scripted, next_job):
        finished.append(event.job.key)
    assert finished == ["0", "1", "2"]


def test_lost_jobs_are_another_attempt_but_not_the_last() -> None:
    executor = ScriptedExecutor(Lost)
    repeated, *rest = run_loop(executor, 1, attempts=3)
    assert isinstance(repeated, RepeatedJob)
    assert "ended unexpectedly" in str(repeated.reason)
    assert [(one.attempt, one.is_last_attempt) for one in executor.seen] == [(0, False), (1, False)]
    assert len(rest) == 1


def test_too_many_lost_jobs_end_the_run() -> None:
    with pytest.raises(BotequimError, match="ended unexpectedly 3 times"):
        run_loop(ScriptedExecutor(*[Lost] * MAX_LOSSES), 1)


def test_a_failure_of_ours_is_tried_again_and_raised_at_last() -> None:
    ours = failing(BotequimError(msg("no room")))
    executor = ScriptedExecutor(ours, ours)
    first, second, last = run_loop(executor, 1, attempts=3)
    assert isinstance(first, RepeatedJob)
    assert isinstance(second, RepeatedJob)
    assert str(first.reason) == "no room"
    assert isinstance(last, FinishedJob)
    assert [(one.attempt, one.is_last_attempt) for one in executor.seen] == [
        (0, False),
        (1, False),
        (2, True),
    ]
    with pytest.raises(BotequimError, match="no room"):
        run_loop(ScriptedExecutor(ours, ours, ours), 1, attempts=3)
    with pytest.raises(BotequimError, match="no room"):
        run_loop(ScriptedExecutor(ours), 1)


@pytest.mark.parametrize("error", [InputError(msg("wrong")), ZeroDivisionError("wrong")])
def test_what_another_attempt_cannot_mend_is_raised_at_once(error: Exception) -> None:
    with pytest.raises(type(error), match="wrong"):
        run_loop(ScriptedExecutor(failing(error)), 1, attempts=3)


def test_a_late_result_of_a_lost_attempt_is_ignored() -> None:
    class Late(ScriptedExecutor):
        def wait(self, timeout: float | None = None) -> Sequence[Outcome]:
            found = super().wait(timeout)
            return [complete(JobId("stage", "0", 0)), *found] if len(self.seen) == 2 else found

    events = run_loop(Late(Lost), 1)
    assert [type(event) for event in events] == [RepeatedJob, FinishedJob]
    assert events[1].job.attempt == 1
