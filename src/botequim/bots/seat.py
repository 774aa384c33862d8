"""Creates the player of an entrant on a seat, and its transports."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial
from typing import Any

from botequim.bots.entrant import Entrant
from botequim.bots.remote import RemotePlayer
from botequim.bots.transports import Transport
from botequim.core.process import Launch, Process, Sandbox
from botequim.core.wire import GameContext, Question, Restart, TransportKind


def remote_player(
    entrant: Entrant,
    sandbox: Sandbox,
    context: GameContext,
    *,
    member: int,
    games: int = 1,
    restart: Restart | None = None,
    measures_waits: bool = False,
) -> RemotePlayer:
    """Return a player for one seat: the `member`-th of its team."""
    assert entrant.wire is not None
    make = partial(make_transport, entrant, sandbox, member=member)
    return RemotePlayer(
        entrant.wire,
        make,
        context,
        entrant.limits,
        games=games,
        restart=restart,
        measures_waits=measures_waits,
    )


def make_transport(entrant: Entrant, sandbox: Sandbox, *, member: int = 0) -> Transport:
    """Return the transport of a new instance of a bot, which is not started yet."""
    from botequim.bots.transports.http import Http
    from botequim.bots.transports.lines import Lines
    from botequim.bots.transports.once import Once

    wire, limits = entrant.wire, entrant.limits
    assert wire is not None
    if entrant.address:
        return Http(limits, url=entrant.address)
    assert entrant.program is not None
    program = entrant.program
    if entrant.by_member:
        program = replace(program, command=(*program.command, str(member)))
    match wire.transport:
        case TransportKind.LINES:
            return Lines(partial(sandbox.start, Launch(program, limits)), limits, wire.greeting)
        case TransportKind.HTTP:
            launch = Launch(program, limits, stdin=False, port=True)
            return Http(limits, launch=partial(sandbox.start, launch))
        case TransportKind.ONCE:
            return Once(partial(_start_once, sandbox, Launch(program, limits)), limits)


def _start_once(sandbox: Sandbox, launch: Launch, question: Question) -> Process:
    environment, stdin = question.environment, bool(question.body)
    return sandbox.start(replace(launch, arguments=question.arguments, environment=environment, stdin=stdin))


def record_header_fields(entrant: Entrant, sandbox: Sandbox) -> dict[str, Any]:
    """Return the fields of a record's header about the entrant on a seat, except the name."""
    fields = entrant.record_header_fields()
    if entrant.built_in:
        return fields
    if entrant.program is not None:
        where = sandbox.sandbox_of(entrant.program)
        fields["sandbox"] = where.name
        fields["enforced"] = sorted(where.enforces)
    fields["limits"] = {name: value for name, value in asdict(entrant.limits).items() if value is not None}
    return fields
