"""How good is an entrant, and how sure can we be? Counted by deal, since games of one deal go together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

Z_95 = 1.959964


@dataclass(slots=True)
class Score:
    """One entrant's results so far, in a few numbers however many games there were.

    A *deal* is a group of games from the same chance turns, played from every side; what an entrant
    has of a game (its share of the win) is summed by deal before the spread is taken.
    """

    games: int = 0
    won: int = 0
    drawn: int = 0
    """Shared first places."""
    lost: int = 0
    faults: int = 0
    deals: int = 0
    share: Fraction = field(default_factory=Fraction)
    _square_share: float = 0.0
    _share_games: float = 0.0
    _square_games: float = 0.0

    def add_deal(self, shares: Sequence[Fraction]) -> None:
        """The shares an entrant had of the games of one deal."""
        total = sum(shares, Fraction())
        self.deals += 1
        self.games += len(shares)
        self.share += total
        self.won += sum(share == 1 for share in shares)
        self.lost += sum(share == 0 for share in shares)
        self.drawn = self.games - self.won - self.lost
        self._square_share += float(total) ** 2
        self._share_games += float(total) * len(shares)
        self._square_games += len(shares) ** 2

    @property
    def rate(self) -> float:
        """The mean share of a win: a draw of two counts half."""
        return float(self.share) / self.games if self.games else math.nan

    def interval(self) -> tuple[float, float] | None:
        """95 % of the time the true rate is in here; None when there are too few deals to say.

        Wilson's interval for as many independent games as would scatter like these deals do.
        """
        if self.deals < 2:
            return None
        rate = self.rate
        spread = self._square_share - 2 * rate * self._share_games + rate**2 * self._square_games
        variance = max(spread, 0.0) / self.games**2 * self.deals / (self.deals - 1)
        plain = rate * (1 - rate)
        # equal results in all deals show no scatter; then each deal is worth one game
        independent = plain / variance if variance > 1e-12 and plain > 0 else float(self.deals)
        return wilson(rate, independent)

    def as_json(self) -> dict[str, Any]:
        """Return the score for programs: rates have six digits."""
        return {
            "games": self.games,
            "won": self.won,
            "drawn": self.drawn,
            "lost": self.lost,
            "rate": round(self.rate, 6) if self.games else None,
            "interval": [round(edge, 6) for edge in self.interval() or ()] or None,
        }


def wilson(rate: float, games: float) -> tuple[float, float]:
    """The score interval of a rate seen in so many independent games."""
    squared = Z_95**2
    centre = (rate + squared / (2 * games)) / (1 + squared / games)
    half = Z_95 / (1 + squared / games) * math.sqrt(rate * (1 - rate) / games + squared / (4 * games**2))
    return max(0.0, centre - half), min(1.0, centre + half)
