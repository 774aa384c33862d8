"""`live.sqlite`: the games that are being played. Nothing in it is worth keeping."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from botequim.core import clock
from botequim.storage.protocol import WAIT_SECONDS
from botequim.storage.sqlite.database import (
    UNREADABLE,
    Database,
    FollowedFile,
    connect,
    database_error,
    is_busy,
)
from botequim.storage.values import LiveGame, LiveRun, LiveSeries, LiveStage, LiveTurn

VERSION: Final = 1
"""A file with another version is replaced."""

TABLES: Final = (
    # the one run that is published; `seen` is when the coordinator last wrote
    """CREATE TABLE run (
        one INTEGER PRIMARY KEY CHECK (one = 1), began REAL NOT NULL, seen REAL NOT NULL, ended REAL)""",
    # no id is ever used twice
    """CREATE TABLE games (
        id INTEGER PRIMARY KEY AUTOINCREMENT, stage TEXT NOT NULL, key TEXT NOT NULL, number INTEGER NOT NULL,
        header TEXT NOT NULL, began REAL NOT NULL, ended REAL)""",
    """CREATE TABLE turns (
        game INTEGER NOT NULL, number INTEGER NOT NULL, line TEXT NOT NULL, made REAL NOT NULL,
        PRIMARY KEY (game, number)) WITHOUT ROWID""",
    """CREATE TABLE next (
        place INTEGER PRIMARY KEY, stage TEXT NOT NULL, key TEXT NOT NULL, entrants TEXT NOT NULL,
        label TEXT NOT NULL, games INTEGER NOT NULL)""",
    """CREATE TABLE stages (
        name TEXT PRIMARY KEY, finished INTEGER NOT NULL, known INTEGER NOT NULL)""",
)


class SqliteLiveStore(FollowedFile):
    """See `botequim.storage.protocol.LiveStore`. A damaged file is read as an empty one."""

    def __init__(self, path: Path, wait: float = WAIT_SECONDS) -> None:
        super().__init__(path, wait)

    def __enter__(self) -> SqliteLiveStore:
        return self

    def run(self) -> LiveRun | None:
        return next((LiveRun(*row) for row in self._rows("SELECT began, seen, ended FROM run")), None)

    def games(self) -> list[LiveGame]:
        rows = self._rows(
            "SELECT id, stage, key, number, header, began, ended,"
            " (SELECT COALESCE(MAX(number), 0) FROM turns WHERE game = id) FROM games ORDER BY id"
        )
        return [LiveGame(*row) for row in rows]

    def turns(self, game: int, after: int = 0) -> list[LiveTurn]:
        query = "SELECT number, line, made FROM turns WHERE game = ? AND number > ? ORDER BY number"
        return [LiveTurn(*row) for row in self._rows(query, game, after)]

    def next_series(self) -> list[LiveSeries]:
        rows = self._rows("SELECT stage, key, entrants, label, games FROM next ORDER BY place")
        return [
            LiveSeries(stage, key, tuple(json.loads(entrants)), label, games)
            for stage, key, entrants, label, games in rows
        ]

    def stages(self) -> list[LiveStage]:
        rows = self._rows("SELECT name, finished, known FROM stages ORDER BY rowid")
        return [LiveStage(*row) for row in rows]

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return no rows if there is no file that can be read; raise `StoreBusy` if it is locked."""
        try:
            connection = self.connection()
            if connection is None:
                return []
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            return connection.execute(query, values).fetchall() if version == VERSION else []
        except UNREADABLE as error:
            self.close()
            if is_busy(error):
                raise database_error(self._path, error) from error
            return []


class SqliteLiveWriter(Database):
    """See `botequim.storage.protocol.LiveWriter`."""

    @classmethod
    def open(cls, path: Path) -> SqliteLiveWriter:
        """Begin a new run. A file that is damaged, or not ours, is deleted: it has nothing to lose."""
        try:
            return cls._begin(path)
        except sqlite3.DatabaseError:
            for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
                path.with_name(name).unlink(missing_ok=True)
        try:
            return cls._begin(path)
        except sqlite3.Error as error:
            raise database_error(path, error) from error

    @classmethod
    def _begin(cls, path: Path) -> SqliteLiveWriter:
        opened = cls(path, connect(path))
        try:
            opened._begin_run()
        except BaseException:
            opened.close()
            raise
        return opened

    def _begin_run(self) -> None:
        execute = self._connection.execute
        execute("PRAGMA journal_mode = WAL")
        execute("PRAGMA synchronous = OFF")
        execute("BEGIN IMMEDIATE")
        (version,) = execute("PRAGMA user_version").fetchone()
        query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        names = [name for (name,) in execute(query)]
        if version == VERSION:
            for name in names:
                execute(f'DELETE FROM "{name}"')
        else:
            for name in names:
                execute(f'DROP TABLE "{name}"')
            for table in TABLES:
                execute(table)
            execute(f"PRAGMA user_version = {VERSION}")
        now = clock.now()
        execute("INSERT INTO run VALUES (1, ?, ?, NULL)", (now, now))
        execute("COMMIT")

    def begin_game(self, stage: str, key: str, number: int, header: str, began: float) -> int:
        row = self._connection.execute(
            "INSERT INTO games (stage, key, number, header, began) VALUES (?, ?, ?, ?, ?)",
            (stage, key, number, header, began),
        )
        return int(row.lastrowid or 0)

    def add_turns(self, game: int, turns: Iterable[LiveTurn]) -> None:
        rows = [(game, turn.number, turn.line, turn.made) for turn in turns]
        self._connection.executemany("INSERT INTO turns VALUES (?, ?, ?, ?)", rows)

    def end_game(self, game: int, ended: float) -> None:
        self._connection.execute("UPDATE games SET ended = ? WHERE id = ?", (ended, game))

    def delete_games(self, games: Iterable[int]) -> None:
        ids = [(game,) for game in games]
        self._connection.executemany("DELETE FROM turns WHERE game = ?", ids)
        self._connection.executemany("DELETE FROM games WHERE id = ?", ids)

    def unfinished_games(self, *, before: float) -> list[int]:
        return self._ids("SELECT id FROM games WHERE ended IS NULL AND began <= ?", before)

    def games_of_series(self, stage: str, key: str, *, before: float) -> list[int]:
        return self._ids(
            "SELECT id FROM games WHERE stage = ? AND key = ? AND began <= ?", stage, key, before
        )

    def delete_ended(self, *, before: float) -> None:
        self.delete_games(self._ids("SELECT id FROM games WHERE ended < ?", before))

    def _ids(self, query: str, *values: object) -> list[int]:
        return [game for (game,) in self._connection.execute(query, values)]

    def put_plan(self, stage: LiveStage, coming: Sequence[LiveSeries]) -> None:
        execute = self._connection.execute
        execute("INSERT OR IGNORE INTO stages VALUES (?, 0, 0)", (stage.name,))
        numbers = (stage.finished, stage.known, stage.name)
        execute("UPDATE stages SET finished = ?, known = ? WHERE name = ?", numbers)
        execute("DELETE FROM next")
        rows = [
            (place, one.stage, one.key, json.dumps(one.entrants), one.label, one.games)
            for place, one in enumerate(coming)
        ]
        self._connection.executemany("INSERT INTO next VALUES (?, ?, ?, ?, ?, ?)", rows)

    def mark_alive(self, now: float, *, ended: bool = False) -> None:
        if ended:
            self._connection.execute("DELETE FROM next")
        values = (now, now if ended else None)
        self._connection.execute("UPDATE run SET seen = ?, ended = ?", values)
