"""Chooses a TCP port for a bot, and finds the ports on which it listens."""

from __future__ import annotations

import contextlib
import os
import random
import re
import socket
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from botequim.sandbox.netns import NetnsConnector

LISTEN = "0A"
KNOWS_OWNERS = Path("/proc/net/tcp").exists()
"""Whether this system reports which process listens on a port."""
FIRST, MANY = 1 << 14, 1 << 14
"""A range below the ports that the system assigns automatically."""
TRIES = 1000
_SOCKET = re.compile(r"socket:\[(\d+)\]")


class Port:
    """A free port, which is reserved for one bot until this is closed.

    Otherwise, two bots could get the same port: one could not listen, and the other would answer for both.
    """

    def __init__(self) -> None:
        self._claim: socket.socket | None = None
        self.number = self._free_number()
        self.usual_was_open = not KNOWS_OWNERS and is_open(NetnsConnector.PORT)
        """Whether another program already listened on the port of bots that have a network of their own."""

    def _free_number(self) -> int:
        if sys.platform != "linux":
            return _any()
        for number in random.Random().sample(range(FIRST, FIRST + MANY), TRIES):
            claim = socket.socket(socket.AF_UNIX)
            try:
                # an abstract name, which is not a file and disappears with this process
                claim.bind(f"\0botequim-port-{number}")
                with socket.socket() as trial:
                    trial.bind(("", number))
            except OSError:
                claim.close()
                continue
            self._claim = claim
            return number
        return _any()

    def close(self) -> None:
        if self._claim is not None:
            self._claim.close()


def is_open(number: int) -> bool:
    """Return whether any program on this machine listens on a port."""
    with socket.socket() as sock:
        sock.settimeout(1)
        return sock.connect_ex(("127.0.0.1", number)) == 0


def _any() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        number: int = sock.getsockname()[1]
        return number


def listening(pids: Iterable[int], *, loopback_only: bool = False) -> list[int]:
    """Return the ports on which these processes listen in the network of this process; none without /proc.

    With `loopback_only`, return those that cannot be reached from another machine.
    """
    inodes = {inode for pid in pids for inode in _sockets(pid)}
    ports = [(port, local) for port, local, inode in _listeners() if inode in inodes]
    public = {port for port, local in ports if not local} if loopback_only else set()
    return sorted({port for port, _ in ports} - public)


def group(number: int) -> Iterator[int]:
    """Yield the members of a process group."""
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            # the name of the program is in parentheses and may contain any character
            after_name = (entry / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            if int(after_name[2]) == number:
                yield int(entry.name)


def _sockets(pid: int) -> Iterator[str]:
    with contextlib.suppress(OSError):
        for entry in os.scandir(f"/proc/{pid}/fd"):
            with contextlib.suppress(OSError):
                if match := _SOCKET.fullmatch(str(Path(entry).readlink())):
                    yield match[1]


def _listeners() -> Iterator[tuple[int, bool, str]]:
    """Yield ports, whether only the loopback interface reaches them, and their inodes."""
    for name in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for line in Path("/proc/net", name).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == LISTEN:
                    address, _, port = fields[1].rpartition(":")
                    # in the byte order of this machine: 127.x.x.x, alone or mapped to IPv6, or ::1
                    local = address.endswith("7F") or address == "0" * 24 + "01000000"
                    yield int(port, 16), local, fields[9]
