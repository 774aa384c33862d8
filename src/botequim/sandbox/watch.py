"""The memory of instances that the kernel does not account for: looked at every 20 milliseconds.

Also the family tree of a process, as /proc tells it.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

TICK = 0.02
PAGE = os.sysconf("SC_PAGE_SIZE")
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
_SHARE = re.compile(r"^Pss:\s+(\d+) kB", re.MULTILINE)


def children(pid: int) -> list[int]:
    """Of all its threads."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.scandir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError):
                found += map(int, Path(thread.path, "children").read_text().split())
    return found


def descendants(pid: int) -> Iterator[int]:
    """Children, their children, and so on."""
    for child in children(pid):
        yield child
        yield from descendants(child)


def schedule(pids: list[int]) -> dict[int, tuple[int, int]]:
    """By thread: nanoseconds that it ran, and that it waited for a processor."""
    found = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for thread in os.scandir(f"/proc/{pid}/task"):
                with contextlib.suppress(OSError, ValueError):
                    ran, waited, _ = Path(thread.path, "schedstat").read_text().split()
                    found[int(thread.name)] = int(ran), int(waited)
    return found


def taken(pids: list[int]) -> tuple[int, float]:
    """Bytes in memory and processor seconds of these processes; memory they share counts for each."""
    memory, ticks = 0, 0
    for pid in pids:
        with contextlib.suppress(OSError, IndexError):
            fields = _fields(pid)
            ticks += sum(map(int, fields[11:15]))  # its own, and those of the children it waited for
            memory += int(fields[21]) * PAGE
    return memory, ticks / TICKS_A_SECOND


def _fields(pid: int) -> list[str]:
    """Of its `stat`, from its state on. Before that comes its name, which may hold anything."""
    return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()


def proportional(pids: list[int]) -> int:
    """The same, with what is shared divided by those who share it, where that can be read: dearer."""
    total = 0
    for pid in pids:
        try:
            found = _SHARE.search(Path(f"/proc/{pid}/smaps_rollup").read_text())
        except OSError:
            found = None
        total += int(found[1]) * 1024 if found else taken([pid])[0]
    return total


class Watched(Protocol):
    """An instance under watch."""

    limit: int
    peak: int
    cpu: float

    def family(self) -> list[int]: ...

    def over_memory(self) -> None:
        """It holds more than it may."""


class Watch:
    """One thread for all instances, there only while some are watched."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watched: set[Watched] = set()
        self._thread: threading.Thread | None = None

    def add(self, instance: Watched) -> None:
        with self._lock:
            self._watched.add(instance)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="memory watch", daemon=True)
                self._thread.start()

    def remove(self, instance: Watched) -> None:
        with self._lock:
            self._watched.discard(instance)

    def _run(self) -> None:
        idle = 0
        while True:
            time.sleep(TICK)
            with self._lock:
                idle = 0 if self._watched else idle + 1
                if idle > 1 / TICK:
                    self._thread = None
                    return
                # under the lock, so that nothing is done to an instance after it was removed
                for instance in self._watched:
                    self._look(instance)

    def _look(self, instance: Watched) -> None:
        family = instance.family()
        held, instance.cpu = taken(family)
        if held > instance.limit:
            held = proportional(family)
        instance.peak = max(instance.peak, held)
        if held > instance.limit:
            instance.over_memory()


WATCH = Watch()
