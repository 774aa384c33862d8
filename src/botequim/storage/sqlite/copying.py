"""Copies the SQLite files of a cup while others write them. All copies are of the same moment."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from botequim.storage.sqlite.database import UNREADABLE, Database, connect, database_error


def copy_files(paths: Sequence[Path], folder: Path) -> None:
    """Copy those files that exist into a folder.

    For a moment nobody can write: then a reader of each file begins, which sees the file as it is now,
    however long the copy takes. Raise InputError if a file is sealed, because the cup was moved.
    """
    with ExitStack() as readers:
        snapshots = _snapshots([path for path in paths if path.is_file()], readers)
        for path, reader in snapshots.items():
            try:
                with closing(connect(folder / path.name)) as copy:
                    reader.backup(copy)
            except UNREADABLE as error:
                raise database_error(path, error) from error


def _snapshots(paths: Sequence[Path], readers: ExitStack) -> dict[Path, sqlite3.Connection]:
    """Return a connection to each file. All of them see what was there at the same moment."""
    found = {}
    with ExitStack() as writers:
        for path in paths:
            database = writers.enter_context(Database(path, connect(path)))
            database.require_unsealed()
            writers.enter_context(database.transaction())
        for path in paths:
            found[path] = reader = readers.enter_context(closing(connect(path)))
            try:
                reader.execute("BEGIN")
                reader.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()
            except UNREADABLE as error:
                raise database_error(path, error) from error
    return found
