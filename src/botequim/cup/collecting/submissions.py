"""What was handed in, before anybody has looked into it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from botequim.cup.importing import LeftOut
from botequim.cup.people import Person


@dataclass(frozen=True, slots=True)
class Submission:
    """What one person or group has handed in."""

    label: str
    """What identifies it in its source, also in a later import: the name of a folder or file, or a name."""
    name: str
    """The name of the entrant or its author, by the source."""
    where: str
    """File and line, if it comes from a table: `turma.csv:12`."""
    contents: tuple[tuple[str, Path], ...] = ()
    """The files and folders that were handed in, each with its name."""
    repository: str = ""
    authors: tuple[str, ...] = ()
    """Authors that the source publishes."""
    people: tuple[Person, ...] = ()
    """The authors, as far as the source knows them."""
    students: tuple[str, ...] = ()
    """The student numbers in the name of an archive."""
    group: str = ""
    has_own_name: bool = False
    """Whether the source names the bot itself, not its author: an author may then have several bots."""
    submitted: datetime | None = None

    @property
    def participant(self) -> str:
        """The platform's number of the person who handed it in; "" if it is not known."""
        return self.people[0].participant if len(self.people) == 1 else ""


@dataclass(frozen=True, slots=True)
class Source:
    """All submissions of a source."""

    name: str
    submissions: tuple[Submission, ...]
    left_out: tuple[LeftOut, ...] = ()
