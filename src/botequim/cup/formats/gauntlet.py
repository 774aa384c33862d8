"""gauntlet: one or a few entrants against all the others.

The first `challengers` entrants each meet every other entrant (at larger tables: every combination of them),
but not each other. Entrants play different numbers of games, so the mean share of a win decides.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

from botequim.core.messages import Message, msg
from botequim.core.options import IntOption, Option, Options
from botequim.cup.format import Column, Number, Stage, StageChange, Standings, too_few
from botequim.cup.formats.combinations import MOST_SEATS, late_last, table
from botequim.cup.pairing import Pairing
from botequim.cup.ranking import by_value, ranked_groups, rate, rows, totals

COLUMNS: Final = (
    Column("rate", msg("win rate")),
    Column("won", msg("won")),
    Column("drawn", msg("drawn")),
    Column("lost", msg("lost")),
    Column("games", msg("games")),
    Column("faults", msg("faults")),
)


class Gauntlet:
    """The format that this module describes."""

    name: Final = "gauntlet"
    options: Final[tuple[Option, ...]] = (
        IntOption(
            "challengers",
            1,
            1,
            1000,
            msg("how many entrants, from the top of the list, play against all others"),
        ),
        IntOption("size", 2, 2, MOST_SEATS, msg("entrants at a table")),
    )
    changes: Final = frozenset(StageChange)

    def size(self, options: Options) -> int:
        return int(options["size"])

    def problem(self, stage: Stage) -> Message | None:
        return too_few(stage, int(stage.options["challengers"]) + self.size(stage.options) - 1)

    def pairings(self, stage: Stage) -> Sequence[Pairing]:
        first = int(stage.options["challengers"])
        others = list(itertools.combinations(stage.entrants[first:], self.size(stage.options) - 1))
        tables = [(one, *names) for one in stage.entrants[:first] for names in others]
        return stage.open([table(names, stage) for names in late_last(tables, stage)])

    def standings(self, stage: Stage) -> Standings:
        games = totals(stage.entrants, stage.results.values())
        order = ranked_groups(stage.entrants, [by_value(lambda name: rate(games[name]))])

        def figures(name: str) -> dict[str, Number]:
            total = games[name]
            return {
                "rate": rate(total),
                "won": total.won,
                "drawn": total.drawn,
                "lost": total.lost,
                "games": total.games,
                "faults": total.faults,
            }

        return Standings(COLUMNS, rows(order, figures, msg("a shared place")))


FORMAT: Final = Gauntlet()
