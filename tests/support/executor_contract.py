"""What every executor must do. A module of tests that has the fixtures `executor` and `start` inherits it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from botequim.core.errors import InputError
from botequim.engine.executors import Completed, Executor, Failed, Outcome, StartExecutor
from botequim.engine.jobs import JobId, Observation, run_job
from tests.support.executor_jobs import Reporter, job, keep_bug, keep_nothing
from tests.support.pace import PATIENCE


def outcomes(executor: Executor) -> dict[JobId, Outcome]:
    """Return everything that becomes of its jobs, when none is left."""
    found: dict[JobId, Outcome] = {}
    while executor.pending():
        found |= {one.id: one for one in executor.wait(PATIENCE)}
    return found


class ExecutorContract:
    """`executor` is an open executor, and `start` starts one whose games can be observed."""

    def test_jobs_are_played_wherever_with_the_same_result(self, executor: Executor) -> None:
        jobs = [job(str(number)) for number in range(6)]
        for one in jobs:
            executor.submit(one)
        assert set(executor.pending()) == {one.id for one in jobs}
        found = outcomes(executor)
        for one in jobs:
            outcome = found.pop(one.id)
            assert isinstance(outcome, Completed)
            assert outcome.result.games == run_job(one).games
            assert [number for number, _ in outcome.result.games] == [0, 1, 2]
            assert outcome.result.seconds > 0
        assert not found

    def test_nothing_to_wait_for(self, executor: Executor) -> None:
        assert executor.wait() == []
        assert not executor.pending()
        assert 1 <= executor.slots <= executor.capacity

    def test_a_job_is_submitted_once_and_another_attempt_is_another_job(self, executor: Executor) -> None:
        for one in (job(), job(), replace(job(), attempt=1)):
            executor.submit(one)
        assert len(executor.pending()) == 2
        assert [sorted(outcomes(executor))] == [[("stage", "a", 0), ("stage", "a", 1)]]

    @pytest.mark.parametrize("keep", [keep_nothing, keep_bug])
    def test_a_job_that_fails_is_reported_with_its_error_and_the_next_is_played(
        self, executor: Executor, keep: Any
    ) -> None:
        executor.submit(job("bad", keep))
        executor.submit(job("good"))
        found = outcomes(executor)
        failed = found[job("bad").id]
        assert isinstance(failed, Failed)
        assert isinstance(found[job("good").id], Completed)
        if keep is keep_nothing:
            assert isinstance(failed.error, InputError)
            assert str(failed.error) == "bad cannot be played"
            assert failed.error.details == "in detail"
        else:
            assert isinstance(failed.error, ZeroDivisionError)

    def test_cancelled_jobs_are_not_reported(self, executor: Executor) -> None:
        for key in "abcdefgh":
            executor.submit(job(key))
        executor.cancel([job(key).id for key in "abcdefg"])
        assert set(executor.pending()) == {job("h").id}
        assert set(outcomes(executor)) == {job("h").id}

    def test_leaving_ends_all_work(self, executor: Executor) -> None:
        executor.submit(job())
        executor.close()
        assert not executor.pending()

    def test_what_observers_send_has_arrived_when_the_executor_is_closed(self, start: StartExecutor) -> None:
        received: list[tuple[int, str, float]] = []

        def receive(sender: int, message: bytes, clock_offset: float) -> None:
            received.append((sender, message.decode(), clock_offset))

        with start(Observation(Reporter, receive)) as executor:
            for key in "abc":
                executor.submit(job(key))
            outcomes(executor)
        expected = [f"{key} {number}" for key in "abc" for number in range(3)]
        assert sorted(message for _, message, _ in received) == expected
        for key in "abc":
            of_key = [(sender, message) for sender, message, _ in received if message[0] == key]
            in_order = [message[-1] for _, message in of_key]
            assert in_order == ["0", "1", "2"], "in the order in which they were sent"
            assert len({sender for sender, _ in of_key}) == 1
        assert {type(offset) for _, _, offset in received} == {float}
