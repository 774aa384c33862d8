"""The loop between who wants jobs played and who plays them: matches and cups both use it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from botequim.core.errors import BotequimError, InputError
from botequim.core.messages import Message, msg
from botequim.engine.executors import Completed, Executor, Failed, Lost
from botequim.engine.jobs import JobId, JobResult, SeriesJob

MAX_LOSSES: Final = 3
"""Jobs that may be lost in one run if the job itself may be the reason, as when it fills the memory."""
MAX_LOSSES_OF_JOB: Final = 20
"""How often one job may be lost for whatever reason."""

G = TypeVar("G")


@dataclass(frozen=True, slots=True)
class FinishedJob:
    """A job and what came of it."""

    job: SeriesJob[Any]
    result: JobResult[Any]


@dataclass(frozen=True, slots=True)
class RepeatedJob:
    """A job that was not finished is submitted once more."""

    job: SeriesJob[Any]
    reason: Message


def run_jobs(
    executor: Executor, next_job: Callable[[], SeriesJob[Any] | None], *, attempts: int = 1
) -> Iterator[FinishedJob | RepeatedJob]:
    """Play jobs until there are no more; yield each with its result as soon as it is finished.

    `next_job` is called whenever the executor has room. If it returns None, it is called again after the next
    result, which may be what it waits for. A job that fails is tried `attempts` times, except that an
    InputError is raised at once. A job that is lost is tried again, up to MAX_LOSSES or MAX_LOSSES_OF_JOB.
    """
    submitted: dict[JobId, SeriesJob[Any]] = {}
    repeated: deque[SeriesJob[Any]] = deque()
    failures: dict[tuple[str, str], int] = {}
    losses = _Losses()
    while True:
        while len(submitted) < executor.capacity:
            job = repeated.popleft() if repeated else next_job()
            if job is None:
                break
            failed = failures.get((job.stage, job.key), 0)
            job = replace(job, is_last_attempt=failed >= attempts - 1)
            submitted[job.id] = job
            executor.submit(job)
        if not submitted:
            return
        for outcome in executor.wait():
            job = submitted.pop(outcome.id, None)
            if job is None:
                continue  # of an attempt that was believed to be lost
            match outcome:
                case Completed(_, result):
                    yield FinishedJob(job, result)
                    continue
                case Failed(_, error):
                    failed = failures[job.stage, job.key] = failures.get((job.stage, job.key), 0) + 1
                    if not isinstance(error, BotequimError) or isinstance(error, InputError):
                        raise error
                    if failed >= attempts:
                        raise error
                    reason = error.message
                case Lost(_, reason):
                    losses.add(outcome)
            repeated.append(replace(job, attempt=job.attempt + 1))
            yield RepeatedJob(job, reason)


class _Losses:
    """Counts lost jobs, and raises an error if there are too many."""

    def __init__(self) -> None:
        self._by_job = 0
        self._of: Final[dict[tuple[str, str], int]] = {}

    def add(self, lost: Lost) -> None:
        if lost.by_job:
            self._by_job += 1
            if self._by_job >= MAX_LOSSES:
                raise BotequimError(
                    msg(
                        "worker processes ended unexpectedly {count} times; run the command again, "
                        "with fewer workers if memory is short",
                        count=self._by_job,
                    )
                )
        key = lost.id.stage, lost.id.key
        self._of[key] = self._of.get(key, 0) + 1
        if self._of[key] >= MAX_LOSSES_OF_JOB:
            raise BotequimError(
                msg(
                    "one series was lost {count} times, the last time because: {why}",
                    count=self._of[key],
                    why=lost.reason,
                )
            )
