"""The machines of a drill and the programs on them: a scheduler, workers, a database and a coordinator.

Programs that end are started again, as systemd does with services and a person with `cup run`. Nothing here
is done in a thread: `Site.wait` does what is due while time passes, such as connecting a cable again.
"""

from __future__ import annotations

import heapq
import itertools
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from botequim.core.errors import BotequimError
from botequim.storage import open_storage
from botequim.storage.address import StoreAddress
from botequim.storage.protocol import CupStorage
from tests.support.lab import Lab, LabProcess, Machine, open_lab
from tests.support.pace import until
from tests.support.postgres import PostgresServer, start_server

SCHEDULER: Final = "lab-1"
WORKERS: Final = ("lab-2", "lab-3", "lab-4", "lab-5")
DESK: Final = "desk"
PORT: Final = 8786
ADDRESS: Final = f"tls://{SCHEDULER}:{PORT}"
BOTEQUIM: Final = (sys.executable, "-m", "botequim")
SCHEDULE: Final = (*BOTEQUIM, "scheduler", "--host", "0.0.0.0", "--port", str(PORT))
SLOTS: Final = 2
RESTART_SECONDS: Final = 2.0
"""How long after its end a program is started again."""
DATABASE: Final = {"log_statement": "none", "autovacuum": "on"}
CUP: Final = "drill"
CLUSTER: Final = "drills"


@dataclass(eq=False)
class Service:
    """A program that is started again whenever it has ended."""

    name: str
    machine: Machine
    words: tuple[str, ...]
    environment: Mapping[str, str]
    ends: bool = False
    """Whether it is over when it has ended with 0."""
    runs: list[LabProcess] = field(default_factory=list)
    killed: set[LabProcess] = field(default_factory=set)
    due: bool = False

    @property
    def current(self) -> LabProcess:
        return self.runs[-1]

    @property
    def is_running(self) -> bool:
        return bool(self.runs) and self.current.is_running

    @property
    def is_over(self) -> bool:
        return self.ends and any(not one.is_running and one.wait() == 0 for one in self.runs)

    def start(self) -> None:
        self.due = False
        self.runs.append(self.machine.start(self.words, self.environment))

    def kill(self) -> None:
        """Kill the program itself. What it has started must notice that."""
        self.killed.add(self.current)
        self.current.kill()

    def output(self) -> str:
        return "".join(one.output() for one in self.runs)


class Site:
    """A cluster with everything around it."""

    def __init__(self, lab: Lab, database: PostgresServer, cup: Path, workers: Sequence[str]) -> None:
        """`cup` is the cup file."""
        self.lab: Final = lab
        self.database: Final = database
        self.url: Final = database.url(database.new_database()) + f"&cup={CUP}"
        where = ("--store", self.url, "--cluster", ADDRESS)
        self.coordinate: Final = (*BOTEQUIM, "cup", "run", str(cup), "--quiet", *where)
        self.cup: Final = cup
        key = str(lab.folder / f"{CLUSTER}.cluster.pem")
        self.environment: Final = {"BOTEQUIM_CLUSTER_KEY": key, "BOTEQUIM_LANG": "en"}
        self._agenda: Final[list[tuple[float, int, Callable[[], None]]]] = []
        self._order: Final = itertools.count()
        self._cut: Machine | None = None
        self.exits: Final[list[tuple[Service, LabProcess]]] = []
        """Programs that nobody had killed."""
        desk = lab.machine(DESK)
        desk.run([*BOTEQUIM, "cluster", "create", CLUSTER], cwd=lab.folder)
        self.scheduler: Final = self._service("scheduler", SCHEDULER, SCHEDULE)
        self.workers: Final = [self._service(name, name, worker_words(name)) for name in workers]
        self.coordinator: Final = self._service("coordinator", DESK, self.coordinate, ends=True)

    def _service(self, name: str, machine: str, words: tuple[str, ...], *, ends: bool = False) -> Service:
        return Service(name, self.lab.machine(machine), words, self.environment, ends)

    @property
    def services(self) -> tuple[Service, ...]:
        return (self.scheduler, *self.workers, self.coordinator)

    @property
    def storage(self) -> CupStorage:
        return open_storage(self.cup.parent, StoreAddress.parse(self.url))

    def start(self) -> None:
        """Start everything; the coordinator only when all workers are there, because it does not wait."""
        self.scheduler.start()
        for worker in self.workers:
            worker.start()
        for worker in self.workers:
            self.scheduler.current.wait_for(f"{worker.name} joined")
        self.coordinator.start()

    def stored_series(self) -> int | None:
        """Return how many series are stored; None if the database cannot be asked now."""
        try:
            with self.storage.open_results() as store:
                return len(store.series())
        except BotequimError:
            return None

    # --- time ------------------------------------------------------------------------------------------

    def later(self, seconds: float, action: Callable[[], None]) -> None:
        """Do something in so many seconds, during `wait`."""
        heapq.heappush(self._agenda, (time.monotonic() + seconds, next(self._order), action))

    def wait(self, seconds: float, condition: Callable[[], bool] = lambda: False) -> bool:
        """Let time pass until the condition is true; return whether it is."""
        ends = time.monotonic() + seconds
        while not (reached := condition()) and time.monotonic() < ends:
            self._tick()
            time.sleep(0.1)
        return reached or condition()

    def cut(self, machine: Machine, seconds: float) -> None:
        """Drop the packets of a machine for so many seconds. Wait first, if another is cut off now."""
        self.wait(2 * seconds, lambda: self._cut is None)
        machine.cut()
        self._cut = machine
        self.later(seconds, self._mend)

    def _mend(self) -> None:
        assert self._cut is not None
        self._cut.mend()
        self._cut = None

    def settle(self) -> None:
        """Do everything that is due later now: connect all cables, start everything."""
        while self._agenda:
            heapq.heappop(self._agenda)[2]()

    def _tick(self) -> None:
        while self._agenda and self._agenda[0][0] <= time.monotonic():
            heapq.heappop(self._agenda)[2]()
        for service in self.services:
            if service.runs and not service.is_running and not service.due and not service.is_over:
                service.due = True
                if service.current not in service.killed:
                    self.exits.append((service, service.current))
                self.later(RESTART_SECONDS, service.start)

    # --- at the end --------------------------------------------------------------------------------------

    def stop(self) -> None:
        """Stop all programs politely, and wait until there is no process on any machine."""
        for service in self.services:
            if service.is_running:
                service.current.terminate()
        for service in self.services:
            service.current.wait()

        def is_idle() -> bool:
            return not any(machine.processes() for machine in self.lab.machines)

        until(is_idle, "that no process is left on any machine")

    def logs(self) -> Iterator[LabProcess]:
        for machine in self.lab.machines:
            yield from machine.started


def worker_words(label: str) -> tuple[str, ...]:
    place = ("--label", label, "--slots", str(SLOTS), "--ports", "40000-40099")
    return (*BOTEQUIM, "worker", ADDRESS, *place)


@contextmanager
def open_site(folder: Path, cup: Path, workers: Sequence[str] = WORKERS) -> Iterator[Site]:
    """Open the machines; everything on them is ended at the end."""
    with start_server(DATABASE) as database, open_lab(folder) as lab:
        yield Site(lab, database, cup, workers)


def last_lines(text: str, count: int = 3) -> Sequence[str]:
    return [line.strip() for line in text.splitlines() if line.strip()][-count:]
