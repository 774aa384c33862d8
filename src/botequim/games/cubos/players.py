"""Built-in players of cubos."""

from __future__ import annotations

from botequim.core.rng import Rng
from botequim.games.cubos import Move, View
from botequim.players.tiles import weight


class Greedy:
    """Lays the heaviest tile that fits; of equals the first in the menu."""

    def __init__(self, rng: Rng) -> None:
        pass

    def choose(self, view: View) -> Move:
        return max(view.legal, key=weight)
