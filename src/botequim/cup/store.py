"""A cup's memory: one SQLite file that is never wrong, whenever the power goes.

One row for each finished series, written together with its games, records and faults in one transaction: a
series is there as a whole or not at all, and a key can be there only once. The coordinator of a cup writes,
anybody may read meanwhile. The schema has a version; an older file is brought up to date when it is opened.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from botequim.core.errors import BotequimError, InputError, os_reason
from botequim.core.messages import msg
from botequim.core.record import Record
from botequim.cup.database import BUSY_SECONDS, Database
from botequim.cup.integrity import (
    FACTS,
    Damage,
    DamagedStore,
    SeriesRows,
    facts_checksum,
    find_damage,
    series_checksums,
)
from botequim.cup.pairing import Result

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
    # of all rows of each series; under no stage, of the tables `cup` and `entrants`
    """
    CREATE TABLE checksums (
        stage TEXT NOT NULL, key TEXT NOT NULL, sha256 TEXT NOT NULL, PRIMARY KEY (stage, key)
    ) WITHOUT ROWID;
    CREATE INDEX faults_of_series ON faults (stage, key);
    """,
)
"""What each version adds to the one before; the version of a file is how many of these it has seen."""
OLDEST_READABLE: Final = 1
"""The version of a file that can be read without being brought up to date."""


@dataclass(frozen=True, slots=True)
class FaultNote:
    """A fault, and where its evidence is."""

    game: int
    turn: int
    seat: int
    entrant: str
    kind: str
    fault: str
    """JSON: as the record has it, and with its log."""


@dataclass(frozen=True, slots=True)
class GameNote:
    """A game's record, compressed where it was played."""

    digest: str
    """The last of the record's chain: it names the whole game."""
    record: bytes

    @classmethod
    def of_record(cls, record: Record) -> GameNote:
        """Without logs: records are published, and what is in `FaultNote` is not."""
        return cls.of(list(record.public().lines()))

    @classmethod
    def of(cls, lines: Sequence[str]) -> GameNote:
        digest = json.loads(lines[-1])["digest"]
        return cls(digest, zlib.compress("\n".join(lines).encode("utf-8"), 6))


