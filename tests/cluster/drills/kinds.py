"""What can happen to a cluster during a drill."""

from __future__ import annotations

import math
import os
import random
import secrets
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from tests.cluster.drills.cup import DrillCup
from tests.cluster.drills.site import SLOTS, WORKERS, Service, Site, last_lines, worker_words
from tests.support import processes
from tests.support.lab import LabProcess

CUT_SECONDS: Final = 60.0
FULL_SECONDS: Final = 20.0
GUEST: Final = "guest"
GUEST_SECONDS: Final = 60.0
OTHER_VERSION: Final = "import botequim.version\nbotequim.version.VERSION = '0.0.1'\n"
"""A `sitecustomize` module: Python imports it first in each process."""


@dataclass
class Event:
    """A drill that was done."""

    at: float
    """Seconds since the cup began."""
    kind: str
    target: str
    stored: int | None
    """How many series were stored then; None if the database did not answer."""
    effects: list[str] = field(default_factory=list)
    """What happened, and what was said."""


Drill = Callable[[Site, random.Random, Event], None]


def kill_worker(site: Site, rng: random.Random, event: Event) -> None:
    """Kill the supervisor of a worker, the process that it supervises, both, or a process that plays."""
    service = rng.choice(site.workers)
    part = rng.choice(["supervisor", "child", "both", "player"])
    event.target = f"{service.name}: {part}"
    if not service.is_running:
        event.effects.append("it was not running")
        return
    children = processes.children(service.current.pid)
    players = {one for child in children for one in processes.children(child.pid)}
    if part in ("supervisor", "both"):
        service.kill()
    if part in ("child", "both"):
        for child in children:
            processes.kill(child)
    if part == "player" and players:
        processes.kill(rng.choice(sorted(players)))
    _note_next_lines(site, service, event)


def kill_scheduler(site: Site, rng: random.Random, event: Event) -> None:
    _kill(site, site.scheduler, event)


def kill_coordinator(site: Site, rng: random.Random, event: Event) -> None:
    _kill(site, site.coordinator, event)


def _kill(site: Site, service: Service, event: Event) -> None:
    event.target = service.machine.name
    if service.is_running:
        service.kill()
        _note_next_lines(site, service, event)
    else:
        event.effects.append("it was not running")


def kill_database(site: Site, rng: random.Random, event: Event) -> None:
    event.target = "PostgreSQL"
    if site.database.process is None:
        event.effects.append("it was not running")
        return
    site.database.stop(signal.SIGKILL)
    seconds = rng.uniform(1, 20)
    event.effects.append(f"started again after {seconds:.0f} s")
    site.later(seconds, site.database.start)
    _note_next_lines(site, site.coordinator, event)


def cut_cable(site: Site, rng: random.Random, event: Event) -> None:
    """Drop the packets of one machine: a worker's, the scheduler's or the coordinator's."""
    machine = rng.choice([service.machine for service in site.services])
    event.target = machine.name
    event.effects.append(f"for {CUT_SECONDS:.0f} s")
    site.cut(machine, CUT_SECONDS)
    for service in site.services:
        if service.machine is machine or service is site.coordinator:
            _note_next_lines(site, service, event)


def fill_disk(site: Site, rng: random.Random, event: Event) -> None:
    """Fill the disk of a worker and end its process, so that it has to begin again without space."""
    service = rng.choice(site.workers)
    event.target = service.name
    event.effects.append(f"for {FULL_SECONDS:.0f} s")
    service.machine.fill_disk()
    if service.is_running:
        for child in processes.children(service.current.pid):
            processes.kill(child)
    site.later(FULL_SECONDS, service.machine.free_disk)
    _note_next_lines(site, service, event)


