"""A small HTTP/1.1 client: one request at a time, over a connection that stays open.

It uses only the parser of a library, because no client library has these rules: one deadline for sending and
receiving, no redirects, no proxies, no decompression, a limit for the size, and connections from inside the
network namespace of a bot.
"""

from __future__ import annotations

import asyncio
import select
import socket
from collections.abc import Callable
from typing import Final, Protocol
from urllib.parse import urlsplit

import httptools

from botequim.bots.transports.process import CHUNK, QUICK, TAIL, Stopwatch
from botequim.core import clock


class Server(Protocol):
    """Something to which a connection can be opened: an address, or a process in a sandbox."""

    async def connect(self) -> socket.socket: ...


class Address:
    """The address of a server that is already running."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.host: Final = parts.hostname or ""
        self.port: Final = parts.port or 80  # `resolve.py` has checked that the port is valid
        self.path: Final = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

    async def connect(self) -> socket.socket:
        loop = asyncio.get_running_loop()
        infos = await loop.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        family, kind, protocol, _, address = infos[0]
        connection = socket.socket(family, kind, protocol)
        connection.setblocking(False)
        try:
            await loop.sock_connect(connection, address)
        except BaseException:
            connection.close()
            raise
        return connection


class ClosedByServer(Exception):
    """The other side closed the connection before the response was complete."""


class Connection:
    """One connection, with the response to the last request."""

    def __init__(self, sock: socket.socket, limit: int) -> None:
        self._socket = sock
        self._limit = limit
        self._loop = asyncio.get_running_loop()
        self._quick = select.poll()
        self._quick.register(sock, select.POLLIN)
        self._parser = httptools.HttpResponseParser(self)
        self._has_request = False
        self.closed = False
        self.has_early_data = False
        """Whether the server sent data before the first request."""
        self._reset()

    def _reset(self) -> None:
        self._received = 0
        self.raw = b""
        """The first bytes of the response, as evidence."""
        self.body = bytearray()
        self.encoding = ""
        self.broken = ""
        self.too_long = False
        self._complete = False
        self.extra = False
        """Whether the server sent data after the response."""
        self._keeps_alive = False
        self._has_headers = False
        self._ends_with_connection = True

    @property
    def status(self) -> int:
        return int(self._parser.get_status_code())

    async def respond(self, request: bytes, watch: Stopwatch, on_waiting: Callable[[], None]) -> None:
        """Send a request and wait for the response. Raise ClosedByServer or TimeoutError if there is none.

        `on_waiting` is called if the response does not come within a millisecond.
        """
        if self._received:
            self._reset()
        if self.closed or self._quick.poll(0):  # data before the request cannot be its response
            self.extra = not self.closed and self._has_more_to_read()
            self.has_early_data = self.extra and not self._has_request
            self.close()
            raise ClosedByServer
        self._has_request = True
        try:
            count = self._socket.send(request)
            if count < len(request):
                async with clock.timeout(watch.left):
                    await self._loop.sock_sendall(self._socket, request[count:])
            if self._quick.poll(QUICK):
                self._receive()
            if not self._is_over:
                on_waiting()
                await self._receive_in_time(watch)
        except ConnectionError:
            self.close()
            raise ClosedByServer from None
        if not self._complete or self.extra or not self._keeps_alive:
            self.close()  # so that the next request uses a new connection, without left-over data

    async def _receive_in_time(self, watch: Stopwatch) -> None:
        more: asyncio.Future[None] = self._loop.create_future()

        def look() -> None:
            try:
                self._receive()
            except Exception as error:  # pass it on; otherwise the bot would seem to be silent
                self._loop.remove_reader(self._socket)
                if not more.done():
                    more.set_exception(error)
            else:
                if self._is_over and not more.done():
                    more.set_result(None)

        self._loop.add_reader(self._socket, look)
        try:
            async with clock.timeout(watch.left):
                await more
        finally:
            self._loop.remove_reader(self._socket)

    @property
    def _is_over(self) -> bool:
        return self._complete or self.too_long or bool(self.broken)

    def _receive(self) -> None:
        try:
            data = self._socket.recv(CHUNK)
        except BlockingIOError:
            return
        if not data:
            if not (self._has_headers and self._ends_with_connection):
                raise ClosedByServer
            self._complete = True  # a response without a length ends with its connection
            return
        self._received += len(data)
        if len(self.raw) < TAIL:
            self.raw += data
        if self._received > self._limit:
            self.too_long = True
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:  # not a subclass of HttpParserError
            self.broken = "it goes on in another protocol"
        except httptools.HttpParserError as error:
            if not self._complete:
                self.broken = str(error)

    def _has_more_to_read(self) -> bool:
        """Return whether there is data to read, and not only the end of the stream."""
        try:
            return bool(self._socket.recv(1, socket.MSG_PEEK))
        except OSError:
            return False

    def close(self) -> None:
        self.closed = True
        self._socket.close()

    # --- called by the parser ------------------------------------------------------------------------

    def on_header(self, name: bytes, value: bytes) -> None:
        key = name.lower()
        if key in (b"content-length", b"transfer-encoding"):
            self._ends_with_connection = False
        elif key == b"content-encoding":
            self.encoding = value.decode("latin-1").strip().lower()

    def on_headers_complete(self) -> None:
        self._has_headers = self.status >= 200

    def on_body(self, body: bytes) -> None:
        if self._complete:
            self.extra = True
        else:
            self.body += body

    def on_message_complete(self) -> None:
        if self._complete:
            self.extra = True
        elif self.status >= 200:
            self._complete = True
            self._keeps_alive = self._parser.should_keep_alive()  # only known inside this callback
