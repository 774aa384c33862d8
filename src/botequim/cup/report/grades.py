"""Grades by the formula of the cup file: each with the figures that it was computed from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from botequim.core.messages import Message
from botequim.cup.changes import Disqualification
from botequim.cup.cross import cross_table
from botequim.cup.formula import FormulaError, number_text, round_half_up
from botequim.cup.grade_rule import GradeRule
from botequim.cup.people import people_by_entrant
from botequim.cup.report.blocks import Block, Cell, Code, Document, Grid, Heading, Text
from botequim.cup.report.content import Content, StageContent, share_text
from botequim.i18n import _, _n, number, translate


@dataclass(frozen=True, slots=True)
class Grade:
    """The grade of one entrant."""

    entrant: str
    place: int
    """Its place in the cup; one more than the last place if it did not start."""
    value: Fraction | None
    """The grade as it is rounded; None if the formula has no value here."""
    exact: Fraction | None
    figures: tuple[tuple[str, Fraction], ...] = ()
    """The figures that the formula used, and their values."""
    problem: Message | None = None
    """Why there is no grade."""

    def how(self) -> str:
        """Return the figures, or why there is no grade, in English notation."""
        if self.problem is not None:
            return str(self.problem)
        return ", ".join(f"{name} = {number_text(value)}" for name, value in self.figures)


def grades(content: Content) -> dict[str, Grade]:
    """Return the grades of all entrants by name, in the order of their places. They are empty without a
    formula."""
    rule = content.cup.grades
    if rule is None:
        return {}
    figures = _Figures(content)
    found = [_grade(rule, figures, entry.name) for entry in content.entries]
    return {grade.entrant: grade for grade in sorted(found, key=lambda grade: grade.place)}


def grade_text(grade: Grade) -> str:
    """Return a grade as the current language writes it."""
    return "–" if grade.value is None else number(share_text(grade.value))


def how_text(grade: Grade) -> str:
    """Return the figures, or why there is no grade, in the current language."""
    if grade.problem is not None:
        return translate(grade.problem)
    return "; ".join(f"{name} = {number(number_text(value))}" for name, value in grade.figures)


def grade_page(content: Content, found: Mapping[str, Grade]) -> Document:
    """Return the table of all grades, with the formula and how each grade follows from it."""
    title = _("Grades") + f" · {content.cup.name}"
    return Document(title, list(_page(content, found)))


def _page(content: Content, found: Mapping[str, Grade]) -> Iterator[Block]:
    rule = content.cup.grades
    assert rule is not None
    yield Heading(1, _("Grades"))
    state = _("finished") if content.over else _("not finished yet")
    yield Text(" · ".join([content.cup.name, content.cup.game, state]))
    yield Code(rule.formula.text, _("formula"))
    yield Text(
        _n(
            "Grades are computed exactly and rounded to {n} decimal; a half is rounded up.",
            "Grades are computed exactly and rounded to {n} decimals; a half is rounded up.",
            rule.digits,
        )
    )
    people = people_by_entrant(content.people)
    students = {
        entry.name: [one.name or one.key for one in people.get(entry.name, ())] or entry.students
        for entry in content.entries
    }
    rows = [
        [
            Cell(str(grade.place) if grade.place <= len(content.overall) else "–"),
            Cell(content.cup.title(grade.entrant), name=True),
            Cell(", ".join(students[grade.entrant])),
            Cell(grade_text(grade)),
            Cell("" if grade.exact is None else number(number_text(grade.exact))),
            Cell(how_text(grade)),
        ]
        for grade in found.values()
    ]
    headings = (">" + _("place"), _("entrant"), _("students"), ">" + _("grade"), ">" + _("exact"))
    yield Grid((*headings, _("computed from")), rows)


def _grade(rule: GradeRule, figures: _Figures, name: str) -> Grade:
    place = int(figures.of(name, "place", ()))
    try:
        found = rule.formula.evaluate(lambda figure, arguments: figures.of(name, figure, arguments))
    except FormulaError as error:
        return Grade(name, place, None, None, problem=error.message)
    return Grade(name, place, round_half_up(found.value, rule.digits), found.value, found.used)


class _Figures:
    """The figures of all entrants that a formula may use; `botequim.cup.grade_rule` describes them."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._stages = {stage.plan.name: stage for stage in content.stages if not stage.plan.beside}
        self._places = {row.entrant: row.place for row in content.overall}
        changes = [entry.change for entry in content.progress.changes]
        self._disqualified = {one.entrant for one in changes if isinstance(one, Disqualification)}
        with_students = {entry.name for entry in content.entries if entry.students}
        with_students |= {person.entrant for person in content.people}
        self._students = [
            row.place for row in content.overall if not with_students or row.entrant in with_students
        ]

    @cached_property
    def _duels(self) -> Mapping[tuple[str, str], tuple[int, int, int]]:
        results = [result for stage in self._stages.values() for result in stage.results.values()]
        table = cross_table(results)
        return {pair: (duel.ahead, duel.level, duel.behind) for pair, duel in table.items()}

    @cached_property
    def _totals(self) -> dict[str, dict[str, Fraction]]:
        return {name: self._total(name) for name in self._places}

    def _total(self, name: str) -> dict[str, Fraction]:
        score = self._content.score(name)
        rate = score.share / score.games if score.games else Fraction()
        counts = {"games": score.games, "won": score.won, "drawn": score.drawn, "lost": score.lost}
        whole = {key: Fraction(count) for key, count in (counts | {"faults": score.faults}).items()}
        return whole | {"wins": score.share, "rate": rate}

    def of(self, entrant: str, name: str, arguments: tuple[str, ...]) -> Fraction:
        """Return a figure of an entrant by its name and arguments."""
        match name:
            case "place":
                return Fraction(self._places.get(entrant, len(self._places) + 1))
            case "entrants":
                return Fraction(len(self._places))
            case "student_place":
                own = self._places.get(entrant, len(self._places) + 1)
                return Fraction(1 + sum(place < own for place in self._students))
            case "student_entrants":
                return Fraction(len(self._students))
            case "started":
                return Fraction(entrant in self._places)
            case "disqualified":
                return Fraction(entrant in self._disqualified)
            case "stages":
                return Fraction(sum(_place_in(stage, entrant) is not None for stage in self._stages.values()))
            case "reached" | "place_in" | "figure":
                return self._of_stage(entrant, name, *arguments)
            case "beat" | "rate_against":
                return self._against(entrant, name, arguments[0])
        return self._totals.get(entrant, {}).get(name, Fraction())

    def _of_stage(self, entrant: str, name: str, stage_name: str, column: str = "") -> Fraction:
        stage = self._stages[stage_name]
        place = _place_in(stage, entrant)
        if name == "reached":
            return Fraction(place is not None)
        if name == "place_in":
            return Fraction(len(self._places) + 1 if place is None else place)
        if place is None or stage.standings is None:
            return Fraction()
        return Fraction(stage.standings.row(entrant).figures.get(column, 0))

    def _against(self, entrant: str, name: str, other: str) -> Fraction:
        ahead, level, behind = self._duels.get((entrant, other), (0, 0, 0))
        if name == "beat":
            return Fraction(ahead > behind)
        games = ahead + level + behind
        return Fraction(2 * ahead + level, 2 * games) if games else Fraction()


def _place_in(stage: StageContent, entrant: str) -> int | None:
    """Return the place in a stage; None if the entrant does not take part, as far as is known."""
    rows = () if stage.standings is None else stage.standings.rows
    return next((row.place for row in rows if row.entrant == entrant), None)