def invite_other_version(site: Site, rng: random.Random, event: Event) -> None:
    """Start a worker of another version on a machine of its own. It must not play."""
    event.target = GUEST
    machine = site.lab.machine(GUEST)
    folder = site.lab.folder / "other-version"
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(OTHER_VERSION)
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH", "")]))
    guest = machine.start(worker_words(GUEST), {**site.environment, "PYTHONPATH": path})
    _note_refusal(site, guest, event, "this machine does not fit the cluster")


def start_second_coordinator(site: Site, rng: random.Random, event: Event) -> None:
    """Run the command of the coordinator once more.

    If the first has just lost its lock, this one takes over, and the first must stop.
    """
    event.target = site.coordinator.machine.name
    second = site.coordinator.machine.start(site.coordinate, site.environment)
    _note_refusal(site, second, event, "another `botequim cup run`")


def _note_next_lines(site: Site, service: Service, event: Event) -> None:
    """Note what a program says in the next seconds, which may be the last of it and the first of the next."""
    before = len(service.output())
    runs = len(service.runs)

    def note() -> None:
        said = last_lines(service.output()[before:], 50)
        lines = [line for line in said if " - distributed." not in line][:2]
        again = f"{service.name} started again" if len(service.runs) > runs else ""
        event.effects.extend(filter(None, [again, *(f"{service.name}: {line}" for line in lines)]))

    site.later(LISTEN_SECONDS, note)


LISTEN_SECONDS: Final = 15.0


def _note_refusal(site: Site, process: LabProcess, event: Event, expected: str) -> None:
    """Note how a program ends that must be refused; end it if it waits for too long."""
    began = time.monotonic()

    def look() -> None:
        if process.is_running and time.monotonic() - began < GUEST_SECONDS:
            site.later(1.0, look)
            return
        waits = process.is_running
        if waits:
            process.kill()
        lines = last_lines(process.output(), 1) or ["(it said nothing)"]
        end = "still waiting, killed" if waits else f"ended with {process.wait()}"
        known = "" if expected in process.output() else " (NOT THE EXPECTED MESSAGE)"
        event.effects.append(f"{end}: {lines[0]}{known}")

    site.later(1.0, look)


KINDS: Final[dict[str, Drill]] = {
    "worker killed": kill_worker,
    "scheduler killed": kill_scheduler,
    "coordinator killed": kill_coordinator,
    "database killed": kill_database,
    "packets dropped": cut_cable,
    "disk full": fill_disk,
    "other version": invite_other_version,
    "second coordinator": start_second_coordinator,
}


@dataclass(frozen=True)
class PlannedDrill:
    """A drill and the seconds before it."""

    kind: str
    pause: float
    seed: int


def plan(count: int, rng: random.Random) -> list[PlannedDrill]:
    """Return so many drills in random order; each kind occurs, if there are enough."""
    names = list(KINDS)
    chosen = rng.sample(names, min(count, len(names)))
    chosen += [rng.choice(names) for _ in range(count - len(chosen))]
    rng.shuffle(chosen)
    return [PlannedDrill(name, rng.uniform(*PAUSE), rng.getrandbits(32)) for name in chosen]


PAUSE: Final = (3.0, 12.0)


def expected_seconds(drills: list[PlannedDrill]) -> float:
    """Return about how long the drills take; a second cut waits for the end of the first."""
    cuts = sum(one.kind == "packets dropped" for one in drills)
    return sum(one.pause for one in drills) + cuts * CUT_SECONDS


BOTS: Final = 20
THINK: Final = 0.05
MOVES: Final = 28
"""About how many moves of bots a game has."""
MARGIN: Final = 1.2


def cup_for(seconds: float) -> DrillCup:
    """Return a cup that takes longer than the drills."""
    cup = DrillCup(BOTS, 1, THINK, f"drill-{secrets.token_hex(6)}")
    work = MARGIN * seconds * SLOTS * len(WORKERS)
    games = math.ceil(work / (cup.series * MOVES * THINK))
    return DrillCup(cup.bots, games, cup.think, cup.mark)
