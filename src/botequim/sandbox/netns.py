"""Connects to an instance in a network namespace of its own, with sockets that its launcher sends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections import deque

Answer = tuple[bytes, list[int]]


class NetnsConnector:
    """This process's end of the socket to a launcher. Answers come in the order of the requests."""

    PORT = 8000

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._waiting: deque[asyncio.Future[Answer]] = deque()

    async def connect(self) -> socket.socket:
        """Connect to the port, by IPv4 or else by IPv6, because a program may listen on only one of them."""
        try:
            return await self._connect(b"4", "127.0.0.1")
        except ConnectionRefusedError:
            return await self._connect(b"6", "::1")

    async def wait_until_entered(self) -> None:
        """Wait until the launcher is in the network. Raise ConnectionRefusedError if it ends before."""
        await self._ask(b"l")

    async def listening_ports(self) -> list[int]:
        """Return the ports on which programs listen; none after the end."""
        return await self._ports(b"l")

    async def loopback_ports(self) -> list[int]:
        """Return the ports on which programs listen only on the loopback interface."""
        return await self._ports(b"o")

    async def _ports(self, request: bytes) -> list[int]:
        try:
            answer, _ = await self._ask(request)
        except ConnectionRefusedError:
            return []
        return [int(port) for port in answer[1:].split(b",") if port]

    def close(self) -> None:
        self._stop_reading()
        self._control.close()

    async def _connect(self, request: bytes, address: str) -> socket.socket:
        _, descriptors = await self._ask(request)
        if not descriptors:  # this version of IP does not exist here
            raise ConnectionRefusedError
        sock = socket.socket(fileno=descriptors[0])
        sock.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(sock, (address, self.PORT))
        except BaseException as error:
            sock.close()
            if isinstance(error, OSError) and not isinstance(error, ConnectionError):
                raise ConnectionRefusedError from error  # this address does not exist here
            raise
        return sock

    async def _ask(self, request: bytes) -> Answer:
        """Return the launcher's answer. Raise ConnectionRefusedError if it has ended, and the bot with it."""
        try:
            self._control.send(request)
        except OSError as error:
            raise ConnectionRefusedError from error
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.add_reader(self._control, self._take)
        answer: asyncio.Future[Answer] = loop.create_future()
        self._waiting.append(answer)
        try:
            return await answer
        except asyncio.CancelledError:
            if answer.done() and not answer.cancelled() and answer.exception() is None:
                _close(answer.result()[1])  # the answer came just before the cancellation
            raise

    def _take(self) -> None:
        try:
            answer_bytes, descriptors, _, _ = socket.recv_fds(self._control, 1 << 16, 1)
        except BlockingIOError:
            return
        except OSError:
            answer_bytes, descriptors = b"", []
        if not answer_bytes:
            self._stop_reading()
            return
        answer = self._waiting.popleft()
        if answer.done():  # the caller was cancelled
            _close(descriptors)
        else:
            answer.set_result((answer_bytes, descriptors))
        if not self._waiting:
            asyncio.get_running_loop().remove_reader(self._control)

    def _stop_reading(self) -> None:
        if not self._waiting:
            return
        with contextlib.suppress(RuntimeError):  # the event loop has ended
            asyncio.get_running_loop().remove_reader(self._control)
        for answer in self._waiting:
            if not answer.done():
                answer.set_exception(ConnectionRefusedError())
        self._waiting.clear()


def _close(descriptors: list[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
