"""combinations: every combination of k entrants plays at one table.

Entrants that share the first place of a game share the win: 1/m each. The ranking is by wins, then second
places, then third places, and so on; entrants that are still tied share a place.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from botequim.core.messages import Message, msg
from botequim.core.options import IntOption, Option, Options
from botequim.core.results import SeriesResult
from botequim.cup.format import Column, Number, Stage, StageChange, Standings, too_few
from botequim.cup.pairing import SEPARATOR, Pairing
from botequim.cup.ranking import Rule, by_value, ranked_groups, rows, totals

MOST_SEATS: Final = 10


class Combinations:
    """The format that this module describes."""

    name: Final = "combinations"
    options: Final[tuple[Option, ...]] = (IntOption("size", 3, 2, MOST_SEATS, msg("entrants at a table")),)
    changes: Final = frozenset(StageChange)

    def size(self, options: Options) -> int:
        return int(options["size"])

    def problem(self, stage: Stage) -> Message | None:
        return too_few(stage, self.size(stage.options))

    def pairings(self, stage: Stage) -> Sequence[Pairing]:
        tables = itertools.combinations(stage.entrants, self.size(stage.options))
        return stage.open([table(names, stage) for names in late_last(tables, stage)])

    def standings(self, stage: Stage) -> Standings:
        return by_places(stage, list(stage.results.values()), self.size(stage.options))


def table(names: tuple[str, ...], stage: Stage) -> Pairing:
    """Return the series of these entrants. Its key does not depend on their order."""
    return Pairing(SEPARATOR.join(sorted(names)), names, stage.terms, msg("table"))


def late_last(tables: Iterable[tuple[str, ...]], stage: Stage) -> list[tuple[str, ...]]:
    """Return the tables, those with late entrants after all others."""
    return sorted(tables, key=lambda names: not stage.late.keys().isdisjoint(names))


def by_places(stage: Stage, results: Sequence[SeriesResult], size: int) -> Standings:
    games = totals(stage.entrants, results)
    places = {name: Counter[int]() for name in stage.entrants}
    for result in results:
        for game in result.games:
            for name, place in zip(result.entrants, game.places, strict=True):
                places[name][place] += 1
    lower = range(2, size + 1)
    order = ranked_groups(
        stage.entrants,
        [
            by_value(lambda name: games[name].share),
            *(_more(places, place) for place in lower),
        ],
    )

    def figures(name: str) -> dict[str, Number]:
        by_place = {f"place_{place}": places[name][place] for place in (1, *lower)}
        total = games[name]
        return {"wins": total.share, **by_place, "games": total.games, "faults": total.faults}

    columns = (
        Column("wins", msg("wins")),
        *(Column(f"place_{place}", msg("place {place}", place=place)) for place in (1, *lower)),
        Column("games", msg("games")),
        Column("faults", msg("faults")),
    )
    return Standings(columns, rows(order, figures, msg("a shared place")))


def _more(places: dict[str, Counter[int]], place: int) -> Rule:
    return by_value(lambda name: places[name][place], msg("by places {place}", place=place))


FORMAT: Final = Combinations()
