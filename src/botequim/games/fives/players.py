"""Built-in players of fives."""

from __future__ import annotations

from botequim.core.rng import Rng
from botequim.games.fives import Move, View, score_after
from botequim.players.tiles import weight


class Greedy:
    """Takes the most points at once; of equals the heaviest tile, then the first in the menu."""

    def __init__(self, rng: Rng) -> None:
        pass

    def choose(self, view: View) -> Move:
        return max(view.legal, key=lambda move: (score_after(view.board, move), weight(move)))
