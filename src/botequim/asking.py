"""Asks a bot a question of a recorded game again: exactly what it was sent, and what it says to it now.

A bot that lives through a game is led to the question as the game led it there: it is asked all earlier
questions of its seat too. What it answers to those is only compared, the game goes on as it was recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from botequim import interrupts, registry
from botequim.core.errors import Fault, FaultKind, InputError, PlayerFault
from botequim.core.game import CHANCE, View
from botequim.core.messages import Message, msg
from botequim.core.process import Sandbox
from botequim.core.reading import Found
from botequim.core.turn import Made, Reply, Step
from botequim.core.wire import Carrier, Dialect, Question, Seating
from botequim.entrants.entrant import Entrant
from botequim.entrants.seat import transport
from botequim.transports import Transport
from botequim.verify import replay, table


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, and what came of it."""

    turn: int
    seat: int
    question: Question
    answer: str
    """As it came, as far as it came."""
    micros: int | None
    move: Any
    """The move, if it answered with one."""
    fault: Fault | None
    """What is wrong with the answer: also a move that the rules refuse."""
    warnings: Sequence[Message]
    recorded: Made
    """What is in the record instead."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A turn of one seat in a recorded game."""

    number: int
    before: Any
    view: View
    made: Made


def moments(found: Found, turn: int, seat: int | None) -> tuple[list[Moment], int]:
    """The turns of a seat up to the one meant, and the seat: who is at fault there, or else who moves."""
    game, _, _ = table(found)
    steps: list[Step] = []
    replay(found, steps.append)
    if not 1 <= turn <= len(steps):
        raise InputError(
            msg(
                "{path}: there is no turn {turn}; the game has {count}",
                path=found.path,
                turn=turn,
                count=len(steps),
            )
        )
    movers = [made for made in steps[turn - 1].turn if made.by != CHANCE]
    if seat is None:
        guilty = [made for made in movers if made.fault is not None]
        chosen = (guilty or movers)[:1]
        if not chosen:
            raise InputError(
                msg("{path}: turn {turn} is a move of chance, nobody was asked", path=found.path, turn=turn)
            )
        seat = chosen[0].by
    elif all(made.by != seat for made in movers):
        raise InputError(
            msg("{path}: seat {seat} does not move in turn {turn}", path=found.path, seat=seat, turn=turn)
        )
    return [
        Moment(step.number, step.before, game.view(step.before, seat), made)
        for step in steps[:turn]
        for made in step.turn
        if made.by == seat
    ], seat


def ask_again(
    found: Found,
    turn: int,
    entrant: Entrant,
    sandbox: Sandbox,
    *,
    seat: int | None = None,
    on_the_way: Callable[[Asked], None] = lambda asked: None,
) -> Asked:
    """Ask what the seat was asked in that turn; `on_the_way` is told of the questions before it."""
    game, options, chairs = table(found)
    path, seat = moments(found, turn, seat)
    assert entrant.wire is not None
    wire = registry.wire(game.name, entrant.wire)
    if wire.carrier is Carrier.ONCE:
        path = path[-1:]
    seating = Seating(game, options, tuple(str(chair.get("name", "")) for chair in chairs))
    member = next(team.index(seat) for team in game.teams(options) if seat in team)
    start = partial(transport, entrant, sandbox, game.name, member=member)
    return interrupts.run(_lead(start, wire.dialect, path, seating, on_the_way))


async def _lead(
    start: Callable[[], Transport],
    dialect: Dialect,
    path: Sequence[Moment],
    seating: Seating,
    on_the_way: Callable[[Asked], None],
) -> Asked:
    """Ask along the path; what came of the last question."""
    bot, seen = start(), 0
    try:
        await bot.start()
        for moment in path[:-1]:
            asked, seen = await ask(bot, dialect, moment, seen, seating)
            on_the_way(asked)
            if not bot.usable:
                await bot.close()
                bot, seen = start(), 0
                await bot.start()
        asked, _ = await ask(bot, dialect, path[-1], seen, seating)
    except PlayerFault as failure:  # it did not even start
        last = path[-1]
        return Asked(
            last.number, last.made.by, Question(), "", failure.micros, None, failure.fault, (), last.made
        )
    finally:
        await bot.close()
    return asked


async def ask(
    bot: Transport, dialect: Dialect, moment: Moment, seen: int, seating: Seating
) -> tuple[Asked, int]:
    """Ask one question; what came of it, and how many events the bot knows now."""
    bot.waiting()
    view, made = moment.view, moment.made
    question = dialect.ask(view, seen, seating)
    heard: Sequence[bytes] = ()

    def read(answer: Sequence[bytes]) -> Reply | None:
        nonlocal heard
        heard = list(answer)
        return dialect.read(answer, view, seating)

    try:
        reply = await bot.exchange(question, read)
    except PlayerFault as failure:
        answer = _text(heard) or str(failure.fault.evidence.get("answer", ""))
        warnings = tuple(failure.warnings)
        return (
            Asked(
                moment.number, made.by, question, answer, failure.micros, None, failure.fault, warnings, made
            ),
            question.seen,
        )
    reason = seating.game.check(moment.before, made.by, reply.move)
    fault = None if reason is None else Fault(FaultKind.ILLEGAL, reason, move=reply.move)
    warnings = tuple(reply.warnings)
    return (
        Asked(
            moment.number, made.by, question, _text(heard), reply.micros, reply.move, fault, warnings, made
        ),
        question.seen,
    )


def _text(answer: Sequence[bytes]) -> str:
    return b"\n".join(answer).decode("utf-8", "backslashreplace")
