"""Experiments after a fault: the bot is asked the same question in another way to find the cause."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from botequim.botcheck.game_checks import checks_for_wire
from botequim.botcheck.table import BotTurn, CheckBench
from botequim.bots.seat import make_transport
from botequim.bots.transports.process import CHUNK
from botequim.core import clock
from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.limits import Limits
from botequim.core.process import Launch, Process
from botequim.core.wire import Codec, TransportKind
from botequim.records.requery import DecisionPoint, QueryResult, ask

MORE_TIMES: float = 3.0
MOST_MORE: float = 10.0
"""The factor and the most seconds by which a slow bot gets more time than allowed."""
LEAST_MORE_START: float = 2.0
"""A slow start gets twice the allowed time; at least this many seconds more, and at most the above."""
AFTERWARDS: float = 0.2
"""The seconds in which a bot that sends more than one answer has sent it."""


@dataclass(frozen=True, slots=True)
class ExperimentResults:
    """The results of the experiments; None or empty if one was not tried, or showed nothing."""

    fresh: QueryResult | None = None
    """The answer of a fresh instance to the same question, with more time."""
    surplus: Sequence[bytes] = ()
    """The output of the fresh instance beyond its answer."""
    flushed: bytes = b""
    """The output after its input was closed."""
    one_per_connection: bool = False
    """Whether it answers if each question has a connection of its own."""
    confirmed: frozenset[str] = frozenset()
    """The names of the game's own experiments that confirmed their suspicion."""
    ready_after: float | None = None
    """The seconds in which it started when it was given more than allowed."""


def with_more_time(limits: Limits) -> Limits:
    """Return the limits with more time."""
    move = min(MORE_TIMES * limits.move, limits.move + MOST_MORE)
    start = limits.start + min(max(limits.start, LEAST_MORE_START), MOST_MORE)
    return replace(limits, move=move, start=start)


async def after_fault(bench: CheckBench, answered: BotTurn) -> ExperimentResults:
    """Try everything that can explain why this question was not answered correctly."""
    fault = answered.made.fault
    assert fault is not None
    if bench.entrant.address or answered.question is None:
        return ExperimentResults()
    transport_kind, late = bench.wire.transport, fault.kind is FaultKind.TIMEOUT
    fresh, surplus = await _fresh(bench, answered)
    found = ExperimentResults(fresh=fresh, surplus=surplus)
    answers = fresh is not None and fresh.fault is None
    for experiment in checks_for_wire(bench.game, bench.wire).experiments:
        applies = experiment.applies(answered, fresh_answers=answers)
        if applies and await experiment.confirms(bench, answered):
            found = replace(found, confirmed=found.confirmed | {experiment.name})
    # what has come of it, now or before, did not wait in a buffer
    unheard = not answered.heard and all(moment.made.fault is not None for moment in answered.path[:-1])
    programs = transport_kind is TransportKind.LINES and not bench.wire.hosted
    if programs and late and unheard and not answers and not found.confirmed:
        found = replace(found, flushed=await _input_closed(bench, answered))
    silent = late or fault.kind is FaultKind.CRASH
    if transport_kind is TransportKind.HTTP and silent and len(answered.path) + answered.games_before > 1:
        found = replace(found, one_per_connection=await _new_connections(bench, answered))
    return found


async def ask_fresh(
    bench: CheckBench, answered: BotTurn, path: Sequence[DecisionPoint], codec: Codec
) -> QueryResult | None:
    """Ask a fresh instance, and return its answer to the last question; None if it did not get there."""
    bot = make_transport(bench.entrant, bench.sandbox, member=answered.member)
    asked, seen = None, 0
    try:
        await bot.start()
        for moment in path:
            asked, seen = await ask(bot, codec, moment, seen, answered.context)
            if not bot.usable:
                return None
    except PlayerFault:
        return None
    finally:
        await bot.close()
    return asked


async def after_failed_start(bench: CheckBench) -> ExperimentResults:
    """Find out whether the bot starts if it has more time."""
    entrant = replace(bench.entrant, limits=with_more_time(bench.limits))
    bot = make_transport(entrant, bench.sandbox)
    began = clock.now()
    try:
        await bot.start()
    except PlayerFault:
        return ExperimentResults()
    finally:
        await bot.close()
    return ExperimentResults(ready_after=clock.now() - began)


async def _fresh(bench: CheckBench, answered: BotTurn) -> tuple[QueryResult | None, Sequence[bytes]]:
    """Ask a new instance. One that reads lines is asked all earlier questions first."""
    transport_kind = bench.wire.transport
    path = answered.path if transport_kind is TransportKind.LINES else answered.path[-1:]
    entrant = replace(bench.entrant, limits=with_more_time(bench.limits))
    bot = make_transport(entrant, bench.sandbox, member=answered.member)
    seen = 0
    try:
        await bot.start()
        for moment in path:
            asked, seen = await ask(bot, bench.wire.codec, moment, seen, answered.context)
            if not bot.usable:
                break
        if transport_kind is not TransportKind.LINES or not bot.usable:
            return asked, ()
        await clock.sleep(AFTERWARDS)
    except PlayerFault:
        return None, ()
    else:
        return asked, bot.take_unsolicited()
    finally:
        await bot.close()


async def _input_closed(bench: CheckBench, answered: BotTurn) -> bytes:
    """Return the output after the end of the input: a buffer is written out at the end."""
    program = bench.entrant.program
    assert program is not None
    question = bench.wire.codec.encode_question(answered.view, 0, answered.context)
    process = bench.sandbox.start(Launch(program, bench.limits))
    try:
        await process.wait_running()
        if process.stdin is not None:
            os.write(process.stdin, question.body)
        process.end_input()
        return await _all_output(process, with_more_time(bench.limits).move)  # it has only just been started
    except OSError:
        return b""
    finally:
        await process.close()


async def _all_output(process: Process, seconds: float) -> bytes:
    output = b""
    until = clock.now() + seconds
    while clock.now() < until and len(output) < CHUNK:
        try:
            chunk = os.read(process.stdout, CHUNK)
        except BlockingIOError:
            await clock.pause(0.02)
            continue
        if not chunk:
            break
        output += chunk
    return output


async def _new_connections(bench: CheckBench, answered: BotTurn) -> bool:
    """Return whether two consecutive questions are answered if each has a connection of its own."""
    assert answered.question is not None
    bot = make_transport(bench.entrant, bench.sandbox, member=answered.member)
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
