"""Writes the records of a match as a transcript, a text file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from botequim.cli.output import write_error
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.i18n import _
from botequim.narration.narrator import Transcript
from botequim.records.reader import RawRecord, read_records
from botequim.records.replay import Replay

WIDTH = 80
"""Columns of the file. It does not depend on the width of the terminal."""


@contextmanager
def transcribing(path: Path, records: Path | None) -> Iterator[Path]:
    """Return the folder for records; at the end write its games to the file `path`.

    A match that was interrupted gets a transcript too. If no game was played, no file remains.
    """
    try:
        with path.open("x", encoding="utf-8", errors="backslashreplace") as file:
            try:
                if records is not None:
                    yield from _transcribe(file, records)
                    return
                with tempfile.TemporaryDirectory(prefix="botequim-") as folder:
                    yield from _transcribe(file, Path(folder) / "records")
            finally:
                if not file.tell():
                    path.unlink(missing_ok=True)
    except FileExistsError as error:
        raise InputError(msg("{path} already exists; choose a new file", path=str(path))) from error
    except OSError as error:
        raise write_error(path, error) from error


def _transcribe(file: TextIO, records: Path) -> Iterator[Path]:
    try:
        yield records
    finally:
        for number, path in enumerate(sorted(records.glob("*.jsonl")), start=1):
            for raw in read_records(path):
                _write(file, number, raw)


def _write(file: TextIO, number: int, raw: RawRecord) -> None:
    replay = Replay.load(raw)
    seed = raw.header.content.get("seed", "–")
    lines = [
        _("Game {number} of {game}, seed {seed}", number=number, game=replay.game.name, seed=seed),
        *Transcript.of(replay, width=WIDTH).lines(replay),
        "",
        "",
    ]
    file.write("\n".join(lines))
