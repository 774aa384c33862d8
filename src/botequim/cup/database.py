"""A SQLite file beside a cup: its form has a version, and what can go wrong with it is said in words.

A file's tables are told by *migrations*: what each version adds to the one before. The version of a file is
how many of these it has seen, so a migration that was published is never changed; another is put after it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Final, TypeVar

from botequim.core.errors import BotequimError, InputError
from botequim.core.messages import Message, msg

UNREADABLE: Final = (sqlite3.Error, UnicodeDecodeError, OverflowError)
"""What is raised where a file is damaged. A message of SQLite that quotes damaged names may be no UTF-8."""
BUSY_SECONDS: Final = 10.0
"""How long one waits for another who writes."""

Self = TypeVar("Self", bound="Database")


class Database:
    """An open file. It belongs to the thread that opened it."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        """The connection is in autocommit (`isolation_level=None`)."""
        self.path: Final = path
        self._connection: Final = connection
        self._seen: int | None = None

    def close(self) -> None:
        self._connection.close()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def changed(self) -> bool:
        """Whether somebody else wrote since this was asked last; the first time, yes. It costs next to
        nothing."""
        with self.told():
            (now,) = self._connection.execute("PRAGMA data_version").fetchone()
        before, self._seen = self._seen, now
        return bool(now != before)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All of what is done within, or nothing; no one else writes meanwhile."""
        with self.told():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """To ask what is there."""
        with self.told():
            yield self._connection

    @contextmanager
    def told(self) -> Iterator[None]:
        """What can go wrong with a file, in words. What was written before stays."""
        try:
            yield
        except UNREADABLE as error:
            raise BotequimError(in_words(self.path, error)) from error

    def version(self, migrations: Sequence[str]) -> int:
        """Of the file; one from the future is refused."""
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        if version > len(migrations):
            raise InputError(
                msg(
                    "{path} was written by a newer Botequim (its form is {version}, known is {known})",
                    path=str(self.path),
                    version=version,
                    known=len(migrations),
                )
            )
        return int(version)

    def bring_up_to_date(self, migrations: Sequence[str]) -> None:
        """For those who write: the tables as they are now, and nothing lost when the power goes."""
        self.version(migrations)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        while (version := self.version(migrations)) < len(migrations):
            with self.transaction() as change:
                if self.version(migrations) != version:
                    continue  # another was faster
                for statement in _statements(migrations[version]):
                    change.execute(statement)
                change.execute(f"PRAGMA user_version = {version + 1}")


def _statements(script: str) -> Iterator[str]:
    """One by one: `executescript` would commit what was begun."""
    statement = ""
    for part in script.split(";"):
        statement += part + ";"
        if sqlite3.complete_statement(statement):
            if statement.strip(" \n;"):
                yield statement
            statement = ""


def in_words(path: Path, error: Exception) -> Message:
    """What is wrong, and what to do."""
    if not isinstance(error, sqlite3.Error):
        return msg("{path} is not a cup's store, or is damaged: {why}", path=str(path), why=str(error))
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return msg(
            "{path} is locked by another program; what was played stays, run again later", path=str(path)
        )
    if code == sqlite3.SQLITE_FULL:
        return msg("{path}: the disk is full; what was played stays, make room and run again", path=str(path))
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return msg("{path} cannot be written: look at its folder's permissions", path=str(path))
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return msg("{path} is not a cup's store, or is damaged: {why}", path=str(path), why=str(error))
    return msg("{path} cannot be used: {why}", path=str(path), why=str(error))
