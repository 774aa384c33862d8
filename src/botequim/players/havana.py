"""Built-in players of havana: the two that the competition itself sets up to be beaten."""

from __future__ import annotations

from botequim.core.rng import Rng
from botequim.games.havana import PASS, Lay, Move, View
from botequim.games.tiles import Tile


class Dummy:
    """Lays any tile that fits, each as likely as another; on the left if it fits both ends."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng

    def choose(self, view: View) -> Move:
        fitting: dict[Tile, Lay] = {}
        for move in view.legal:
            if isinstance(move, Lay):
                fitting.setdefault(move.tile, move)
        return self._rng.choice(list(fitting.values())) if fitting else PASS


class Greedy:
    """Lays the heaviest tile that fits, of equals the first in the hand; on the left if it fits both ends."""

    def __init__(self, rng: Rng) -> None:
        pass

    def choose(self, view: View) -> Move:
        return max(view.legal, key=_weight)


def _weight(move: Move) -> int:
    return sum(move.tile) if isinstance(move, Lay) else -1
