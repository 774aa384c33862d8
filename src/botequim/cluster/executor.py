"""The executor of a coordinator whose jobs are played on the machines of a cluster.

The engine is Dask; it only supplies work force. A job that Dask loses, forgets or cannot place is reported as
`Lost`, and the job loop submits it again as another attempt. Results of earlier attempts are ignored. If the
scheduler is gone, the executor waits until it is back. Import this module after `settings.apply_settings`.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Final

from distributed import Future, KilledWorker
from distributed.client import FutureCancelledError

from botequim.bots.entrant import Entrant
from botequim.cluster.connection import Connection, NoScheduler
from botequim.cluster.credentials import Credentials
from botequim.cluster.jobs import Batch, PortableJob
from botequim.cluster.machines import MachineReport, missing_message
from botequim.cluster.playing import play_batch
from botequim.cluster.portable import PortableEntrant, to_portable
from botequim.cluster.uploads import Uploads
from botequim.core import clock
from botequim.core.errors import InputError
from botequim.core.limits import EnforcedLimit
from botequim.core.messages import Message, comma_list, msg
from botequim.engine.executors import Completed, Failed, Lost, Outcome
from botequim.engine.jobs import JobId, Observation, SeriesJob
from botequim.engine.machine import Machine, too_slow

TASK_SECONDS: Final = 0.5
"""Jobs that take fewer seconds are sent together, because each task costs the scheduler some milliseconds."""
MOST_JOBS: Final = 64
"""How many jobs a task has at most."""
LOOK_SECONDS: Final = 1.0
MACHINE_SECONDS: Final = 2.0
"""How often the machines are asked for."""
AUDIT_SECONDS: Final = 10.0
"""How often the scheduler is asked which tasks it has forgotten."""
JOIN_SECONDS: Final = 20.0
"""How long a coordinator waits for the first machine."""
FETCH_SECONDS: Final = 120.0
SCHEDULER_LOST: Final = msg("the scheduler was lost; unfinished series are played again")
FETCHES: Final = 4
"""How many results are fetched at the same time."""


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """What the command line of a coordinator says about the cluster."""

    address: str
    credentials: Credentials | None = None
    least_speed: float | None = None
    """Machines that are slower than this part of the median are not used; see `engine.machine.too_slow`."""


@dataclass(frozen=True, slots=True)
class _Task:
    """A task of Dask, with the jobs that it plays."""

    future: Future[list[Outcome]]
    jobs: tuple[JobId, ...]


class ClusterExecutor:
    """Plays jobs on the machines of a cluster. Use it as a context."""

    shares_files: Final = False

    def __init__(
        self,
        settings: ClusterSettings,
        observation: Observation | None = None,
        *,
        isolated: bool,
        report: Callable[[Message], None],
    ) -> None:
        """Connect to the scheduler. Raise InputError if none answers, or if it has another version.

        With `isolated`, bots are only played on machines that enforce every limit. `report` receives messages
        about machines that are lost and so on.
        """
        self.enforces: Final = frozenset(EnforcedLimit) if isolated else frozenset()
        self._settings: Final = settings
        self._isolated: Final = isolated
        self._report: Final = report
        self._run: Final = secrets.token_hex(6)
        self._start_observer: Final = None if observation is None else observation.start
        self._connection: Final = Connection(settings, self._run, observation)
        self._uploads: Final = Uploads(self._run)
        self._portable: Final[dict[int, tuple[Entrant, PortableEntrant]]] = {}
        self._jobs: Final[dict[JobId, PortableJob]] = {}
        self._waiting: Final[dict[JobId, None]] = {}
        """Jobs that are in no task yet, in the order in which they were submitted."""
        self._tasks: Final[dict[str, _Task]] = {}
        self._outcomes: list[Outcome] = []
        self._events: Final[SimpleQueue[tuple[str, object]]] = SimpleQueue()
        self._fetchers: Final = ThreadPoolExecutor(FETCHES, "cluster-results")
        self._machines: Sequence[MachineReport] = ()
        """Those that this run uses."""
        self._all_machines = 0
        self._unfit: Final[dict[frozenset[str], dict[str, Message]]] = {}
        """By the parcels of a job: the machines that could not play it, with the reason."""
        self._asked = self._audited = 0.0
        self._satisfied: Final[set[frozenset[str]]] = set()
        self._reported: Final[set[str]] = set()
        self._seconds = TASK_SECONDS
        self._suspected: set[str] = set()
        self._connection.connect()
        try:
            self._refresh_machines()
            self._require_machines()
        except BaseException:
            self.close()
            raise

    # --- the protocol ----------------------------------------------------------------------------------

    @property
    def slots(self) -> int:
        return max(1, sum(machine.slots for machine in self._machines))

    @property
    def capacity(self) -> int:
        return (self.slots + self.slots // 2 + 1) * self._jobs_per_task()

    def submit(self, job: SeriesJob[Any]) -> None:
        if job.id in self._jobs:
            return
        entrants = tuple(self._to_portable(entrant) for entrant in job.entrants)
        portable = PortableJob.of(job, entrants, isolated=self._isolated)
        self._require_possible(portable.needs)
        self._jobs[job.id] = portable
        self._waiting[job.id] = None

    def wait(self, timeout: float | None = None) -> Sequence[Outcome]:
        until = None if timeout is None else clock.now() + timeout
        while self._jobs:
            left = LOOK_SECONDS if until is None else min(LOOK_SECONDS, until - clock.now())
            self._advance(max(0.0, left))
            if self._outcomes:
                outcomes, self._outcomes = self._outcomes, []
                return outcomes
            if until is not None and clock.now() >= until:
                break
        return []

    def cancel(self, ids: Collection[JobId]) -> None:
        for one in ids:
            self._jobs.pop(one, None)
            self._waiting.pop(one, None)
        unwanted = [task for task in self._tasks.values() if not any(one in self._jobs for one in task.jobs)]
        self._cancel_tasks(unwanted)

    def pending(self) -> Collection[JobId]:
        return tuple(self._jobs)

    def close(self) -> None:
        self._jobs.clear()
        self._waiting.clear()
        self._cancel_tasks(list(self._tasks.values()))
        self._tasks.clear()
        self._connection.end()
        self._fetchers.shutdown(wait=False, cancel_futures=True)

    def __enter__(self) -> ClusterExecutor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- one step --------------------------------------------------------------------------------------

    def _advance(self, seconds: float) -> None:
        """Do what is due, and wait so long for a result."""
        try:
            if self._connection.was_open and not self._connection.is_open:
                self._lose_connection(msg("it was closed"))
            if not self._connection.is_open:
                self._reconnect()
            if clock.now() - self._asked >= MACHINE_SECONDS:
                self._refresh_machines()
            self._send_waiting()
            if clock.now() - self._audited >= AUDIT_SECONDS:
                self._find_stuck_tasks()
        except NoScheduler as error:
            self._lose_connection(error.message)
        self._collect(0.0 if self._outcomes else seconds)

    def _reconnect(self) -> None:
        self._connection.connect()
        self._uploads.forget()
        self._asked = 0.0
        self._report(msg("the scheduler answers again"))

    def _lose_connection(self, why: Message) -> None:
        """Report all tasks as lost. They are submitted again when the scheduler is back."""
        if self._connection.was_open:
            self._report(
                msg(
                    "the connection to the scheduler {address} is lost ({why}); unfinished series are played "
                    "again when it is back. Start `botequim scheduler` there if it does not run",
                    address=self._settings.address,
                    why=why,
                )
            )
        self._connection.close()
        self._collect(0.0)  # results that have arrived count
        self._lose(list(self._tasks), SCHEDULER_LOST)
        self._machines = ()

    def _collect(self, seconds: float) -> None:
        """Take the results that are here; wait so long for the first."""
        with suppress(Empty):
            key, result = self._events.get(timeout=seconds)
            while True:
                self._take_result(key, result)
                key, result = self._events.get_nowait()

    def _take_result(self, key: str, result: object) -> None:
        task = self._tasks.pop(key, None)
        if task is None:
            return  # it was cancelled, or believed to be lost
        if isinstance(result, list):
            for outcome in result:
                self._add_outcome(outcome)
        elif isinstance(result, Message):
            for job in task.jobs:
                self._add_outcome(Lost(job, result, by_job=False))
        else:
            assert isinstance(result, Exception)
            for job in task.jobs:
                self._add_outcome(Failed(job, result))

    def _add_outcome(self, outcome: Outcome) -> None:
        job = self._jobs.pop(outcome.id, None)
        if job is None:
            return  # cancelled
        if isinstance(outcome, Completed):
            self._seconds += 0.2 * (outcome.result.seconds - self._seconds)
        elif isinstance(outcome, Lost):
            self._uploads.forget()  # maybe the scheduler has no longer what was uploaded
            self._asked = 0.0
            if outcome.unfit_machine:
                self._unfit.setdefault(job.parcels, {})[outcome.unfit_machine] = outcome.reason
        self._outcomes.append(outcome)

    # --- tasks -----------------------------------------------------------------------------------------

    def _jobs_per_task(self) -> int:
        return max(1, min(MOST_JOBS, int(TASK_SECONDS / max(self._seconds, 1e-6))))

    def _send_waiting(self) -> None:
        """Make tasks of the jobs that wait. Those that no machine can play at the moment go on waiting."""
        alike: dict[tuple[frozenset[str], frozenset[str]], list[JobId]] = {}
        for one in self._waiting:
            job = self._jobs[one]
            alike.setdefault((job.needs, frozenset(self._unfit.get(job.parcels, ()))), []).append(one)
        for (needs, unfit), ids in alike.items():
            able = self._able_machines(needs)
            fit = [machine for machine in able if machine.label not in unfit]
            if fit:
                self._send_all(ids, fit)
            elif able:
                self._fail(ids)
            else:
                self._report_waiting(needs)

    def _send_all(self, ids: Sequence[JobId], machines: Sequence[MachineReport]) -> None:
        """Make tasks of jobs that these machines can play."""
        size = min(self._jobs_per_task(), -(-len(ids) // sum(machine.slots for machine in machines)))
        for at in range(0, len(ids), size):
            self._send(tuple(ids[at : at + size]), machines)

    def _fail(self, ids: Sequence[JobId]) -> None:
        """Report jobs as failed that every machine has refused."""
        for one in ids:
            del self._waiting[one]
            why = comma_list(self._unfit[self._jobs[one].parcels].values())
            error = InputError(msg("no machine of the cluster can play this: {missing}", missing=why))
            self._add_outcome(Failed(one, error))

    def _send(self, ids: tuple[JobId, ...], able: Sequence[MachineReport]) -> None:
        jobs = tuple(self._jobs[one] for one in ids)
        batch = Batch(self._run, jobs, self._start_observer)
        for name in batch.uploads:
            self._uploads.upload(name, self._connection)
        key = f"botequim-{self._run}-{secrets.token_hex(8)}"
        # a machine that joins at this moment is not known yet: it refuses a job that it cannot play
        restricted = len(able) < self._all_machines
        future = self._connection.client.submit(
            play_batch,
            batch.encode(),
            key=key,
            pure=False,
            workers=[machine.address for machine in able] if restricted else None,
        )
        self._tasks[key] = _Task(future, ids)
        for one in ids:
            del self._waiting[one]
        future.add_done_callback(lambda done: self._start_fetch(key, done))

    def _start_fetch(self, key: str, future: Future[list[Outcome]]) -> None:
        with suppress(RuntimeError):  # it is closed
            self._fetchers.submit(self._fetch, key, future)

    def _fetch(self, key: str, future: Future[list[Outcome]]) -> None:
        """In a thread: get the result of a task that has ended."""
        self._events.put((key, _result(future)))

    def _cancel_tasks(self, tasks: Collection[_Task]) -> None:
        if tasks and self._connection.is_open:
            with suppress(Exception):  # whatever it is: closing the connection cancels them, too
                self._connection.client.cancel([task.future for task in tasks], force=True)

    def _find_stuck_tasks(self) -> None:
        """Report tasks as lost that the scheduler does not know any more, or that no worker may play."""
        self._audited = clock.now()
        if not self._tasks:
            return
        stuck = set(self._connection.call("botequim_stuck", keys=list(self._tasks)))
        # twice in a row: the first time it may not have arrived, or have ended a moment ago
        lost = [key for key in self._tasks if key in stuck & self._suspected]
        self._suspected = stuck
        self._cancel_tasks([self._tasks[key] for key in lost])
        self._lose(lost, msg("the cluster has forgotten a series, which is played again"))

    def _lose(self, keys: Sequence[str], why: Message) -> None:
        for key in keys:
            self._take_result(key, why)

    # --- machines --------------------------------------------------------------------------------------

    def _refresh_machines(self) -> None:
        self._asked = clock.now()
        machines = self._connection.machines()
        slow: set[str] = set()
        if self._settings.least_speed is not None:
            known = {one.label: Machine(one.label, one.speed) for one in machines}
            for machine, why in too_slow(list(known.values()), self._settings.least_speed):
                slow.add(machine.label)
                self._report_once(machine.label, why)
        self._machines = [one for one in machines if one.label not in slow]
        self._all_machines = len(machines)

    def _require_machines(self) -> None:
        """Wait for the first machine: workers may be joining a scheduler that has just begun."""
        until = clock.now() + JOIN_SECONDS
        while not self._machines and clock.now() < until:
            self._report_once("join", msg("no machine has joined the cluster yet; waiting for workers"))
            threading.Event().wait(LOOK_SECONDS)
            self._refresh_machines()
        if not self._machines:
            raise InputError(self._no_machine())

    def _no_machine(self) -> Message:
        standby = self._connection.standby()
        if standby:
            return msg(
                "no machine of the cluster {address} takes jobs: {machines}. `botequim cluster resume` takes "
                "a drained machine back",
                address=self._settings.address,
                machines=", ".join(f"{label} ({why})" for label, why in sorted(standby.items())),
            )
        return msg(
            "the cluster {address} has no machine; start `botequim worker` on each machine",
            address=self._settings.address,
        )

    def _able_machines(self, needs: frozenset[str]) -> list[MachineReport]:
        able = [machine for machine in self._machines if not machine.missing(needs)]
        if able:
            self._satisfied.add(needs)
            self._reported.discard(str(sorted(needs)))
        return able

    def _require_possible(self, needs: frozenset[str]) -> None:
        """Raise InputError if no machine has ever offered what a job needs."""
        if needs in self._satisfied or not self._machines or self._able_machines(needs):
            return
        raise InputError(
            msg(
                "no machine of the cluster can play this: {missing}",
                missing=comma_list([missing_message(machine, needs) for machine in self._machines]),
            )
        )

    def _report_waiting(self, needs: frozenset[str]) -> None:
        self._report_once(
            str(sorted(needs)),
            msg("no machine of the cluster is there at the moment; the series wait for `botequim worker`"),
        )

    def _report_once(self, key: str, message: Message) -> None:
        if key not in self._reported:
            self._reported.add(key)
            self._report(message)

    def _to_portable(self, entrant: Entrant) -> PortableEntrant:
        known = self._portable.get(id(entrant))
        if known is None:
            known = self._portable[id(entrant)] = (entrant, to_portable(entrant))
            self._uploads.add(entrant, known[1])
        return known[1]


def _result(future: Future[list[Outcome]]) -> object:
    """Return the outcomes of a task, or why it is lost, or the error that it raised."""
    try:
        return future.result(timeout=FETCH_SECONDS)
    except KilledWorker as error:
        label = str(error.last_worker.name).rpartition("-")[0]
        return msg("{machine} is gone; its series is played again", machine=label)
    except FutureCancelledError:
        return SCHEDULER_LOST
    except (OSError, TimeoutError):
        return msg("the result of a series was lost; it is played again")
    except Exception as error:
        return error
