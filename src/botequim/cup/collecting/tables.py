"""Submissions in tables: a CSV file of a form or spreadsheet, or a Markdown file like PARTICIPANTS.md."""

from __future__ import annotations

import os
import re
from itertools import zip_longest
from pathlib import Path
from typing import Final

from botequim.bots.trees import printable
from botequim.core.errors import InputError
from botequim.core.messages import msg, plain
from botequim.cup.collecting import class_list
from botequim.cup.collecting.dates import parse_time
from botequim.cup.collecting.submissions import Source, Submission
from botequim.cup.csv_tables import Columns, CsvRow, CsvTable, read_table
from botequim.cup.importing import LeftOut, address_in, from_participants, names_in
from botequim.cup.people import Person

COLUMNS: Final[Columns] = {
    "submitted": class_list.COLUMNS["submitted"],
    "email": class_list.COLUMNS["email"],
    "repository": ("repository", "repo", "repositorio", "url", "link", "git", "github", "gitlab", "endereco"),
    "file": ("file", "arquivo", "path", "caminho", "archive", "zip"),
    "participant": ("identifier", "identificador"),
    "name": ("bot", "bots", "project", "projeto", "entrant", "competidor"),
    "group": class_list.COLUMNS["group"],
    "enrolment": class_list.COLUMNS["enrolment"],
    "id": (*class_list.COLUMNS["username"], *class_list.COLUMNS["id"]),
    "last_name": class_list.COLUMNS["last_name"],
    "person": (
        *class_list.COLUMNS["name"], "author", "authors", "autor", "autores", "autora", "integrante",
        "integrantes", "member", "members", "membro", "membros", "people", "pessoas",
    ),
}  # fmt: skip
"""Kinds of columns. A name or group is that of the entrant; people, numbers and addresses those of authors.
Several columns of a kind belong to several people."""


def submissions_of_participants(text: str, path: Path) -> Source:
    """Return the rows of the first table with names and repositories."""
    found = from_participants(text, path.name)
    submissions = [
        Submission(
            entry.name,
            entry.name,
            path.name,
            repository=entry.repository,
            authors=entry.authors,
            people=tuple(Person(name) for name in entry.authors),
            has_own_name=True,
        )
        for entry in found.entrants
    ]
    return Source(path.name, tuple(submissions), found.left_out)


def submissions_of_csv(path: Path) -> Source:
    """Return a submission for each row with a repository or a file."""
    table = read_table(path)
    columns = _with_contents(table, table.columns(COLUMNS))
    if not {"repository", "file"} & columns.keys():
        raise InputError(
            msg(
                "{where}: there is no column with repositories or files among the headings {headings}. Write "
                "Repository or File above it. If this is the class list, use --class-list {path} and give "
                "what was handed in as the source",
                where=plain(f"{path}:1"),
                headings=", ".join(table.headings),
                path=str(path),
            )
        )
    submissions: list[Submission] = []
    left_out: list[LeftOut] = []
    for row in table.rows:
        found = _row(table, row, columns)
        if isinstance(found, Submission):
            submissions.append(found)
        else:
            left_out.append(found)
    return Source(path.name, tuple(submissions), tuple(left_out))


def _with_contents(table: CsvTable, columns: dict[str, list[int]]) -> dict[str, list[int]]:
    """Return the columns; one named "bot" may contain repositories or files instead of names."""
    for at in columns.get("name", ()):
        cells = [cell for row in table.rows if (cell := row.cell(at))]
        if any(address_in(cell) for cell in cells):
            kind = "repository"
        elif any(_exists(table.path.parent / cell) for cell in cells):
            kind = "file"
        else:
            continue
        rest = [other for other in columns["name"] if other != at]
        moved = {"name": rest, kind: [*columns.get(kind, ()), at]}
        return {name: found for name, found in (columns | moved).items() if found}
    return columns


def _row(table: CsvTable, row: CsvRow, columns: dict[str, list[int]]) -> Submission | LeftOut:
    where = table.where(row)
    people = _people(row, columns)
    group = _cell(row, columns, "group")
    name = _cell(row, columns, "name") or group or " & ".join(one.name for one in people if one.name)
    if len(row.cells) > len(table.headings) and any(row.cells[len(table.headings) :]):
        return LeftOut(
            name or where,
            msg(
                "the line has {found} cells, but there are {known} headings; put a cell in quotes if it "
                "contains the separator",
                found=len(row.cells),
                known=len(table.headings),
            ),
            where,
        )
    if not name:
        return LeftOut(", ".join(cell for cell in row.cells if cell), msg("it has no name"), where)
    repository = address_in(_cell(row, columns, "repository"))
    file = _cell(row, columns, "file")
    path = table.path.parent / file
    if file and not _exists(path):
        return LeftOut(name, msg("the file {file} does not exist", file=printable(file)), where)
    if file and not path.resolve().is_relative_to(table.path.parent.resolve()):
        return LeftOut(
            name, msg("{file} is not in the folder of {table}", file=file, table=str(table.path)), where
        )
    if not file and not repository:
        missing = (
            msg("its repository is missing")
            if "file" not in columns
            else msg("it has neither a repository nor a file")
        )
        return LeftOut(name, missing, where)
    return Submission(
        name,
        name,
        where,
        ((path.name, path),) if file else (),
        repository="" if file else repository,
        people=people,
        group=group,
        has_own_name=bool(_cell(row, columns, "name")),
        submitted=parse_time(_cell(row, columns, "submitted")),
    )


def _exists(path: Path) -> bool:
    return os.path.exists(path)  # noqa: PTH110 - pathlib raises for names that are too long to be any


def _cell(row: CsvRow, columns: dict[str, list[int]], kind: str) -> str:
    return next((row.cell(at) for at in columns.get(kind, ()) if row.cell(at)), "")


def _people(row: CsvRow, columns: dict[str, list[int]]) -> tuple[Person, ...]:
    """Return the people of a row. The first number and the first address are those of the first one."""

    def cells(kind: str) -> list[str]:
        return [row.cell(at) for at in columns.get(kind, ())]

    names = [name for cell in cells("person") for name in names_in(cell)]
    if "last_name" in columns and len(names) == 1:
        names = [f"{names[0]} {_cell(row, columns, 'last_name')}".strip()]
    ids = cells("enrolment") if any(cells("enrolment")) else cells("id")
    numbers = [number for cell in ids for number in re.split(r"[,;/&+\s]+", cell) if number]
    emails = [email for cell in cells("email") for email in re.findall(r"[^\s,;<>]+@[^\s,;<>]+", cell)]
    participant = class_list.participant_number(_cell(row, columns, "participant"))
    return tuple(
        Person(name, email, number, participant if at == 0 else "")
        for at, (name, number, email) in enumerate(zip_longest(names, numbers, emails, fillvalue=""))
    )
