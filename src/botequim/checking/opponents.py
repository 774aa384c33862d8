"""Who a bot meets while it is checked: players that bring about what seldom comes by itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias

from botequim import registry
from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.player import Strategy
from botequim.core.rng import Rng
from botequim.games import havana_moves, havana_state, rps
from botequim.games.cards import Rank
from botequim.games.uno_moves import Discard, Move
from botequim.games.uno_state import View

Make: TypeAlias = Callable[[Rng], Strategy]


def built_in(game: str, name: str) -> Make:
    """A player that comes with the house."""
    return registry.player(game, name)


class Harsh:
    """uno: throws a C or V whenever it can, then an A, always asking for another suit than the card's."""

    ORDER: tuple[Rank, ...] = (Rank.JOKER, Rank.JACK, Rank.ACE)

    def __init__(self, rng: Rng) -> None:
        self._rng = rng

    def choose(self, view: View) -> Move:
        discards = [move for move in view.legal if isinstance(move, Discard)]
        for rank in self.ORDER:
            fitting = [move for move in discards if move.card.rank is rank]
            turned = [move for move in fitting if move.suit not in (None, move.card.suit)]
            if fitting:
                return self._rng.choice(turned or fitting)
        return self._rng.choice(discards or view.legal)


class Loyal(Harsh):
    """uno: throws an A or C whenever it can, and asks for the suit that the card has."""

    ORDER = (Rank.ACE, Rank.JOKER)

    def choose(self, view: View) -> Move:
        discards = [move for move in view.legal if isinstance(move, Discard)]
        own = [move for move in discards if move.card.rank in self.ORDER and move.suit is move.card.suit]
        return self._rng.choice(own or discards or view.legal)


class Hoarder:
    """uno: buys whenever it may, so that a game lasts."""

    def __init__(self, rng: Rng) -> None:
        pass

    def choose(self, view: View) -> Move:
        return view.legal[-1]


class Leaver:
    """Leaves the game when it is asked for the first time."""

    def __init__(self, rng: Rng) -> None:
        pass

    def choose(self, view: Any) -> Any:
        raise PlayerFault(FaultKind.CRASH)


class Showing:
    """rps: always the same hand."""

    def __init__(self, hand: rps.Hand, rng: Rng) -> None:
        self._hand = hand

    def choose(self, view: rps.View) -> rps.Hand:
        return self._hand


class Absent:
    """rps: has no hand to show in every other round."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng

    def choose(self, view: rps.View) -> rps.Hand:
        if len(view.rounds) % 2 == 0:
            raise PlayerFault(FaultKind.MALFORMED)
        return self._rng.choice(rps.HANDS)


class Passer:
    """havana: never lays a tile."""

    def __init__(self, rng: Rng) -> None:
        pass

    def choose(self, view: havana_state.View) -> havana_moves.Move:
        return havana_moves.PASS


class Strange:
    """havana: gives sides that nobody expects, and at times passes though it could play."""

    SIDES: Final = (None, "left", -1, 7, 0, 1)

    def __init__(self, rng: Rng) -> None:
        self._rng = rng

    def choose(self, view: havana_state.View) -> havana_moves.Move:
        move = self._rng.choice(view.legal)
        side = self._rng.choice(self.SIDES)
        return (
            havana_moves.Lay(side, move.tile)
            if isinstance(move, havana_moves.Lay)
            else havana_moves.Pass(side)
        )


ROCK: Final[Make] = partial(Showing, rps.Hand.ROCK)
PAPER: Final[Make] = partial(Showing, rps.Hand.PAPER)
SCISSORS: Final[Make] = partial(Showing, rps.Hand.SCISSORS)
