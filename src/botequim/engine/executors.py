"""Where jobs are played: in this process, or in local worker processes. `cluster.executor` has a third place.

An `Executor` takes `SeriesJob` values and returns what became of them, in any order. It may lose jobs, which
`engine.job_loop` then submits again as another attempt, and it may play a job twice. There are two kinds of
failures: `Failed` says that the job itself cannot be played, `Lost` that the process that played it is gone.
An executor may be given an `Observation`: then a `GameObserver` in each worker sends what spectators see of a
game in progress, and the executor carries these messages to the coordinator.
"""

from __future__ import annotations

import os
import selectors
from collections import deque
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

from botequim.core.limits import EnforcedLimit
from botequim.core.messages import Message, msg
from botequim.engine.helper_process import HelperEnded, HelperProcess
from botequim.engine.jobs import (
    GameObserver,
    JobId,
    JobResult,
    MessageSender,
    Observation,
    SeriesJob,
    run_job,
)
from botequim.engine.message_channel import MessageReader, inherited_sender

SHORT_SECONDS: Final = 0.1
"""A worker gets its next job in advance if jobs take fewer seconds than this."""
PROCESSES_PER_CORE: Final = 4
LOST_PROCESS: Final = msg("a worker process ended unexpectedly; its series is played again")


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Completed:
    """A job was played."""

    id: JobId
    result: JobResult[Any]


@dataclass(frozen=True, slots=True)
class Failed:
    """A job could not be played, for a reason that is not a bot's."""

    id: JobId
    error: Exception


@dataclass(frozen=True, slots=True)
class Lost:
    """The process that played a job has ended, or the fate of the job is unknown."""

    id: JobId
    reason: Message = LOST_PROCESS
    by_job: bool = True
    """Whether the job itself may be the reason. It is not if a whole machine is gone."""
    unfit_machine: str = ""
    """The label of a machine that cannot play this job, if that is the reason."""


Outcome: TypeAlias = Completed | Failed | Lost


class Executor(Protocol):
    """Plays jobs somewhere. Use it as a context; leaving it ends all work at once."""

    @property
    def slots(self) -> int:
        """How many jobs are played at the same time. It may change."""

    @property
    def capacity(self) -> int:
        """How many jobs should be submitted at a time, those that wait included. It may change."""

    @property
    def enforces(self) -> frozenset[EnforcedLimit] | None:
        """The limits that hold for bots wherever it plays; None if jobs are played in the sandbox they bring,
        which works on this machine."""

    @property
    def shares_files(self) -> bool:
        """Whether the processes that play can write to files of this machine."""

    def submit(self, job: SeriesJob[Any]) -> None:
        """Have a job played. A job that was already submitted under this id is ignored."""

    def wait(self, timeout: float | None = None) -> Sequence[Outcome]:
        """Return what has become of some jobs; wait for the first. Return nothing after `timeout` seconds, or
        if there are no jobs."""

    def cancel(self, ids: Collection[JobId]) -> None:
        """Do not play these jobs if they have not begun, and report nothing about them."""

    def pending(self) -> Collection[JobId]:
        """Return the jobs that were submitted and have not been reported by `wait`."""

    def close(self) -> None:
        """End all work at once, with the bots that play, and forget all jobs."""

    def __enter__(self) -> Executor: ...

    def __exit__(self, *_: object) -> None: ...


StartExecutor: TypeAlias = Callable[[Observation | None], Executor]
"""Returns an executor whose games are observed, if there is an `Observation`."""


