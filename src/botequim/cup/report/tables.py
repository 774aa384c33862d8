"""Tables for spreadsheets: CSV in UTF-8, with commas, columns named in English whatever the language.

===================  ==============================================================================
`standings.csv`      a line for each stage and entrant: place, why, the figures of all formats, the name
                     that is shown, and the rating with its 95 % interval, which is that of the whole
                     cup; `entrant` is always the name in the cup file
`series.csv`         a line for each series and entrant: games, won, drawn, lost, wins, faults
`games.csv`          a line for each game: its ending, then entrant, place and faults by turns, then
                     its record, and its replay if there is a page
`grades.csv`         a line for each student, with the name that is shown; for the teacher alone. With a
                     formula in the cup file also the grade, and the figures that it was computed
                     from; a cup without any students then has a line for each entrant. With a
                     private file of people also their names, addresses, numbers and groups
===================  ==============================================================================

Spreadsheets in Portuguese and many other languages expect semicolons between cells and decimal commas:
`CsvStyle.SEMICOLON`, which also marks the encoding. A cell that a spreadsheet would take for a formula gets a
`'` before it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction

from botequim.core.sanitize import printable
from botequim.cup.format import Number
from botequim.cup.report.content import Content, StageContent, share_text
from botequim.cup.report.graded_people import GradedPerson
from botequim.cup.report.grades import Grade
from botequim.ratings import Rating
from botequim.storage.files import record_name, replay_name

LONGEST_CELL = 1000
TOTALS = ("games", "won", "drawn", "lost", "wins", "faults")


class CsvStyle(StrEnum):
    """How a table is written."""

    COMMA = "comma"
    SEMICOLON = "semicolon"


def csv_lines(rows: Iterable[Sequence[object]], style: CsvStyle = CsvStyle.COMMA) -> Iterator[str]:
    line = io.StringIO()
    decimal_comma = style is CsvStyle.SEMICOLON
    if decimal_comma:
        yield "\ufeff"  # without it, some spreadsheets take UTF-8 for something else
    writer = csv.writer(line, delimiter=";" if decimal_comma else ",", lineterminator="\n")
    for row in rows:
        writer.writerow([_cell(value, decimal_comma=decimal_comma) for value in row])
        yield line.getvalue()
        line.seek(0)
        line.truncate()


def _cell(value: object, *, decimal_comma: bool) -> str:
    text = share_text(value) if isinstance(value, Fraction) else str(value)
    if not isinstance(value, str):
        return text.replace(".", ",") if decimal_comma else text
    text = printable(text[:LONGEST_CELL])
    return f"'{text}" if text.lstrip().startswith(("=", "+", "-", "@")) else text


def standings(content: Content) -> Iterator[Sequence[object]]:
    columns = _columns(content)
    yield ("stage", "place", "entrant", "decided", *columns, "name", "rating", "rating_low", "rating_high")
    known = content.ratings.by_entrant()
    for stage in content.stages:
        for row in stage.standings.rows if stage.standings is not None else ():
            figures = [row.figures.get(column, "") for column in columns]
            name = content.cup.title(row.entrant)
            rating = _rating(None if stage.plan.beside else known.get(row.entrant))
            yield (stage.plan.name, row.place, row.entrant, str(row.why or ""), *figures, name, *rating)


def _rating(found: Rating | None) -> Sequence[object]:
    """Return a rating and its interval; empty cells for somebody who has not played."""
    if found is None:
        return ["", "", ""]
    return [round(number, 1) for number in (found.rating, *found.interval)]


def _columns(content: Content) -> list[str]:
    tables = [stage.standings for stage in content.stages if stage.standings is not None]
    return list(dict.fromkeys(column.name for table in tables for column in table.columns))


def series(content: Content) -> Iterator[Sequence[object]]:
    yield ("stage", "series", "entrant", "games", "won", "drawn", "lost", "wins", "faults", "winner")
    for stage in content.stages:
        for result in stage.results.values():
            winner = result.winner()
            for name, total in result.totals().items():
                counts = (total.games, total.won, total.drawn, total.lost, total.share, total.faults)
                yield (stage.plan.name, result.key, name, *counts, int(name == winner))


def games(content: Content) -> Iterator[Sequence[object]]:
    results = [result for stage in content.stages for result in stage.results.values()]
    seats = max((len(result.entrants) for result in results), default=2)
    by_seat = [f"{column}_{at}" for at in range(1, seats + 1) for column in ("entrant", "place", "faults")]
    yield ("stage", "series", "game", "how", *by_seat, *(["record", "replay"] if content.records else []))
    for stage in content.stages:
        for result in stage.results.values():
            key = result.key
            for number, game in enumerate(result.games):
                cells: list[object] = [stage.plan.name, key, number + 1, game.how]
                for at in range(seats):
                    there = at < len(result.entrants)
                    faults = game.faults[at] if there and game.faults else 0
                    cells += [result.entrants[at], game.places[at], faults] if there else ["", "", ""]
                if content.records:
                    there = (stage.plan.name, key, number) in content.replays
                    cells.append(record_name(stage.plan.name, key, number))
                    cells.append(replay_name(stage.plan.name, key, number) if there else "")
                yield cells


def grades(
    content: Content, people: Sequence[GradedPerson], found: Mapping[str, Grade]
) -> Iterator[Sequence[object]]:
    """Yield a row for each person."""
    stages = [stage for stage in content.stages if not stage.plan.beside and stage.standings is not None]
    figures = [
        (stage, column.name) for stage in stages if stage.standings for column in stage.standings.columns
    ]
    by_stage = [f"{stage.plan.name}.{name}" for stage, name in figures]
    who = ("person", "email", "id", "participant", "group") if content.people else ()
    graded = ("grade", "computed_from") if found else ()
    yield ("student", *who, "entrant", "others", "place", *TOTALS, *by_stage, "name", *graded)
    places = {row.entrant: row.place for row in content.overall}
    for one in people:
        cells: list[object] = ["", "", "", *("" for _ in (*TOTALS, *figures)), ""]
        if one.entries:
            best, *others = (entry.name for entry in one.entries)
            score = content.score(best)
            counts = (score.games, score.won, score.drawn, score.lost, score.share, score.faults)
            names = "; ".join(map(content.cup.title, others))
            by_figure = [_figure(stage, name, best) for stage, name in figures]
            cells = [best, names, places.get(best, ""), *counts, *by_figure, content.cup.title(best)]
        person = one.person
        own = (person.name, person.email, person.id, person.participant, person.group) if who else ()
        value = "" if one.grade is None or one.grade.value is None else one.grade.value
        yield (person.key, *own, *cells, *((value, one.reason) if found else ()))


def _figure(stage: StageContent, name: str, entrant: str) -> Number | str:
    rows = stage.standings.rows if stage.standings is not None else ()
    return next((row.figures.get(name, 0) for row in rows if row.entrant == entrant), "")
