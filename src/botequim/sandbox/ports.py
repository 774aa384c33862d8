"""Which TCP ports a program listens on, as Linux tells it."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

LISTEN = "0A"
_SOCKET = re.compile(r"socket:\[(\d+)\]")


def listening(pids: Iterable[int]) -> list[int]:
    """The ports that these processes listen on in our own network; none where there is no /proc."""
    held = {inode for pid in pids for inode in _sockets(pid)}
    return sorted({port for port, inode in _listeners() if inode in held})


def group(number: int) -> Iterator[int]:
    """The members of a process group."""
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            # the name of the program comes in parentheses and may hold anything
            after_name = (entry / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            if int(after_name[2]) == number:
                yield int(entry.name)


def _sockets(pid: int) -> Iterator[str]:
    with contextlib.suppress(OSError):
        for entry in os.scandir(f"/proc/{pid}/fd"):
            with contextlib.suppress(OSError):
                if found := _SOCKET.fullmatch(str(Path(entry).readlink())):
                    yield found[1]


def _listeners() -> Iterator[tuple[int, str]]:
    for name in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for line in Path("/proc/net", name).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == LISTEN:
                    yield int(fields[1].rpartition(":")[2], 16), fields[9]
