"""Built-in players of uno."""

from __future__ import annotations

from botequim.core.rng import Rng
from botequim.games.cards import Rank
from botequim.games.uno_moves import WILD, Discard, Move
from botequim.games.uno_state import View

_FIRST = (Rank.JACK, Rank.KING, Rank.QUEEN)
"""The most hurtful first: the next player buys, loses its turn, or may have to wait longer for it."""


class Random:
    """Discards if it can, any card that fits; buys only when it must."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng

    def choose(self, view: View) -> Move:
        discards = [move for move in view.legal if isinstance(move, Discard)]
        return self._rng.choice(discards or view.legal)


class Greedy:
    """Discards the most hurtful card it can and buys only when it must.

    V, R and D go before numbers, and A and C only when nothing else fits, the C first. Among equals it
    leaves the suit to follow, by card or by asking, where it holds most other cards itself.
    """

    def __init__(self, rng: Rng) -> None:
        pass

    def choose(self, view: View) -> Move:
        discards = [move for move in view.legal if isinstance(move, Discard)]
        if not discards:
            return view.legal[0]
        return max(discards, key=lambda move: (_rank(move), _followers(move, view)))


def _rank(move: Discard) -> int:
    rank = move.card.rank
    if rank in WILD:
        return -1 if rank == Rank.JOKER else -2
    return len(_FIRST) - _FIRST.index(rank) if rank in _FIRST else 0


def _followers(move: Discard, view: View) -> int:
    """The other cards of its own that would fit by suit afterwards."""
    suit = move.suit or move.card.suit
    return sum(card.suit == suit and card.rank not in WILD and card != move.card for card in view.hand)
