"""The common part of all transports: the process of a bot, its log, its time, and the evidence of faults."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from botequim.core import clock
from botequim.core.clock import now
from botequim.core.errors import DEFAULT_REASONS, BotequimError, FaultKind, PlayerFault
from botequim.core.limits import EnforcedLimit, Limits
from botequim.core.messages import Message, msg
from botequim.core.process import Process
from botequim.core.wire import Question

TAIL: Final = 4000
"""The most bytes of a log, a question or an answer that are kept as evidence."""
CHUNK: Final = 1 << 16
QUICK: Final = 1
"""The milliseconds to poll for an answer before the event loop is used, because most bots are faster."""
LAST_WORDS: Final = 2.0
"""The seconds to wait for the exit status of a bot that closed its output."""
OUR_SECONDS: Final = 300.0
"""The time limit in seconds for setting up or removing a sandbox. It does not count as the bot's time."""

OVER: Final[dict[EnforcedLimit, Message]] = {
    EnforcedLimit.MEMORY: msg("the player used more memory than the limit"),
    EnforcedLimit.PROCESSES: msg("the player started more processes than the limit"),
    EnforcedLimit.SPACE: msg("the player wrote more than the limit"),
}


class LogTail:
    """The end of a log. The pipe is read continuously, because a bot would block if it were full."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._buffer = bytearray()
        self._loop = asyncio.get_running_loop()
        self._open = True
        self._loop.add_reader(descriptor, self._read)

    def _read(self) -> None:
        try:
            chunk = os.read(self._descriptor, CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            self.close()
        self._buffer += chunk
        if len(self._buffer) > 2 * TAIL:
            del self._buffer[:-TAIL]

    def text(self) -> str:
        """Read everything that was written until now, and return the end of the log."""
        if self._open:
            self._read()
        return bytes(self._buffer[-TAIL:]).decode("utf-8", "backslashreplace")

    def close(self) -> None:
        if self._open:
            self._open = False
            self._loop.remove_reader(self._descriptor)


class Stopwatch:
    """The time that a bot has for one answer, or for its start."""

    def __init__(self, limit: float) -> None:
        self.limit: Final = limit
        self._began: Final = now()
        self._end: float | None = None

    def stop(self) -> None:
        """Stop the time. What follows does not count as the bot's time."""
        self._end = now()

    @property
    def micros(self) -> int:
        end = self._end if self._end is not None else now()
        return round((end - self._began) * 1e6)

    @property
    def left(self) -> float:
        return self.limit - (now() - self._began)


