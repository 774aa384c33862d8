"""Built-in players of uno."""

from __future__ import annotations

from botequim.core.rng import Rng
from botequim.games.cards.cards import Rank
from botequim.games.uno.moves import WILD, Discard, Move
from botequim.games.uno.state import View

_FIRST = (Rank.JACK, Rank.KING, Rank.QUEEN)
"""The most harmful ranks first: the next player buys, loses its turn, or may have to wait longer."""


class Random:
    """Discards a random card that fits; buys only when it must."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng

    def choose(self, view: View) -> Move:
        discards = [move for move in view.legal if isinstance(move, Discard)]
        return self._rng.choice(discards or view.legal)


class Greedy:
    """Discards the most harmful card it can and buys only when it must.

    V, R and D come before numbers, and A and C only when nothing else fits, the C first. Among equals it
    chooses the suit to follow, by the card or by asking, of which it holds most other cards.
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
    """Return the number of its other cards that would fit by suit afterwards."""
    suit = move.suit or move.card.suit
    return sum(card.suit == suit and card.rank not in WILD and card != move.card for card in view.hand)


class Heuristic:
    """Plays by common rules of thumb.

    It harms the next player first, V before R before D, and keeps an A or C until nothing else fits; but
    against a player with one card left even a C comes before numbers. Among equals it chooses the suit of
    which it holds most. With an empty pile it ends the game by buying, if nobody has as few cards as it has.
    """

    def __init__(self, rng: Rng) -> None:
        self._rng = rng

    def choose(self, view: View) -> Move:
        discards = [move for move in view.legal if isinstance(move, Discard)]
        assert view.seat is not None
        if not discards:
            return view.legal[0]
        others = [view.counts[seat] for seat in view.order if seat != view.seat]
        if view.pile == 0 and view.empty_pile == "end" and view.counts[view.seat] < min(others):
            return view.legal[-1]
        is_threat = len(view.order) > 1 and view.counts[view.order[1]] == 1
        worth = {move: (_worth(move, is_threat=is_threat), _followers(move, view)) for move in discards}
        best = max(worth.values())
        return self._rng.choice([move for move in discards if worth[move] == best])


def _worth(move: Discard, *, is_threat: bool) -> int:
    if is_threat and move.card.rank == Rank.JOKER:
        return len(_FIRST) + 1
    return _rank(move)
