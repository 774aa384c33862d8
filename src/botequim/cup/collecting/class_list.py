"""The class list: a CSV file of the school or of the learning platform, with a line for each student.

Columns are found by their headings, in English and Portuguese: the name (or first and last name), e-mail
address, number, group, the platform's number of the participant, and the time of the submission. So the
grading worksheet of Moodle, its list of participants, and lists that were typed by hand can be read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
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
    "id": (
        "id number", "numero identificacao", "student id", "student number", "id", "ra", "matricula",
        "numero", "number", "registro", "nusp", "prontuario",
    ),
    "name": (
        "full name", "nome completo", "name", "nome", "student", "students", "aluno", "aluna", "estudante",
        "discente", "participant", "participante",
    ),
}  # fmt: skip
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
    return _without_large_groups(ClassList(tuple(people), tuple(problems)), largest_group)


def _listed_person(table: CsvTable, row: CsvRow, columns: dict[str, list[int]]) -> ListedPerson:
    def cell(kind: str) -> str:
        return next((row.cell(at) for at in columns.get(kind, ()) if row.cell(at)), "")

    names = [row.cell(at) for at in columns.get("name", ())[:1]] + [cell("last_name")]
    group = cell("group")
    return ListedPerson(
        Person(
            " ".join(name for name in names if name),
            email=cell("email"),
            id=cell("id") or cell("username"),
            participant=participant_number(cell("participant")),
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
    return ClassList(tuple(people), (*found.problems, *problems))