class BotProcess:
    """The process of a bot, with its log. It creates the faults of the bot, with their evidence."""

    def __init__(self, process: Process, limits: Limits) -> None:
        self.process: Final = process
        self.limits: Final = limits
        self.log: Final = LogTail(process.stderr)
        self._schedule: Mapping[int, tuple[int, int]] = {}
        self._last_schedule: Mapping[int, tuple[int, int]] = {}

    def note_schedule(self) -> None:
        """Remember how long its threads have run so far, for `scheduling_delay`."""
        self._schedule = self.process.schedule()

    def scheduling_delay(self, watch: Stopwatch) -> float:
        """Return the seconds that it waited for a processor that other programs used."""
        now = self._last_schedule = self.process.schedule()
        before = self._schedule
        ran = sum([ran - before.get(thread, (0, 0))[0] for thread, (ran, _) in now.items()])
        waits = [waited - before.get(thread, (0, 0))[1] for thread, (_, waited) in now.items()]
        return max(0.0, min(max(waits, default=0), watch.micros * 1000 - ran) / 1e9)

    def schedule(self) -> Mapping[int, tuple[int, int]]:
        """See `Transport.schedule`. After `close`, the numbers may be those of other processes."""
        return {**self._schedule, **self._last_schedule, **self.process.schedule()}

    async def wait_exit_status(self) -> int | None:
        """Return the exit status of a bot that closed its output, or None if it goes on.

        Raise BotequimError if its sandbox failed.
        """
        try:
            async with clock.timeout(LAST_WORDS):
                await self.process.wait_ended()
        except TimeoutError:
            if self.process.status is None:
                return None
        return await self.process.wait_exit()  # may have to ask the container engine

    @asynccontextmanager
    async def limit_our_time(self) -> AsyncIterator[None]:
        """Raise BotequimError if a sandbox takes too long to be set up or removed."""
        try:
            async with clock.timeout(OUR_SECONDS):
                yield
        except TimeoutError:
            raise BotequimError(
                msg("the sandbox took longer than {seconds} s", seconds=f"{OUR_SECONDS:g}")
            ) from None

    async def wait_until_running(self) -> None:
        """Wait until the bot itself runs. Raise BotequimError, with the end of its log, if it does not
        start."""
        try:
            async with self.limit_our_time():
                await self.process.wait_running()
        except BotequimError as error:
            lines = self.log.text().strip().splitlines()
            if not lines:
                raise
            raise BotequimError(msg("{error} ({said})", error=error.message, said=lines[-1])) from error

    async def close(self) -> None:
        self.log.close()
        await self.process.close()

    def evidence(self, watch: Stopwatch, question: Question, answer: bytes) -> Mapping[str, Any]:
        """Return the evidence for an answer that is a move, but an illegal one."""
        return self.fault(FaultKind.ILLEGAL, None, watch, question, answer).fault.evidence

    def fault(
        self,
        kind: FaultKind,
        reason: Message | None,
        watch: Stopwatch,
        question: Question | None = None,
        answer: bytes = b"",
        **more: Any,
    ) -> PlayerFault:
        """Return a fault with its evidence. If the bot exceeded a limit and was ended, that is the fault."""
        if kind is FaultKind.TIMEOUT:
            more["queued"] = round(self.scheduling_delay(watch), 3)
        if self.process.setup:
            more["setup"] = round(self.process.setup, 3)
        if self.process.exceeded is not None:
            kind, reason = FaultKind.LIMIT, OVER.get(self.process.exceeded)
            more["limit"] = self.process.exceeded.value
        return make_fault(
            kind,
            reason,
            watch,
            question,
            answer,
            stderr=self.log.text(),
            exit=self.process.status,
            **more,
        )


def make_fault(
    kind: FaultKind,
    reason: Message | None,
    watch: Stopwatch,
    question: Question | None,
    answer: bytes,
    **more: Any,
) -> PlayerFault:
    """Return a fault with its evidence: the question, the answer and the time."""
    micros = watch.micros
    if kind is FaultKind.TIMEOUT and reason is None:
        seconds = f"{watch.limit:g}"
        reason = (
            msg("the player was not ready within {seconds} s", seconds=seconds)
            if question is None
            else msg("no answer within {seconds} s", seconds=seconds)
        )
    evidence: dict[str, Any] = {}
    if question is not None:
        evidence["question"] = _short(question.text())
    if answer:
        text = answer[: 2 * TAIL].decode("utf-8", "backslashreplace")
        evidence["answer"] = _short(question.reads(text) if question is not None and question.reads else text)
    evidence |= {name: value for name, value in more.items() if value not in (None, "")}
    evidence |= {"seconds": round(micros / 1e6, 3), "allowed": watch.limit}
    fault = PlayerFault(kind, reason, **evidence)
    fault.micros = micros
    return fault


def add_evidence(fault: PlayerFault, build: Callable[..., PlayerFault]) -> PlayerFault:
    """Return a fault that a codec found in an answer, with the evidence of the turn added."""
    evidence = dict(fault.fault.evidence)
    if "answer" in evidence:  # the part that the codec read; the transport adds the whole answer
        evidence["given"] = evidence.pop("answer")
    # the transport has a more precise reason than the default one
    reason = None if fault.fault.reason == DEFAULT_REASONS[fault.fault.kind] else fault.fault.reason
    full = build(fault.fault.kind, reason, **evidence)
    full.remarks, full.warnings = fault.remarks, fault.warnings
    return full


def _short(text: str) -> str:
    """Return a text, or the beginning and the end of a long one."""
    if len(text) <= TAIL:
        return text
    return f"{text[: TAIL // 2]} [...] {text[-TAIL // 2 :]}"


def exit_reason(status: int | None) -> Message:
    """Return the reason for a bot that ended without an answer."""
    if status is None:
        return msg("the player closed its output")
    if status < 0:
        return msg("the player was ended by signal {number}", number=-status)
    return msg("the player ended with exit code {code}", code=status)
