"""The transport for programs that are started for each question and end with their answer."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from botequim.bots.transports import Decode
from botequim.bots.transports.process import CHUNK, BotProcess, Stopwatch, add_evidence, exit_reason
from botequim.core import clock
from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.limits import Limits
from botequim.core.messages import Message, msg
from botequim.core.process import Process, Usage
from botequim.core.turn import Reply
from botequim.core.wire import Question


class Once:
    """A program that is started for each question, so the transport is always usable."""

    usable = True

    def __init__(self, launch: Callable[[Question], Process], limits: Limits) -> None:
        self._launch = launch
        self._limits = limits
        self.greeting: Mapping[str, str] = {}
        self.usage = Usage()
        """The most memory and time that one of its processes used."""

    async def start(self) -> None:
        pass

    def take_unsolicited(self) -> Sequence[bytes]:
        return ()

    def schedule(self) -> Mapping[int, tuple[int, int]]:
        """Return nothing: each process has ended with its answer, and took its figures with it."""
        return {}

    def send(self, body: bytes) -> None:
        pass

    async def close(self) -> None:
        pass

    async def exchange(self, question: Question, decode: Decode) -> Reply:
        process = self._launch(question)
        bot = BotProcess(process, self._limits)
        output = _Output(process, question.body, self._limits.output)
        try:
            await bot.wait_until_running()
            watch = Stopwatch(self._limits.move)
            try:
                async with clock.timeout(watch.left):
                    await output.wait_until_ended()
            except TimeoutError:
                raise self._fault_and_kill(bot, FaultKind.TIMEOUT, None, watch, question, output) from None
            watch.stop()
            if not output.too_long:
                async with bot.limit_our_time():
                    await process.wait_exit()
                output.read_rest()
            if output.too_long:
                reason = msg("the answer is longer than the limit")
                raise self._fault_and_kill(bot, FaultKind.LIMIT, reason, watch, question, output)
            if process.status != 0:
                reason = exit_reason(process.status)
                raise self._fault_and_kill(bot, FaultKind.CRASH, reason, watch, question, output)
            answer = bytes(output.received)
            try:
                reply = decode([answer])
            except PlayerFault as fault:
                build = partial(bot.fault, watch=watch, question=question, answer=answer)
                raise add_evidence(fault, build) from None
            if reply is None:
                reason = msg("the player ended without an answer")
                raise self._fault_and_kill(bot, FaultKind.MALFORMED, reason, watch, question, output)
            if (
                process.exceeded is not None
            ):  # a child process was ended for exceeding a limit, and the bot answered without it
                raise self._fault_and_kill(bot, FaultKind.LIMIT, None, watch, question, output)
            evidence = partial(bot.evidence, watch, question, answer)
            return Reply(reply.move, reply.remarks, reply.warnings, watch.micros, evidence)
        finally:
            output.close()
            await bot.close()
            self.usage = _combined_usage(self.usage, process.usage)

    @staticmethod
    def _fault_and_kill(
        bot: BotProcess,
        kind: FaultKind,
        reason: Message | None,
        watch: Stopwatch,
        question: Question,
        output: _Output,
    ) -> PlayerFault:
        fault = bot.fault(kind, reason, watch, question, bytes(output.received))
        bot.process.kill()
        return fault


class _Output:
    """Writes the standard input of a program, and reads its output until it ends."""

    def __init__(self, process: Process, body: bytes, most: int) -> None:
        self._process = process
        self._loop = asyncio.get_running_loop()
        self._most = most
        self._output_end = self._loop.create_future()
        self._unsent = body
        self._writing = False
        self._reading = True
        self.received = bytearray()
        self.too_long = False
        self._loop.add_reader(process.stdout, self._read)
        self._write()

    async def wait_until_ended(self) -> None:
        """Wait until the program ends. Later output of its child processes is ignored."""
        over = asyncio.ensure_future(self._process.wait_ended())
        try:
            await asyncio.wait([over, self._output_end], return_when=asyncio.FIRST_COMPLETED)
            if not self.too_long:
                await over
        finally:
            over.cancel()

    def read_rest(self) -> None:
        """Read the rest of the output after the end of the program."""
        while self._reading and self._read():
            pass

    def _read(self) -> bool:
        try:
            chunk = os.read(self._process.stdout, CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            chunk = b""
        self.received += chunk
        if chunk and len(self.received) <= self._most:
            return True
        self.too_long = len(self.received) > self._most
        self._stop_reading()
        if not self._output_end.done():
            self._output_end.set_result(None)
        return False

    def _write(self) -> None:
        descriptor = self._process.stdin
        if descriptor is None:
            return
        try:
            self._unsent = self._unsent[os.write(descriptor, self._unsent) :] if self._unsent else b""
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._unsent = b""
        if self._unsent and not self._writing:
            self._writing = True
            self._loop.add_writer(descriptor, self._write)
        elif not self._unsent:
            self._stop_writing()
            self._process.end_input()

    def _stop_reading(self) -> None:
        if self._reading:
            self._reading = False
            self._loop.remove_reader(self._process.stdout)

    def _stop_writing(self) -> None:
        if self._writing and self._process.stdin is not None:
            self._loop.remove_writer(self._process.stdin)
        self._writing = False

    def close(self) -> None:
        self._stop_reading()
        self._stop_writing()


def _combined_usage(one: Usage, other: Usage) -> Usage:
    return Usage(max(one.memory or 0, other.memory or 0) or None, max(one.cpu or 0, other.cpu or 0) or None)
