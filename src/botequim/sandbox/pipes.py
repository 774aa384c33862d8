"""The descriptors of one instance: those that it gets, by number, and our ends of them."""

from __future__ import annotations

import contextlib
import os
import socket

from botequim.sandbox.spawn import high, holding, pipe


class Pipes:
    """Standard input, output and error, and more if wanted.

    What is ours is closed by `ours`, which is given up once the instance has taken it over; what is the
    instance's is closed by `theirs`, once it was started.
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
        """Something to read, that is all there already."""
        self.lend(number, holding(content))

    def control(self, number: int) -> socket.socket:
        """For talking to a launcher."""
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        here.setblocking(False)
        self._ours_at_failure.callback(here.close)
        self.lend(number, there.detach())
        return here

    def take(self, number: int) -> int:
        """Our side of something that it can write."""
        reader, writer = pipe()
        self.lend(number, writer)
        self._ours_at_failure.callback(os.close, reader)
        return reader

    def lend(self, number: int, descriptor: int) -> None:
        """A descriptor that is theirs from now on."""
        descriptor = high(descriptor)
        self._theirs_until_spawned.callback(os.close, descriptor)
        self.theirs[number] = descriptor
