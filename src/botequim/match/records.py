"""Writes the records of a match."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from pathlib import Path

from botequim.core.errors import BotequimError, InputError, os_reason
from botequim.core.messages import msg
from botequim.match.spec import MatchSpec
from botequim.records.record import Record


def record_path(match: MatchSpec, number: int) -> Path:
    assert match.records is not None
    return match.records / f"{match.game}-{match.first_game + number + 1:06}.jsonl"


def write_record(record: Record, path: Path) -> None:
    """Write a record to a file of its own. The file is complete or does not exist."""
    write_lines(record.lines(), path)


def write_lines(lines: Iterable[str], path: Path) -> None:
    """Write the lines of a record to a file of its own. The file is complete or does not exist."""
    partial = path.with_suffix(".partial")
    try:
        with partial.open("w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise BotequimError(
            msg("the record {path} cannot be written: {why}", path=str(path), why=os_reason(error))
        ) from error


def make_folder(folder: Path) -> None:
    """Create a folder if it does not exist. Raise InputError if files cannot be written there."""
    try:
        if folder.exists() and not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "")
        folder.mkdir(parents=True, exist_ok=True)
        trial = folder / ".botequim"
        trial.touch()
        trial.unlink()
    except OSError as error:
        raise InputError(
            msg("the folder {path} cannot be used: {why}", path=str(folder), why=os_reason(error))
        ) from error


def prepare_records(folder: Path) -> None:
    """Create a folder for records. Raise InputError if it already contains some."""
    make_folder(folder)
    record = next(folder.glob("*.jsonl"), None)
    if record is not None:
        raise InputError(
            msg(
                "{path} already contains records ({name}); give an empty or a new folder",
                path=str(folder),
                name=record.name,
            )
        )
