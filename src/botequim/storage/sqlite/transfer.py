"""Everything of a cup in SQLite files, to move it."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from botequim.core.errors import InputError, os_reason
from botequim.core.messages import msg
from botequim.storage.checksums import Row, SeriesRows
from botequim.storage.protocol import CupTransfer
from botequim.storage.sqlite.cup import MIGRATIONS as CUP_MIGRATIONS
from botequim.storage.sqlite.cup import SqliteCupStore, lock_store
from botequim.storage.sqlite.database import UNREADABLE, Database, connect, database_error
from botequim.storage.sqlite.integrity import facts_checksum, load_series
from botequim.storage.sqlite.show import MIGRATIONS as SHOW_MIGRATIONS
from botequim.storage.sqlite.show import SqliteVoteStore

QUERIES: Final = {
    "facts": "SELECT name, value FROM cup ORDER BY name",
    "entrants": "SELECT name, value FROM entrants ORDER BY name",
    "show": "SELECT shown, (SELECT token_sha256 FROM organiser), COALESCE((SELECT seq FROM sqlite_sequence"
    " WHERE name = 'contests'), 0) FROM curtain",
    "contests": "SELECT id, title, voters, choice, phase, entrants FROM contests ORDER BY id",
    "codes": "SELECT code, contest, batch, used FROM codes ORDER BY code",
    "browsers": "SELECT contest, mark FROM browsers ORDER BY contest, mark",
    "ballots": "SELECT contest, place, chosen FROM ballots ORDER BY contest, place",
    "requests": "SELECT number, content, state, answer FROM requests ORDER BY number",
}
OF_RESULTS: Final = ("facts", "entrants")
PARTIAL: Final = ".partial"


class SqliteTransfer:
    """See `botequim.storage.protocol.CupTransfer`."""

    def __init__(self, folder: Path, results: Path, show: Path) -> None:
        self.location: Final = str(folder.resolve())
        self._paths: Final = {"results": results, "show": show}
        self._databases: dict[str, Database] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock: Final = lock_store(results)
        except OSError as error:
            raise InputError(
                msg("the store {path} cannot be used: {why}", path=str(results), why=os_reason(error))
            ) from error
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def _open(self, *, create: bool = False) -> None:
        """Open the files that exist, or all, so that nobody else writes them."""
        for name, migrations in (("results", CUP_MIGRATIONS), ("show", SHOW_MIGRATIONS)):
            path = self._paths[name]
            if name not in self._databases and (create or path.is_file()):
                try:
                    database = self._databases[name] = Database(path, connect(path))
                    database.migrate(migrations)
                    database.execute("BEGIN IMMEDIATE")
                except UNREADABLE as error:
                    raise database_error(path, error) from error

    def close(self) -> None:
        self._close_files()
        os.close(self._lock)

    def _close_files(self) -> None:
        for database in self._databases.values():
            with suppress(sqlite3.Error):
                database.execute("ROLLBACK")
            database.close()
        self._databases.clear()

    def __enter__(self) -> SqliteTransfer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def exists(self) -> bool:
        return bool(self._databases)

    def successor(self) -> str | None:
        found = [database.successor() for database in self._databases.values()]
        return next((name for name in found if name is not None), None)

    def rows(self, table: str) -> list[Row]:
        database = self._databases.get("results" if table in OF_RESULTS else "show")
        if database is None:
            return []
        with database.translate_errors():
            return database.execute(QUERIES[table]).fetchall()

    def series(self) -> Iterator[SeriesRows]:
        database = self._databases.get("results")
        if database is None:
            return
        with database.translate_errors():
            keys = database.execute("SELECT stage, key FROM series ORDER BY number").fetchall()
            for key in keys:
                rows = load_series(database.connection, key)
                stage, name, result, *rest = rows.series
                text = json.dumps(json.loads(result), separators=(",", ":"), ensure_ascii=False)
                yield SeriesRows((stage, name, text, *rest), rows.games, rows.faults)

    def put_fact(self, name: str, value: str) -> None:
        database = self._databases["results"]
        with database.translate_errors():
            database.execute("INSERT OR REPLACE INTO cup VALUES (?, ?)", (name, value))
            row = ("", "cup", facts_checksum(database.connection, "cup"))
            database.execute("INSERT OR REPLACE INTO checksums VALUES (?, ?, ?)", row)
            _commit(database)

    def fill(self, source: CupTransfer) -> None:
        """Write new files beside the old ones; they take their places when they are complete."""
        written = {name: path.with_name(path.name + PARTIAL) for name, path in self._paths.items()}
        for path in written.values():
            _remove(path)
        facts = {"cup": source.rows("facts"), "entrants": source.rows("entrants")}
        if facts["cup"]:
            with SqliteCupStore.open(written["results"], write=True) as new:
                new.fill(facts, source.series())
            written["results"].with_suffix(".lock").unlink(missing_ok=True)
        if source.rows("show"):
            with SqliteVoteStore.open(written["show"]) as votes:
                _fill_show(votes, source)
        self._close_files()
        for name in ("show", "results"):
            _set_aside(self._paths[name])
            if written[name].exists():
                written[name].replace(self._paths[name])
        self._open()

    def seal(self, successor: str) -> None:
        self._open(create=True)  # so that nobody can begin here what does not exist yet
        for database in self._databases.values():
            with database.translate_errors():
                database.execute("INSERT OR REPLACE INTO successor VALUES (1, ?)", (successor,))
                _commit(database)


def _commit(database: Database) -> None:
    database.execute("COMMIT")
    database.execute("BEGIN IMMEDIATE")


def _fill_show(votes: SqliteVoteStore, source: CupTransfer) -> None:
    execute = votes.connection.execute
    insert = votes.connection.executemany
    with votes.transaction():
        for shown, token, last in source.rows("show"):
            execute("UPDATE curtain SET shown = ?", (shown,))
            if token is not None:
                execute("INSERT INTO organiser VALUES (1, ?)", (token,))
            insert("INSERT INTO contests VALUES (?, ?, ?, ?, ?, ?)", source.rows("contests"))
            execute("DELETE FROM sqlite_sequence WHERE name = 'contests'")
            execute("INSERT INTO sqlite_sequence VALUES ('contests', ?)", (last,))
        insert("INSERT INTO codes VALUES (?, ?, ?, ?)", source.rows("codes"))
        insert("INSERT INTO browsers VALUES (?, ?)", source.rows("browsers"))
        insert("INSERT INTO ballots VALUES (?, ?, ?)", source.rows("ballots"))
        insert("INSERT INTO requests VALUES (?, ?, ?, ?)", source.rows("requests"))


def _remove(path: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _set_aside(path: Path) -> None:
    """Keep a file that is replaced: it was sealed, and is the past of what comes back."""
    if not path.exists():
        return
    number = 1
    while (kept := path.with_name(f"{path.name}.moved-{number}")).exists():
        number += 1
    path.replace(kept)
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
