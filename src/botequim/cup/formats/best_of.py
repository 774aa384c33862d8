"""best_of: a league of matches that end as soon as they are decided. Two entrants play one match.

Every entrant meets every other. The ranking is by matches won, then fewest lost, then games won, then fewest
lost; entrants that are still tied share a place. If there are only two entrants and all games that could
decide their match are drawn, they play further matches, and then a coin decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from botequim.core.messages import Message, msg
from botequim.core.options import Option, Options
from botequim.cup.format import Column, Stage, StageChange, Standings, too_few
from botequim.cup.formats import confrontos
from botequim.cup.pairing import Pairing

_HEADINGS: Final = {
    "confrontos_won": Column("matches_won", msg("matches won")),
    "confrontos_tied": Column("matches_tied", msg("matches tied")),
    "confrontos_lost": Column("matches_lost", msg("matches lost")),
}


class BestOf:
    """The format that this module describes."""

    name: Final = "best_of"
    options: Final[tuple[Option, ...]] = confrontos.FORMAT.options
    changes: Final = frozenset(StageChange)

    def size(self, options: Options) -> int:
        return 2

    def problem(self, stage: Stage) -> Message | None:
        if stage.terms.games % 2 == 0:
            return msg("best of {games} can end level: give an odd number", games=stage.terms.games)
        return too_few(stage, 2)

    def pairings(self, stage: Stage) -> Sequence[Pairing]:
        return confrontos.waiting(_short(stage))

    def standings(self, stage: Stage) -> Standings:
        standings = confrontos.table(_short(stage))
        names = {name: column.name for name, column in _HEADINGS.items()}
        rows = [
            replace(row, figures={names.get(name, name): value for name, value in row.figures.items()})
            for row in standings.rows
        ]
        return Standings(
            tuple(_HEADINGS.get(column.name, column) for column in standings.columns), tuple(rows)
        )


def _short(stage: Stage) -> Stage:
    cuts = (1, *stage.cuts) if len(stage.entrants) == 2 else stage.cuts
    return replace(stage, terms=replace(stage.terms, early=True), cuts=cuts)


FORMAT: Final = BestOf()
