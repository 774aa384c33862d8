"""Built-in players of cubos."""

from __future__ import annotations

from botequim.core.rng import Rng
from botequim.games.cubos.rules import Move, View
from botequim.games.dominoes.players import weight


class Greedy:
    """Lays the heaviest tile that fits; among equals, the first of the legal moves."""

    def __init__(self, rng: Rng) -> None:
        pass

    def choose(self, view: View) -> Move:
        return max(view.legal, key=weight)
