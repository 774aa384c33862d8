"""What is tried after a fault to learn where it comes from: the bot asked the same in another way."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from botequim.asking import Asked, ask
from botequim.checking.table import Answered, Bench
from botequim.core import clock
from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.game import Outcome, Remark
from botequim.core.limits import Limits
from botequim.core.messages import Message
from botequim.core.process import Process
from botequim.core.turn import Reply
from botequim.core.wire import Carrier, Dialect, Question, Seating
from botequim.entrants.seat import transport
from botequim.transports.instance import CHUNK

MORE_TIMES: float = 3.0
MOST_MORE: float = 10.0
"""How much longer than allowed a slow bot is waited for: so many times, and so many seconds at most."""
LEAST_MORE_START: float = 2.0
"""A slow start is waited for as long again as allowed; so many seconds at least, and the above at most."""
SOME_HISTORY: str = "rp2;sp1;pp2"
AFTERWARDS: float = 0.2
"""Seconds in which a bot that says more than one answer has said it."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What came of them; None or empty: not tried, or nothing."""

    fresh: Asked | None = None
    """A fresh instance, asked the same, with more time."""
    surplus: Sequence[bytes] = ()
    """What that one said beyond its answer."""
    flushed: bytes = b""
    """What came when its input was closed."""
    one_per_connection: bool = False
    """It answers the same over a connection of its own for each question."""
    only_two_words: bool = False
    """It answers when it is told `DISCARD A♥` instead of `DISCARD A♥ ♥`."""
    only_without_history: bool = False
    """It crashed on an empty history, and with another one it does not."""
    ready_after: float | None = None
    """Seconds in which it did start, being given more than allowed."""


def longer(limits: Limits) -> Limits:
    """The same with more time."""
    move = min(MORE_TIMES * limits.move, limits.move + MOST_MORE)
    start = limits.start + min(max(limits.start, LEAST_MORE_START), MOST_MORE)
    return replace(limits, move=move, start=start)


async def after_fault(bench: Bench, answered: Answered) -> Findings:
    """All that can tell why this question was not answered as it should."""
    fault = answered.made.fault
    assert fault is not None
    if bench.entrant.address or answered.question is None:
        return Findings()
    carrier, late = bench.wire.carrier, fault.kind is FaultKind.TIMEOUT
    fresh, surplus = await _fresh(bench, answered)
    found = Findings(fresh=fresh, surplus=surplus)
    answers = fresh is not None and fresh.fault is None
    if not answers and _third_words(bench, answered):
        found = replace(found, only_two_words=await _answers_two_words(bench, answered))
    # what has come of it, now or before, did not wait in a buffer
    unheard = not answered.heard and all(moment.made.fault is not None for moment in answered.path[:-1])
    programs = carrier is Carrier.LINES and not bench.wire.hosted
    if programs and late and unheard and not answers and not found.only_two_words:
        found = replace(found, flushed=await _input_closed(bench, answered))
    silent = late or fault.kind is FaultKind.CRASH
    if carrier is Carrier.HTTP and silent and len(answered.path) + answered.games_before > 1:
        found = replace(found, one_per_connection=await _new_connections(bench, answered))
    if fault.kind is FaultKind.CRASH and without_history(bench, answered):
        found = replace(found, only_without_history=await _lives_with_history(bench, answered))
    return found


def without_history(bench: Bench, answered: Answered) -> bool:
    """Whether it is the empty history of rps that it was given."""
    return bench.wire.name == "rps" and not answered.view.history


async def _lives_with_history(bench: Bench, answered: Answered) -> bool:
    last = answered.path[-1]
    view: Any = last.view
    moment = replace(last, view=replace(view, history=SOME_HISTORY))
    bot = transport(bench.entrant, bench.sandbox, bench.game.name, member=answered.member)
    try:
        await bot.start()
        asked, _ = await ask(bot, bench.wire.dialect, moment, 0, answered.seating)
    except PlayerFault:
        return False
    finally:
        await bot.close()
    return asked.fault is None or asked.fault.kind not in (FaultKind.CRASH, FaultKind.LIMIT)


async def after_failed_start(bench: Bench) -> Findings:
    """Whether it starts at all when it has more time."""
    entrant = replace(bench.entrant, limits=longer(bench.limits))
    bot = transport(entrant, bench.sandbox, bench.game.name)
    began = clock.now()
    try:
        await bot.start()
    except PlayerFault:
        return Findings()
    finally:
        await bot.close()
    return Findings(ready_after=clock.now() - began)