class InProcess:
    """Plays jobs in this process, one after another, while `wait` is called."""

    slots: Final = 1
    capacity: Final = 1
    enforces: Final = None
    shares_files: Final = True

    def __init__(self, observer: GameObserver | None = None) -> None:
        self._observer: Final = observer
        self._jobs: Final[dict[JobId, SeriesJob[Any]]] = {}

    def submit(self, job: SeriesJob[Any]) -> None:
        self._jobs.setdefault(job.id, job)

    def wait(self, timeout: float | None = None) -> Sequence[Outcome]:
        if not self._jobs:
            return []
        job = self._jobs.pop(next(iter(self._jobs)))
        try:
            return [Completed(job.id, run_job(job, self._observer))]
        except Exception as error:
            return [Failed(job.id, error)]

    def cancel(self, ids: Collection[JobId]) -> None:
        for one in ids:
            self._jobs.pop(one, None)

    def pending(self) -> Collection[JobId]:
        return tuple(self._jobs)

    def close(self) -> None:
        self._jobs.clear()
        if self._observer is not None:
            self._observer.close()

    def __enter__(self) -> InProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class LocalProcesses:
    """Plays jobs in worker processes on this machine, which are started when they are needed.

    A worker that ends is replaced, and the job that it played is lost.
    """

    enforces: Final = None
    shares_files: Final = True

    def __init__(self, workers: int, observation: Observation | None = None) -> None:
        self.slots: Final = min(workers, PROCESSES_PER_CORE * cores())
        self._observation: Final = observation
        self._messages: MessageReader | None = None
        if observation is not None:
            receive = observation.receive
            self._messages = MessageReader(lambda sender, message: receive(sender, message, 0.0))
        self._workers: Final[list[_Worker]] = []
        self._selector: Final = selectors.DefaultSelector()
        self._waiting: Final[deque[SeriesJob[Any]]] = deque()
        self._pending: Final[dict[JobId, None]] = {}
        self._short = False

    @property
    def capacity(self) -> int:
        return 2 * self.slots

    def submit(self, job: SeriesJob[Any]) -> None:
        if job.id not in self._pending:
            self._pending[job.id] = None
            self._waiting.append(job)
            self._hand_out()

    def wait(self, timeout: float | None = None) -> Sequence[Outcome]:
        outcomes: list[Outcome] = []
        while self._pending and not outcomes:
            ready = self._selector.select(timeout)
            for key, _ in ready:
                outcomes += self._collect(key.data)
            self._hand_out()
            if not ready:
                break
        return outcomes

    def cancel(self, ids: Collection[JobId]) -> None:
        remaining = [job for job in self._waiting if job.id not in ids]
        self._waiting.clear()
        self._waiting.extend(remaining)
        for one in ids:
            self._pending.pop(one, None)

    def pending(self) -> Collection[JobId]:
        return tuple(self._pending)

    def close(self) -> None:
        self._waiting.clear()
        self._pending.clear()
        self._selector.close()
        for worker in self._workers:
            worker.process.hang_up()
        for worker in self._workers:
            worker.process.close()
        self._workers.clear()
        if self._messages is not None:
            self._messages.close()
            self._messages = None

    def __enter__(self) -> LocalProcesses:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _hand_out(self) -> None:
        """Give waiting jobs to workers that have too little to do, and start workers that are missing."""
        most = 2 if self._short else 1
        while self._waiting:
            worker = min(self._workers, key=lambda one: len(one.jobs), default=None)
            if (worker is None or worker.jobs) and len(self._workers) < self.slots:
                worker = self._start()
            if worker is None or len(worker.jobs) >= most:
                return
            job = self._waiting.popleft()
            worker.jobs.append(job)
            with suppress(HelperEnded):  # `wait` notices it too
                worker.process.send(job)

    def _start(self) -> _Worker:
        if self._observation is None or self._messages is None:
            worker = _Worker(HelperProcess(_JobRunner))
        else:
            channel = self._messages.descriptor
            worker = _Worker(HelperProcess(_JobRunner, self._observation.start, channel, pass_fds=[channel]))
        self._workers.append(worker)
        self._selector.register(worker.process, selectors.EVENT_READ, worker)
        return worker

    def _collect(self, worker: _Worker) -> list[Outcome]:
        try:
            answer: JobResult[Any] | Exception = worker.process.receive()
        except HelperEnded:
            return self._replace(worker)
        except Exception as error:
            answer = error
        job = worker.jobs.popleft()
        if self._pending.pop(job.id, 0) == 0:
            return []  # cancelled
        if isinstance(answer, JobResult):
            self._short = answer.seconds < SHORT_SECONDS
            return [Completed(job.id, answer)]
        return [Failed(job.id, answer)]

    def _replace(self, worker: _Worker) -> list[Outcome]:
        """Forget a worker that has ended. The first of its jobs is lost; it had not begun the others."""
        self._selector.unregister(worker.process)
        self._workers.remove(worker)
        worker.process.close()
        lost = worker.jobs.popleft() if worker.jobs else None
        self._waiting.extendleft(job for job in reversed(worker.jobs) if job.id in self._pending)
        if lost is None or self._pending.pop(lost.id, 0) == 0:
            return []
        return [Lost(lost.id)]


class _Worker:
    def __init__(self, process: HelperProcess) -> None:
        self.process: Final = process
        self.jobs: Final[deque[SeriesJob[Any]]] = deque()
        """The jobs that it has not answered; it plays the first."""


class _JobRunner:
    """Plays jobs in a worker process."""

    def __init__(
        self, start_observer: Callable[[MessageSender], GameObserver] | None = None, channel: int = -1
    ) -> None:
        """`channel` is the descriptor on which the observer sends."""
        self._observer: GameObserver | None = None
        if start_observer is not None:
            self._observer = start_observer(inherited_sender(channel))

    def handle(self, job: SeriesJob[Any]) -> JobResult[Any]:
        return run_job(job, self._observer)

    def close(self) -> None:
        if self._observer is not None:
            self._observer.close()


def local_executor(workers: int) -> Executor:
    """Return an executor for this machine: with one worker, games are played in this process."""
    return InProcess() if workers <= 1 else LocalProcesses(workers)
