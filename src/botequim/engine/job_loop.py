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
"""Jobs that may be lost in one run: a job may itself end the process that plays it."""

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
    InputError is raised at once. A job that is lost is tried again, until MAX_LOSSES were lost.
    """
    submitted: dict[JobId, SeriesJob[Any]] = {}
    repeated: deque[SeriesJob[Any]] = deque()
    failures: dict[tuple[str, str], int] = {}
    losses = 0
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
                case Lost():
                    losses += 1
                    if losses >= MAX_LOSSES:
                        raise BotequimError(
                            msg(
                                "worker processes ended unexpectedly {count} times; run the command again, "
                                "with fewer workers if memory is short",
                                count=losses,
                            )
                        )
                    reason = msg("a worker process ended unexpectedly; its series is played again")
            repeated.append(replace(job, attempt=job.attempt + 1))
            yield RepeatedJob(job, reason)
