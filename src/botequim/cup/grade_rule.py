"""The table `[grades]` of a cup file: a formula, and how its result is rounded.

==========================  =======================================================================
`place`, `entrants`         the place in the whole cup, and how many entrants are ranked there; an entrant
                            that did not start has the place after the last one
`student_place`,            the same among the entrants that have students, without baselines of the
`student_entrants`          organiser; if none has any, among all
`started`, `disqualified`   1 or 0: whether the entrant started, and whether it was disqualified
`games`, `won`, `drawn`,    of the whole cup, without the null entrant; `wins` counts shared wins in part, and
`lost`, `wins`, `rate`,     `rate` is wins by game, 0 without any game
`faults`
`stages`                    in how many stages the entrant takes part so far
`reached(STAGE)`            1 if it takes part in that stage, else 0
`place_in(STAGE)`           its place there; if it does not take part, one more than `entrants`
`figure(STAGE, COLUMN)`     a column of the standings of that stage, 0 if it does not take part
`beat(ENTRANT)`             1 if it was ahead of that entrant in more games than behind, else 0
`rate_against(ENTRANT)`     the share of those games that it won, a tie counting half; 0 without any
==========================  =======================================================================

Results do not depend on grades, so the digest of a cup does not cover them, and the formula may change at any
time. `botequim.cup.report.grades` computes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from botequim.core.messages import msg
from botequim.cup.format import Column, Stage, find_format
from botequim.cup.formula import Formula, FormulaError, Vocabulary
from botequim.cup.stages import StagePlan
from botequim.cup.toml_table import Table

if TYPE_CHECKING:
    from botequim.cup.config import Entry

GRADES: Final = "grades"
NAMES: Final = (
    "place", "entrants", "student_place", "student_entrants", "started", "disqualified", "games", "won",
    "drawn", "lost", "wins", "rate", "faults", "stages",
)  # fmt: skip
MOST_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class GradeRule:
    """How entrants are graded."""

    formula: Formula
    digits: int = 2
    """The decimals of a grade; a half is rounded away from zero."""


def read_grade_rule(top: Table, entrants: Sequence[Entry], plans: Sequence[StagePlan]) -> GradeRule | None:
    """Return the rule of a cup file, None if it has none. Raise InputError if the formula is wrong."""
    if GRADES not in top:
        return None
    table = top.table(GRADES)
    table.require_known(("formula", "digits"))
    text = table.text("formula", required=True)
    digits = table.whole("digits", low=0, high=MOST_DIGITS)
    try:
        formula = Formula.parse(text, vocabulary([entry.name for entry in entrants], plans))
    except FormulaError as error:
        table.refuse("formula", msg('"{key}", {problem}', key="formula", problem=error.message))
    return GradeRule(formula) if digits is None else GradeRule(formula, digits)


def vocabulary(entrants: Sequence[str], plans: Sequence[StagePlan]) -> Vocabulary:
    """Return what a formula may use in a cup with these entrants and stages."""
    stages = [(plan.name,) for plan in plans]
    names = [(name,) for name in entrants]
    figures = [(name, column.name) for name, columns in _columns(entrants, plans) for column in columns]
    return Vocabulary(
        NAMES,
        {
            "reached": stages,
            "place_in": stages,
            "figure": figures,
            "beat": names,
            "rate_against": names,
        },
    )


def _columns(entrants: Sequence[str], plans: Sequence[StagePlan]) -> Iterator[tuple[str, Sequence[Column]]]:
    """Yield each stage with the columns of its standings, which do not depend on who takes part."""
    sizes: dict[str | None, int] = {None: len(entrants)}
    for plan in plans:
        sizes[plan.name] = plan.top or sizes[plan.source]
        stage = Stage(tuple(entrants[: sizes[plan.name]]), plan.terms, plan.options, "")
        yield plan.name, find_format(plan.format).standings(stage).columns
