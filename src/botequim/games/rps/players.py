"""Built-in players of rps."""

from __future__ import annotations

from botequim.core.rng import Rng
from botequim.games.rps.rules import AT, BEATEN_BY, BEATS, HANDS, Hand, View, decide


class Greedy:
    """Assumes that the frequencies of the other's hands stay the same, and shows the hand that wins most
    often.

    It uses the tie-breaks: for equal hands it counts who would win the round.
    """

    def __init__(self, rng: Rng) -> None:
        self._rng = rng

    def choose(self, view: View) -> Hand:
        assert view.seat is not None
        own, other = view.counts[view.seat], view.counts[1 - view.seat]

        def gain(hand: Hand) -> int:
            winner, _ = decide(hand, hand, (own, other))
            tie = 0 if winner is None else (1 if winner == 0 else -1)
            return other[AT[BEATS[hand]]] - other[AT[BEATEN_BY[hand]]] + tie * other[AT[hand]]

        best = max(map(gain, HANDS))
        return self._rng.choice([hand for hand in HANDS if gain(hand) == best])
