"""The class list: a CSV file of the school or of the learning platform, with a line for each student.

Columns are found by their headings, in English and Portuguese: the name (or first and last name), e-mail
address, number, group, the platform's number of the participant, and the time of the submission. So the
grading worksheet of Moodle, its list of participants, and lists that were typed by hand can be read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from botequim.core.errors import InputError
from botequim.core.messages import msg, plain
from botequim.cup.collecting.dates import parse_time
from botequim.cup.csv_tables import Columns, CsvRow, CsvTable, comparable, read_table
from botequim.cup.importing import LeftOut
from botequim.cup.people import Person

COLUMNS: Final[Columns] = {
    "participant": ("identifier", "identificador"),
    "email": ("email", "e mail", "correio"),
    "submitted": (
        "modified submission", "modificado envio", "modificada envio", "modificacao envio",
        "modificacao submissao", "modificado submissao", "submitted", "entregue", "enviado", "timestamp",
        "carimbo",
    ),
    "group": ("group", "groups", "grupo", "grupos", "equipe", "equipes", "team", "dupla", "duplas"),
    "other": (
        "grade", "nota", "status", "feedback", "comentarios", "maximum", "modified", "modificado",
        "modificada", "modificacao", "phone", "telefone", "celular",
    ),
    "last_name": ("last name", "surname", "family name", "sobrenome", "ultimo nome"),
    "username": ("username", "user name", "usuario", "login"),
    "enrolment": (
        "matricula", "ra", "nusp", "numero usp", "prontuario", "registro", "student id", "student number",
        "id number", "numero identificacao", "enrolment", "enrollment",
    ),
    "id": ("id", "numero", "number"),
    "name": (
        "full name", "nome completo", "name", "nome", "student", "students", "aluno", "aluna", "estudante",
        "discente", "participant", "participante",
    ),
}  # fmt: skip
"""Kinds of columns. The number of the enrolment comes before any other number."""
PARTICIPANT: Final = re.compile(r"particip\w+ \d+", re.IGNORECASE)
"""How learning platforms write their own numbers of people."""
NO_GROUP: Final = (
    "",
    "-",
    "–",
    "—",
    "none",
    "nenhum",
    "sem grupo",
    "no group",
    "default group",
    "grupo padrao",
)


@dataclass(frozen=True, slots=True)
class ListedPerson:
    """A line of the class list."""

    person: Person
    where: str
    submitted: datetime | None = None
    """When the person handed in, by the platform."""


@dataclass(frozen=True, slots=True)
class ClassList:
    """The people of a class."""

    people: tuple[ListedPerson, ...] = ()
    problems: tuple[LeftOut, ...] = ()
    notes: tuple[LeftOut, ...] = ()
    """What is not wrong, but that people should know."""


def read_class_list(path: Path, *, largest_group: int) -> ClassList:
    """Read a class list. Lines that cannot be used are among its problems.

    A group of more than `largest_group` people is no group that shares a bot: it may be the whole class.
    """
    table = read_table(path)
    columns = table.columns(COLUMNS)
    if not {"name", "last_name"} & columns.keys():
        raise InputError(
            msg(
                "{where}: no column with names was found among the headings {headings}; write Name above it",
                where=plain(f"{path}:1"),
                headings=", ".join(table.headings),
            )
        )
    people: list[ListedPerson] = []
    problems: list[LeftOut] = []
    for row in table.rows:
        listed = _listed_person(table, row, columns)
        problem = _problem(listed, people)
        if problem is None:
            people.append(listed)
        else:
            problems.append(problem)
    notes = tuple(_ignored_columns(table, columns))
    return _without_large_groups(ClassList(tuple(people), tuple(problems), notes), largest_group)


def _ignored_columns(table: CsvTable, columns: dict[str, list[int]]) -> Iterator[LeftOut]:
    """Yield a note if columns are not used, without those of a learning platform that are of no use here."""
    used = {at for kind, found in columns.items() if kind != "name" for at in found}
    used |= {*columns.get("name", ())[:1]}
    if "enrolment" in columns:
        for kind in ("id", "username"):
            used -= {at for at in columns.get(kind, ()) if not _has_participants(table, at)}
    ignored = [heading for at, heading in enumerate(table.headings) if at not in used and heading]
    if ignored:
        what = msg("columns that are not used: {headings}", headings=", ".join(ignored))
        yield LeftOut(table.path.name, what)


def _has_participants(table: CsvTable, at: int) -> bool:
    return any(PARTICIPANT.fullmatch(row.cell(at)) for row in table.rows)


def _listed_person(table: CsvTable, row: CsvRow, columns: dict[str, list[int]]) -> ListedPerson:
    def cell(kind: str) -> str:
        return next((row.cell(at) for at in columns.get(kind, ()) if row.cell(at)), "")

    names = [row.cell(at) for at in columns.get("name", ())[:1]] + [cell("last_name")]
    group = cell("group")
    number, participant = cell("id"), cell("participant")
    if not participant and PARTICIPANT.fullmatch(number):  # the heading is only "number"
        number, participant = "", number
    return ListedPerson(
        Person(
            " ".join(name for name in names if name),
            email=cell("email"),
            id=cell("enrolment") or number or cell("username"),
            participant=participant_number(participant),
            group="" if comparable(group) in NO_GROUP else group,
        ),
        table.where(row),
        parse_time(cell("submitted")),
    )


def participant_number(text: str) -> str:
    """Return the number in `Participant 4711`, or a text without one as it is."""
    found = re.search(r"\d+$", text)
    return found[0] if found else text


def _problem(listed: ListedPerson, others: Sequence[ListedPerson]) -> LeftOut | None:
    person = listed.person
    if not person.name:
        return LeftOut(listed.where, msg("the line has no name"))
    for other in others:
        for own, its in (
            (person.id, other.person.id),
            (person.participant, other.person.participant),
            (person.email.casefold(), other.person.email.casefold()),
        ):
            if own and own == its:
                return LeftOut(
                    listed.where,
                    msg(
                        "{name} has {key}, which {other} has on line {line}",
                        name=person.name,
                        key=own,
                        other=other.person.name,
                        line=other.where.rpartition(":")[2],
                    ),
                )
    return None


def _without_large_groups(found: ClassList, largest: int) -> ClassList:
    sizes = Counter(comparable(listed.person.group) for listed in found.people if listed.person.group)
    large = {group for group, size in sizes.items() if size > largest}
    if not large:
        return found
    names = {comparable(one.person.group): one.person.group for one in found.people}
    problems = [
        LeftOut(
            names[group],
            msg(
                "{size} people have this group, so it is not taken for a group with one bot; at most "
                "{largest} are",
                size=sizes[group],
                largest=largest,
            ),
        )
        for group in sorted(large)
    ]
    people = [
        replace(one, person=replace(one.person, group="")) if comparable(one.person.group) in large else one
        for one in found.people
    ]
    return ClassList(tuple(people), (*found.problems, *problems), found.notes)
