"""The transport for bots that are HTTP servers. Each question is a POST over a connection that stays open."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from botequim.bots.transports import Decode
from botequim.bots.transports.http_connection import Address, ClosedByServer, Connection, Server
from botequim.bots.transports.process import (
    BotProcess,
    LogTail,
    Stopwatch,
    add_evidence,
    exit_reason,
    make_fault,
)
from botequim.core import clock
from botequim.core.errors import FaultKind, InputError, PlayerFault
from botequim.core.limits import Limits
from botequim.core.messages import Message, msg, plain
from botequim.core.process import Process
from botequim.core.turn import Reply
from botequim.core.wire import Question

PORT: Final = 8000
PATIENCE: Final = (0.005, 0.05)
"""The first and the longest pause in seconds between attempts to connect to a port that is not open yet."""
LOOK_SECONDS: Final = 0.25
"""Seconds between two searches for other ports that a bot listens on."""
FIXED_PORT: Final = msg(
    "Without isolation all instances share the ports of this machine, so each must listen on the port that "
    "PORT names. Let the bot read PORT; or run it isolated (on Linux, without --trust, or in a container), "
    "where each instance has a port 8000 of its own"
)
_IN_USE: Final = re.compile(
    r".*(?:EADDRINUSE|AddrInUse|address (?:is )?already in use|endereço já (?:está )?em uso).*", re.IGNORECASE
)
"""The errors of programs that cannot listen on a port, in English and in Portuguese."""


class Http:
    """A bot that is an HTTP server."""

    def __init__(self, limits: Limits, *, launch: Callable[[], Process] | None = None, url: str = "") -> None:
        """`launch` starts the server; without it, the server is already running at `url`."""
        self._limits = limits
        self._launch = launch
        self._address = Address(url or f"http://127.0.0.1:{PORT}/")
        self._bot: BotProcess | None = None
        self._server: Server = self._address
        self._output: LogTail | None = None
        self._connection: Connection | None = None
        self._has_extra_data = False
        self._over = False
        self.greeting: Mapping[str, str] = {}
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
        """Start the server and wait until its port is open, which is the only sign that it is ready."""
        if self._launch is not None:
            process = self._launch()
            self._bot = BotProcess(process, self._limits)
            self._output = LogTail(process.stdout)
            self._server = process
            await self._bot.wait_until_running()
        watch = Stopwatch(self._limits.start)
        pause = PATIENCE[0]
        next_look = watch.left - LOOK_SECONDS
        while True:
            try:
                self._connection = await self._connect(watch)
            except OSError as error:
                why = error
            else:
                return
            if self._bot is not None and self._bot.process.has_ended:
                watch.stop()
                async with self._bot.limit_our_time():
                    status = await self._bot.process.wait_exit()  # may have to ask the container engine
                raise await self._absence_fault(FaultKind.CRASH, exit_reason(status), watch)
            if watch.left <= 0 or self._bot is None:
                raise await self._absence_fault(FaultKind.TIMEOUT, self._absence_reason(why), watch)
            if self._bot.process.shares_ports and watch.left < next_look:
                next_look = watch.left - LOOK_SECONDS
                ports = await self._bot.process.listening_ports()
                if PORT in ports:  # other ports may have another purpose, and PORT may be opened later
                    self._refuse_fixed_port(self._bot, ports)
            await clock.pause(pause)
            pause = min(2 * pause, PATIENCE[1])

    def take_unsolicited(self) -> Sequence[bytes]:
        return ()

    def schedule(self) -> Mapping[int, tuple[int, int]]:
        return {} if self._bot is None else self._bot.schedule()

    def send(self, body: bytes) -> None:
        pass

    async def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        if self._output is not None:
            self._output.close()
        if self._bot is not None:
            await self._bot.close()

    async def exchange(self, question: Question, decode: Decode) -> Reply:
        watch = Stopwatch(self._limits.move)
        request = b"%s%d\r\n\r\n%s" % (self._head, len(question.body), question.body)
        try:
            body = await self._answer(request, watch)
            micros = watch.micros
            reply = decode([body])
        except PlayerFault as fault:
            if fault.fault.kind is FaultKind.CRASH:
                await self._wait_for_exit()  # the evidence contains the exit status
            answer = self._connection.raw if self._connection is not None else b""
            build = partial(self._fault, watch=watch, question=question, answer=answer)
            complete = add_evidence(fault, build)
            complete.warnings = (*complete.warnings, *self._extra_warnings())
            if not self.usable and self._bot is not None:
                self._bot.process.kill()
            raise complete from None
        if reply is None:
            raise self._fault(FaultKind.MALFORMED, None, watch, question, body)
        return Reply(
            reply.move,
            reply.remarks,
            (*reply.warnings, *self._extra_warnings()),
            micros,
            lambda: self._fault(FaultKind.ILLEGAL, None, watch, question, body).fault.evidence,
        )

    def _extra_warnings(self) -> Sequence[Message]:
        """Return a warning if the bot sent data that is not the answer to a question."""
        more = self._has_extra_data or (self._connection is not None and self._connection.extra)
        self._has_extra_data = False
        return (
            [msg("something arrived that was not an answer to a question; it was discarded")] if more else []
        )

    def _note_schedule(self) -> None:
        if self._bot is not None:
            self._bot.note_schedule()

    # --- one exchange ------------------------------------------------------------------------------

    async def _answer(self, request: bytes, watch: Stopwatch) -> bytes:
        """Return the body of the response. Use a new connection if the server has closed the last one."""
        try:
            if self._connection is not None and not self._connection.closed:
                try:
                    await self._connection.respond(request, watch, self._note_schedule)
                    return self._accepted_body(self._connection)
                except ClosedByServer:
                    if self._connection.raw or self._connection.has_early_data:
                        raise
                    self._has_extra_data = self._connection.extra
            self._connection = await self._connect(watch)
            await self._connection.respond(request, watch, self._note_schedule)
            return self._accepted_body(self._connection)
        except TimeoutError:
            self._over = True
            raise PlayerFault(FaultKind.TIMEOUT) from None
        except (ClosedByServer, OSError):
            self._over = True
            if self._connection is not None and self._connection.has_early_data:
                raise PlayerFault(FaultKind.MALFORMED, msg("the response came before the question")) from None
            reason = msg("the player closed the connection without an answer")
            raise PlayerFault(FaultKind.CRASH, reason) from None

    async def _connect(self, watch: Stopwatch) -> Connection:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        async with clock.timeout(watch.left):
            line = await self._server.connect()
        if line.family in (socket.AF_INET, socket.AF_INET6):
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return Connection(line, self._limits.output)

    def _accepted_body(self, connection: Connection) -> bytes:
        """Return the body of a response. Raise PlayerFault for a status, encoding or size that is not
        accepted."""
        if connection.too_long:
            self._over = True
            raise PlayerFault(FaultKind.LIMIT, msg("the answer is longer than the limit"))
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

    async def _wait_for_exit(self) -> None:
        """Give a bot that closed its connection some time to end by itself, then end it."""
        if self._bot is not None:
            await self._bot.wait_exit_status()
            self._bot.process.kill()

    @property
    def _port(self) -> int:
        return self._address.port if self._bot is None else self._bot.process.port

    def _absence_reason(self, why: OSError) -> Message:
        if self._bot is None:
            return msg(
                "nothing answers at {host}:{port}: {why}",
                host=self._address.host,
                port=self._address.port,
                why=why.strerror or str(why),
            )
        return msg(
            "the player does not listen on port {port} after {seconds} s",
            port=self._port,
            seconds=f"{self._limits.start:g}",
        )

    def _refuse_fixed_port(self, bot: BotProcess, ports: Sequence[int]) -> None:
        """Raise InputError if the bot listens on another port than the one it was given."""
        process = bot.process
        if ports and process.port not in ports:
            raise InputError(
                msg(
                    "it listens on port {ports}, but PORT in its environment is {port}. {why}",
                    ports=", ".join(map(str, ports)),
                    port=process.port,
                    why=FIXED_PORT,
                )
            )
        output = bot.log.text() + (self._output.text() if self._output is not None else "")
        if process.has_ended and (match := _IN_USE.search(output)):
            raise InputError(
                msg(
                    "it ends because another program uses its port ({error}). {why}",
                    error=plain(match[0].strip()[:200]),
                    why=FIXED_PORT,
                )
            )

    async def _absence_fault(self, kind: FaultKind, reason: Message, watch: Stopwatch) -> PlayerFault:
        """Return the fault of a server that never listened, with the ports on which it does listen."""
        self._over = True
        ports: Sequence[int] = []
        if self._bot is not None and self._bot.process.status is None:
            ports = await self._bot.process.listening_ports()
        if self._bot is not None and self._bot.process.shares_ports:
            self._refuse_fixed_port(self._bot, ports)
        if ports:
            reason = msg(
                "the player does not listen on port {port}, but on {ports}",
                port=self._port,
                ports=", ".join(map(str, ports)),
            )
        evidence = {"listening": list(ports), "port": self._port} if ports else {}
        fault = self._fault(kind, reason, watch, None, b"", **evidence)
        if self._bot is not None:
            self._bot.process.kill()
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
        if self._bot is not None:
            return self._bot.fault(kind, reason, watch, question, answer, **more)
        return make_fault(kind, reason, watch, question, answer, **more)