@dataclass(frozen=True, slots=True)
class Finished:
    """A series as it comes back from a worker."""

    stage: str
    result: Result
    games: tuple[GameNote, ...]
    faults: tuple[FaultNote, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Stored:
    """A finished series as it stands in the store."""

    number: int
    """From 1, in the order in which they were finished; it stays."""
    stage: str
    result: Result
    seconds: float = 0.0


class Store(Database):
    """`with Store.open(path) as store`."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: int | None) -> None:
        super().__init__(path, connection)
        self._lock = lock

    @classmethod
    def open(cls, path: Path, *, write: bool = False, check: bool = False) -> Store:
        """To read; with `write` to be the only one who writes, and to make it if it is not there.

        With `check` all of it is compared with its checksums first, and a store that is damaged is a
        DamagedStore: some two seconds for 100,000 games.
        """
        lock = None
        try:
            if write:
                path.parent.mkdir(parents=True, exist_ok=True)
                lock = lock_store(path)
            else:
                _require(path)
            connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
            store = cls(path, connection, lock)
            try:
                with store.told():
                    if check:
                        store._require_sound()
                    store._bring_up_to_date(write=write)
            except BaseException:
                connection.close()
                raise
        except OSError as error:
            raise InputError(
                msg("the cup's store {path} cannot be used: {why}", path=str(path), why=os_reason(error))
            ) from error
        except BaseException:
            if lock is not None:
                os.close(lock)
            raise
        return store

    def _bring_up_to_date(self, *, write: bool) -> None:
        if write:
            self.bring_up_to_date(MIGRATIONS)
            self._connection.execute("PRAGMA foreign_keys = ON")
            self._protect()
        elif self.version(MIGRATIONS) < OLDEST_READABLE:
            raise InputError(
                msg(
                    "{path} is of an older form; `botequim cup run` brings it up to date",
                    path=str(self.path),
                )
            )

    def _require_sound(self) -> None:
        if self.version(MIGRATIONS) > 0:
            damage = find_damage(self._connection)
            if damage:
                raise DamagedStore(self.path, damage)

    def _protect(self) -> None:
        """Give checksums to what an earlier version stored."""
        asked = "SELECT EXISTS (SELECT stage, key FROM series EXCEPT SELECT stage, key FROM checksums)"
        (missing,) = self._connection.execute(asked).fetchone()
        if not missing:
            return
        with self.transaction() as change:
            rows = [(*key, digest) for key, digest in series_checksums(change).items()]
            change.executemany("INSERT OR IGNORE INTO checksums VALUES (?, ?, ?)", rows)
            self.protect_facts(change)

    def protect_facts(self, change: sqlite3.Connection) -> None:
        """Give the facts about the cup fresh checksums, within a transaction that changes them."""
        rows = [("", table, facts_checksum(change, table)) for table in FACTS]
        change.executemany("INSERT OR REPLACE INTO checksums VALUES (?, ?, ?)", rows)

    @contextmanager
    def _parsing(self) -> Iterator[None]:
        """What is stored is not what we store: that is damage, not a mistake of ours."""
        try:
            with self.told():
                yield
        except (ValueError, LookupError, TypeError, AttributeError, zlib.error) as error:
            why = f"{type(error).__name__}: {error}"[:200]
            raise DamagedStore(self.path, Damage(file=why)) from error

    def close(self) -> None:
        super().close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    # --- what a cup is -----------------------------------------------------------------------------

    def get(self, name: str) -> str | None:
        """A fact about the cup: its file as it was, its seed, ..."""
        with self.told():
            row = self._connection.execute("SELECT value FROM cup WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def put(self, facts: Mapping[str, str]) -> None:
        with self.transaction() as change:
            change.executemany("INSERT OR REPLACE INTO cup VALUES (?, ?)", list(facts.items()))
            self.protect_facts(change)

    def entrants(self) -> dict[str, dict[str, Any]]:
        """What was pinned of each entrant."""
        with self._parsing():
            rows = self._connection.execute("SELECT name, value FROM entrants").fetchall()
            return {name: json.loads(value) for name, value in rows}

    def pin(self, name: str, value: Mapping[str, Any]) -> None:
        with self.transaction() as change:
            change.execute("INSERT OR REPLACE INTO entrants VALUES (?, ?)", (name, json.dumps(value)))
            self.protect_facts(change)

    def unpin(self) -> None:
        """All of them."""
        with self.transaction() as change:
            change.execute("DELETE FROM entrants")
            self.protect_facts(change)

    # --- what was played ---------------------------------------------------------------------------

    def add(self, finished: Finished) -> None:
        """A series: all of it, or nothing. One that is there already is refused."""
        stage, key = finished.stage, finished.result.key
        result = json.dumps(finished.result.as_json(), separators=(",", ":"), ensure_ascii=False)
        games = [(stage, key, at, game.digest, game.record) for at, game in enumerate(finished.games)]
        faults = [
            (stage, key, note.game, note.turn, note.seat, note.entrant, note.kind, note.fault)
            for note in finished.faults
        ]
        with self.transaction() as change:
            (number,) = change.execute("SELECT COALESCE(MAX(number), 0) + 1 FROM series").fetchone()
            series = (stage, key, result, float(finished.seconds), number)
            self.add_rows(change, SeriesRows(series, games, faults))

    def add_rows(self, change: sqlite3.Connection, rows: SeriesRows) -> None:
        """Store the rows of a series with their checksum, within a transaction."""
        stage, key = rows.series[:2]
        change.execute("INSERT INTO series VALUES (?, ?, ?, ?, ?)", rows.series)
        change.executemany("INSERT INTO games VALUES (?, ?, ?, ?, ?)", rows.games)
        change.executemany("INSERT INTO faults VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows.faults)
        change.execute("INSERT INTO checksums VALUES (?, ?, ?)", (stage, key, rows.checksum()))

    def results(self) -> dict[str, dict[str, Result]]:
        """Every finished series, by stage and key, in the order in which they were finished."""
        found: dict[str, dict[str, Result]] = {}
        with self._parsing():
            for stage, key, result in self._connection.execute(
                "SELECT stage, key, result FROM series ORDER BY number"
            ):
                found.setdefault(stage, {})[key] = Result.from_json(json.loads(result))
        return found

    def played(self, after: int = 0) -> list[Stored]:
        """The same in one row: what `botequim.cup.curtain` is made of. Only those after number `after`."""
        with self._parsing():
            rows = self._connection.execute(
                "SELECT number, stage, result, seconds FROM series WHERE number > ? ORDER BY number", (after,)
            ).fetchall()
            return [
                Stored(number, stage, Result.from_json(json.loads(result)), seconds)
                for number, stage, result, seconds in rows
            ]

    def games_played(self) -> int:
        """Of all finished series; it costs less than to read them."""
        with self.told():
            (count,) = self._connection.execute("SELECT COUNT(*) FROM games").fetchone()
        return int(count)

    def record_of(self, series: int, number: int) -> list[str] | None:
        """The lines of one game's record, by the number of its series and its own, from 0."""
        with self._parsing():
            row = self._connection.execute(
                "SELECT record FROM games JOIN series USING (stage, key)"
                " WHERE series.number = ? AND games.number = ?",
                (series, number),
            ).fetchone()
            return None if row is None else _record_lines(row[0])

    def seconds(self, stage: str) -> tuple[int, float]:
        """How many series of a stage are finished, and how long they took together."""
        with self.told():
            row = self._connection.execute(
                "SELECT COUNT(*), COALESCE(SUM(seconds), 0) FROM series WHERE stage = ?", (stage,)
            ).fetchone()
        return int(row[0]), float(row[1])

    def record(self, stage: str, key: str, number: int) -> list[str] | None:
        """The lines of one game's record."""
        with self._parsing():
            row = self._connection.execute(
                "SELECT record FROM games WHERE stage = ? AND key = ? AND number = ?", (stage, key, number)
            ).fetchone()
            return None if row is None else _record_lines(row[0])

    def records(self, stage: str | None = None) -> Iterator[tuple[str, str, int, list[str]]]:
        """Every game: stage, key, number, lines."""
        asked = (
            "SELECT stage, key, number, record FROM games WHERE ? IS NULL OR stage = ?"
            " ORDER BY stage, key, number"
        )
        with self.told():
            rows = self._connection.execute(asked, (stage, stage))
        while True:
            with self._parsing():
                row = rows.fetchone()
                lines = [] if row is None else _record_lines(row[3])
            if row is None:
                return
            yield row[0], row[1], row[2], lines

    def faults(self, entrant: str | None = None) -> list[tuple[str, str, FaultNote]]:
        """Stage, key and note of each, of one entrant or of all."""
        with self.told():
            rows = self._connection.execute(
                "SELECT stage, key, game, turn, seat, entrant, kind, fault FROM faults"
                " WHERE ? IS NULL OR entrant = ? ORDER BY rowid",
                (entrant, entrant),
            ).fetchall()
        return [(stage, key, FaultNote(*rest)) for stage, key, *rest in rows]

    def fault_at(self, stage: str, key: str, game: int, turn: int, seat: int) -> str | None:
        """One of them as JSON, with its evidence and its log."""
        with self.told():
            row = self._connection.execute(
                "SELECT fault FROM faults WHERE stage = ? AND key = ? AND game = ? AND turn = ? AND seat = ?",
                (stage, key, game, turn, seat),
            ).fetchone()
        return None if row is None else str(row[0])

    def faults_after(self, last: int) -> tuple[int, list[tuple[str, str, FaultNote]]]:
        """Those of all that were stored after fault number `last`; and the number of the last one now."""
        with self.told():
            rows = self._connection.execute(
                "SELECT rowid, stage, key, game, turn, seat, entrant, kind, fault FROM faults"
                " WHERE rowid > ? ORDER BY rowid",
                (last,),
            ).fetchall()
        found = [(stage, key, FaultNote(*rest)) for _, stage, key, *rest in rows]
        return (rows[-1][0] if rows else last), found

    @contextmanager
    def told(self) -> Iterator[None]:
        """What can go wrong with a file, in words. What was written before stays."""
        with super().told():
            try:
                yield
            except sqlite3.IntegrityError as error:
                raise BotequimError(
                    msg("{path}: a series that is there already was to be stored again", path=str(self.path))
                ) from error


def _record_lines(record: bytes) -> list[str]:
    return zlib.decompress(record).decode("utf-8").split("\n")


def _require(path: Path) -> None:
    if not path.is_file():
        raise InputError(
            msg("{path}: nothing has been played yet; begin with: botequim cup run FILE", path=str(path))
        )


def lock_store(path: Path) -> int:
    """A lock that ends with this process, however it ends."""
    descriptor = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise InputError(
            msg("{path}: this cup is being played just now by another `botequim cup run`", path=str(path))
        ) from None
    return descriptor
