"""A bot that is a server: each question is a POST over a connection that is kept open.

The client is written over the parser alone, because its rules are our own: one deadline for everything, no
redirects, no proxies, no decompression, a capped body, and connections that begin in a bot's own network.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Protocol
from urllib.parse import urlsplit

import httptools

from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.limits import Limits
from botequim.core.messages import Message, msg
from botequim.core.process import Process
from botequim.core.turn import Reply
from botequim.core.wire import Question
from botequim.transports import Read
from botequim.transports.instance import Instance, Stopwatch, Tail, accused, ended, with_evidence

PORT: Final = 8000
PATIENCE: Final = (0.005, 0.05)
"""Seconds between two looks at a port that is not open yet: at first, and at last."""


class Server(Protocol):
    """What can be connected to."""

    async def connect(self) -> socket.socket: ...


class Address:
    """A server that somebody else runs."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.host: Final = parts.hostname or ""
        self.port: Final = parts.port or 80
        self.path: Final = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

    async def connect(self) -> socket.socket:
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        family, kind, protocol, _, address = found[0]
        connection = socket.socket(family, kind, protocol)
        connection.setblocking(False)
        try:
            await loop.sock_connect(connection, address)
        except BaseException:
            connection.close()
            raise
        return connection


class Http:
    """A server that is asked until it fails to answer."""

    def __init__(self, limits: Limits, *, launch: Callable[[], Process] | None = None, url: str = "") -> None:
        """With `launch` we start it; else it is found at `url`."""
        self._limits = limits
        self._launch = launch
        self._address = Address(url or f"http://127.0.0.1:{PORT}/")
        self._instance: Instance | None = None
        self._server: Server = self._address
        self._output: Tail | None = None
        self._connection: _Connection | None = None
        self._over = False
        host = f"{self._address.host}:{self._address.port}"
        self._head: Final = (
            f"POST {self._address.path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
            "Accept: application/json\r\nAccept-Encoding: identity\r\nUser-Agent: botequim\r\n"
            "Content-Length: "
        ).encode("ascii")

    @property
    def usable(self) -> bool:
        return not self._over

    async def start(self) -> None:
        """Wait until the port is open: bots are slow to boot, and say in no other way that they have."""
        watch = Stopwatch(self._limits.start)
        if self._launch is not None:
            process = self._launch()
            self._instance = Instance(process, self._limits)
            self._output = Tail(process.stdout)
            self._server = process
        pause = PATIENCE[0]
        while True:
            try:
                self._connection = await self._connected(watch)
            except OSError as error:
                why = error
            else:
                return
            if self._instance is not None and self._instance.process.status is not None:
                raise await self._absent(FaultKind.CRASH, ended(self._instance.process.status), watch)
            if watch.left <= 0 or self._instance is None:
                raise await self._absent(FaultKind.TIMEOUT, self._not_there(why), watch)
            await asyncio.sleep(pause)
            pause = min(2 * pause, PATIENCE[1])

    def waiting(self) -> Sequence[bytes]:
        return ()

    def tell(self, body: bytes) -> None:
        pass

    async def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        if self._output is not None:
            self._output.close()
        if self._instance is not None:
            await self._instance.close()

    async def exchange(self, question: Question, read: Read) -> Reply:
        watch = Stopwatch(self._limits.move)
        request = b"%s%d\r\n\r\n%s" % (self._head, len(question.body), question.body)
        try:
            body = await self._answer(request, watch)
            micros = watch.micros
            reply = read([body])
        except PlayerFault as fault:
            if not self.usable:
                await self._until_gone()
            answer = self._connection.heard if self._connection is not None else b""
            build = partial(self._fault, watch=watch, question=question, answer=answer)
            raise with_evidence(fault, build) from None
        if reply is None:
            raise self._fault(FaultKind.MALFORMED, None, watch, question, body)
        return Reply(reply.move, reply.remarks, reply.warnings, micros)

    # --- one exchange ------------------------------------------------------------------------------

    async def _answer(self, request: bytes, watch: Stopwatch) -> bytes:
        """The body of the response. A kept connection may have been closed meanwhile: then a new one."""
        kept = self._connection is not None and not self._connection.closed
        if not kept:
            await self._reconnect(watch)
        assert self._connection is not None
        try:
            await self._connection.respond(request, watch.left)
        except _HungUp:
            if not kept or self._connection.heard:
                raise self._hung_up() from None
            await self._reconnect(watch)
            try:
                await self._connection.respond(request, watch.left)
            except _HungUp:
                raise self._hung_up() from None
        except TimeoutError:
            self._over = True
            raise PlayerFault(FaultKind.TIMEOUT) from None
        return self._judged(self._connection)

    async def _reconnect(self, watch: Stopwatch) -> None:
        try:
            self._connection = await self._connected(watch)
        except TimeoutError:
            self._over = True
            raise PlayerFault(FaultKind.TIMEOUT) from None
        except OSError:
            raise self._hung_up() from None

    async def _connected(self, watch: Stopwatch) -> _Connection:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        async with asyncio.timeout(max(0.0, watch.left)):
            line = await self._server.connect()
        if line.family in (socket.AF_INET, socket.AF_INET6):
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(lambda: _Connection(self._limits.output), sock=line)
        return connection

    def _judged(self, connection: _Connection) -> bytes:
        """The body, if the response as a whole is one we can take."""
        if connection.flooded:
            self._over = True
            raise PlayerFault(FaultKind.LIMIT, msg("the answer is longer than it may be"))
        if connection.broken:
            raise PlayerFault(
                FaultKind.MALFORMED, msg("the response is not HTTP: {why}", why=connection.broken)
            )
        if not 200 <= connection.status < 300:
            reason = msg("the response has the status {status}, not 200", status=connection.status)
            raise PlayerFault(FaultKind.MALFORMED, reason, status=connection.status)
        if connection.encoding not in ("", "identity"):
            reason = msg(
                'the response is encoded as "{encoding}", which was not asked for',
                encoding=connection.encoding,
            )
            raise PlayerFault(FaultKind.MALFORMED, reason)
        return bytes(connection.body)

    # --- faults ------------------------------------------------------------------------------------

    def _hung_up(self) -> PlayerFault:
        self._over = True
        return PlayerFault(FaultKind.CRASH, msg("the player closed the connection without an answer"))

    async def _until_gone(self) -> None:
        if self._instance is not None:
            await self._instance.last_words()
            self._instance.process.kill()

    def _not_there(self, why: OSError) -> Message:
        if self._instance is None:
            return msg(
                "nothing answers at {host}:{port}: {why}",
                host=self._address.host,
                port=self._address.port,
                why=why.strerror or str(why),
            )
        return msg("the player does not listen on port {port}", port=PORT)

    async def _absent(self, kind: FaultKind, reason: Message, watch: Stopwatch) -> PlayerFault:
        """A server that was never there. If it listens somewhere else, its author wants to know."""
        self._over = True
        ports = []
        if self._instance is not None and self._instance.process.status is None:
            ports = await self._instance.process.listening()
        if ports:
            reason = msg(
                "the player does not listen on port {port}, but on {ports}",
                port=PORT,
                ports=", ".join(map(str, ports)),
            )
        await self._until_gone()
        return self._fault(kind, reason, watch, None, b"", listening=ports or None)

    def _fault(
        self,
        kind: FaultKind,
        reason: Message | None,
        watch: Stopwatch,
        question: Question | None,
        answer: bytes,
        **more: object,
    ) -> PlayerFault:
        if self._output is not None:
            more["stdout"] = self._output.text()
        if self._instance is not None:
            return self._instance.fault(kind, reason, watch, question, answer, **more)
        return accused(kind, reason, watch, question, answer, **more)


