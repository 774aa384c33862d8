"""The history of submissions: a table beside the cup file, to which every import adds lines.

`rinha.toml` has `rinha.submissions.csv`, with a line for each import and submission. Nothing in it is ever
changed or removed, so that a teacher can prove what was handed in, when, and what played.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Final

from botequim.core.errors import InputError
from botequim.core.messages import msg, plain
from botequim.cup.csv_tables import CsvRow, CsvTable, csv_text, read_table
from botequim.cup.people import write_private_text


class SubmissionState(StrEnum):
    """What became of a submission in one import."""

    NEW = "new"
    """The first one of its entrant that can play."""
    CHANGED = "changed"
    """Its files differ from those that played before."""
    UNCHANGED = "unchanged"
    REFUSED = "refused"
    """It is late, and late ones were to be refused: the one before it still plays."""
    OLDER = "older"
    """It played before the one that plays now, and was handed in earlier: an older download, by mistake."""
    BROKEN = "broken"
    """There is no bot in it: the one before it still plays."""


ACCEPTED: Final = (SubmissionState.NEW, SubmissionState.CHANGED)


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """A submission in one import."""

    imported: str
    entrant: str
    """The name in the cup file; "" as long as nothing of it can play."""
    who: str
    """What identifies the submission in its source: the number of a participant, a group, a name."""
    number: int
    """The number of the submission of this entrant, from 1; its files are in the folder of that name."""
    state: SubmissionState
    late: str
    """"late", or ""."""
    submitted: str
    """When it was handed in, as far as that is known."""
    digest: str
    files: str
    """Where the files are kept, relative to the cup file; or the address of a repository."""
    source: str
    note: str = ""


HEADINGS: Final = tuple(one.name for one in fields(HistoryLine))


def history_path(cup_file: Path) -> Path:
    return cup_file.with_suffix(".submissions.csv")


def read_history(cup_file: Path) -> tuple[HistoryLine, ...]:
    """Return the lines, the oldest first. Raise InputError, with file and line, if it is damaged."""
    path = history_path(cup_file)
    if not path.exists():
        return ()
    table = read_table(path)
    for heading in HEADINGS:
        if heading not in table.headings:
            where = plain(f"{path}:1")
            raise InputError(msg('{where}: there is no column "{heading}"', where=where, heading=heading))
    columns = [table.headings.index(heading) for heading in HEADINGS]
    return tuple(_line(table, row, columns) for row in table.rows)


def _line(table: CsvTable, row: CsvRow, columns: Sequence[int]) -> HistoryLine:
    cells = dict(zip(HEADINGS, (row.cell(at) for at in columns), strict=True))
    try:
        number, state = int(cells.pop("number")), SubmissionState(cells.pop("state"))
    except ValueError as error:
        raise InputError(
            msg(
                "{where}: this line of the history was changed: {why}",
                where=plain(f"{table.path}:{row.line}"),
                why=str(error),
            )
        ) from error
    return HistoryLine(number=number, state=state, **cells)


def write_history(cup_file: Path, lines: Iterable[HistoryLine]) -> Path:
    """Write all lines, those that were read before included, and return the path of the file."""
    rows = [[str(getattr(line, heading)) for heading in HEADINGS] for line in lines]
    return write_private_text(history_path(cup_file), csv_text([HEADINGS, *rows]))


@dataclass(frozen=True, slots=True)
class Past:
    """The earlier submissions of one entrant."""

    lines: tuple[HistoryLine, ...] = ()

    @property
    def playing(self) -> HistoryLine | None:
        """The submission that plays now; None if there is none."""
        return next((line for line in reversed(self.lines) if line.state in ACCEPTED), None)

    def earlier(self, digest: str) -> HistoryLine | None:
        """Return the submission with these files that played before the one that plays now."""
        lines = [line for line in self.lines if line.state in ACCEPTED]
        return next((line for line in reversed(lines[:-1]) if line.digest == digest), None)

    @property
    def last(self) -> HistoryLine | None:
        """The last submission that was not the same as before."""
        changes = (line for line in reversed(self.lines) if line.state != SubmissionState.UNCHANGED)
        return next(changes, None)

    @property
    def next_number(self) -> int:
        return max((line.number for line in self.lines), default=0) + 1
