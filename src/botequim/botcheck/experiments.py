"""Experiments after a fault: ask the bot the same question in another way to find the cause."""

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
"""A slow bot gets this multiple of its time limit, but at most this many seconds more."""
LEAST_MORE_START: float = 2.0
"""A slow start gets twice its time limit: at least this many seconds more, at most `MOST_MORE`."""
AFTERWARDS: float = 0.2
"""The seconds to wait for further output after an answer."""


@dataclass(frozen=True, slots=True)
class ExperimentResults:
    """The results of the experiments. A field is None or empty if its experiment was not tried or failed."""

    fresh: QueryResult | None = None
    """The answer of a fresh instance to the same question, with more time."""
    surplus: Sequence[bytes] = ()
    """The output of the fresh instance after its answer."""
    buffered_output: bytes = b""
    """The output that came only after the input was closed."""
    one_per_connection: bool = False
    """Whether the bot answers if each question has a connection of its own."""
    confirmed: frozenset[str] = frozenset()
    """The names of the game's own experiments that found the cause."""
    ready_after: float | None = None
    """The seconds that the bot needed to start, if it started with more time than allowed."""


def with_more_time(limits: Limits) -> Limits:
    """Return the limits with more time."""
    move = min(MORE_TIMES * limits.move, limits.move + MOST_MORE)
    start = limits.start + min(max(limits.start, LEAST_MORE_START), MOST_MORE)
    return replace(limits, move=move, start=start)


async def after_fault(bench: CheckBench, bot_turn: BotTurn) -> ExperimentResults:
    """Run every experiment that can explain why this question was not answered correctly."""
    fault = bot_turn.played_move.fault
    assert fault is not None
    if bench.entrant.address or bot_turn.question is None:
        return ExperimentResults()
    transport_kind, late = bench.wire.transport, fault.kind is FaultKind.TIMEOUT
    fresh, surplus = await _fresh(bench, bot_turn)
    results = ExperimentResults(fresh=fresh, surplus=surplus)
    answers = fresh is not None and fresh.fault is None
    for experiment in checks_for_wire(bench.game, bench.wire).experiments:
        applies = experiment.applies(bot_turn, fresh_answers=answers)
        if applies and await experiment.confirms(bench, bot_turn):
            results = replace(results, confirmed=results.confirmed | {experiment.name})
    # if any answer arrived, now or before, the output is not buffered
    no_output = not bot_turn.codec_input and all(
        moment.played_move.fault is not None for moment in bot_turn.path[:-1]
    )
    programs = transport_kind is TransportKind.LINES and not bench.wire.hosted
    if programs and late and no_output and not answers and not results.confirmed:
        results = replace(results, buffered_output=await _output_at_end(bench, bot_turn))
    silent = late or fault.kind is FaultKind.CRASH
    if transport_kind is TransportKind.HTTP and silent and len(bot_turn.path) + bot_turn.games_before > 1:
        results = replace(results, one_per_connection=await _new_connections(bench, bot_turn))
    return results


async def ask_fresh(
    bench: CheckBench, bot_turn: BotTurn, path: Sequence[DecisionPoint], codec: Codec
) -> QueryResult | None:
    """Ask a fresh instance all questions of the path. Return its answer to the last, or None if it failed."""
    bot = make_transport(bench.entrant, bench.sandbox, member=bot_turn.member)
    result, events_sent = None, 0
    try:
        await bot.start()
        for moment in path:
            result, events_sent = await ask(bot, codec, moment, events_sent, bot_turn.context)
            if not bot.usable:
                return None
    except PlayerFault:
        return None
    finally:
        await bot.close()
    return result


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


async def _fresh(bench: CheckBench, bot_turn: BotTurn) -> tuple[QueryResult | None, Sequence[bytes]]:
    """Ask a fresh instance. A bot that reads lines is asked all earlier questions first."""
    transport_kind = bench.wire.transport
    path = bot_turn.path if transport_kind is TransportKind.LINES else bot_turn.path[-1:]
    entrant = replace(bench.entrant, limits=with_more_time(bench.limits))
    bot = make_transport(entrant, bench.sandbox, member=bot_turn.member)
    events_sent = 0
    try:
        await bot.start()
        for moment in path:
            result, events_sent = await ask(bot, bench.wire.codec, moment, events_sent, bot_turn.context)
            if not bot.usable:
                break
        if transport_kind is not TransportKind.LINES or not bot.usable:
            return result, ()
        await clock.sleep(AFTERWARDS)
    except PlayerFault:
        return None, ()
    else:
        return result, bot.take_unsolicited()
    finally:
        await bot.close()


async def _output_at_end(bench: CheckBench, bot_turn: BotTurn) -> bytes:
    """Return the output after the end of the input, when a program writes out its buffer."""
    program = bench.entrant.program
    assert program is not None
    question = bench.wire.codec.encode_question(bot_turn.view, 0, bot_turn.context)
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


async def _new_connections(bench: CheckBench, bot_turn: BotTurn) -> bool:
    """Return whether two consecutive questions are answered if each has a connection of its own."""
    assert bot_turn.question is not None
    bot = make_transport(bench.entrant, bench.sandbox, member=bot_turn.member)
    try:
        await bot.start()
        process = bench.sandbox.started[-1]
        for _ in range(2):
            if not await _answers(process, bot_turn.question.body, bench.limits.move):
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