async def _fresh(bench: Bench, answered: Answered) -> tuple[Asked | None, Sequence[bytes]]:
    """A new instance is asked; one that reads lines is led there by the questions before."""
    carrier = bench.wire.carrier
    path = answered.path if carrier is Carrier.LINES else answered.path[-1:]
    entrant = replace(bench.entrant, limits=longer(bench.limits))
    bot = transport(entrant, bench.sandbox, bench.game.name, member=answered.member)
    seen = 0
    try:
        await bot.start()
        for moment in path:
            asked, seen = await ask(bot, bench.wire.dialect, moment, seen, answered.seating)
            if not bot.usable:
                break
        if carrier is not Carrier.LINES or not bot.usable:
            return asked, ()
        await clock.sleep(AFTERWARDS)
    except PlayerFault:
        return None, ()
    else:
        return asked, bot.waiting()
    finally:
        await bot.close()


class _TwoWords:
    """uno as a bot expects it that reads two words of every event."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect: Final = dialect

    def ask(self, view: Any, seen: int, seating: Seating) -> Question:
        question = self._dialect.ask(view, seen, seating)
        lines = [
            b" ".join(line.split()[:2]) if _has_suit(line) else line for line in question.body.split(b"\n")
        ]
        return replace(question, body=b"\n".join(lines))

    def read(self, answer: Sequence[bytes], view: Any, seating: Seating) -> Reply | None:
        return self._dialect.read(answer, view, seating)

    def overheard(self, lines: Sequence[bytes], view: Any) -> tuple[Sequence[Remark], Sequence[Message]]:
        return self._dialect.overheard(lines, view)

    def end(self, view: Any, seen: int, seating: Seating, outcome: Outcome) -> bytes:
        return self._dialect.end(view, seen, seating, outcome)


def _has_suit(line: bytes) -> bool:
    return line.startswith(b"DISCARD ") and len(line.split()) == 3


def _third_words(bench: Bench, answered: Answered) -> bool:
    """Whether a suit that was asked for can be what the bot stumbled over.

    A bot that reads two words of every event is out of step after one suit, and silent at its next turn.
    After a second suit it is in step again, but has missed what lies between them.
    """
    fault = answered.made.fault
    if bench.wire.name != "uno" or fault is None or answered.question is None:
        return False
    suits = sum(map(_has_suit, answered.question.body.split(b"\n")))
    return suits > (0 if fault.kind in (FaultKind.TIMEOUT, FaultKind.CRASH) else 1)


async def _answers_two_words(bench: Bench, answered: Answered) -> bool:
    """Whether it answers the same question if events have no third word."""
    bot = transport(bench.entrant, bench.sandbox, bench.game.name, member=answered.member)
    dialect, seen = _TwoWords(bench.wire.dialect), 0
    try:
        await bot.start()
        for moment in answered.path:
            asked, seen = await ask(bot, dialect, moment, seen, answered.seating)
            if not bot.usable:
                return False
    except PlayerFault:
        return False
    finally:
        await bot.close()
    was_silent = answered.made.fault is not None and answered.made.fault.kind is not FaultKind.ILLEGAL
    return asked.fault is None or (was_silent and asked.fault.kind is FaultKind.ILLEGAL)


async def _input_closed(bench: Bench, answered: Answered) -> bytes:
    """What it says when nothing more can come: a buffer is written out at the end."""
    program = bench.entrant.program
    assert program is not None
    question = bench.wire.dialect.ask(answered.view, 0, answered.seating)
    process = bench.sandbox.start(program, bench.limits)
    try:
        await process.running()
        if process.stdin is not None:
            os.write(process.stdin, question.body)
        process.end_input()
        return await _all_output(process, longer(bench.limits).move)  # it has only just been started
    except OSError:
        return b""
    finally:
        await process.close()


async def _all_output(process: Process, seconds: float) -> bytes:
    heard = b""
    until = clock.now() + seconds
    while clock.now() < until and len(heard) < CHUNK:
        try:
            chunk = os.read(process.stdout, CHUNK)
        except BlockingIOError:
            await clock.pause(0.02)
            continue
        if not chunk:
            break
        heard += chunk
    return heard


async def _new_connections(bench: Bench, answered: Answered) -> bool:
    """Whether two questions in a row are answered when each has a connection of its own."""
    assert answered.question is not None
    bot = transport(bench.entrant, bench.sandbox, bench.game.name, member=answered.member)
    try:
        await bot.start()
        process = bench.sandbox.started[-1]
        for _ in range(2):
            if not await _answers(process, answered.question.body, bench.limits.move):
                return False
    except (PlayerFault, OSError):
        return False
    else:
        return True
    finally:
        await bot.close()


async def _answers(process: Process, body: bytes, seconds: float) -> bool:
    head = (
        "POST / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    loop = asyncio.get_running_loop()
    connection = await process.connect()
    try:
        async with clock.timeout(seconds):
            await loop.sock_sendall(connection, head.encode() + body)
            return b" 200 " in (await loop.sock_recv(connection, CHUNK)).split(b"\r\n")[0]
    except TimeoutError:
        return False
    finally:
        connection.close()
