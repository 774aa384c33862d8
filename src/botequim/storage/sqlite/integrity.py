"""Checks whether a store still contains what was written into it.

SQLite detects malformed pages. It does not detect changed content in a well-formed page. So each series has a
checksum of all its rows, written in the same transaction, and so have the facts about the cup and its pinned
entrants. Series of a store with an older schema have none until `cup run` opens it: for those, the shape of
the rows and the checksums inside the compressed records are examined.

All functions here take a connection, so that a file that is too damaged for a store can still be examined.
"""

from __future__ import annotations

import re
import shlex
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from botequim.core.messages import msg
from botequim.storage.checksums import NONE, Row, SeriesRows, add_row, row_digest, series_checksum
from botequim.storage.errors import Damage, DamagedStore, SeriesKey, damage_summary
from botequim.storage.sqlite.database import UNREADABLE
from botequim.storage.sqlite.pages import FoundRow

FACTS: Final = ("cup", "entrants")
"""Tables that have one checksum for all rows: it is stored with an empty stage, and the name of the table."""
_SERIES: Final = "stage, key, result, seconds, number"
_GAMES: Final = "stage, key, number, digest, record"
_FAULTS: Final = "stage, key, game, turn, seat, entrant, kind, fault"
_COLUMNS: Final = {
    "series": _SERIES,
    "games": _GAMES,
    "faults": _FAULTS,
    "checksums": "stage, key, sha256",
    "cup": "name, value",
    "entrants": "name, value",
}
_DIGEST: Final = re.compile("[0-9a-f]{64}")
_PINNED: Final = '{"name":'
"""How the value of a pinned entrant begins."""


# --- examining a whole store -------------------------------------------------------------------------


def damage_error(path: Path, damage: Damage) -> DamagedStore:
    """Return the error that says what is damaged, and what to do."""
    message = msg(
        "{path} is damaged ({what}). The following command keeps a copy of it and removes the damaged "
        "series, which are then played again: {command}",
        path=str(path),
        what=damage_summary(damage),
        command=shlex.join(["botequim", "cup", "repair", str(path.parent.with_suffix(".toml"))]),
    )
    return DamagedStore(message, damage)


def find_damage(connection: sqlite3.Connection) -> Damage:
    """Check everything, and name the series that are damaged.

    Other programs may write meanwhile: everything is read in one transaction.
    """
    with _snapshot(connection):
        file = _file_problem(connection)
        if not file:
            with suppress(*UNREADABLE):
                return Damage(tuple(_damaged_series(connection)), tuple(_damaged_facts(connection)))
        found = salvage(connection)
        return Damage(found.damaged, found.damaged_facts, file or "database disk image is malformed")


@contextmanager
def _snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    with suppress(*UNREADABLE):
        connection.execute("BEGIN")
    try:
        yield
    finally:
        with suppress(*UNREADABLE):
            connection.execute("ROLLBACK")


def _file_problem(connection: sqlite3.Connection) -> str:
    try:
        ((found,),) = connection.execute("PRAGMA integrity_check(1)").fetchall()
    except (*UNREADABLE, ValueError) as error:
        return str(error) or type(error).__name__
    return "" if found == "ok" else str(found).splitlines()[-1]


def has_checksums(connection: sqlite3.Connection) -> bool:
    """Return whether the schema of the store has checksums."""
    query = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'checksums'"
    (count,) = connection.execute(query).fetchone()
    return bool(count)


def _checksums(connection: sqlite3.Connection) -> dict[SeriesKey, str]:
    if not has_checksums(connection):
        return {}
    rows = connection.execute("SELECT stage, key, sha256 FROM checksums")
    return {(stage, key): digest for stage, key, digest in rows}


def _damaged_series(connection: sqlite3.Connection) -> Iterator[SeriesKey]:
    known = {key: digest for key, digest in _checksums(connection).items() if key[0]}
    found = series_checksums(connection)
    names = [name for (name,) in connection.execute("SELECT name FROM entrants")]
    for key in sorted({*known, *found}, key=repr):
        if key not in known and found[key]:
            sound = _series_rows(connection, *key).is_plausible(names)
        else:
            sound = bool(found.get(key)) and known.get(key) == found[key]
        if not sound:
            yield key


def series_checksums(connection: sqlite3.Connection) -> dict[SeriesKey, str]:
    """Return the checksum of each series as it is now; "" for games and faults without a series."""
    series = {row[:2]: row for row in connection.execute(f"SELECT {_SERIES} FROM series")}
    games = _digests(connection, f"SELECT {_GAMES} FROM games ORDER BY stage, key, number")
    faults = _digests(connection, f"SELECT {_FAULTS} FROM faults ORDER BY rowid")
    found = dict.fromkeys([*games, *faults], "")
    for key, row in series.items():
        found[key] = series_checksum(row, games.get(key, NONE), faults.get(key, NONE))
    return found


def _digests(connection: sqlite3.Connection, query: str) -> dict[SeriesKey, str]:
    """Return the digest of the rows of each series. Rows are not collected: a cup may have a gigabyte."""
    digests: defaultdict[SeriesKey, Any] = defaultdict(sha256)
    for row in connection.execute(query):
        add_row(digests[row[:2]], row)
    return {key: digest.hexdigest() for key, digest in digests.items()}


