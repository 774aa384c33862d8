"""Reads /proc: the children of processes, their memory and their processor time.

If the kernel does not account for the memory of an instance, `Watch` checks it every 20 milliseconds.
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
SOCKET_BYTES = 425_984
"""The most bytes in the buffers of one local socket by default: twice net.core.wmem_max."""
FREE_SOCKET_COUNT = 64
"""The number of sockets that count as empty, because a well-behaved bot has no more."""
PAIR_BYTES = 50
"""The bytes that count for each pair of descriptors. One can watch another (epoll), which needs 200 bytes."""
_TABLES = re.compile(rb"^VmPTE:\s+(\d+) kB", re.MULTILINE)
_SOCKETS = re.compile(rb"^sockets: used (\d+)")
_SHARE = re.compile(r"^Pss:\s+(\d+) kB", re.MULTILINE)


def children(pid: int) -> list[int]:
    """Return the children of all threads of a process."""
    pids: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.scandir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError):
                pids += map(int, Path(thread.path, "children").read_text().split())
    return pids


def descendants(pid: int) -> Iterator[int]:
    for child in children(pid):
        yield child
        yield from descendants(child)


def schedule_times(pids: list[int]) -> dict[int, tuple[int, int]]:
    """Return by thread the nanoseconds that it ran, and that it waited for a processor."""
    times = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for thread in os.scandir(f"/proc/{pid}/task"):
                with contextlib.suppress(OSError, ValueError):
                    ran, waited, _ = Path(thread.path, "schedstat").read_text().split()
                    times[int(thread.name)] = int(ran), int(waited)
    return times


def memory_and_cpu(pids: list[int]) -> tuple[int, float]:
    """Return the memory in bytes and the processor seconds of these processes. Shared memory counts for
    each."""
    memory, ticks = 0, 0
    for pid in pids:
        with contextlib.suppress(OSError, IndexError):
            fields = _fields(pid)
            ticks += sum(map(int, fields[11:15]))  # its own, and those of children that it has waited for
            memory += int(fields[21]) * PAGE
    return memory, ticks / TICKS_A_SECOND


def _fields(pid: int) -> list[str]:
    """Return the fields of `stat` after the name, which may contain any character."""
    return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()


def proportional_memory(pids: list[int]) -> int:
    """Return the memory in bytes, with shared memory divided by its users if possible. This is slower."""
    total = 0
    for pid in pids:
        try:
            match = _SHARE.search(Path(f"/proc/{pid}/smaps_rollup").read_text())
        except OSError:
            match = None
        total += int(match[1]) * 1024 if match else memory_and_cpu([pid])[0]
    return total


def kernel_memory(pids: list[int]) -> int:
    """Return an upper bound of the memory that the kernel uses for these processes, in bytes.

    It counts the actual size of page tables, the largest size of descriptors and of sockets beyond the first
    few, and TCP buffers twice. A well-behaved bot has few of them.
    """
    total = 0
    networks: dict[str, int] = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            match = _TABLES.search(Path(f"/proc/{pid}/status").read_bytes())
            total += int(match[1]) * 1024 if match else 0
            total += _descriptors(pid) ** 2 * PAIR_BYTES
            networks[str(Path(f"/proc/{pid}/ns/net").readlink())] = pid
    networks.pop(str(Path("/proc/self/ns/net").readlink()), None)  # for an instance that is being set up
    return total + sum(map(_in_sockets, networks.values()))


def _descriptors(pid: int) -> int:
    """Return the number of open descriptors of a process. Linux 6.2 and later report it as a size."""
    folder = Path(f"/proc/{pid}/fd")
    return folder.stat().st_size or sum(1 for _ in os.scandir(folder))


def _in_sockets(pid: int) -> int:
    """Return an upper bound of the bytes in the sockets of a process's network."""
    total = 0
    with contextlib.suppress(OSError):
        match = _SOCKETS.search(Path(f"/proc/{pid}/net/sockstat").read_bytes())
        total += max(0, int(match[1]) - FREE_SOCKET_COUNT) * SOCKET_BYTES if match else 0
        for name in ("tcp", "tcp6"):
            for line in Path(f"/proc/{pid}/net/{name}").read_bytes().splitlines()[1:]:
                to_send, _, to_read = line.split()[4].partition(b":")
                total += 2 * (int(to_send, 16) + int(to_read, 16))
    return total


class MonitoredInstance(Protocol):
    """An instance whose memory is checked."""

    limit: int
    peak: int
    cpu: float

    def family(self) -> list[int]: ...

    def over_memory(self) -> None:
        """Kill the instance, because it uses too much memory."""


class Watch:
    """Checks all instances in one thread, which exists only while there are any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._instances: set[MonitoredInstance] = set()
        self._thread: threading.Thread | None = None

    def add(self, instance: MonitoredInstance) -> None:
        with self._lock:
            self._instances.add(instance)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="memory watch", daemon=True)
                self._thread.start()

    def remove(self, instance: MonitoredInstance) -> None:
        with self._lock:
            self._instances.discard(instance)

    def _run(self) -> None:
        idle = 0
        while True:
            time.sleep(TICK)
            with self._lock:
                idle = 0 if self._instances else idle + 1
                if idle > 1 / TICK:
                    self._thread = None
                    return
                # under the lock, so that an instance is not checked after it was removed
                for instance in self._instances:
                    self._check(instance)

    def _check(self, instance: MonitoredInstance) -> None:
        family = instance.family()
        memory, instance.cpu = memory_and_cpu(family)
        kernel = kernel_memory(family)
        if memory + kernel > instance.limit:
            memory = proportional_memory(family)
        instance.peak = max(instance.peak, memory)
        if memory + kernel > instance.limit:
            instance.over_memory()


WATCH = Watch()
