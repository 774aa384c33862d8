"""The results of a cup in PostgreSQL.

Each finished series is written with its games, records, faults and checksum in one transaction, by the
coordinator; see `botequim.storage.postgres.coordinator`.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from typing import Any, Final

from botequim.core.messages import msg
from botequim.core.results import SeriesResult
from botequim.storage.address import StoreAddress
from botequim.storage.checksums import Row, SeriesRows, row_digest
from botequim.storage.errors import Damage, DamagedStore, StoreLost, damage_summary
from botequim.storage.postgres.connection import connect
from botequim.storage.postgres.coordinator import Coordinator
from botequim.storage.postgres.cups import require_cup
from botequim.storage.postgres.idle import borrow
from botequim.storage.postgres.integrity import FAULT, find_damage
from botequim.storage.postgres.migrations import migrate
from botequim.storage.values import (
    FinishedSeries,
    StoredFault,
    StoredSeries,
    fault_without_log,
    results_by_stage,
)

PAGE: Final = 200
"""How many records are read at a time."""


class PostgresCupStore(Coordinator):
    """See `botequim.storage.protocol.CupStore`."""

    @classmethod
    def open(cls, address: StoreAddress, *, write: bool = False, check: bool = False) -> PostgresCupStore:
        store = cls(address, connect(address) if write else borrow(address))
        try:
            with store.translate_errors():
                if write:
                    migrate(store._connection, address)
                    store._lock()
                    if check:
                        store._require_sound()
                    store._take_term()
                else:
                    require_cup(store._connection, address)
                    if check:
                        store._require_sound()
        except BaseException:
            store.close()
            raise
        return store

    # --- soundness -----------------------------------------------------------------------------------

    def is_current(self) -> bool:
        try:
            row = self._row("SELECT successor FROM cups WHERE id = %s", self._cup)
        except StoreLost:
            return False
        return row == (None,)

    def damage_error(self, *facts: str) -> DamagedStore:
        return self._damage_error(Damage(facts=facts))

    def _damage_error(self, damage: Damage) -> DamagedStore:
        message = msg(
            "{path} is damaged ({what}): restore a backup of the database",
            path=self.location,
            what=damage_summary(damage),
        )
        return DamagedStore(message, damage)

    @contextmanager
    def _parsing(self) -> Iterator[None]:
        """Report values that Botequim never stores as damage."""
        try:
            yield
        except (ValueError, LookupError, TypeError, AttributeError, zlib.error) as error:
            why = f"{type(error).__name__}: {error}"[:200]
            raise self._damage_error(Damage(file=why)) from error

    def _require_sound(self) -> None:
        """Compare everything with its checksums. The server computes those of the records."""
        with self._atomic():
            self._execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            damage = find_damage(self._rows, self._cup)
        if damage:
            raise self._damage_error(damage)

    def _named(self, table: str) -> list[Row]:
        return self._rows(f"SELECT name, value FROM {table} WHERE cup = %s ORDER BY name", self._cup)

    # --- the cup and its entrants --------------------------------------------------------------------

    def fact(self, name: str) -> str | None:
        row = self._row("SELECT value FROM facts WHERE cup = %s AND name = %s", self._cup, name)
        with self._parsing():
            return None if row is None else str(json.loads(row[0]))

    def put_facts(self, facts: Mapping[str, str]) -> None:
        self._write(lambda _: self._put("facts", facts))

    def entrants(self) -> dict[str, dict[str, Any]]:
        with self._parsing():
            return {name: json.loads(value) for name, value in self._named("entrants")}

    def pin_entrant(self, name: str, value: Mapping[str, Any]) -> None:
        self._write(lambda _: self._put("entrants", {name: value}))

    def unpin_entrants(self) -> None:
        def unpin(_: bool) -> None:
            self._execute("DELETE FROM entrants WHERE cup = %s", self._cup)
            self._put("entrants", {})

        self._write(unpin)

    def _put(self, table: str, values: Mapping[str, object]) -> None:
        self._execute_many(
            f"INSERT INTO {table} VALUES (%s, %s, %s)"
            " ON CONFLICT (cup, name) DO UPDATE SET value = EXCLUDED.value",
            [(self._cup, name, json.dumps(value)) for name, value in values.items()],
        )
        digest = row_digest(self._named(table))
        self._execute(f"UPDATE cups SET {table}_sha256 = %s WHERE id = %s", digest, self._cup)

    # --- series --------------------------------------------------------------------------------------

    def add_series(self, finished: FinishedSeries) -> bool:
        return self._write(lambda repeated: self._add_series(finished, repeated=repeated))

    def _add_series(self, finished: FinishedSeries, *, repeated: bool) -> bool:
        stage, key = finished.stage, finished.result.key
        found = self._row(
            "SELECT number, sha256 FROM series WHERE cup = %s AND stage = %s AND key = %s",
            *(self._cup, stage, key),
        )
        if found is None:
            # the row of the cup is locked, so nobody else takes the same numbers
            row = self._row("SELECT COALESCE(MAX(number), 0) + 1 FROM series WHERE cup = %s", self._cup)
            assert row is not None
            self.insert_series(_rows_of(finished, row[0]))
            return True
        if repeated:
            number, checksum = found
            if _checksum(_rows_of(finished, number)) != checksum:
                raise self._other_content_error(stage, key)
        return repeated

    def _other_content_error(self, stage: str, key: str) -> DamagedStore:
        message = msg(
            '{path}: the series "{key}" of the stage "{stage}" is in the database already, but with other '
            "games than those that were just played. Another program has written it; restore a backup of the "
            "database",
            path=self.location,
            key=key,
            stage=stage,
        )
        return DamagedStore(message, Damage(series=((stage, key),)))

    def insert_series(self, rows: SeriesRows) -> None:
        """Insert the rows of a series with their checksum, within a transaction."""
        checksum = _checksum(rows)
        row = self._row("SELECT COALESCE(MAX(number), 0) FROM faults WHERE cup = %s", self._cup)
        last = row[0] if row else 0
        cup = self._cup
        self._execute_many(
            "INSERT INTO series VALUES (%s, %s, %s, %s, %s, %s, %s)", [(cup, *rows.series, checksum)]
        )
        self._execute_many("INSERT INTO stored_series VALUES (%s, %s, %s)", [(cup, *rows.series[:2])])
        self._execute_many(
            "INSERT INTO games VALUES (%s, %s, %s, %s, %s, %s)", [(cup, *game) for game in rows.games]
        )
        self._execute_many(
            "INSERT INTO faults VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            [(cup, number, *fault) for number, fault in enumerate(rows.faults, start=last + 1)],
        )

    def series(self, after: int = 0) -> list[StoredSeries]:
        rows = self._rows(
            "SELECT number, stage, result, seconds FROM series WHERE cup = %s AND number > %s"
            " ORDER BY number",
            *(self._cup, after),
        )
        with self._parsing():
            return [
                StoredSeries(number, stage, SeriesResult.from_json(json.loads(result)), seconds)
                for number, stage, result, seconds in rows
            ]

    def results(self) -> dict[str, dict[str, SeriesResult]]:
        return results_by_stage(self.series())

    def count_games(self) -> int:
        row = self._row("SELECT COUNT(*) FROM games WHERE cup = %s", self._cup)
        return int(row[0]) if row else 0

    # --- records and faults --------------------------------------------------------------------------

    def record(self, stage: str, key: str, number: int) -> list[str] | None:
        row = self._row(
            "SELECT record FROM games WHERE cup = %s AND stage = %s AND key = %s AND number = %s",
            *(self._cup, stage, key, number),
        )
        with self._parsing():
            return None if row is None else _record_lines(row[0])

    def records(self) -> Iterator[tuple[str, str, int, list[str]]]:
        last: tuple[str, str, int] = ("", "", -1)
        while True:
            rows = self._rows(
                "SELECT stage, key, number, record FROM games WHERE cup = %s"
                " AND (stage, key, number) > (%s, %s, %s) ORDER BY stage, key, number LIMIT %s",
                *(self._cup, *last, PAGE),
            )
            for stage, key, number, record in rows:
                with self._parsing():
                    lines = _record_lines(record)
                last = (stage, key, number)
                yield (*last, lines)
            if len(rows) < PAGE:
                return

    def faults(self, entrant: str | None = None) -> list[StoredFault]:
        where, values = ("", ()) if entrant is None else (" AND entrant = %s", (entrant,))
        query = f"SELECT {FAULT} FROM faults WHERE cup = %s{where} ORDER BY number"
        return [StoredFault(*row) for row in self._rows(query, self._cup, *values)]

    def faults_after(self, last: int) -> tuple[int, list[StoredFault]]:
        query = f"SELECT number, {FAULT} FROM faults WHERE cup = %s AND number > %s ORDER BY number"
        rows = self._rows(query, self._cup, last)
        return (rows[-1][0] if rows else last), [StoredFault(*row) for _, *row in rows]

    def remove_logs(self, entrant: str) -> int:
        return self._write(lambda _: self._remove_logs(entrant))

    def _remove_logs(self, entrant: str) -> int:
        query = "SELECT number, stage, key, fault FROM faults WHERE cup = %s AND entrant = %s"
        rows = self._rows(query, self._cup, entrant)
        with self._parsing():
            new = [
                (fault_without_log(fault), fault, number, (stage, key)) for number, stage, key, fault in rows
            ]
        changed = [row for row in new if row[0] != row[1]]
        for fault, _, number, _ in changed:
            query = "UPDATE faults SET fault = %s WHERE cup = %s AND number = %s"
            self._execute(query, fault, self._cup, number)
        for key in {row[3] for row in changed}:
            self._update_checksum(*key)
        return len(changed)

    def _update_checksum(self, stage: str, key: str) -> None:
        where, values = "cup = %s AND stage = %s AND key = %s", (self._cup, stage, key)
        (series,) = self._rows(
            f"SELECT stage, key, result, seconds, number FROM series WHERE {where}", *values
        )
        games = self._rows(
            "SELECT stage, key, number, digest, encode(sha256(record), 'hex')"
            f" FROM games WHERE {where} ORDER BY number",
            *values,
        )
        faults = self._rows(f"SELECT {FAULT} FROM faults WHERE {where} ORDER BY number", *values)
        checksum = SeriesRows(series, games, faults).checksum()
        self._execute(f"UPDATE series SET sha256 = %s WHERE {where}", checksum, *values)

    def fault(self, stage: str, key: str, game: int, turn: int, seat: int) -> StoredFault | None:
        row = self._row(
            f"SELECT {FAULT} FROM faults WHERE cup = %s AND stage = %s AND key = %s AND game = %s"
            " AND turn = %s AND seat = %s ORDER BY number",
            *(self._cup, stage, key, game, turn, seat),
        )
        return None if row is None else StoredFault(*row)


def _rows_of(finished: FinishedSeries, number: int) -> SeriesRows:
    stage, key = finished.stage, finished.result.key
    result = json.dumps(finished.result.as_json(), separators=(",", ":"))
    return SeriesRows(
        (stage, key, result, float(finished.seconds), number),
        [(stage, key, at, game.digest, game.record) for at, game in enumerate(finished.games)],
        [
            (stage, key, fault.game, fault.turn, fault.seat, fault.entrant, fault.kind, fault.fault)
            for fault in finished.faults
        ],
    )


def _checksum(rows: SeriesRows) -> str:
    """Return the checksum of a series, of which the server can compute the part of the records."""
    hashed = [(*game[:4], sha256(game[4]).hexdigest()) for game in rows.games]
    return SeriesRows(rows.series, hashed, rows.faults).checksum()


def _record_lines(record: bytes) -> list[str]:
    return zlib.decompress(record).decode("utf-8").split("\n")
