"""Is one of two better? Play until that can be said, and no longer.

A sequential test (Wald's, on the mean share of a deal, with the spread estimated as it goes) of two questions
at once: is the first better by at least `gain` of the wins, rather than equal; and is the second? It ends
when one of them is answered with yes, or both with no. Deals, not games, are what counts: a deal that is
played from both sides is one observation, so that luck with the tiles is not taken for skill.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from botequim.core.messages import Message, msg

Z_95 = 1.959964


class Verdict(Enum):
    """What can be said of the first of two."""

    UNDECIDED = "undecided"
    BETTER = "better"
    WORSE = "worse"
    EQUAL = "equal"
    """Neither is better by as much as was asked for."""


@dataclass(slots=True)
class Sprt:
    """A test in progress, in a few numbers however many games there were."""

    gain: float = 0.03
    """The difference that is looked for: .03 is 53 % of the wins rather than 50 %."""
    false_alarm: float = 0.05
    """How often two equals are not called equal, in the long run."""
    missed: float = 0.05
    """How often one that is better by `gain` is not called better."""
    least: int = 25
    """Deals before anything is said."""
    games: int = 0
    deals: int = 0
    verdict: Verdict = Verdict.UNDECIDED
    _sum: float = 0.0
    _squares: float = 0.0
    _no: tuple[bool, bool] = (False, False)
    """Which of the two questions was answered with no."""

    def add_deal(self, shares: Sequence[Fraction | float]) -> Verdict:
        """What the first had of the games of one deal. What comes after the verdict does not change it."""
        mean = float(sum(shares)) / len(shares)
        self.games += len(shares)
        self.deals += 1
        self._sum += mean - 0.5
        self._squares += (mean - 0.5) ** 2
        if self.verdict is Verdict.UNDECIDED and self.deals >= self.least:
            self.verdict = self._judged()
        return self.verdict

    def _judged(self) -> Verdict:
        # two questions share the false alarms between them
        yes = math.log((1 - self.missed) / (self.false_alarm / 2))
        no = math.log(self.missed / (1 - self.false_alarm / 2))
        first, second = self.likelihoods()
        if first >= yes and not self._no[0]:
            return Verdict.BETTER
        if second >= yes and not self._no[1]:
            return Verdict.WORSE
        self._no = (self._no[0] or first <= no, self._no[1] or second <= no)
        return Verdict.EQUAL if all(self._no) else Verdict.UNDECIDED

    def likelihoods(self) -> tuple[float, float]:
        """How much likelier it is (as a logarithm) that the first, or the second, is better than that they
        are equal."""
        scale = self.gain / self.variance
        half = self.deals * self.gain / 2
        return scale * (self._sum - half), scale * (-self._sum - half)

    @property
    def variance(self) -> float:
        """Of a deal. Two imagined deals, a win and a loss, keep a clean sweep from looking certain."""
        mean = self._sum / (self.deals + 2)
        return (self._squares + 0.5) / (self.deals + 2) - mean**2

    @property
    def difference(self) -> float:
        """What the first had beyond half of the wins."""
        return self._sum / self.deals if self.deals else 0.0

    @property
    def margin(self) -> float:
        """95 % of the time the true difference is not further away than this."""
        return Z_95 * math.sqrt(self.variance / self.deals) if self.deals else 0.5

    def said(self, number: Callable[[str], str] = str) -> Message:
        """The verdict for people; `number` makes a figure such as `1,860` or `+4.1` the reader's own."""
        values = {
            "difference": number(f"{100 * self.difference:+.1f}"),
            "margin": number(f"{100 * self.margin:.1f}"),
            "games": number(f"{self.games:,}"),
            "gain": number(f"{100 * self.gain:g}"),
        }
        match self.verdict:
            case Verdict.BETTER:
                text = msg("better: {difference} % ±{margin}, stopped after {games} games", **values)
            case Verdict.WORSE:
                text = msg("worse: {difference} % ±{margin}, stopped after {games} games", **values)
            case Verdict.EQUAL:
                text = msg(
                    "no difference of {gain} % or more: {difference} % ±{margin}, "
                    "stopped after {games} games",
                    **values,
                )
            case Verdict.UNDECIDED:
                text = msg("not decided: {difference} % ±{margin} after {games} games", **values)
        return text
