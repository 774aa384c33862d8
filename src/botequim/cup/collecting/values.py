"""What an organiser asks an import for, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from botequim.core.messages import Message
from botequim.cup.collecting.cup_file import CupFile
from botequim.cup.collecting.history import HistoryLine
from botequim.cup.config import Entry
from botequim.cup.importing import LeftOut
from botequim.cup.people import Person


class NameSource(StrEnum):
    """Where the name of a new entrant comes from."""

    BOT = "bot"
    LIST = "list"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What an organiser wants to import."""

    source: Path
    cup_file: Path
    template: str | None = None
    name: str = ""
    most_authors: int | None = None
    class_list: Path | None = None
    names: NameSource | None = None
    deadline: datetime | None = None
    refuse_late: bool = False
    has_begun: bool = False
    """Whether the cup has begun: then its file must not change."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the submission of one person or group."""

    line: HistoryLine
    people: tuple[Person, ...]
    title: str
    """The name to show: that of the entrant, or of the people if there is no entrant."""
    problem: Message | None = None
    """Why the submission cannot play."""
    notes: tuple[Message, ...] = ()
    entry: Entry | None = None
    """The entrant to add to the cup file."""


@dataclass(frozen=True, slots=True)
class Collection:
    """The result of an import."""

    cup: CupFile
    """The cup file as it was written."""
    outcomes: tuple[Outcome, ...]
    added: tuple[Entry, ...]
    """Entrants that were added to the cup file, or must be added to a cup that has begun."""
    left_out: tuple[LeftOut, ...]
    notes: tuple[LeftOut, ...]
    missing: tuple[Person, ...]
    """People of the class list who have no entrant and have handed in nothing."""
    file_times: bool = False
    """Whether something is late by the time of its files alone."""
