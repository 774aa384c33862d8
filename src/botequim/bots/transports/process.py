"""What all transports have in common: a process whose output is read as it comes, and evidence."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from botequim.core import clock
from botequim.core.clock import now
from botequim.core.errors import DEFAULT_REASONS, BotequimError, FaultKind, PlayerFault
from botequim.core.limits import Enforced, Limits
from botequim.core.messages import Message, msg
from botequim.core.process import Process
from botequim.core.wire import Question

TAIL: Final = 4000
"""Bytes that are kept of a log, and of a question or an answer as evidence."""
CHUNK: Final = 1 << 16
QUICK: Final = 1
"""Milliseconds that an answer is waited for before the event loop is asked to: most bots are quicker, and the
way round the loop would take longer than they do."""
LAST_WORDS: Final = 2.0
"""Seconds that a bot which hung up is given to end, so that its exit can be told."""
OUR_SECONDS: Final = 300.0
"""That a sandbox may take to be set up or cleared away, whatever the bot's own limits are."""

OVER: Final[dict[Enforced, Message]] = {
    Enforced.MEMORY: msg("the player used more memory than it may"),
    Enforced.PROCESSES: msg("the player started more processes than it may"),
    Enforced.SPACE: msg("the player wrote more than it may"),
}


class Tail:
    """The end of a log. It is read all the time: a bot that waits for room in a pipe would seem to think."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._kept = bytearray()
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
        self._kept += chunk
        if len(self._kept) > 2 * TAIL:
            del self._kept[:-TAIL]

    def text(self) -> str:
        """What is kept, with all that has come until now."""
        if self._open:
            self._read()
        return bytes(self._kept[-TAIL:]).decode("utf-8", "backslashreplace")

    def close(self) -> None:
        if self._open:
            self._open = False
            self._loop.remove_reader(self._descriptor)


class Stopwatch:
    """The time a bot has for one thing."""

    def __init__(self, limit: float) -> None:
        self.limit: Final = limit
        self._began: Final = now()
        self._ended: float | None = None

    def stop(self) -> None:
        """What follows is not the bot's time."""
        self._ended = now()

    @property
    def micros(self) -> int:
        ended = self._ended if self._ended is not None else now()
        return round((ended - self._began) * 1e6)

    @property
    def left(self) -> float:
        return self.limit - (now() - self._began)


class Instance:
    """A process with its log, and the faults it can commit."""

    def __init__(self, process: Process, limits: Limits) -> None:
        self.process: Final = process
        self.limits: Final = limits
        self.log: Final = Tail(process.stderr)
        self._schedule: Mapping[int, tuple[int, int]] = {}

    def is_waited_for(self) -> None:
        """It does not answer at once: from now on it is looked whether it gets the processor."""
        self._schedule = self.process.schedule()

    def queued(self, watch: Stopwatch) -> float:
        """Seconds that it could not run because others did; not because of its own other threads."""
        now = self.process.schedule()
        before = self._schedule
        ran = sum([ran - before.get(thread, (0, 0))[0] for thread, (ran, _) in now.items()])
        waits = [waited - before.get(thread, (0, 0))[1] for thread, (_, waited) in now.items()]
        return max(0.0, min(max(waits, default=0), watch.micros * 1000 - ran) / 1e9)

    async def last_words(self) -> int | None:
        """The exit status of a bot that hung up, if it ends at once. BotequimError if its end was ours."""
        try:
            async with clock.timeout(LAST_WORDS):
                await self.process.over()
        except TimeoutError:
            if self.process.status is None:
                return None
        return await self.process.exited()  # an engine may have to be asked why

    @asynccontextmanager
    async def ours_to_hurry(self) -> AsyncIterator[None]:
        """What is not the bot's time: a sandbox that is set up, or cleared away."""
        try:
            async with clock.timeout(OUR_SECONDS):
                yield
        except TimeoutError:
            raise BotequimError(
                msg("the sandbox took longer than {seconds} s", seconds=f"{OUR_SECONDS:g}")
            ) from None

    async def set_up(self) -> None:
        """Wait until the bot itself runs. If it never does, what was said of that has been read here."""
        try:
            async with self.ours_to_hurry():
                await self.process.running()
        except BotequimError as error:
            said = self.log.text().strip().splitlines()
            if not said:
                raise
            raise BotequimError(msg("{error} ({said})", error=error.message, said=said[-1])) from error

    async def close(self) -> None:
        self.log.close()
        await self.process.close()

    def evidence(self, watch: Stopwatch, question: Question, answer: bytes) -> Mapping[str, Any]:
        """Of an answer that came properly, and turned out to be against the rules."""
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
        """A fault with its evidence. A bot that was ended for a limit is charged with that."""
        if kind is FaultKind.TIMEOUT:
            more["queued"] = round(self.queued(watch), 3)
        if self.process.setup:
            more["setup"] = round(self.process.setup, 3)
        if self.process.exceeded is not None:
            kind, reason = FaultKind.LIMIT, OVER.get(self.process.exceeded)
            more["limit"] = self.process.exceeded.value
        return accused(
            kind,
            reason,
            watch,
            question,
            answer,
            stderr=self.log.text(),
            exit=self.process.status,
            **more,
        )


def accused(
    kind: FaultKind,
    reason: Message | None,
    watch: Stopwatch,
    question: Question | None,
    answer: bytes,
    **more: Any,
) -> PlayerFault:
    """A fault with what is known: what was asked and answered, and the seconds it took."""
    micros = watch.micros
    if kind is FaultKind.TIMEOUT and reason is None:
        reason = msg("no answer within {seconds} s", seconds=f"{watch.limit:g}")
    evidence: dict[str, Any] = {}
    if question is not None:
        evidence["question"] = _short(question.shown())
    if answer:
        text = answer[: 2 * TAIL].decode("utf-8", "backslashreplace")
        evidence["answer"] = _short(question.reads(text) if question is not None and question.reads else text)
    evidence |= {name: value for name, value in more.items() if value not in (None, "")}
    evidence |= {"seconds": round(micros / 1e6, 3), "allowed": watch.limit}
    fault = PlayerFault(kind, reason, **evidence)
    fault.micros = micros
    return fault


def with_evidence(fault: PlayerFault, build: Callable[..., PlayerFault]) -> PlayerFault:
    """A fault that was found in an answer, with the evidence of the turn added."""
    evidence = dict(fault.fault.evidence)
    if "answer" in evidence:  # what the dialect read; the answer as it came is the transport's to tell
        evidence["given"] = evidence.pop("answer")
    # the usual reason says less than the transport can
    reason = None if fault.fault.reason == DEFAULT_REASONS[fault.fault.kind] else fault.fault.reason
    full = build(fault.fault.kind, reason, **evidence)
    full.remarks, full.warnings = fault.remarks, fault.warnings
    return full


def _short(text: str) -> str:
    """Both ends of a long text."""
    if len(text) <= TAIL:
        return text
    return f"{text[: TAIL // 2]} [...] {text[-TAIL // 2 :]}"


def ended(status: int | None) -> Message:
    """How a bot that did not answer ended, in words."""
    if status is None:
        return msg("the player closed its output")
    if status < 0:
        return msg("the player was ended by signal {number}", number=-status)
    return msg("the player ended with exit code {code}", code=status)
