"""The table of a stage that is held in rounds: whom each entrant met in each round, and how it went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from botequim.cup.config import Cup
from botequim.cup.format import Round
from botequim.cup.pairing import round_key
from botequim.cup.report.blocks import Cell, Grid
from botequim.cup.report.content import StageContent
from botequim.i18n import _

MOST_ROUNDS: Final = 30
"""The last ones are shown; `series.csv` has all of them."""
_SIGNS: Final = {Fraction(1): "+", Fraction(1, 2): "=", Fraction(0): "−"}


@dataclass(frozen=True, slots=True)
class RoundCell:
    """What an entrant did in a round."""

    opponents: tuple[str, ...]
    numbers: tuple[int, ...]
    """Of the rows of the opponents, from 1."""
    points: Fraction | None
    """1 for a series that was won, 1/2 for a tied one, 0 for a lost one; None while it is not finished."""

    def text(self) -> str:
        """Return the cell for people: `+3` is a win against the third, `bye` a round without an opponent."""
        if not self.opponents:
            return _("bye")
        sign = "" if self.points is None else _SIGNS[self.points]
        return sign + ",".join(map(str, self.numbers))


@dataclass(frozen=True, slots=True)
class RoundRow:
    """An entrant in the table."""

    number: int
    """From 1, in the order of the standings."""
    name: str
    cells: Sequence[RoundCell | None]
    """By round, from `first_round`; None: it was not in that round."""


def first_round(stage: StageContent) -> int:
    """Return the number of the first round that is shown, from 1."""
    return max(0, len(stage.rounds or ()) - MOST_ROUNDS) + 1


def round_rows(stage: StageContent) -> list[RoundRow]:
    """Return the rows of the table, in the order of the standings."""
    if stage.standings is None or stage.rounds is None:
        return []
    first = first_round(stage)
    numbers = {name: at for at, name in enumerate(stage.standings.names, start=1)}
    shown = [
        _cells(stage, number, decided, numbers)
        for number, decided in enumerate(stage.rounds[first - 1 :], start=first)
    ]
    return [RoundRow(at, name, [cells.get(name) for cells in shown]) for name, at in numbers.items()]


def _cells(stage: StageContent, number: int, decided: Round, numbers: dict[str, int]) -> dict[str, RoundCell]:
    found = {}
    for table in decided:
        result = stage.results.get(round_key(number, table))
        winner = None if result is None else result.winner()
        for name in table:
            others = tuple(other for other in table if other != name)
            won = Fraction(1, 2) if winner is None else Fraction(winner == name)
            places = tuple(numbers[other] for other in others)
            found[name] = RoundCell(others, places, None if result is None else won)
    return found


def rounds_legend() -> str:
    return _(
        "A column is a round, and a number is the row of the opponent: + is a series that was won, "
        "= a tied one, − a lost one."
    )


def rounds_grid(cup: Cup, stage: StageContent) -> Grid:
    first = first_round(stage)
    rounds = range(first, len(stage.rounds or ()) + 1)
    rows = []
    for row in round_rows(stage):
        cells = [Cell(str(row.number)), Cell(cup.title(row.name), name=True)]
        for cell in row.cells:
            shade = None if cell is None or cell.points is None else float(cell.points)
            cells.append(Cell() if cell is None else Cell(cell.text(), shade=shade))
        rows.append(cells)
    return Grid((">", _("entrant"), *(f">{number}" for number in rounds)), rows)
