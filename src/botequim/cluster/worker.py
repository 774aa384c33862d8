"""`botequim worker`: keeps a machine in a cluster, whatever happens to the scheduler or to the worker."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from botequim.cluster.credentials import Credentials
from botequim.cluster.hours import Hours
from botequim.cluster.settings import apply_settings
from botequim.core.errors import BotequimError, InputError, os_reason
from botequim.core.messages import Message, msg
from botequim.engine.helper_process import HelperEnded, HelperProcess
from botequim.engine.machine import Machine

if TYPE_CHECKING:
    from botequim.cluster.membership import Membership

LONGEST_PAUSE: Final = 30.0


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """What the command line of a worker says."""

    address: str
    """The address of the scheduler, with its scheme and port."""
    credentials: Credentials | None
    machine: Machine
    slots: int
    ports: str
    """The ports on which it may listen, as Dask writes them: 0 (any), 40000 or 40000:40099."""
    hours: Hours | None
    cache: Path
    cache_bytes: int


@dataclass(frozen=True, slots=True)
class Departure:
    """Why a worker has left its cluster."""

    why: Message
    pause: float = 1.0
    """Seconds to wait before it joins again."""
    final: bool = False
    """Whether it must not join again."""


def supervise(settings: WorkerSettings, report: Callable[[Message], None]) -> None:
    """Start the process of the worker again and again, until an interrupt.

    Raise InputError if this machine does not fit the cluster.
    """
    pause = 1.0
    previous: Message | None = None
    while True:
        departure = _take_part(settings, previous)
        if departure is None:
            previous = msg("the worker process ended unexpectedly; it is started again")
            pause = min(2 * pause, LONGEST_PAUSE)
        elif departure.final:
            raise InputError(departure.why)
        else:
            previous, pause = departure.why, departure.pause
        report(previous)
        threading.Event().wait(pause)


def _take_part(settings: WorkerSettings, previous: Message | None) -> Departure | None:
    """Run the process until it leaves the cluster. Return None if it ended unexpectedly."""
    process = HelperProcess(WorkerProcess, settings, previous)
    try:
        departure: Departure = process.ask("take part")
    except HelperEnded:
        return None
    except InputError:
        raise
    except (OSError, BotequimError) as error:
        why = error.message if isinstance(error, BotequimError) else os_reason(error)
        problem = msg("the cache {folder} cannot be used: {why}", folder=str(settings.cache), why=why)
        return Departure(problem, LONGEST_PAUSE)
    else:
        return departure
    finally:
        process.close()


class WorkerProcess:
    """The process of the worker: one membership in the cluster."""

    def __init__(self, settings: WorkerSettings, previous: Message | None) -> None:
        self._settings: Final = settings
        self._previous: Final = previous
        self._membership: Membership | None = None

    def handle(self, request: object) -> Departure:
        apply_settings()
        from botequim.cluster.membership import Membership

        self._membership = Membership(self._settings, self._previous)
        return asyncio.run(self._membership.run())

    def close(self) -> None:
        if self._membership is not None:
            self._membership.close()
