"""The input and the output of ratings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from botequim.core.results import SeriesResult

ANCHOR: Final = 1500
"""The rating of the anchor."""
ANCHOR_PLAYER: Final = "greedy"
"""The built-in player that is the anchor if it takes part, so that cups of one game can be compared."""

Side: TypeAlias = tuple[str, ...]
"""The entrants who play together: one, or partners."""
Places: TypeAlias = tuple[int, ...]
"""The places of the sides of one game; 1 is best, and tied sides share a place."""


@dataclass(frozen=True, slots=True)
class RatedSeries:
    """The games that the same sides played against each other."""

    sides: tuple[Side, ...]
    deals: Mapping[tuple[Places, ...], int]
    """How often each combination of places occurred in the games of a deal, in the order of the sides."""

    @classmethod
    def from_deals(cls, sides: tuple[Side, ...], deals: Iterable[tuple[Places, ...]]) -> RatedSeries:
        """Return a series of these deals."""
        return cls(sides, Counter(deals))

    @classmethod
    def of(cls, result: SeriesResult, *, together: int = 1) -> RatedSeries:
        """Return the games of a stored series, of which `together` games in a row have the same deal."""
        places = [game.places for game in result.games]
        deals = [tuple(places[first : first + together]) for first in range(0, len(places), together)]
        return cls.from_deals(tuple((name,) for name in result.entrants), deals)


@dataclass(frozen=True, slots=True)
class Rating:
    """The rating of one entrant."""

    entrant: str
    rating: float
    margin: float
    """Half of the 95 % interval."""
    games: int

    @property
    def interval(self) -> tuple[float, float]:
        return self.rating - self.margin, self.rating + self.margin

    def as_json(self) -> dict[str, Any]:
        """Return the rating as JSON, with one digit after the point."""
        low, high = self.interval
        return {
            "entrant": self.entrant,
            "rating": round(self.rating, 1),
            "interval": [round(low, 1), round(high, 1)],
            "games": self.games,
        }


@dataclass(frozen=True, slots=True)
class Ratings:
    """The ratings of all entrants who have played, best first."""

    rows: Sequence[Rating] = ()
    anchors: tuple[str, ...] = ()
    """The entrants whose mean rating is `ANCHOR`; if empty, it is the mean rating of all."""

    def by_entrant(self) -> Mapping[str, Rating]:
        return {row.entrant: row for row in self.rows}

    def as_json(self) -> dict[str, Any]:
        """Return the ratings as JSON."""
        return {
            "anchor": ANCHOR,
            "anchors": list(self.anchors),
            "entrants": [row.as_json() for row in self.rows],
        }
