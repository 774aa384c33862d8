"""A bot that is a server: each question is a POST over a connection that is kept open.

The client is written over the parser alone, because its rules are our own: one deadline for everything, no
redirects, no proxies, no decompression, a capped body, and connections that begin in a bot's own network.
"""

from __future__ import annotations

import asyncio
import re
import select
import socket
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Protocol
from urllib.parse import urlsplit

import httptools

from botequim.core import clock
from botequim.core.errors import FaultKind, InputError, PlayerFault
from botequim.core.limits import Limits
from botequim.core.messages import Message, msg, plain
from botequim.core.process import Process
from botequim.core.turn import Reply
from botequim.core.wire import Question
from botequim.transports import Read
from botequim.transports.instance import (
    CHUNK,
    QUICK,
    TAIL,
    Instance,
    Stopwatch,
    Tail,
    accused,
    ended,
    with_evidence,
)

PORT: Final = 8000
PATIENCE: Final = (0.005, 0.05)
"""Seconds between two looks at a port that is not open yet: at first, and at last."""
LOOK_AROUND: Final = 0.25
"""Seconds between two looks at the other ports that a bot listens on."""
FIXED_PORT: Final = msg(
    "Without isolation all instances share the ports of this machine, so each must listen on the port that "
    "PORT names. Let the bot read PORT; or run it isolated (on Linux, without --trust, or in a container), "
    "where each instance has a port 8000 of its own"
)
_IN_USE: Final = re.compile(
    r".*(?:EADDRINUSE|AddrInUse|address (?:is )?already in use|endereço já (?:está )?em uso).*", re.IGNORECASE
)
"""What programs say when they cannot listen on a port, in English and in Portuguese."""


class Server(Protocol):
    """What can be connected to."""

    async def connect(self) -> socket.socket: ...


