"""Built-in players of fives."""

from __future__ import annotations

from botequim.core.rng import Rng
from botequim.games.dominoes.players import weight
from botequim.games.fives.rules import Move, View, score_after


class Greedy:
    """Takes the most points at once; among equals the heaviest tile, then the first of the legal moves."""

    def __init__(self, rng: Rng) -> None:
        pass

    def choose(self, view: View) -> Move:
        return max(view.legal, key=lambda move: (score_after(view.board, move), weight(move)))
