"""A sequential test: games are played only until it is decided which of two entrants is better.

It is Wald's test on the mean share of a deal, with an estimated variance. It answers two questions: is the
first entrant better by at least `gain` of the wins, or equal? And is the second? The test ends when one
answer is yes, or both are no. A deal that is played from both sides is one observation, so that luck with the
tiles is not taken for skill.
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
    """The result of the test, for the first entrant."""

    UNDECIDED = "undecided"
    BETTER = "better"
    WORSE = "worse"
    EQUAL = "equal"
    """Neither is better by as much as `gain`."""


@dataclass(slots=True)
class Sprt:
    """A test in progress. Its size does not depend on the number of games."""

    gain: float = 0.03
    """The difference to detect: .03 is 53 % of the wins rather than 50 %."""
    false_alarm: float = 0.05
    """The probability that two equal entrants are not called equal."""
    missed: float = 0.05
    """The probability that an entrant that is better by `gain` is not called better."""
    least: int = 25
    """The number of deals before the first verdict."""
    games: int = 0
    deals: int = 0
    verdict: Verdict = Verdict.UNDECIDED
    _sum: float = 0.0
    _squares: float = 0.0
    _no: tuple[bool, bool] = (False, False)
    """Whether each of the two questions was answered with no."""

    def add_deal(self, shares: Sequence[Fraction | float]) -> Verdict:
        """Add the first entrant's shares in the games of one deal. Later deals do not change the verdict."""
        mean = float(sum(shares)) / len(shares)
        self.games += len(shares)
        self.deals += 1
        self._sum += mean - 0.5
        self._squares += (mean - 0.5) ** 2
        if self.verdict is Verdict.UNDECIDED and self.deals >= self.least:
            self.verdict = self._new_verdict()
        return self.verdict

    def _new_verdict(self) -> Verdict:
        # each of the two questions gets half of the false alarms
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
        """Return the log likelihood ratios of the first, and of the second, being better, not equal."""
        scale = self.gain / self.variance
        half = self.deals * self.gain / 2
        return scale * (self._sum - half), scale * (-self._sum - half)

    @property
    def variance(self) -> float:
        """The variance of a deal. Two imaginary deals, a win and a loss, prevent a variance of zero."""
        mean = self._sum / (self.deals + 2)
        return (self._squares + 0.5) / (self.deals + 2) - mean**2

    @property
    def difference(self) -> float:
        """The share of wins of the first entrant beyond one half."""
        return self._sum / self.deals if self.deals else 0.0

    @property
    def margin(self) -> float:
        """Half the width of the 95 % confidence interval of the difference."""
        return Z_95 * math.sqrt(self.variance / self.deals) if self.deals else 0.5

    def verdict_message(self, number: Callable[[str], str] = str) -> Message:
        """Return the verdict as a sentence; `number` localises a figure such as `1,860` or `+4.1`."""
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
