"""Questions to a program's standard input, answers from its standard output, a line at a time."""

from __future__ import annotations

import asyncio
import os
import select
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, TypeVar

from botequim.core import clock
from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.limits import Limits
from botequim.core.messages import msg
from botequim.core.process import Process
from botequim.core.turn import Reply
from botequim.core.wire import OutOfStep, Question
from botequim.transports import Read
from botequim.transports.instance import CHUNK, QUICK, Instance, Stopwatch, ended, with_evidence

T = TypeVar("T")

NO_END_OF_LINE: Final = msg("the answer has no end of line")


class Lines:
    """A program that lives through many questions."""

    def __init__(
        self,
        launch: Callable[[], Process],
        limits: Limits,
        greeting: Callable[[bytes], Mapping[str, str]] | None = None,
    ) -> None:
        """With `greeting` it says in a line of its own when it is ready, and who it is."""
        self._launch = launch
        self._limits = limits
        self._greeting = greeting
        self._instance: Instance | None = None
        self.greeted: Mapping[str, str] = {}

    @property
    def usable(self) -> bool:
        return self._instance is not None and not self._over

    async def start(self) -> None:
        process = self._launch()
        self._instance = Instance(process, self._limits)
        self._loop = asyncio.get_running_loop()
        self._stdout = process.stdout
        self._heard = bytearray()
        self._unsent = b""
        self._eof = False
        self._flooded = False
        self._over = False
        self._more: asyncio.Future[None] | None = None
        self._loop.add_reader(self._stdout, self._read)
        self._quick = select.poll()
        self._quick.register(self._stdout, select.POLLIN)
        await self._instance.set_up()
        if (greeting := self._greeting) is not None:
            watch = Stopwatch(self._limits.start)
            self.greeted = await self._hear(watch, None, lambda lines: greeting(lines[0]))

    def waiting(self) -> Sequence[bytes]:
        """Also half a line: its end, when it comes, is taken for an unknown line, not for an answer."""
        if not self._eof and not self._flooded:
            self._read()
        if not self._heard:
            return ()
        lines = bytes(self._heard).splitlines()
        self._heard.clear()
        return lines

    async def exchange(self, question: Question, read: Read) -> Reply:
        watch = Stopwatch(self._limits.move)
        self._send(question.body)
        if self._quick.poll(QUICK) and not self._flooded:
            self._read()
        reply = await self._hear(watch, question, read)
        lines, instance = self._lines, self._instance
        assert instance is not None
        return Reply(
            reply.move,
            reply.remarks,
            reply.warnings,
            watch.micros,
            lambda: instance.evidence(watch, question, b"\n".join(lines)),
        )

    def tell(self, body: bytes) -> None:
        self._send(body)

    async def close(self) -> None:
        if self._instance is not None:
            self._deaf()
            if self._unsent:
                self._unsent = b""
                self._loop.remove_writer(self._stdin())
            await self._instance.close()

    # --- writing -----------------------------------------------------------------------------------

    def _stdin(self) -> int:
        assert self._instance is not None
        descriptor = self._instance.process.stdin
        assert descriptor is not None
        return descriptor

    def _send(self, body: bytes) -> None:
        """As much as there is room for now, the rest later. A bot that is gone is noticed when it is read."""
        if not body:
            return
        if self._unsent:
            self._unsent += body
            return
        try:
            sent = os.write(self._stdin(), body)
        except BlockingIOError:
            sent = 0
        except BrokenPipeError:
            return
        if sent < len(body):
            self._unsent = body[sent:]
            self._loop.add_writer(self._stdin(), self._send_rest)

    def _send_rest(self) -> None:
        try:
            self._unsent = self._unsent[os.write(self._stdin(), self._unsent) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._unsent = b""
        if not self._unsent:
            self._loop.remove_writer(self._stdin())

    # --- reading -----------------------------------------------------------------------------------

    def _read(self) -> None:
        try:
            chunk = os.read(self._stdout, CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if chunk:
            self._heard += chunk
            if len(self._heard) > self._limits.output:
                self._flooded = True
                self._deaf()
        else:
            self._eof = True
            self._deaf()
        if self._more is not None and not self._more.done():
            self._more.set_result(None)

    def _deaf(self) -> None:
        self._loop.remove_reader(self._stdout)

    async def _hear(
        self, watch: Stopwatch, question: Question | None, read: Callable[[list[bytes]], T | None]
    ) -> T:
        """The first thing that `read` makes of the lines that come."""
        lines: list[bytes] = []
        self._lines = lines
        size = 0
        timer: clock.Timer | None = None
        self._late = False
        try:
            while True:
                while (line := self._next_line()) is not None:
                    lines.append(line)
                    reply = read(lines)
                    if reply is not None:
                        return reply
                    size += len(line) + 1
                    if size > self._limits.output:
                        self._flooded = True
                        self._deaf()
                        break
                if self._eof or self._flooded or self._late:
                    raise await self._silence(watch, question, lines)
                if timer is None:
                    assert self._instance is not None
                    self._instance.is_waited_for()
                    timer = clock.call_later(watch.left, self._time_is_up)
                self._more = self._loop.create_future()
                await self._more
        except PlayerFault as fault:
            if self._over:
                raise
            assert self._instance is not None
            if isinstance(fault, OutOfStep):
                self._over = True
                self._instance.process.kill()
            answer = b"\n".join(lines)
            raise with_evidence(
                fault, partial(self._instance.fault, watch=watch, question=question, answer=answer)
            ) from None
        finally:
            if timer is not None:
                timer.cancel()
            self._more = None

    def _time_is_up(self) -> None:
        """What has come by now still counts: it may be we who are slow."""
        if not self._eof and not self._flooded:
            self._read()
        self._late = True
        if self._more is not None and not self._more.done():
            self._more.set_result(None)

    def _next_line(self) -> bytes | None:
        end = self._heard.find(b"\n")
        if end < 0:
            if not (self._eof and self._heard):
                return None
            end = len(self._heard)
        line = bytes(self._heard[:end])
        del self._heard[: end + 1]
        return line

    async def _silence(
        self, watch: Stopwatch, question: Question | None, lines: Sequence[bytes]
    ) -> PlayerFault:
        """What it is when no answer came."""
        instance = self._instance
        assert instance is not None
        self._over = True
        answer = b"\n".join([*lines, bytes(self._heard)])
        if self._late:
            kind = FaultKind.TIMEOUT
            reason = NO_END_OF_LINE if self._heard.strip() else None
        elif self._flooded:
            kind, reason = FaultKind.LIMIT, msg("the answer is longer than it may be")
        else:
            kind, reason = FaultKind.CRASH, ended(await instance.last_words())
        fault = instance.fault(kind, reason, watch, question, answer)
        instance.process.kill()
        return fault
