"""Everything of a cup in PostgreSQL, to move it. All of it happens in one transaction."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from botequim.storage.address import StoreAddress
from botequim.storage.checksums import NONE, Row, SeriesRows
from botequim.storage.postgres.connection import connect
from botequim.storage.postgres.cup import PostgresCupStore
from botequim.storage.postgres.cups import require_cup
from botequim.storage.postgres.integrity import FAULT
from botequim.storage.postgres.migrations import migrate
from botequim.storage.postgres.watch import FIRST_VERSION, NOTIFY, Part, notification
from botequim.storage.protocol import CupTransfer

COLUMNS: Final = {
    "facts": ("facts", "name, value", "name"),
    "entrants": ("entrants", "name, value", "name"),
    "show": ("shows", "shown, token_sha256, last_contest", "cup"),
    "contests": ("contests", "id, title, voters, choice, phase, entrants", "id"),
    "codes": ("codes", "code, contest, batch, used", "code"),
    "browsers": ("browsers", "contest, mark", "contest, mark"),
    "ballots": ("ballots", "contest, place, chosen", "contest, place"),
    "requests": ("requests", "number, content, state, answer", "number"),
}
"""By table: its name here, its columns, and their order."""
JSON: Final = {"facts": 1, "contests": 1}
"""By table: the column that has a text as JSON."""


class PostgresTransfer(PostgresCupStore):
    """See `botequim.storage.protocol.CupTransfer`."""

    @classmethod
    def begin(cls, address: StoreAddress) -> PostgresTransfer:
        """Lock out coordinators, and everybody who writes what is public."""
        opened = cls(address, connect(address))
        try:
            with opened.translate_errors():
                migrate(opened._connection, address)
                opened._lock()
                opened._execute("SET idle_in_transaction_session_timeout = 0")
                opened._begin()
        except BaseException:
            opened.close()
            raise
        return opened

    @classmethod
    def begin_snapshot(cls, address: StoreAddress) -> PostgresTransfer:
        """Read everything as it is now, and lock out nobody."""
        opened = cls(address, connect(address))
        try:
            with opened.translate_errors():
                require_cup(opened._connection, address)
                opened._execute("SET idle_in_transaction_session_timeout = 0")
                opened._execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        except BaseException:
            opened.close()
            raise
        return opened

    def _begin(self) -> None:
        self._execute("BEGIN")
        self._rows("SELECT 1 FROM cups WHERE id = %s FOR UPDATE", self._cup)
        self._rows("SELECT 1 FROM shows WHERE cup = %s FOR UPDATE", self._cup)

    def _commit(self) -> None:
        self._execute("COMMIT")
        self._begin()

    def exists(self) -> bool:
        query = "SELECT 1 FROM cups WHERE id = %s UNION ALL SELECT 1 FROM shows WHERE cup = %s"
        return bool(self._rows(query, self._cup, self._cup))

    def successor(self) -> str | None:
        query = (
            "SELECT successor FROM cups WHERE id = %s UNION ALL SELECT successor FROM shows WHERE cup = %s"
        )
        found = [name for (name,) in self._rows(query, self._cup, self._cup) if name is not None]
        return found[0] if found else None

    def rows(self, table: str) -> list[Row]:
        name, columns, order = COLUMNS[table]
        found = self._rows(f"SELECT {columns} FROM {name} WHERE cup = %s ORDER BY {order}", self._cup)
        at = JSON.get(table)
        if at is None:
            return found
        with self._parsing():
            return [(*row[:at], json.loads(row[at]), *row[at + 1 :]) for row in found]

    def series(self) -> Iterator[SeriesRows]:  # type: ignore[override]
        query = "SELECT stage, key, result, seconds, number FROM series WHERE cup = %s ORDER BY number"
        for stage, key, result, seconds, number in self._rows(query, self._cup):
            where = (self._cup, stage, key)
            games = self._rows(
                "SELECT stage, key, number, digest, record FROM games"
                " WHERE cup = %s AND stage = %s AND key = %s ORDER BY number",
                *where,
            )
            faults = self._rows(
                f"SELECT {FAULT} FROM faults WHERE cup = %s AND stage = %s AND key = %s ORDER BY number",
                *where,
            )
            with self._parsing():
                text = json.dumps(json.loads(result), separators=(",", ":"), ensure_ascii=False)
            yield SeriesRows((stage, key, text, seconds, number), games, faults)

    def put_fact(self, name: str, value: str) -> None:
        self._put("facts", {name: value})
        self._commit()

    def fill(self, source: CupTransfer) -> None:
        before = self._row("SELECT term FROM cups WHERE id = %s", self._cup)
        self._execute("DELETE FROM cups WHERE id = %s", self._cup)
        self._execute("DELETE FROM shows WHERE cup = %s", self._cup)
        # terms never go back: a coordinator of what was here before must not be able to write
        term = 1 + (before[0] if before else 0)
        if before or source.rows("facts"):
            self._fill_results(source, term)
        self._fill_show(source)
        self._notify("results", "SELECT version FROM cups WHERE id = %s")
        self._notify("show", "SELECT version FROM shows WHERE cup = %s")
        self._commit()

    def _fill_results(self, source: CupTransfer, term: int) -> None:
        values = (self._cup, term, NONE, NONE)
        self._execute(f"INSERT INTO cups VALUES (%s, %s, {FIRST_VERSION}, %s, %s)", *values)
        self._put("facts", dict(source.rows("facts")))
        self._put("entrants", {name: json.loads(value) for name, value in source.rows("entrants")})
        for one in source.series():
            series = (*one.series[:2], json.dumps(json.loads(one.series[2]), separators=(",", ":")))
            self.insert_series(SeriesRows((*series, *one.series[3:]), one.games, one.faults))

    def _fill_show(self, source: CupTransfer) -> None:
        for shown, token, last in source.rows("show"):
            self._execute(
                "INSERT INTO shows (cup, version, shown, token_sha256, last_contest)"
                f" VALUES (%s, {FIRST_VERSION}, %s, %s, %s)",
                *(self._cup, shown, token, last),
            )
        for table in ("contests", "codes", "browsers", "ballots", "requests"):
            name, columns, _ = COLUMNS[table]
            at = JSON.get(table)
            rows = source.rows(table)
            if at is not None:
                rows = [(*row[:at], json.dumps(row[at]), *row[at + 1 :]) for row in rows]
            marks = ", ".join(["%s"] * (1 + columns.count(",") + 1))
            statement = f"INSERT INTO {name} (cup, {columns}) VALUES ({marks})"
            self._execute_many(statement, [(self._cup, *row) for row in rows])

    def _notify(self, part: Part, query: str) -> None:
        for (version,) in self._rows(query, self._cup):
            self._execute(NOTIFY, *notification(self._cup, part, version))

    def seal(self, successor: str) -> None:
        # parts that do not exist are created, so that nobody can begin them here
        self._execute(
            f"INSERT INTO cups VALUES (%s, 0, {FIRST_VERSION}, %s, %s) ON CONFLICT DO NOTHING",
            *(self._cup, NONE, NONE),
        )
        self._execute(
            f"INSERT INTO shows (cup, version) VALUES (%s, {FIRST_VERSION}) ON CONFLICT DO NOTHING", self._cup
        )
        for table, key in (("cups", "id"), ("shows", "cup")):
            self._execute(
                f"UPDATE {table} SET successor = %s, version = version + 1 WHERE {key} = %s",
                *(successor, self._cup),
            )
        self._notify("results", "SELECT version FROM cups WHERE id = %s")
        self._notify("show", "SELECT version FROM shows WHERE cup = %s")
        self._commit()
