"""The descriptors of one instance by number, and our ends of them."""

from __future__ import annotations

import contextlib
import os
import socket

from botequim.sandbox.spawn import high, holding, pipe


class Pipes:
    """Standard input, output and error, and further descriptors.

    Our ends are closed by `ours`, which is released when the instance takes them over. The other ends are
    closed by `theirs` after the start.
    """

    def __init__(self, ours: contextlib.ExitStack, theirs: contextlib.ExitStack, *, stdin: bool) -> None:
        self._ours_at_failure, self._theirs_until_spawned = ours, theirs
        self.theirs: dict[int, int] = {}
        self.stdin: int | None = None
        if stdin:
            reader, self.stdin = pipe()
            self.lend(0, reader)
            ours.callback(os.close, self.stdin)
        else:
            self.lend(0, os.open(os.devnull, os.O_RDONLY))
        self.stdout = self.take(1)
        self.stderr = self.take(2)

    def give(self, number: int, content: bytes) -> None:
        """Give it a descriptor from which it can read `content`."""
        self.lend(number, holding(content))

    def control(self, number: int) -> socket.socket:
        """Return our end of a socket to a launcher."""
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        here.setblocking(False)
        self._ours_at_failure.callback(here.close)
        self.lend(number, there.detach())
        return here

    def take(self, number: int) -> int:
        """Return our end of a pipe that it can write to."""
        reader, writer = pipe()
        self.lend(number, writer)
        self._ours_at_failure.callback(os.close, reader)
        return reader

    def lend(self, number: int, descriptor: int) -> None:
        """Give it a descriptor."""
        descriptor = high(descriptor)
        self._theirs_until_spawned.callback(os.close, descriptor)
        self.theirs[number] = descriptor
