"""A SQLite file of a cup: its schema has a version, and its errors become messages.

The tables of a file are described by *migrations*: what each version adds to the one before. The version of a
file is the number of migrations it has seen, so a published migration never changes; add another one after
it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

from botequim.core.errors import BotequimError, InputError
from botequim.core.messages import msg
from botequim.storage.errors import StoreBusy, moved_error
from botequim.storage.files import file_identity
from botequim.storage.protocol import WAIT_SECONDS

UNREADABLE: Final = (sqlite3.Error, UnicodeDecodeError, OverflowError)
"""What reading a damaged file raises. SQLite's own messages may quote damaged names that are not UTF-8."""

Self = TypeVar("Self", bound="Database")


def connect(path: Path, wait: float = WAIT_SECONDS) -> sqlite3.Connection:
    """Open a file in autocommit mode."""
    return sqlite3.connect(path, timeout=wait, isolation_level=None)


class Database:
    """An open file. It belongs to the thread that opened it."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path: Final = path
        self._connection: Final = connection

    @property
    def location(self) -> str:
        return str(self.path)

    @property
    def connection(self) -> sqlite3.Connection:
        return self._connection

    def execute(self, statement: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        return self._connection.execute(statement, values)

    def successor(self) -> str | None:
        """Return where the cup was moved, if it was."""
        query = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'successor'"
        if self._connection.execute(query).fetchone() == (0,):
            return None
        row = self._connection.execute("SELECT location FROM successor").fetchone()
        return None if row is None else str(row[0])

    def require_unsealed(self) -> None:
        """Raise InputError if the cup was moved elsewhere."""
        with Database.translate_errors(self):
            successor = self.successor()
        if successor is not None:
            raise moved_error(self.location, successor)

    def close(self) -> None:
        self._connection.close()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Do everything within, or nothing; nobody else writes meanwhile."""
        with Database.translate_errors(self):  # only errors of SQLite: the caller's own pass
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Raise errors of SQLite as `BotequimError` with a message for people."""
        try:
            yield
        except UNREADABLE as error:
            raise database_error(self.path, error) from error

    def version(self, migrations: Sequence[str]) -> int:
        """Return the version of the file; raise InputError if a newer Botequim wrote it."""
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        if version > len(migrations):
            raise InputError(
                msg(
                    "{path} was written by a newer Botequim (version {version} of its schema; this one knows "
                    "{known})",
                    path=str(self.path),
                    version=version,
                    known=len(migrations),
                )
            )
        return int(version)

    def migrate(self, migrations: Sequence[str]) -> None:
        """Bring the tables up to date, and lose nothing when the power fails."""
        self.version(migrations)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        while (version := self.version(migrations)) < len(migrations):
            with self.transaction():
                if self.version(migrations) != version:
                    continue  # another program was faster
                for statement in _statements(migrations[version]):
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA user_version = {version + 1}")


def _statements(script: str) -> Iterator[str]:
    """Return the statements of a script; `executescript` would commit the transaction."""
    statement = ""
    for part in script.split(";"):
        statement += part + ";"
        if sqlite3.complete_statement(statement):
            if statement.strip(" \n;"):
                yield statement
            statement = ""


def is_busy(error: Exception) -> bool:
    """Return whether another program has locked the file."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def database_error(path: Path, error: Exception) -> BotequimError:
    """Return the error to raise for an error of SQLite: what is wrong, and what to do."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    values = {"path": str(path)}
    if is_busy(error):
        message = msg(
            "{path} is locked by another program. Finished series are stored; run the command again later",
            **values,
        )
        return StoreBusy(message)
    if code == sqlite3.SQLITE_FULL:
        message = msg(
            "{path}: the disk is full. Finished series are stored; free some space and run the command again",
            **values,
        )
    elif code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        message = msg("{path} cannot be written: check the permissions of its folder", **values)
    elif code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or not isinstance(error, sqlite3.Error):
        message = msg("{path} is not a file of a cup, or it is damaged: {why}", **values, why=str(error))
    else:
        message = msg("{path} cannot be used: {why}", **values, why=str(error))
    return BotequimError(message)


class FollowedFile:
    """A connection for readers to a file that may be replaced, damaged or removed at any time."""

    def __init__(self, path: Path, wait: float = 0.0) -> None:
        self._path: Final = path
        self._wait: Final = wait
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._seen: object = object()

    def connection(self) -> sqlite3.Connection | None:
        """Return the connection to the file that is there now; None if there is none."""
        there = file_identity(self._path)
        if there is None or there != self._file:
            self.close()
        if there is not None and self._connection is None:
            self._connection = connect(self._path, self._wait)
            self._file = there
        return self._connection

    def has_changed(self) -> bool:
        """Return whether the file was written, replaced, created or removed since the last call."""
        now = self._version()
        before, self._seen = self._seen, now
        return bool(now != before)

    def forget(self) -> None:
        """Let the next `has_changed` return True."""
        self._seen = object()

    def _version(self) -> object:
        try:
            connection = self.connection()
            if connection is None:
                return None
            return self._file, connection.execute("PRAGMA data_version").fetchone()
        except UNREADABLE as error:
            identity, written = self._file, _modification_time(self._path)
            self.close()
            return identity, str(error), written

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._file = None

    def __enter__(self) -> FollowedFile:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _modification_time(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None
