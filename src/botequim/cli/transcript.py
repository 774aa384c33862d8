"""A series as a text to read: told from its records, whoever played which game when."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from botequim.core.errors import InputError, os_reason
from botequim.core.messages import msg
from botequim.core.reading import Found, read_records
from botequim.i18n import _
from botequim.show.telling import Story
from botequim.verify import replay, table

WIDTH = 80
"""It is a file to read, however wide the terminal is where it is made."""


@contextmanager
def transcribing(path: Path, records: Path | None) -> Iterator[Path]:
    """Gives the folder that records are to be written to; whatever is there afterwards is told in the file,
    also when the match was broken off. Where there is nothing to tell, there is no file."""
    try:
        with path.open("x", encoding="utf-8", errors="backslashreplace") as file:
            try:
                if records is not None:
                    yield from _told(file, records)
                    return
                with tempfile.TemporaryDirectory(prefix="botequim-") as place:
                    yield from _told(file, Path(place) / "records")
            finally:
                if not file.tell():
                    path.unlink(missing_ok=True)
    except FileExistsError as error:
        raise InputError(msg("{path} is there already; name a new file", path=str(path))) from error
    except OSError as error:
        raise InputError(
            msg("{path} cannot be written: {why}", path=str(path), why=os_reason(error))
        ) from error


def _told(file: TextIO, records: Path) -> Iterator[Path]:
    try:
        yield records
    finally:
        for number, path in enumerate(sorted(records.glob("*.jsonl")), start=1):
            for found in read_records(path):
                _tell(file, number, found)


def _tell(file: TextIO, number: int, found: Found) -> None:
    game, options, seats = table(found)
    story = Story(game, game.teams(options), seats, width=WIDTH)
    lines = [
        _(
            "Game {number} of {game}, seed {seed}",
            number=number,
            game=game.name,
            seed=found.header.content.get("seed", "–"),
        )
    ]
    lines += story.opening()
    record = replay(found, lambda step: lines.extend(story.turn(step)))
    lines += [*story.ending(record.outcome), "", ""]
    file.write("\n".join(lines))
