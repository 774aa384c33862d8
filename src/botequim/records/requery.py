"""Asks a bot a question of a recorded game again, exactly as it was sent, and returns its answer.

A bot that keeps running during a game first gets all earlier questions of its seat. Its answers to those are
only compared with the record; the game continues as it was recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from botequim import interrupts
from botequim.bots.entrant import Entrant
from botequim.bots.seat import make_transport
from botequim.bots.transports import Transport
from botequim.core.errors import Fault, FaultKind, InputError, PlayerFault
from botequim.core.game import CHANCE, View
from botequim.core.messages import Message, msg
from botequim.core.process import Sandbox
from botequim.core.turn import PlayedMove, Reply
from botequim.core.wire import Codec, GameContext, Question, TransportKind
from botequim.records.replay import Replay


@dataclass(frozen=True, slots=True)
class QueryResult:
    """One question, the answer to it, and the move in the record."""

    turn: int
    seat: int
    question: Question
    answer: str
    """The bytes of the answer as text, also of an incomplete one."""
    micros: int | None
    move: Any
    """The move, if the answer contains one."""
    fault: Fault | None
    """The fault in the answer; also set if the rules refuse its move."""
    warnings: Sequence[Message]
    recorded: PlayedMove
    """The move in the record."""


@dataclass(frozen=True, slots=True)
class DecisionPoint:
    """A turn of a recorded game in which one seat was asked for a move."""

    number: int
    before: Any
    view: View
    played_move: PlayedMove


def decision_points(replay: Replay, turn: int, seat: int | None) -> tuple[list[DecisionPoint], int]:
    """Return the turns of a seat up to the given turn, and the seat.

    If no seat is given, it is the one at fault in that turn, or else the first one that moves.
    """
    path, count = replay.path, len(replay)
    if not 1 <= turn <= count:
        raise InputError(
            msg("{path}: there is no turn {turn}; the game has {count}", path=path, turn=turn, count=count)
        )
    moves = [move for move in replay.turns[turn - 1] if move.by != CHANCE]
    if seat is None:
        if not moves:
            raise InputError(
                msg("{path}: turn {turn} is a move of chance, nobody was asked", path=path, turn=turn)
            )
        seat = next((move for move in moves if move.fault is not None), moves[0]).by
    elif all(move.by != seat for move in moves):
        raise InputError(
            msg("{path}: seat {seat} does not move in turn {turn}", path=path, seat=seat, turn=turn)
        )
    points = [
        DecisionPoint(step.number, step.before, replay.game.view(step.before, seat), move)
        for step in islice(replay.steps(), turn)
        for move in step.turn
        if move.by == seat
    ]
    return points, seat


def ask_again(
    replay: Replay,
    turn: int,
    entrant: Entrant,
    sandbox: Sandbox,
    *,
    seat: int | None = None,
    on_earlier: Callable[[QueryResult], None] = lambda result: None,
) -> QueryResult:
    """Ask the question of a turn; `on_earlier` gets the results of the earlier questions."""
    game, options = replay.game, replay.options
    path, seat = decision_points(replay, turn, seat)
    wire = entrant.wire
    assert wire is not None
    if wire.transport is TransportKind.ONCE:
        path = path[-1:]
    context = GameContext(
        game, options, tuple(str(seat_fields.get("name", "")) for seat_fields in replay.seats)
    )
    member = next(team.index(seat) for team in replay.teams if seat in team)
    start = partial(make_transport, entrant, sandbox, member=member)
    return interrupts.run(_ask_all(start, wire.codec, path, context, on_earlier))


async def _ask_all(
    start: Callable[[], Transport],
    codec: Codec,
    path: Sequence[DecisionPoint],
    context: GameContext,
    on_earlier: Callable[[QueryResult], None],
) -> QueryResult:
    """Ask all questions in order; return the result of the last one."""
    bot, seen = start(), 0
    try:
        await bot.start()
        for point in path[:-1]:
            result, seen = await ask(bot, codec, point, seen, context)
            on_earlier(result)
            if not bot.usable:
                await bot.close()
                bot, seen = start(), 0
                await bot.start()
        result, _ = await ask(bot, codec, path[-1], seen, context)
    except PlayerFault as failure:  # the bot did not start
        last = path[-1]
        return QueryResult(
            last.number,
            last.played_move.by,
            Question(),
            "",
            failure.micros,
            None,
            failure.fault,
            (),
            last.played_move,
        )
    finally:
        await bot.close()
    return result


async def ask(
    bot: Transport, codec: Codec, point: DecisionPoint, seen: int, context: GameContext
) -> tuple[QueryResult, int]:
    """Ask one question; return the result, and the number of events that the bot knows now."""
    bot.take_unsolicited()
    view, move = point.view, point.played_move
    question = codec.encode_question(view, seen, context)
    codec_input: Sequence[bytes] = ()

    def read(answer: Sequence[bytes]) -> Reply | None:
        nonlocal codec_input
        codec_input = list(answer)
        return codec.decode_answer(answer, view, context)

    try:
        reply = await bot.exchange(question, read)
    except PlayerFault as failure:
        answer = _text(codec_input) or str(failure.fault.evidence.get("answer", ""))
        warnings = tuple(failure.warnings)
        return (
            QueryResult(
                point.number, move.by, question, answer, failure.micros, None, failure.fault, warnings, move
            ),
            question.seen,
        )
    reason = context.game.check(point.before, move.by, reply.move)
    fault = None if reason is None else Fault(FaultKind.ILLEGAL, reason, move=reply.move)
    warnings = tuple(reply.warnings)
    return (
        QueryResult(
            point.number,
            move.by,
            question,
            _text(codec_input),
            reply.micros,
            reply.move,
            fault,
            warnings,
            move,
        ),
        question.seen,
    )


def _text(answer: Sequence[bytes]) -> str:
    return b"\n".join(answer).decode("utf-8", "backslashreplace")
