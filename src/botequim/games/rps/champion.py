"""The champion of rps: safe by game theory, and able to exploit predictable players.

`search/decision.py` describes how it chooses. Its effort counts readings, which predict the opponent: the
easy level has none and only uses safe mixtures, the normal level has the simplest, the others all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar, Final

from botequim.core.rng import Rng
from botequim.games.rps.rules import AT, HANDS, Hand, View
from botequim.games.rps.search.decision import Decision
from botequim.games.rps.search.forecast import READINGS, Forecast
from botequim.games.rps.search.value import Outlook
from botequim.search.champion import Advice, Budget, Champion, Level

_PARTS: Final = 1 << 40
"""The resolution of the probabilities when a hand is sampled."""


@cache
def outlook() -> Outlook:
    """Return the table, which is computed once in a process."""
    return Outlook()


@dataclass(frozen=True, slots=True)
class MixedAdvice(Advice):
    """Advice in a game of simultaneous moves: the move is a sample of a mixture."""

    mixture: Mapping[Hand, float] = field(default_factory=dict)
    """The probability of each hand."""
    expected: Mapping[Hand, float] = field(default_factory=dict)
    """The assumed probability of each hand of the opponent."""


class RpsChampion(Champion):
    """Against any player it wins at least half of its games, less a small stake. Against predictable players
    it wins nearly all."""

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
        self._decision: Decision | None = None
        self._round_count = 0

    def advise(self, view: View) -> MixedAdvice:
        decision = self._update(view)
        mixture = decision.mixture()
        move = HANDS[_sample(mixture, self.rng)]
        return MixedAdvice(
            move,
            dict(zip(HANDS, decision.chances(), strict=True)),
            work=self._readings,
            mixture=dict(zip(HANDS, mixture, strict=True)),
            expected=dict(zip(HANDS, decision.expects, strict=True)),
        )

    def _update(self, view: View) -> Decision:
        assert view.seat is not None
        decision = self._decision
        if decision is None or self._round_count > len(view.rounds):
            decision, self._round_count = Decision(view.length, outlook(), Forecast(self._readings)), 0
        for one in view.rounds[self._round_count :]:
            own, other = one.hands[view.seat], one.hands[1 - view.seat]
            if own is not None and other is not None:
                decision.add_round(AT[own], AT[other], won=one.winner == view.seat)
            else:
                decision.add_forfeit(0 if one.winner is None else (1 if one.winner == view.seat else -1))
        self._decision, self._round_count = decision, len(view.rounds)
        return decision


def _sample(mixture: tuple[float, float, float], rng: Rng) -> int:
    left = rng.below(_PARTS)
    for hand in range(2):
        left -= round(mixture[hand] * _PARTS)
        if left < 0:
            return hand
    return 2 if mixture[2] > 0 else (1 if mixture[1] > 0 else 0)