def _damaged_facts(connection: sqlite3.Connection) -> Iterator[str]:
    known = _checksums(connection)
    for table in FACTS:
        digest = known.get(("", table))
        if digest is not None and digest != facts_checksum(connection, table):
            yield table


def facts_checksum(connection: sqlite3.Connection, table: str) -> str:
    """Return the checksum of all rows of a table of facts."""
    return row_digest(connection.execute(f"SELECT name, value FROM {table} ORDER BY name").fetchall())


def _series_rows(connection: sqlite3.Connection, stage: str, key: str) -> SeriesRows:
    where = "WHERE stage = ? AND key = ?"
    (series,) = connection.execute(f"SELECT {_SERIES} FROM series {where}", (stage, key)).fetchall()
    games = connection.execute(f"SELECT {_GAMES} FROM games {where} ORDER BY number", (stage, key)).fetchall()
    query = f"SELECT {_FAULTS} FROM faults {where} ORDER BY rowid"
    return SeriesRows(series, games, connection.execute(query, (stage, key)).fetchall())


# --- reading a damaged store -------------------------------------------------------------------------


@dataclass(frozen=True)
class Salvage:
    """What can be read of a damaged store."""

    sound: tuple[SeriesKey, ...]
    damaged: tuple[SeriesKey, ...]
    """Series that were in the store, as far as that is known."""
    facts: dict[str, list[Row]] = field(default_factory=dict)
    """The rows of each table of facts that is sound."""
    damaged_facts: tuple[str, ...] = ()


def salvage(connection: sqlite3.Connection) -> Salvage:
    """Check each series separately, however much of the rest is damaged."""
    checksums = {
        (stage, key): digest
        for stage, key, digest in _readable(connection, "stage, key, sha256", "checksums", "stage, key")
    }
    keys = {key for key in checksums if key[0]}
    keys |= {(row[0], row[1]) for row in _readable(connection, "stage, key", "series", "stage, key")}
    keys |= {
        (row[0], row[1]) for row in _readable(connection, "stage, key, number", "games", "stage, key, number")
    }
    names = [row[0] for row in _readable(connection, "name", "entrants", "name")]
    sound: list[SeriesKey] = []
    damaged: list[SeriesKey] = []
    for key in sorted(keys, key=repr):
        (sound if _is_sound(connection, key, checksums.get(key), names) else damaged).append(key)
    facts = {table: list(_readable(connection, "name, value", table, "name")) for table in FACTS}
    bad = [
        table
        for table, rows in facts.items()
        if not rows or checksums.get(("", table), row_digest(rows)) != row_digest(rows)
    ]
    intact = {table: rows for table, rows in facts.items() if table not in bad}
    return Salvage(tuple(sound), tuple(damaged), intact, tuple(bad))


def _is_sound(
    connection: sqlite3.Connection, key: SeriesKey, checksum: str | None, names: Collection[str]
) -> bool:
    try:
        rows = _series_rows(connection, *key)
    except (*UNREADABLE, ValueError):
        return False
    return rows.is_plausible(names) if checksum is None else rows.checksum() == checksum


def insert_rows(connection: sqlite3.Connection, rows: Iterable[FoundRow]) -> None:
    """Insert rows into the tables that they look like they belong to. Of equal keys the first is kept."""
    connection.execute("BEGIN")
    for row in rows:
        table = _table_of(row.values)
        if table is None:
            continue
        columns, values = _COLUMNS[table], row.values
        if table == "faults":
            columns, values = f"rowid, {columns}", (row.rowid, *values)
        places = ", ".join("?" * len(values))
        with suppress(*UNREADABLE):
            connection.execute(f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({places})", values)
    connection.execute("COMMIT")


def _table_of(values: Row) -> str | None:
    """Return the table that a row is of, by the types of its values; None for rows of an index and others."""
    match values:
        case (str(), str(), str(), float() | int(), int()):
            return "series"
        case (str(), str(), int(), str(), bytes()):
            return "games"
        case (str(), str(), int(), int(), int(), str(), str(), str()):
            return "faults"
        case (str(), str(), str(digest)) if _DIGEST.fullmatch(digest):
            return "checksums"
        case (str(), str(value)):
            return "entrants" if value.startswith(_PINNED) else "cup"
        case _:
            return None


def load_series(connection: sqlite3.Connection, key: SeriesKey) -> SeriesRows:
    """Return the rows of a series that is sound."""
    return _series_rows(connection, *key)


def _readable(connection: sqlite3.Connection, columns: str, table: str, order: str) -> Iterator[Row]:
    """Return the rows of a table, read from both ends as far as possible."""
    seen: set[Row] = set()
    backwards = ", ".join(f"{column} DESC" for column in order.split(", "))
    for direction in (order, backwards):
        with suppress(*UNREADABLE):
            for row in connection.execute(f"SELECT {columns} FROM {table} ORDER BY {direction}"):
                if row not in seen:
                    seen.add(row)
                    yield row
