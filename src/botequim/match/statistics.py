"""Win rates and their confidence intervals, computed by deal, because games of one deal are dependent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any

Z_95 = 1.959964


@dataclass(slots=True)
class Score:
    """The results of one entrant so far. Its size does not depend on the number of games.

    A *deal* is a group of games with the same chance turns, played from every side. The shares of the win are
    summed by deal before the variance is computed.
    """

    games: int = 0
    won: int = 0
    drawn: int = 0
    """The number of shared first places."""
    lost: int = 0
    faults: int = 0
    deals: int = 0
    share: Fraction = field(default_factory=Fraction)
    _square_share: float = 0.0
    _share_games: float = 0.0
    _square_games: float = 0.0

    def add_deal(self, shares: Sequence[Fraction], times: int = 1) -> None:
        """Add the shares of the win that an entrant had in the games of one deal, or of equal deals."""
        total = sum(shares, Fraction())
        self.deals += times
        self.games += times * len(shares)
        self.share += times * total
        self.won += times * sum(share == 1 for share in shares)
        self.lost += times * sum(share == 0 for share in shares)
        self.drawn = self.games - self.won - self.lost
        self._square_share += times * float(total) ** 2
        self._share_games += times * float(total) * len(shares)
        self._square_games += times * len(shares) ** 2

    def add_score(self, other: Score) -> None:
        """Add the results of other deals."""
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))

    @property
    def rate(self) -> float:
        """The mean share of a win: a draw of two counts half."""
        return float(self.share) / self.games if self.games else math.nan

    def interval(self) -> tuple[float, float] | None:
        """Return the 95 % confidence interval of the rate; None if there are too few deals.

        It is Wilson's interval for the number of independent games that would have the same variance as these
        deals.
        """
        if self.deals < 2:
            return None
        rate = self.rate
        spread = self._square_share - 2 * rate * self._share_games + rate**2 * self._square_games
        variance = max(spread, 0.0) / self.games**2 * self.deals / (self.deals - 1)
        plain = rate * (1 - rate)
        # if all deals have equal results, there is no variance; then each deal counts as one game
        independent = plain / variance if variance > 1e-12 and plain > 0 else float(self.deals)
        return wilson(rate, independent)

    def as_json(self) -> dict[str, Any]:
        """Return the score as JSON, with rates of six digits."""
        return {
            "games": self.games,
            "won": self.won,
            "drawn": self.drawn,
            "lost": self.lost,
            "rate": round(self.rate, 6) if self.games else None,
            "interval": [round(edge, 6) for edge in self.interval() or ()] or None,
        }


_AHEAD, _LEVEL, _BEHIND = Fraction(1), Fraction(1, 2), Fraction(0)


def share_against(one: int, other: int) -> Fraction:
    """Return the share of the win that an entrant on place `one` has against an entrant on place `other`."""
    return _AHEAD if one < other else _LEVEL if one == other else _BEHIND


def wilson(rate: float, games: float) -> tuple[float, float]:
    """Return Wilson's score interval of a rate in so many independent games."""
    squared = Z_95**2
    centre = (rate + squared / (2 * games)) / (1 + squared / games)
    half = Z_95 / (1 + squared / games) * math.sqrt(rate * (1 - rate) / games + squared / (4 * games**2))
    return max(0.0, centre - half), min(1.0, centre + half)
