"""The results of a cup in `cup.sqlite`.

Each finished series is written with its games, records, faults and checksum in one transaction: it is there
as a whole or not at all, and a key is there only once. The coordinator of a cup writes; anybody may read
meanwhile.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from botequim.core.errors import InputError, os_reason
from botequim.core.messages import Message, msg
from botequim.core.results import SeriesResult
from botequim.storage.checksums import SeriesRows
from botequim.storage.errors import CoordinatorRunning, Damage, DamagedStore
from botequim.storage.files import file_identity
from botequim.storage.sqlite.database import Database, connect
from botequim.storage.sqlite.integrity import (
    FACTS,
    damage_error,
    facts_checksum,
    find_damage,
    load_series,
    series_checksums,
)
from botequim.storage.values import (
    FinishedSeries,
    StoredFault,
    StoredSeries,
    fault_without_log,
    results_by_stage,
)

MIGRATIONS: Final[tuple[str, ...]] = (
    """
    CREATE TABLE cup (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE entrants (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE series (
        stage TEXT NOT NULL, key TEXT NOT NULL, result TEXT NOT NULL,
        seconds REAL NOT NULL, number INTEGER NOT NULL UNIQUE,
        PRIMARY KEY (stage, key)
    ) WITHOUT ROWID;
    CREATE TABLE games (
        stage TEXT NOT NULL, key TEXT NOT NULL, number INTEGER NOT NULL,
        digest TEXT NOT NULL, record BLOB NOT NULL,
        PRIMARY KEY (stage, key, number),
        FOREIGN KEY (stage, key) REFERENCES series
    ) WITHOUT ROWID;
    CREATE TABLE faults (
        stage TEXT NOT NULL, key TEXT NOT NULL, game INTEGER NOT NULL, turn INTEGER NOT NULL,
        seat INTEGER NOT NULL, entrant TEXT NOT NULL, kind TEXT NOT NULL, fault TEXT NOT NULL,
        FOREIGN KEY (stage, key) REFERENCES series
    );
    CREATE INDEX faults_of_entrant ON faults (entrant);
    """,
    # of all rows of each series; with an empty stage, of the tables `cup` and `entrants`
    """
    CREATE TABLE checksums (
        stage TEXT NOT NULL, key TEXT NOT NULL, sha256 TEXT NOT NULL, PRIMARY KEY (stage, key)
    ) WITHOUT ROWID;
    CREATE INDEX faults_of_series ON faults (stage, key);
    """,
    # where the cup was moved; a store with a successor is sealed
    """
    CREATE TABLE IF NOT EXISTS successor (
        one INTEGER PRIMARY KEY CHECK (one = 1), location TEXT NOT NULL
    );
    """,
)
"""The schema of `cup.sqlite`; see `botequim.storage.sqlite.database`."""
OLDEST_READABLE: Final = 1
"""The oldest version of a file that readers can use as it is."""


class SqliteCupStore(Database):
    """See `botequim.storage.protocol.CupStore`."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: int | None) -> None:
        super().__init__(path, connection)
        self._lock = lock
        self._file: Final = file_identity(path)

    @classmethod
    def open(cls, path: Path, *, write: bool = False, check: bool = False) -> SqliteCupStore:
        """Open the file. With `write`, lock it for this process, and create it if it does not exist.

        With `check`, compare everything with its checksums first: about two seconds for 100,000 games.
        """
        lock = None
        try:
            if write:
                path.parent.mkdir(parents=True, exist_ok=True)
                lock = lock_store(path)
            else:
                _require_file(path)
            connection = connect(path)
            store = cls(path, connection, lock)
            try:
                with store.translate_errors():
                    if check:
                        store._require_sound()
                    store.require_unsealed()
                    store._prepare(write=write)
            except BaseException:
                connection.close()
                raise
        except OSError as error:
            raise InputError(
                msg("the store {path} cannot be used: {why}", path=str(path), why=os_reason(error))
            ) from error
        except BaseException:
            if lock is not None:
                os.close(lock)
            raise
        return store

    def _prepare(self, *, write: bool) -> None:
        if write:
            self.migrate(MIGRATIONS)
            self._connection.execute("PRAGMA foreign_keys = ON")
            self._add_missing_checksums()
        elif self.version(MIGRATIONS) < OLDEST_READABLE:
            raise InputError(
                msg("{path} has an old schema; `botequim cup run` updates it", path=str(self.path))
            )

    def _require_sound(self) -> None:
        if self.version(MIGRATIONS) > 0:
            damage = find_damage(self._connection)
            if damage:
                raise damage_error(self.path, damage)

    def _add_missing_checksums(self) -> None:
        """Add checksums to what an earlier version stored."""
        query = "SELECT EXISTS (SELECT stage, key FROM series EXCEPT SELECT stage, key FROM checksums)"
        (missing,) = self._connection.execute(query).fetchone()
        if not missing:
            return
        with self.transaction():
            rows = [(*key, digest) for key, digest in series_checksums(self._connection).items()]
            self._connection.executemany("INSERT OR IGNORE INTO checksums VALUES (?, ?, ?)", rows)
            self._update_facts_checksums()

    def _update_facts_checksums(self) -> None:
        rows = [("", table, facts_checksum(self._connection, table)) for table in FACTS]
        self._connection.executemany("INSERT OR REPLACE INTO checksums VALUES (?, ?, ?)", rows)

    @contextmanager
    def _parsing(self) -> Iterator[None]:
        """Report values that Botequim never stores as damage."""
        try:
            with self.translate_errors():
                yield
        except (ValueError, LookupError, TypeError, AttributeError, zlib.error) as error:
            why = f"{type(error).__name__}: {error}"[:200]
            raise damage_error(self.path, Damage(file=why)) from error

    def close(self) -> None:
        super().close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def is_current(self) -> bool:
        return file_identity(self.path) == self._file

    def wait_through_outages(self, report: Callable[[Message], None]) -> None:
        """Do nothing: a file has no server that could be away."""

    def damage_error(self, *facts: str) -> DamagedStore:
        return damage_error(self.path, Damage(facts=facts))

    # --- the cup and its entrants --------------------------------------------------------------------

    def fact(self, name: str) -> str | None:
        with self.translate_errors():
            row = self._connection.execute("SELECT value FROM cup WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def put_facts(self, facts: Mapping[str, str]) -> None:
        with self.transaction():
            self._connection.executemany("INSERT OR REPLACE INTO cup VALUES (?, ?)", list(facts.items()))
            self._update_facts_checksums()

    def entrants(self) -> dict[str, dict[str, Any]]:
        with self._parsing():
            rows = self._connection.execute("SELECT name, value FROM entrants").fetchall()
            return {name: json.loads(value) for name, value in rows}

    def pin_entrant(self, name: str, value: Mapping[str, Any]) -> None:
        with self.transaction():
            row = (name, json.dumps(value))
            self._connection.execute("INSERT OR REPLACE INTO entrants VALUES (?, ?)", row)
            self._update_facts_checksums()

    def unpin_entrants(self) -> None:
        with self.transaction():
            self._connection.execute("DELETE FROM entrants")
            self._update_facts_checksums()

    # --- series --------------------------------------------------------------------------------------

    def add_series(self, finished: FinishedSeries) -> bool:
        stage, key = finished.stage, finished.result.key
        result = json.dumps(finished.result.as_json(), separators=(",", ":"), ensure_ascii=False)
        games = [(stage, key, at, game.digest, game.record) for at, game in enumerate(finished.games)]
        faults = [
            (stage, key, fault.game, fault.turn, fault.seat, fault.entrant, fault.kind, fault.fault)
            for fault in finished.faults
        ]
        with self.transaction():
            query = "SELECT 1 FROM series WHERE stage = ? AND key = ?"
            if self._connection.execute(query, (stage, key)).fetchone():
                return False
            (number,) = self._connection.execute("SELECT COALESCE(MAX(number), 0) + 1 FROM series").fetchone()
            series = (stage, key, result, float(finished.seconds), number)
            self._add_rows(SeriesRows(series, games, faults))
            return True

    def _add_rows(self, rows: SeriesRows) -> None:
        stage, key = rows.series[:2]
        insert = self._connection.executemany
        insert("INSERT INTO series VALUES (?, ?, ?, ?, ?)", [rows.series])
        insert("INSERT INTO games VALUES (?, ?, ?, ?, ?)", rows.games)
        insert("INSERT INTO faults VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows.faults)
        insert("INSERT INTO checksums VALUES (?, ?, ?)", [(stage, key, rows.checksum())])

    def fill(self, facts: Mapping[str, list[tuple[Any, ...]]], series: Iterator[SeriesRows]) -> None:
        """Copy the rows of another store into this one, which is empty."""
        with self.transaction():
            for table, rows in facts.items():
                self._connection.executemany(f"INSERT INTO {table} VALUES (?, ?)", rows)
            for one in series:
                self._add_rows(one)
            self._update_facts_checksums()

    def series(self, after: int = 0) -> list[StoredSeries]:
        with self._parsing():
            rows = self._connection.execute(
                "SELECT number, stage, result, seconds FROM series WHERE number > ? ORDER BY number", (after,)
            ).fetchall()
            return [
                StoredSeries(number, stage, SeriesResult.from_json(json.loads(result)), seconds)
                for number, stage, result, seconds in rows
            ]

    def results(self) -> dict[str, dict[str, SeriesResult]]:
        return results_by_stage(self.series())

    def count_games(self) -> int:
        with self.translate_errors():
            (count,) = self._connection.execute("SELECT COUNT(*) FROM games").fetchone()
        return int(count)

    # --- records and faults --------------------------------------------------------------------------

    def record(self, stage: str, key: str, number: int) -> list[str] | None:
        with self._parsing():
            row = self._connection.execute(
                "SELECT record FROM games WHERE stage = ? AND key = ? AND number = ?", (stage, key, number)
            ).fetchone()
            return None if row is None else _record_lines(row[0])

    def records(self) -> Iterator[tuple[str, str, int, list[str]]]:
        query = "SELECT stage, key, number, record FROM games ORDER BY stage, key, number"
        with self.translate_errors():
            rows = self._connection.execute(query)
        while True:
            with self._parsing():
                row = rows.fetchone()
                lines = [] if row is None else _record_lines(row[3])
            if row is None:
                return
            yield row[0], row[1], row[2], lines

    def faults(self, entrant: str | None = None) -> list[StoredFault]:
        where, values = ("", ()) if entrant is None else (" WHERE entrant = ?", (entrant,))
        with self.translate_errors():
            rows = self._connection.execute(f"SELECT {_FAULT} FROM faults{where} ORDER BY rowid", values)
            return [StoredFault(*row) for row in rows]

    def faults_after(self, last: int) -> tuple[int, list[StoredFault]]:
        query = f"SELECT rowid, {_FAULT} FROM faults WHERE rowid > ? ORDER BY rowid"
        with self.translate_errors():
            rows = self._connection.execute(query, (last,)).fetchall()
        return (rows[-1][0] if rows else last), [StoredFault(*row) for _, *row in rows]

    def remove_logs(self, entrant: str) -> int:
        execute = self._connection.execute
        with self.translate_errors():
            execute("PRAGMA secure_delete = ON")  # no trace of them in unused parts of the file
        with self._parsing(), self.transaction():
            query = "SELECT rowid, stage, key, fault FROM faults WHERE entrant = ?"
            rows = execute(query, (entrant,)).fetchall()
            changed = [
                (fault_without_log(row[3]), *row) for row in rows if fault_without_log(row[3]) != row[3]
            ]
            for fault, number, *_ in changed:
                execute("UPDATE faults SET fault = ? WHERE rowid = ?", (fault, number))
            for stage, key in {(stage, key) for _, _, stage, key, _ in changed}:
                checksum = load_series(self._connection, (stage, key)).checksum()
                execute("INSERT OR REPLACE INTO checksums VALUES (?, ?, ?)", (stage, key, checksum))
        with self.translate_errors():
            execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return len(changed)

    def fault(self, stage: str, key: str, game: int, turn: int, seat: int) -> StoredFault | None:
        where = "stage = ? AND key = ? AND game = ? AND turn = ? AND seat = ?"
        with self.translate_errors():
            row = self._connection.execute(
                f"SELECT {_FAULT} FROM faults WHERE {where}", (stage, key, game, turn, seat)
            ).fetchone()
        return None if row is None else StoredFault(*row)


_FAULT: Final = "stage, key, game, turn, seat, entrant, kind, fault"


def _record_lines(record: bytes) -> list[str]:
    return zlib.decompress(record).decode("utf-8").split("\n")


def _require_file(path: Path) -> None:
    if not path.is_file():
        raise InputError(
            msg("{path}: no games have been played yet; start with: botequim cup run FILE", path=str(path))
        )


def lock_store(path: Path) -> int:
    """Lock a store until this process ends or closes the descriptor."""
    descriptor = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise CoordinatorRunning(
            msg("{path}: another `botequim cup run` is playing this cup; stop it first", path=str(path))
        ) from None
    return descriptor
