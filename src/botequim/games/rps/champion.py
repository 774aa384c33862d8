"""The champion of rps: safe by what is known of the game, and a reader of those who can be read.

How it thinks is told in `botequim.search.rps_mind`. Effort is in readings of the other: the easy level has
none and only keeps to safe mixtures, the normal one has the simplest, the others all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar, Final

from botequim.core.rng import Rng
from botequim.games.rps import AT, HANDS, Hand, View
from botequim.players.champions.champion import Advice, Budget, Champion, Level
from botequim.search.rps import Outlook
from botequim.search.rps_forecast import READINGS, Forecast
from botequim.search.rps_mind import Mind

_PARTS: Final = 1 << 40
"""Into how many the chance to show each hand is parted when one is drawn."""


@cache
def outlook() -> Outlook:
    """Worked out once in a process."""
    return Outlook()


@dataclass(frozen=True, slots=True)
class Announced(Advice):
    """Advice in a game of simultaneous moves: the move was drawn from a mixture."""

    mixture: Mapping[Hand, float] = field(default_factory=dict)
    """How likely each hand was to be shown."""
    expected: Mapping[Hand, float] = field(default_factory=dict)
    """How likely each hand of the other was thought to be."""


class RpsChampion(Champion):
    """Wins at least half of its games less a stake against anybody, and nearly all against the careless."""

    thinks = False
    levels: ClassVar[Mapping[Level, Budget]] = {
        Level.EASY: Budget(effort=0),
        Level.NORMAL: Budget(effort=5),
        Level.HARD: Budget(effort=READINGS),
        Level.FULL: Budget(effort=READINGS),
    }

    def __init__(self, rng: Rng, budget: Budget | None = None) -> None:
        super().__init__(rng, budget)
        self._readings = READINGS if self.budget.seconds else self.budget.effort
        self._mind: Mind | None = None
        self._seen = 0

    def advise(self, view: View) -> Announced:
        mind = self._caught_up(view)
        mixture = mind.mixture()
        move = HANDS[_drawn(mixture, self.rng)]
        return Announced(
            move,
            dict(zip(HANDS, mind.chances(), strict=True)),
            work=self._readings,
            mixture=dict(zip(HANDS, mixture, strict=True)),
            expected=dict(zip(HANDS, mind.expects, strict=True)),
        )

    def _caught_up(self, view: View) -> Mind:
        assert view.seat is not None
        mind = self._mind
        if mind is None or self._seen > len(view.rounds):
            mind, self._seen = Mind(view.length, outlook(), Forecast(self._readings)), 0
        for played in view.rounds[self._seen :]:
            own, other = played.hands[view.seat], played.hands[1 - view.seat]
            if own is not None and other is not None:
                mind.saw(AT[own], AT[other], won=played.winner == view.seat)
            else:
                mind.gave(0 if played.winner is None else (1 if played.winner == view.seat else -1))
        self._mind, self._seen = mind, len(view.rounds)
        return mind


def _drawn(mixture: tuple[float, float, float], rng: Rng) -> int:
    left = rng.below(_PARTS)
    for hand in range(2):
        left -= round(mixture[hand] * _PARTS)
        if left < 0:
            return hand
    return 2 if mixture[2] > 0 else (1 if mixture[1] > 0 else 0)
