"""Sits an entrant down: the player that the referee asks."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial
from typing import Any

from botequim import registry
from botequim.core.limits import Limits
from botequim.core.process import Process, Program, Sandbox
from botequim.core.wire import Carrier, Question, Restart, Seating
from botequim.entrants.entrant import Entrant
from botequim.entrants.housing import housing
from botequim.remote import RemotePlayer
from botequim.transports import Transport
from botequim.transports.http import Http
from botequim.transports.lines import Lines
from botequim.transports.once import Once


def seat(
    entrant: Entrant,
    sandbox: Sandbox,
    seating: Seating,
    *,
    member: int,
    games: int = 1,
    restart: Restart | None = None,
) -> RemotePlayer:
    """A player for one seat, the `member`-th of its team."""
    assert entrant.wire is not None
    wire = registry.wire(seating.game.name, entrant.wire)
    limits = entrant.limits or wire.limits
    make = partial(transport, entrant, sandbox, seating.game.name, member=member)
    return RemotePlayer(wire, make, seating, limits, games=games, restart=restart)


def transport(entrant: Entrant, sandbox: Sandbox, game_name: str, *, member: int = 0) -> Transport:
    """A new instance of a bot, not yet started."""
    assert entrant.wire is not None
    wire = registry.wire(game_name, entrant.wire)
    limits = entrant.limits or wire.limits
    if entrant.address:
        return Http(limits, url=entrant.address)
    assert entrant.program is not None
    program = entrant.program
    if entrant.by_member:
        program = replace(program, command=(*program.command, str(member)))
    match wire.carrier:
        case Carrier.LINES:
            return Lines(partial(sandbox.start, program, limits), limits, wire.greeting)
        case Carrier.HTTP:
            return Http(limits, launch=partial(sandbox.start, program, limits, input=False, port=True))
        case Carrier.ONCE:
            return Once(partial(_start_once, sandbox, program, limits), limits)


def _start_once(sandbox: Sandbox, program: Program, limits: Limits, question: Question) -> Process:
    return sandbox.start(
        program,
        limits,
        arguments=question.arguments,
        environment=question.environment,
        input=bool(question.body),
    )


def described(entrant: Entrant, sandbox: Sandbox, game_name: str) -> dict[str, Any]:
    """What a record's header says of who sits at a seat, beside the name."""
    if entrant.wire is None:
        return {}
    limits = entrant.limits or registry.wire(game_name, entrant.wire).limits
    told = entrant.described()
    if entrant.program is not None:
        where = housing(sandbox, entrant.program)
        told["sandbox"] = where.name
        told["enforced"] = sorted(where.enforces)
    told["limits"] = {name: value for name, value in asdict(limits).items() if value is not None}
    return told