class _HungUp(Exception):
    """The other side closed the connection before the response was whole."""


class _Connection(asyncio.Protocol):
    """One connection: one request at a time, and the response to it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._transport: asyncio.Transport | None = None
        self._whole: asyncio.Future[None] | None = None
        self.closed = False
        self._forget()

    def _forget(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._received = 0
        self.heard = b""
        """The beginning of the response as it came."""
        self.body = bytearray()
        self.encoding = ""
        self.broken = ""
        self.flooded = False
        self._complete = False
        self._extra = False
        self._kept = False
        self._headed = False
        self._unframed = True

    @property
    def status(self) -> int:
        return int(self._parser.get_status_code())

    async def respond(self, request: bytes, seconds: float) -> None:
        """Send a request and wait for the whole response, or for what shows that there will be none."""
        assert self._transport is not None
        if self.heard:
            self._forget()
        if self.closed:
            raise _HungUp
        loop = asyncio.get_running_loop()
        self._whole = loop.create_future()
        timer = loop.call_later(max(0.0, seconds), self._late)
        try:
            self._transport.write(request)
            await self._whole
        finally:
            timer.cancel()
            self._whole = None
        if not self._complete or self._extra or not self._kept:
            self.close()  # the next question goes where nothing can be left over

    def close(self) -> None:
        self.closed = True
        if self._transport is not None:
            self._transport.abort()

    def _late(self) -> None:
        if self._whole is not None and not self._whole.done():
            self._whole.set_exception(TimeoutError())

    def _done(self) -> None:
        if self._whole is not None and not self._whole.done():
            self._whole.set_result(None)

    # --- what asyncio calls ------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if self._whole is None or self._whole.done():
            self.close()  # nothing was asked: what comes must not be taken for the next answer
            return
        self._received += len(data)
        if len(self.heard) < 4096:
            self.heard += data
        if self._received > self._most:
            self.flooded = True
            self._done()
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            if not self._complete:
                self.broken = str(error)
            self._done()

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed = True
        if self._whole is None or self._whole.done():
            return
        if self._headed and self._unframed:
            self._complete = True  # a response without a length ends with its connection
            self._done()
        else:
            self._whole.set_exception(_HungUp())

    # --- what the parser calls ---------------------------------------------------------------------

    def on_header(self, name: bytes, value: bytes) -> None:
        key = name.lower()
        if key in (b"content-length", b"transfer-encoding"):
            self._unframed = False
        elif key == b"content-encoding":
            self.encoding = value.decode("latin-1").strip().lower()

    def on_headers_complete(self) -> None:
        self._headed = self.status >= 200

    def on_body(self, body: bytes) -> None:
        if self._complete:
            self._extra = True
        else:
            self.body += body

    def on_message_complete(self) -> None:
        if self.status >= 200 and not self._complete:
            self._complete = True
            self._kept = self._parser.should_keep_alive()  # the parser forgets when it returns
            self._done()
        elif self._complete:
            self._extra = True
