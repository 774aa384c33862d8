"""The people behind the entrants of a cup, in a private file beside the cup file.

`rinha.toml` has `rinha.people.csv`: a line for each person, with the name, e-mail address, number and group
from the class list, the number that the learning platform uses, and the entrant. A person who has handed in
nothing has no entrant; a person with several entrants has several lines. The cup file names none of this,
because it is published in bundles. `botequim cup import` writes the file, and its owner may edit it.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from botequim.core.errors import InputError, os_reason
from botequim.core.messages import msg, plain
from botequim.cup.csv_tables import Columns, csv_text, read_table

HEADINGS: Final = ("entrant", "name", "email", "id", "participant", "group")
COLUMNS: Final[Columns] = {heading: (heading,) for heading in HEADINGS}


@dataclass(frozen=True, slots=True)
class Person:
    """A student or another author."""

    name: str
    email: str = ""
    id: str = ""
    """The number or other text by which the school knows the person: `123456`."""
    participant: str = ""
    """The number that the learning platform gives the person in one assignment: `4711`."""
    group: str = ""
    entrant: str = ""
    """The name of the entrant in the cup file; "" if the person has none."""

    @property
    def key(self) -> str:
        """The best identification that there is, for lists of grades."""
        return self.id or self.email or self.participant or self.name


def people_path(cup_file: Path) -> Path:
    return cup_file.with_suffix(".people.csv")


def read_people(cup_file: Path) -> tuple[Person, ...]:
    """Return the people of a cup in the order of the file; none if there is no file.

    Raise InputError, with file and line, if the file cannot be understood.
    """
    path = people_path(cup_file)
    if not path.exists():
        return ()
    table = read_table(path)
    columns = {kind: found[0] for kind, found in table.columns(COLUMNS).items()}
    for heading in ("entrant", "name"):
        if heading not in columns:
            where = plain(f"{path}:1")
            raise InputError(msg('{where}: there is no column "{heading}"', where=where, heading=heading))
    return tuple(
        Person(**{heading: row.cell(columns[heading]) for heading in HEADINGS if heading in columns})
        for row in table.rows
    )


def people_by_entrant(people: Iterable[Person]) -> dict[str, tuple[Person, ...]]:
    """Return the people of each entrant, by its name in the cup file; those without entrant under ""."""
    found: dict[str, list[Person]] = {}
    for person in people:
        found.setdefault(person.entrant, []).append(person)
    return {entrant: tuple(members) for entrant, members in found.items()}


def write_people(cup_file: Path, people: Iterable[Person]) -> Path:
    """Write the file, which only its owner may read, and return its path."""
    rows = ((one.entrant, one.name, one.email, one.id, one.participant, one.group) for one in people)
    return write_private_text(people_path(cup_file), csv_text([HEADINGS, *rows]))


def write_private_text(path: Path, text: str | bytes) -> Path:
    """Write a file that only its owner may read. It replaces an earlier one when it is complete.

    A text is written in UTF-8; bytes are written as they are.
    """
    content = text if isinstance(text, bytes) else text.encode("utf-8", "backslashreplace")
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        partial.touch(mode=0o600, exist_ok=False)
        partial.write_bytes(content)
        partial.replace(path)
    except OSError as error:
        raise InputError(
            msg("{path} cannot be written: {why}", path=str(path), why=os_reason(error))
        ) from error
    finally:
        partial.unlink(missing_ok=True)
    return path
