"""The descriptors of one instance by number, and the other ends of them in this process."""

from __future__ import annotations

import contextlib
import os
import socket

from botequim.sandbox.spawn import high, memory_file, pipe


class Pipes:
    """Standard input, output and error, and further descriptors.

    `ours` closes the ends of this process if the start fails. `theirs` closes the ends of the instance after
    the start.
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
        """Give the instance a descriptor from which it can read `content`."""
        self.lend(number, memory_file(content))

    def control(self, number: int) -> socket.socket:
        """Return this process's end of a socket to a launcher."""
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        here.setblocking(False)
        self._ours_at_failure.callback(here.close)
        self.lend(number, there.detach())
        return here

    def take(self, number: int) -> int:
        """Return the reading end of a pipe that the instance can write to."""
        reader, writer = pipe()
        self.lend(number, writer)
        self._ours_at_failure.callback(os.close, reader)
        return reader

    def lend(self, number: int, descriptor: int) -> None:
        """Give the instance a descriptor with this number."""
        descriptor = high(descriptor)
        self._theirs_until_spawned.callback(os.close, descriptor)
        self.theirs[number] = descriptor
