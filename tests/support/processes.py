"""The descendants of this process, even those that tried to get away from it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

PR_SET_CHILD_SUBREAPER: Final = 36
STATE, GROUP, SESSION, START = 0, 2, 3, 19
"""Fields of /proc/PID/stat, counted after the program's name."""


class Process(NamedTuple):
    """A process: its number alone may belong to another one later."""

    pid: int
    start: str


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends, whatever its session or process group."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children(pid: int | str = "self") -> set[Process]:
    """Return the children of a process that still run."""
    numbers: list[str] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
            numbers += Path(f"/proc/{pid}/task/{thread}/children").read_text().split()
    found = set()
    for number in numbers:
        if (fields := _fields(number)) and fields[STATE] not in "ZX":
            found.add(Process(int(number), fields[START]))
    return found


def trees(roots: Iterable[Process]) -> set[Process]:
    """Return these processes and all their descendants."""
    found: set[Process] = set()
    waiting = list(roots)
    while waiting:
        process = waiting.pop()
        if process not in found:
            found.add(process)
            waiting += children(process.pid)
    return found


def session(process: Process) -> int:
    """Return the session that a process belongs to, or 0 if it has ended."""
    fields = _fields(str(process.pid))
    return int(fields[SESSION]) if fields and fields[START] == process.start else 0


def command(process: Process) -> str:
    """Return the number and the command line of a process, for people."""
    words = b""
    with contextlib.suppress(OSError):
        words = Path(f"/proc/{process.pid}/cmdline").read_bytes().replace(b"\0", b" ").strip()
    return f"process {process.pid}: {words.decode('utf-8', 'replace')[:200] or '(it has just ended)'}"


def kill(process: Process) -> None:
    """End a process at once, unless it has ended and its number belongs to another one."""
    fields = _fields(str(process.pid))
    if fields and fields[START] == process.start:
        with contextlib.suppress(OSError):
            os.kill(process.pid, signal.SIGKILL)


def reap_orphans(known: Iterable[Process], dead: set[int]) -> set[int]:
    """Collect the exit status of children that were dead at the last call too, and return those dead now.

    One call in between gives whoever started them, a thread of asyncio for instance, the time to do it.
    """
    numbers = {process.pid for process in known}
    now: set[int] = set()
    with contextlib.suppress(OSError):
        for thread in os.listdir("/proc/self/task"):  # noqa: PTH208
            for number in Path(f"/proc/self/task/{thread}/children").read_text().split():
                if (fields := _fields(number)) and fields[STATE] in "ZX" and int(number) not in numbers:
                    now.add(int(number))
    for pid in now & dead:
        with contextlib.suppress(OSError):
            os.waitpid(pid, os.WNOHANG)
    return now - dead


def carrying(variable: str) -> dict[Process, str]:
    """Return the processes of this machine, except this one, that have this environment variable."""
    found = {}
    start = f"{variable}=".encode()
    for number in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208
        with contextlib.suppress(OSError):
            for entry in Path(f"/proc/{number}/environ").read_bytes().split(b"\0"):
                if entry.startswith(start) and int(number) != os.getpid():
                    fields = _fields(number)
                    if fields and fields[STATE] not in "ZX":
                        found[Process(int(number), fields[START])] = os.fsdecode(entry[len(start) :])
    return found


def of_group(number: int) -> set[Process]:
    """Return the processes of a process group that still run; those that are dead but not reaped do not."""
    found = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208
        if (fields := _fields(pid)) and fields[STATE] not in "ZX" and int(fields[GROUP]) == number:
            found.add(Process(int(pid), fields[START]))
    return found


def with_argument(text: str) -> set[Process]:
    """Return the processes of this machine, in whatever namespace, with an argument that contains a text."""
    found = set()
    for number in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
            fields = _fields(number) if any(text.encode() in word for word in words) else []
            if fields and fields[STATE] not in "ZX":
                found.add(Process(int(number), fields[START]))
    return found


def in_network(pid: int) -> set[Process]:
    """Return the processes in the network namespace of this process, which is not that of the machine."""
    own = _network("self")
    network = _network(str(pid))
    if not network or network == own:
        return set()
    found = set()
    for number in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208
        fields = _fields(number) if _network(number) == network else []
        if fields and fields[STATE] not in "ZX":
            found.add(Process(int(number), fields[START]))
    return found


def _network(pid: str) -> str:
    try:
        return os.readlink(f"/proc/{pid}/ns/net")  # noqa: PTH115
    except OSError:
        return ""


def end(processes: Iterable[Process], seconds: float = 60) -> None:
    """Kill processes with all their descendants, and wait until they are gone."""
    limit = time.monotonic() + seconds
    left = trees(processes)
    while left and time.monotonic() < limit:
        for process in left:
            kill(process)
        time.sleep(0.01)
        left = {one for one in trees(left) if (fields := _fields(str(one.pid))) and _lives(one, fields)}


def _lives(process: Process, fields: list[str]) -> bool:
    return fields[START] == process.start and fields[STATE] not in "ZX"


def _fields(pid: str) -> list[str]:
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()
