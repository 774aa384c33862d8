"""`random`: any move of the menu, in any game."""

from __future__ import annotations

from typing import Any

from botequim.core.game import View
from botequim.core.rng import Rng


class Random:
    """Chooses fairly among the legal moves."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng

    def choose(self, view: View) -> Any:
        return self._rng.choice(view.legal)
