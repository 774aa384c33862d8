"""Messages from many workers to one coordinator.

A worker may be killed at any moment, also while it posts, and nobody may wait for a coordinator that has
other things to do. So messages go as datagrams: each is there whole or not at all, whoever else posts. A long
message is several of them, and counts when all have come. One that finds no room after a moment is not
posted, and its sender is told.
"""

from __future__ import annotations

import secrets
import socket
import struct
from collections.abc import Iterator
from typing import Final

PART_BYTES: Final = 30_000
MOST_PARTS: Final = 400
ROOM_BYTES: Final = 4 << 20
ROOM_SECONDS: Final = 0.2
"""How long the thread that posts waits for room."""

_HEAD: Final = struct.Struct("!QIHH")


def post_box() -> tuple[socket.socket, socket.socket]:
    """Where messages come out, and where they are put in; the second may be given to other processes."""
    out, into = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    into.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, ROOM_BYTES)  # or as much as the system gives
    return out, into


class Sender:
    """Posts messages; for one thread."""

    def __init__(self, into: socket.socket) -> None:
        self._into: Final = into
        self._into.settimeout(ROOM_SECONDS)
        self._name: Final = secrets.randbits(64)
        self._number = 0
        self.gone = False
        """Whether nobody reads any more."""

    def post(self, message: bytes) -> bool:
        """Whether it was posted as a whole. At worst it costs the calling thread a moment."""
        parts = [message[at : at + PART_BYTES] for at in range(0, len(message), PART_BYTES)] or [b""]
        if len(parts) > MOST_PARTS or self.gone:
            return False
        self._number = (self._number + 1) % (1 << 32)
        for at, part in enumerate(parts):
            try:
                self._into.send(_HEAD.pack(self._name, self._number, at, len(parts)) + part)
            except (TimeoutError, BlockingIOError):
                return False
            except OSError:
                self.gone = True
                return False
        return True


class Receiver:
    """Puts messages together again."""

    def __init__(self, out: socket.socket) -> None:
        self._out: Final = out
        self._begun: dict[int, tuple[int, list[bytes]]] = {}

    def messages(self, timeout: float) -> Iterator[tuple[int, bytes]]:
        """Sender and message of all that is there; the first is waited for for so long."""
        self._out.settimeout(max(timeout, 0.0))
        while True:
            try:
                packet = self._out.recv(_HEAD.size + PART_BYTES)
            except (TimeoutError, BlockingIOError):
                return
            self._out.settimeout(0)
            sender, number, at, parts = _HEAD.unpack(packet[: _HEAD.size])
            before = self._begun.pop(sender, (number, []))
            found = before[1] if before[0] == number else []
            if len(found) != at:
                continue  # its beginning was lost
            found.append(packet[_HEAD.size :])
            if len(found) == parts:
                yield sender, b"".join(found)
            else:
                self._begun[sender] = (number, found)