class Address:
    """A server that somebody else runs."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.host: Final = parts.hostname or ""
        self.port: Final = parts.port or 80  # a url of ours: it was looked at when it was recognised
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
        self._more_came = False
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
        if self._launch is not None:
            process = self._launch()
            self._instance = Instance(process, self._limits)
            self._output = Tail(process.stdout)
            self._server = process
            await self._instance.set_up()
        watch = Stopwatch(self._limits.start)
        pause = PATIENCE[0]
        next_look = watch.left - LOOK_AROUND
        while True:
            try:
                self._connection = await self._connected(watch)
            except OSError as error:
                why = error
            else:
                return
            if self._instance is not None and self._instance.process.has_ended:
                watch.stop()
                async with self._instance.ours_to_hurry():
                    status = await self._instance.process.exited()  # an engine may have to be asked
                raise await self._absent(FaultKind.CRASH, ended(status), watch)
            if watch.left <= 0 or self._instance is None:
                raise await self._absent(FaultKind.TIMEOUT, self._not_there(why), watch)
            if self._instance.process.shares_ports and watch.left < next_look:
                next_look = watch.left - LOOK_AROUND
                ports = await self._instance.process.listening()
                if PORT in ports:  # another one may be for something else, and PORT's still to come
                    self._refuse_fixed_port(self._instance, ports)
            await clock.pause(pause)
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
            if fault.fault.kind is FaultKind.CRASH:
                await self._until_gone()  # for its exit status
            answer = self._connection.heard if self._connection is not None else b""
            build = partial(self._fault, watch=watch, question=question, answer=answer)
            told = with_evidence(fault, build)
            told.warnings = (*told.warnings, *self._dropped())
            if not self.usable and self._instance is not None:
                self._instance.process.kill()
            raise told from None
        if reply is None:
            raise self._fault(FaultKind.MALFORMED, None, watch, question, body)
        return Reply(
            reply.move,
            reply.remarks,
            (*reply.warnings, *self._dropped()),
            micros,
            lambda: self._fault(FaultKind.ILLEGAL, None, watch, question, body).fault.evidence,
        )

    def _dropped(self) -> Sequence[Message]:
        """A warning for what came over a connection and was asked for by nobody."""
        more = self._more_came or (self._connection is not None and self._connection.extra)
        self._more_came = False
        return [msg("something came that was no answer to a question: it was dropped")] if more else []

    def _is_waited_for(self) -> None:
        if self._instance is not None:
            self._instance.is_waited_for()

    # --- one exchange ------------------------------------------------------------------------------

    async def _answer(self, request: bytes, watch: Stopwatch) -> bytes:
        """The body of the response. A kept connection may have been closed meanwhile: then on a new one."""
        try:
            if self._connection is not None and not self._connection.closed:
                try:
                    await self._connection.respond(request, watch, self._is_waited_for)
                    return self._judged(self._connection)
                except _HungUp:
                    if self._connection.heard or self._connection.too_soon:
                        raise
                    self._more_came = self._connection.extra
            self._connection = await self._connected(watch)
            await self._connection.respond(request, watch, self._is_waited_for)
            return self._judged(self._connection)
        except TimeoutError:
            self._over = True
            raise PlayerFault(FaultKind.TIMEOUT) from None
        except (_HungUp, OSError):
            self._over = True
            if self._connection is not None and self._connection.too_soon:
                raise PlayerFault(FaultKind.MALFORMED, msg("the response came before the question")) from None
            reason = msg("the player closed the connection without an answer")
            raise PlayerFault(FaultKind.CRASH, reason) from None

    async def _connected(self, watch: Stopwatch) -> _Connection:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        async with clock.timeout(watch.left):
            line = await self._server.connect()
        if line.family in (socket.AF_INET, socket.AF_INET6):
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return _Connection(line, self._limits.output)

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

    async def _until_gone(self) -> None:
        """Give a bot that hung up the time to end by itself, then end it."""
        if self._instance is not None:
            await self._instance.last_words()
            self._instance.process.kill()

    @property
    def _port(self) -> int:
        return self._address.port if self._instance is None else self._instance.process.port

    def _not_there(self, why: OSError) -> Message:
        if self._instance is None:
            return msg(
                "nothing answers at {host}:{port}: {why}",
                host=self._address.host,
                port=self._address.port,
                why=why.strerror or str(why),
            )
        return msg("the player does not listen on port {port}", port=self._port)

    def _refuse_fixed_port(self, instance: Instance, ports: Sequence[int]) -> None:
        """Raise InputError if it uses another port of this machine than the one it is told."""
        process = instance.process
        if ports and process.port not in ports:
            raise InputError(
                msg(
                    "it listens on port {ports}, but PORT in its environment is {port}. {why}",
                    ports=", ".join(map(str, ports)),
                    port=process.port,
                    why=FIXED_PORT,
                )
            )
        said = instance.log.text() + (self._output.text() if self._output is not None else "")
        if process.has_ended and (taken := _IN_USE.search(said)):
            raise InputError(
                msg(
                    "it ends because another program uses its port ({error}). {why}",
                    error=plain(taken[0].strip()[:200]),
                    why=FIXED_PORT,
                )
            )

    async def _absent(self, kind: FaultKind, reason: Message, watch: Stopwatch) -> PlayerFault:
        """A server that was never there. If it listens somewhere else, its author wants to know."""
        self._over = True
        ports: Sequence[int] = []
        if self._instance is not None and self._instance.process.status is None:
            ports = await self._instance.process.listening()
        if self._instance is not None and self._instance.process.shares_ports:
            self._refuse_fixed_port(self._instance, ports)
        if ports:
            reason = msg(
                "the player does not listen on port {port}, but on {ports}",
                port=self._port,
                ports=", ".join(map(str, ports)),
            )
        asked = {"listening": list(ports), "port": self._port} if ports else {}
        fault = self._fault(kind, reason, watch, None, b"", **asked)
        if self._instance is not None:
            self._instance.process.kill()
        return fault

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


class _Connection:
    """One connection: one request at a time, and the response to it."""

    def __init__(self, line: socket.socket, most: int) -> None:
        self._line = line
        self._most = most
        self._loop = asyncio.get_running_loop()
        self._quick = select.poll()
        self._quick.register(line, select.POLLIN)
        self._parser = httptools.HttpResponseParser(self)
        self._asked = False
        self.closed = False
        self.too_soon = False
        """Whether something came before anything was asked."""
        self._forget()

    def _forget(self) -> None:
        self._received = 0
        self.heard = b""
        """The beginning of the response as it came."""
        self.body = bytearray()
        self.encoding = ""
        self.broken = ""
        self.flooded = False
        self._complete = False
        self.extra = False
        """Whether more came than the response."""
        self._kept = False
        self._headed = False
        self._unframed = True

    @property
    def status(self) -> int:
        return int(self._parser.get_status_code())

    async def respond(self, request: bytes, watch: Stopwatch, on_waiting: Callable[[], None]) -> None:
        """Send a request and wait for the whole response, or for what shows that there will be none."""
        if self._received:
            self._forget()
        if self.closed or self._quick.poll(0):  # nothing was asked: what is there is no answer, or the end
            self.extra = not self.closed and self._something_waits()
            self.too_soon = self.extra and not self._asked
            self.close()
            raise _HungUp
        self._asked = True
        try:
            sent = self._line.send(request)
            if sent < len(request):
                async with clock.timeout(watch.left):
                    await self._loop.sock_sendall(self._line, request[sent:])
            if self._quick.poll(QUICK):
                self._receive()
            if not self._done:
                on_waiting()
                await self._receive_in_time(watch)
        except ConnectionError:
            self.close()
            raise _HungUp from None
        if not self._complete or self.extra or not self._kept:
            self.close()  # the next question goes where nothing can be left over

    async def _receive_in_time(self, watch: Stopwatch) -> None:
        more: asyncio.Future[None] = self._loop.create_future()

        def look() -> None:
            try:
                self._receive()
            except Exception as error:  # also what nobody foresaw: it must not look like a bot's silence
                self._loop.remove_reader(self._line)
                if not more.done():
                    more.set_exception(error)
            else:
                if self._done and not more.done():
                    more.set_result(None)

        self._loop.add_reader(self._line, look)
        try:
            async with clock.timeout(watch.left):
                await more
        finally:
            self._loop.remove_reader(self._line)

    @property
    def _done(self) -> bool:
        return self._complete or self.flooded or bool(self.broken)

    def _receive(self) -> None:
        try:
            data = self._line.recv(CHUNK)
        except BlockingIOError:
            return
        if not data:
            if not (self._headed and self._unframed):
                raise _HungUp
            self._complete = True  # a response without a length ends with its connection
            return
        self._received += len(data)
        if len(self.heard) < TAIL:
            self.heard += data
        if self._received > self._most:
            self.flooded = True
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:  # not one of the errors below
            self.broken = "it goes on in another protocol"
        except httptools.HttpParserError as error:
            if not self._complete:
                self.broken = str(error)

    def _something_waits(self) -> bool:
        """Whether there is more to read than the end."""
        try:
            return bool(self._line.recv(1, socket.MSG_PEEK))
        except OSError:
            return False

    def close(self) -> None:
        self.closed = True
        self._line.close()

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
            self.extra = True
        else:
            self.body += body

    def on_message_complete(self) -> None:
        if self._complete:
            self.extra = True
        elif self.status >= 200:
            self._complete = True
            self._kept = self._parser.should_keep_alive()  # the parser forgets when it returns
