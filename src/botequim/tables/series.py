"""The players of a table: people, built-in players and the bots that the organiser offers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from botequim import registry
from botequim.bots.entrant import Entrant
from botequim.core.errors import BotequimError
from botequim.core.game import View
from botequim.core.messages import msg
from botequim.core.player import Player, Reply
from botequim.engine.series import SeatAssignment, Series
from botequim.tables.offered_bots import OfferedBots
from botequim.tables.person import PooledPlayer
from botequim.tables.spec import SeatKind, TableSpec


def table_series(
    spec: TableSpec,
    people: Mapping[int, Player],
    bots: OfferedBots,
    think: Callable[[int, str, View], Awaitable[Reply]],
) -> Series:
    """Return the series of the games of a table. `think` returns the move of a built-in player at a seat."""
    member = {seat: at for team in spec.teams for at, seat in enumerate(team)}
    players: dict[int, Player] = dict(people)
    assignments = []
    for at, seat in enumerate(spec.seats):
        entrant = Entrant(seat.name, "")
        if seat.kind is SeatKind.BOT:
            entrant = _offered_bot(bots, spec.game, seat.player)
        elif seat.kind is SeatKind.PLAYER:
            entrant = Entrant(seat.player, seat.player)
            if registry.thinks(spec.game, seat.player):
                players[at] = PooledPlayer(partial(think, at, seat.player))
        assignments.append(SeatAssignment(entrant, seat.name, member[at]))
    return Series(
        spec.rules,
        assignments,
        games=spec.best_of,
        sandbox=bots.sandboxes.get(spec.game),
        people=players,
    )


def _offered_bot(bots: OfferedBots, game: str, name: str) -> Entrant:
    entrant = bots.entrants.get(game, {}).get(name)
    if entrant is None:
        raise BotequimError(msg("the bot {name} is not offered any more", name=name))
    return entrant
