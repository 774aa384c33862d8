"""The transport for programs that read questions from standard input and write answers, line by line."""

from __future__ import annotations

import asyncio
import os
import select
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, TypeVar

from botequim.bots.transports import Decode
from botequim.bots.transports.process import CHUNK, QUICK, BotProcess, Stopwatch, add_evidence, exit_reason
from botequim.core import clock
from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.limits import Limits
from botequim.core.messages import msg
from botequim.core.process import Process
from botequim.core.turn import Reply
from botequim.core.wire import Desynchronised, Question

T = TypeVar("T")

NO_END_OF_LINE: Final = msg("the answer has no end of line")


class Lines:
    """A program that answers many questions."""

    def __init__(
        self,
        launch: Callable[[], Process],
        limits: Limits,
        greeting: Callable[[bytes], Mapping[str, str]] | None = None,
    ) -> None:
        """`greeting` reads the first line, with which the program says that it is ready and introduces
        itself."""
        self._launch = launch
        self._limits = limits
        self._read_greeting = greeting
        self._bot: BotProcess | None = None
        self.greeting: Mapping[str, str] = {}

    @property
    def usable(self) -> bool:
        return self._bot is not None and not self._is_over

    async def start(self) -> None:
        process = self._launch()
        self._bot = BotProcess(process, self._limits)
        self._loop = asyncio.get_running_loop()
        self._stdout = process.stdout
        self._buffer = bytearray()
        self._unsent = b""
        self._eof = False
        self._too_long = False
        self._is_over = False
        self._more: asyncio.Future[None] | None = None
        self._loop.add_reader(self._stdout, self._read)
        self._quick = select.poll()
        self._quick.register(self._stdout, select.POLLIN)
        await self._bot.wait_until_running()
        if (read := self._read_greeting) is not None:
            watch = Stopwatch(self._limits.start)
            self.greeting = await self._read_until(watch, None, lambda lines: read(lines[0]))

    def take_unsolicited(self) -> Sequence[bytes]:
        """Remove and return all output so far. The rest of an incomplete line will be an unknown line."""
        if not self._eof and not self._too_long:
            self._read()
        if not self._buffer:
            return ()
        lines = bytes(self._buffer).splitlines()
        self._buffer.clear()
        return lines

    async def exchange(self, question: Question, decode: Decode) -> Reply:
        watch = Stopwatch(self._limits.move)
        self._send(question.body)
        if self._quick.poll(QUICK) and not self._too_long:
            self._read()
        reply = await self._read_until(watch, question, decode)
        lines, bot = self._lines, self._bot
        assert bot is not None
        return Reply(
            reply.move,
            reply.remarks,
            reply.warnings,
            watch.micros,
            lambda: bot.evidence(watch, question, b"\n".join(lines)),
        )

    def schedule(self) -> Mapping[int, tuple[int, int]]:
        return {} if self._bot is None else self._bot.schedule()

    def send(self, body: bytes) -> None:
        self._send(body)

    async def close(self) -> None:
        if self._bot is not None:
            self._stop_reading()
            if self._unsent:
                self._unsent = b""
                self._loop.remove_writer(self._stdin())
            await self._bot.close()

    # --- writing -----------------------------------------------------------------------------------

    def _stdin(self) -> int:
        assert self._bot is not None
        descriptor = self._bot.process.stdin
        assert descriptor is not None
        return descriptor

    def _send(self, body: bytes) -> None:
        """Write as much as the pipe takes now, and the rest later. If the bot has ended, reading will show
        it."""
        if not body:
            return
        if self._unsent:
            self._unsent += body
            return
        try:
            count = os.write(self._stdin(), body)
        except BlockingIOError:
            count = 0
        except BrokenPipeError:
            return
        if count < len(body):
            self._unsent = body[count:]
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
            self._buffer += chunk
            if len(self._buffer) > self._limits.output:
                self._too_long = True
                self._stop_reading()
        else:
            self._eof = True
            self._stop_reading()
        if self._more is not None and not self._more.done():
            self._more.set_result(None)

    def _stop_reading(self) -> None:
        self._loop.remove_reader(self._stdout)

    async def _read_until(
        self, watch: Stopwatch, question: Question | None, read: Callable[[list[bytes]], T | None]
    ) -> T:
        """Call `read` with all lines so far after each new line, and return its first result."""
        lines: list[bytes] = []
        self._lines = lines
        size = 0
        timer: clock.Timer | None = None
        self._timed_out = False
        try:
            while True:
                while (line := self._next_line()) is not None:
                    lines.append(line)
                    reply = read(lines)
                    if reply is not None:
                        return reply
                    size += len(line) + 1
                    if size > self._limits.output:
                        self._too_long = True
                        self._stop_reading()
                        break
                if self._eof or self._too_long or self._timed_out:
                    raise await self._silence_fault(watch, question, lines)
                if timer is None:
                    assert self._bot is not None
                    self._bot.note_schedule()
                    timer = clock.call_later(watch.left, self._time_is_up)
                self._more = self._loop.create_future()
                await self._more
        except PlayerFault as fault:
            if self._is_over:
                raise
            assert self._bot is not None
            if isinstance(fault, Desynchronised):
                self._is_over = True
                self._bot.process.kill()
            answer = b"\n".join(lines)
            raise add_evidence(
                fault, partial(self._bot.fault, watch=watch, question=question, answer=answer)
            ) from None
        finally:
            if timer is not None:
                timer.cancel()
            self._more = None

    def _time_is_up(self) -> None:
        """Read once more before the timeout, because this process may have been late to read."""
        if not self._eof and not self._too_long:
            self._read()
        self._timed_out = True
        if self._more is not None and not self._more.done():
            self._more.set_result(None)

    def _next_line(self) -> bytes | None:
        end = self._buffer.find(b"\n")
        if end < 0:
            if not (self._eof and self._buffer):
                return None
            end = len(self._buffer)
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    async def _silence_fault(
        self, watch: Stopwatch, question: Question | None, lines: Sequence[bytes]
    ) -> PlayerFault:
        """Return the fault of a bot that did not answer."""
        bot = self._bot
        assert bot is not None
        self._is_over = True
        answer = b"\n".join([*lines, bytes(self._buffer)])
        if self._timed_out:
            kind = FaultKind.TIMEOUT
            reason = NO_END_OF_LINE if self._buffer.strip() else None
        elif self._too_long:
            kind, reason = FaultKind.LIMIT, msg("the answer is longer than the limit")
        else:
            kind, reason = FaultKind.CRASH, exit_reason(await bot.wait_exit_status())
        fault = bot.fault(kind, reason, watch, question, answer)
        bot.process.kill()
        return fault
