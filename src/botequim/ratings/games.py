"""Counts of games, in an order that does not depend on the order of play."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from botequim.ratings.values import Places, RatedSeries, Side

Table: TypeAlias = tuple[Side, ...]
"""The sides who play against each other, sorted."""
Unit: TypeAlias = tuple[Table, tuple[tuple[Places, int], ...]]
"""Games that belong together: the table, and the count of each result."""


@dataclass(frozen=True, slots=True)
class GameCounts:
    """Everything that ratings depend on."""

    entrants: tuple[str, ...]
    """Everybody who has played, sorted."""
    tables: Mapping[Table, Mapping[Places, int]]
    """How often each result occurred at each table."""
    deals: Mapping[Unit, int]
    """How often each combination of results of a deal occurred."""
    series: Mapping[Unit, int]
    games: Mapping[str, int]
    """By entrant."""

    @classmethod
    def of(cls, played: Iterable[RatedSeries]) -> GameCounts:
        """Count the games. Sides are sorted, and places are those of the sorted sides."""
        tables: dict[Table, Counter[Places]] = {}
        deals: Counter[Unit] = Counter()
        series: Counter[Unit] = Counter()
        games: Counter[str] = Counter()
        for one in played:
            order = sorted(range(len(one.sides)), key=lambda side: sorted(one.sides[side]))
            table = tuple(tuple(sorted(one.sides[side])) for side in order)
            all_games: Counter[Places] = Counter()
            for deal, times in one.deals.items():
                places_counts = Counter(_ranks(places, order) for places in deal)
                deals[_unit(table, places_counts)] += times
                for places, count in places_counts.items():
                    all_games[places] += times * count
            if not all_games:
                continue
            tables.setdefault(table, Counter()).update(all_games)
            series[_unit(table, all_games)] += 1
            for name in sorted({name for side in table for name in side}):
                games[name] += all_games.total()
        return cls(
            tuple(sorted(games)),
            {table: dict(sorted(tables[table].items())) for table in sorted(tables)},
            dict(sorted(deals.items())),
            dict(sorted(series.items())),
            games,
        )

    @property
    def has_draws(self) -> bool:
        """Whether any game of two sides was a draw."""
        return any((1, 1) in counts for counts in self.tables.values())


def _ranks(places: Places, order: Sequence[int]) -> Places:
    """Return the places in another order of the sides, numbered without gaps."""
    distinct = sorted(set(places))
    return tuple(distinct.index(places[side]) + 1 for side in order)


def _unit(table: Table, counts: Counter[Places]) -> Unit:
    return table, tuple(sorted(counts.items()))
