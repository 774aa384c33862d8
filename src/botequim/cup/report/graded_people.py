"""Who gets which grade: the people of the private file beside the cup file, or the students of the cup file.

A person with several entrants has the best of their grades; without a formula, the best placed one counts.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final

from botequim.core.errors import InputError, os_reason
from botequim.core.messages import msg
from botequim.cup.config import Entry
from botequim.cup.csv_tables import SEPARATORS, comparable, decode_text, encoded_like
from botequim.cup.people import Person
from botequim.cup.report.content import Content, share_text
from botequim.cup.report.grades import Grade

GRADE_HEADINGS: Final = ("grade", "nota", "avaliacao")
IDENTIFIER: Final = ("identifier", "identificador", "participant", "participante")
MORE_IDS: Final = ("student id", "student number", "numero usp", "nusp", "prontuario", "numero")
ID_HEADINGS: Final = ("id number", "idnumber", "id", "student", "username", "ra", "matricula", *MORE_IDS)
ID_HEADINGS_PT: Final = ("numero de identificacao", "identificacao de usuario", "nome de usuario")
EMAIL_HEADINGS: Final = ("email address", "email", "e-mail", "endereco de email", "endereco de e-mail")


@dataclass(frozen=True, slots=True)
class GradedPerson:
    """A person with their entrants."""

    person: Person
    """One of the person's lines."""
    entries: tuple[Entry, ...]
    """The entrant that counts comes first; empty if the person has none in this cup."""
    grade: Grade | None
    """Of the first entrant; None if there is no formula or no entrant."""

    @property
    def reason(self) -> str:
        """Where the grade comes from, in English."""
        if self.grade is not None:
            return self.grade.how()
        return "" if self.entries else "no entrant"


def people_of_students(content: Content) -> list[Person]:
    """Return a person for each student number in the cup file, sorted. If there are none, each entrant stands
    for itself."""
    numbers = [
        Person("", id=number, entrant=entry.name)
        for entry in content.entries
        for number in dict.fromkeys(entry.students)
    ]
    alone = [Person("", entrant=entry.name) for entry in content.entries]
    return sorted(numbers, key=lambda person: person.id) or alone


def graded_people(
    content: Content, people: Iterable[Person], grades: Mapping[str, Grade]
) -> list[GradedPerson]:
    """Return each person once, in the order of the first lines."""
    entries = {entry.name: entry for entry in content.entries}
    places = {row.entrant: row.place for row in content.overall}
    by_key: dict[str, list[Person]] = {}
    for person in people:
        by_key.setdefault(person.key or f"\n{person.entrant}", []).append(person)
    found = []
    for lines in by_key.values():
        own = dict.fromkeys(line.entrant for line in lines if line.entrant in entries)
        names = sorted(own, key=lambda name: _rank(name, places, grades))
        grade = grades.get(names[0]) if names else None
        found.append(GradedPerson(lines[0], tuple(entries[name] for name in names), grade))
    return found


def _rank(name: str, places: Mapping[str, int], grades: Mapping[str, Grade]) -> tuple[bool, Fraction, int]:
    """Return what the entrants of a person are sorted by, the one that counts first."""
    value = grades[name].value if name in grades else None
    return value is None, -(value or Fraction()), places.get(name, len(places) + 1)


# --- worksheets of learning platforms ----------------------------------------------------------------


def worksheet_with_grades(path: Path, people: Sequence[GradedPerson]) -> bytes:
    """Return the worksheet that a learning platform gave out, with the grades of these people in it.

    Rows are found by the number of the participant, the id or the e-mail address. Nothing else changes, and
    rows of others stay as they are, as does the encoding: grades fit into any. Grades have the decimal sign
    of the other numbers in the worksheet.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(msg("{path} cannot be read: {why}", path=str(path), why=os_reason(error))) from error
    text = decode_text(content)
    separator = max(SEPARATORS, key=text.partition("\n")[0].count)
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    headings = [comparable(heading) for heading in rows[0]] if rows else []
    at = next((at for at, heading in enumerate(headings) if heading in GRADE_HEADINGS), None)
    keys = _key_columns(headings)
    if at is None or not keys:
        raise InputError(
            msg(
                "{path} is not a worksheet for grades: its first line needs a column Grade and one of "
                "Identifier, ID number and Email address",
                path=str(path),
            )
        )
    sign = _decimal_sign(rows, separator)
    known = {key: person.grade for person in people for key in _keys(person.person)}
    for row in rows[1:]:
        cells = [(kind, row[column].strip()) for column, kind in keys.items() if column < len(row)]
        grade = next((known[key] for key in map(_row_key, cells) if known.get(key)), None)
        if grade is not None and grade.value is not None and at < len(row):
            row[at] = share_text(grade.value).replace(".", sign)
    written = io.StringIO()
    csv.writer(written, delimiter=separator, lineterminator="\r\n").writerows(rows)
    return encoded_like(written.getvalue(), content)


def _decimal_sign(rows: Sequence[Sequence[str]], separator: str) -> str:
    """Return the decimal sign of a worksheet: a platform that writes 10,00 would not understand 7.5."""
    found = [
        match[1] for row in rows for cell in row if (match := re.fullmatch(r"\d+([.,])\d+", cell.strip()))
    ]
    if found:
        return max(set(found), key=found.count)
    return "," if separator == ";" else "."


def _key_columns(headings: Sequence[str]) -> dict[int, str]:
    """Return the columns that identify people, the best first: participant, id and email."""
    kinds = (
        ("participant", IDENTIFIER),
        ("id", (*ID_HEADINGS, *ID_HEADINGS_PT)),
        ("email", EMAIL_HEADINGS),
    )
    return {at: kind for kind, names in kinds for at, heading in enumerate(headings) if heading in names}


def _keys(person: Person) -> list[tuple[str, str]]:
    kinds = (("participant", person.participant), ("id", person.id), ("email", person.email.casefold()))
    return [(kind, value) for kind, value in kinds if value]


def _row_key(cell: tuple[str, str]) -> tuple[str, str]:
    kind, text = cell
    if kind == "participant":  # "Participant 4711" in any language
        found = re.search(r"\d+$", text)
        return kind, found[0] if found else ""
    return kind, text.casefold() if kind == "email" else text
