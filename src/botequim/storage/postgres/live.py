"""The games that are being played, in PostgreSQL. Nothing in these tables is worth keeping."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import psycopg

from botequim.core import clock
from botequim.core.errors import BotequimError
from botequim.core.messages import msg
from botequim.storage.address import StoreAddress
from botequim.storage.errors import StaleCoordinator
from botequim.storage.postgres.connection import Connection, Database, connect
from botequim.storage.postgres.migrations import has_tables, migrate
from botequim.storage.postgres.times import MachineClock
from botequim.storage.postgres.watch import (
    FIRST_VERSION,
    NOTIFY,
    RETRY_SECONDS,
    Listener,
    PostgresWatch,
    notification,
)
from botequim.storage.values import LiveGame, LiveRun, LiveSeries, LiveStage, LiveTurn


class PostgresLiveStore(PostgresWatch):
    """See `botequim.storage.protocol.LiveStore`. A server that cannot be reached has no live games."""

    def __init__(self, address: StoreAddress, listener: Listener) -> None:
        super().__init__(listener, "live")
        self._address: Final = address
        self._connection: Connection | None = None
        self._ours: MachineClock | None = None
        self._shift: float | None = None
        self._has_tables = False
        self._retry = 0.0

    def __enter__(self) -> PostgresLiveStore:
        return self

    def close(self) -> None:
        self._disconnect()
        super().close()

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
            self._shift, self._has_tables = None, False

    def run(self) -> LiveRun | None:
        rows = self._rows("SELECT machine, clock, began, seen, ended FROM live_runs WHERE cup = %s")
        for machine, behind, began, seen, ended in rows:
            assert self._ours is not None
            shift = self._shift = MachineClock(machine, behind).shift_to(self._ours)
            return LiveRun(began + shift, seen + shift, None if ended is None else ended + shift)
        return None

    def games(self) -> list[LiveGame]:
        rows = self._rows(
            "SELECT id, stage, key, number, header, began, ended, (SELECT COALESCE(MAX(number), 0)"
            " FROM live_turns WHERE cup = live_games.cup AND game = id) FROM live_games"
            " WHERE cup = %s ORDER BY id"
        )
        shift = self._known_shift()
        return [
            LiveGame(
                *(game, stage, key, number, header),
                *(began + shift, None if ended is None else ended + shift, turns),
            )
            for game, stage, key, number, header, began, ended, turns in rows
        ]

    def turns(self, game: int, after: int = 0) -> list[LiveTurn]:
        rows = self._rows(
            "SELECT number, line, made FROM live_turns WHERE cup = %s AND game = %s AND number > %s"
            " ORDER BY number",
            *(game, after),
        )
        shift = self._known_shift()
        return [LiveTurn(number, line, made + shift) for number, line, made in rows]

    def _known_shift(self) -> float:
        """Return what to add to the times of the run that was read last."""
        if self._shift is None:
            self.run()
        return self._shift or 0.0

    def next_series(self) -> list[LiveSeries]:
        rows = self._rows(
            "SELECT stage, key, entrants, label, games FROM live_next WHERE cup = %s ORDER BY place"
        )
        return [
            LiveSeries(stage, key, tuple(json.loads(entrants)), label, games)
            for stage, key, entrants, label, games in rows
        ]

    def stages(self) -> list[LiveStage]:
        rows = self._rows("SELECT name, finished, known FROM live_stages WHERE cup = %s ORDER BY place")
        return [LiveStage(*row) for row in rows]

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return no rows if they cannot be read now. The first value of the query is the id of the cup."""
        if self._connection is None and clock.now() < self._retry:
            return []
        try:
            if self._connection is None:
                self._connection = connect(self._address)
                self._ours = MachineClock.here(self._connection)
            self._has_tables = self._has_tables or has_tables(self._connection, self._address)
            if not self._has_tables:
                return []
            row = (self._address.cup, *values)
            return self._connection.execute(query, row).fetchall()
        except (psycopg.Error, BotequimError):
            self._disconnect()
            self._retry = clock.now() + RETRY_SECONDS
            return []


class PostgresLiveWriter(Database):
    """See `botequim.storage.protocol.LiveWriter`."""

    def __init__(self, address: StoreAddress, connection: Connection) -> None:
        super().__init__(address, connection)
        self._run: Final = secrets.token_hex(8)
        self._last_game = 0

    @classmethod
    def open(cls, address: StoreAddress) -> PostgresLiveWriter:
        opened = cls(address, connect(address))
        try:
            with opened.translate_errors():
                migrate(opened._connection, address)
                opened._execute("SET synchronous_commit = off")
                opened._begin_run()
        except BaseException:
            opened.close()
            raise
        return opened

    def _begin_run(self) -> None:
        ours = MachineClock.here(self._connection)
        now = clock.now()
        with self._atomic():
            for table in ("live_games", "live_next", "live_stages"):
                self._execute(f"DELETE FROM {table} WHERE cup = %s", self._cup)
            row = self._row(
                "INSERT INTO live_runs (cup, version, run, term, machine, clock, last_game, began, seen)"
                f" VALUES (%s, {FIRST_VERSION}, %s, COALESCE((SELECT term FROM cups WHERE id = %s), 0),"
                " %s, %s, 0, %s, %s) ON CONFLICT (cup) DO UPDATE SET version = live_runs.version + 1,"
                " run = EXCLUDED.run, term = EXCLUDED.term, machine = EXCLUDED.machine,"
                " clock = EXCLUDED.clock, began = EXCLUDED.began, seen = EXCLUDED.seen, ended = NULL"
                " RETURNING version, last_game",
                *(self._cup, self._run, self._cup, ours.machine, ours.behind, now, now),
            )
            assert row is not None
            self._last_game = int(row[1])
            self._execute(NOTIFY, *notification(self._cup, "live", row[0]))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write a batch, as the coordinator whose term it is; notify once."""
        with self._atomic():
            row = self._row(
                "UPDATE live_runs SET version = version + 1 WHERE cup = %s AND run = %s"
                " AND term = COALESCE((SELECT term FROM cups WHERE id = %s), 0) RETURNING version",
                *(self._cup, self._run, self._cup),
            )
            if row is None:
                raise StaleCoordinator(
                    msg(
                        "{path}: another coordinator publishes live games now, or the database was restarted",
                        path=self.location,
                    )
                )
            yield
            self._execute(NOTIFY, *notification(self._cup, "live", row[0]))

    def begin_game(self, stage: str, key: str, number: int, header: str, began: float) -> int:
        self._last_game += 1  # nobody else adds games to this run
        self._execute("UPDATE live_runs SET last_game = %s WHERE cup = %s", self._last_game, self._cup)
        values = (self._cup, self._last_game, stage, key, number, header, began)
        self._execute("INSERT INTO live_games VALUES (%s, %s, %s, %s, %s, %s, %s)", *values)
        return self._last_game

    def add_turns(self, game: int, turns: Iterable[LiveTurn]) -> None:
        rows = [(self._cup, game, turn.number, turn.line, turn.made) for turn in turns]
        self._execute_many("INSERT INTO live_turns VALUES (%s, %s, %s, %s, %s)", rows)

    def end_game(self, game: int, ended: float) -> None:
        self._execute("UPDATE live_games SET ended = %s WHERE cup = %s AND id = %s", ended, self._cup, game)

    def delete_games(self, games: Iterable[int]) -> None:
        self._execute("DELETE FROM live_games WHERE cup = %s AND id = ANY(%s)", self._cup, list(games))

    def unfinished_games(self, *, before: float) -> list[int]:
        return self._ids("ended IS NULL AND began <= %s", before)

    def games_of_series(self, stage: str, key: str, *, before: float) -> list[int]:
        return self._ids("stage = %s AND key = %s AND began <= %s", stage, key, before)

    def delete_ended(self, *, before: float) -> None:
        self._execute("DELETE FROM live_games WHERE cup = %s AND ended < %s", self._cup, before)

    def _ids(self, condition: str, *values: object) -> list[int]:
        query = f"SELECT id FROM live_games WHERE cup = %s AND {condition} ORDER BY id"
        return [game for (game,) in self._rows(query, self._cup, *values)]

    def put_plan(self, stage: LiveStage, coming: Sequence[LiveSeries]) -> None:
        self._execute(
            "INSERT INTO live_stages VALUES"
            " (%s, (SELECT COUNT(*) FROM live_stages WHERE cup = %s), %s, %s, %s)"
            " ON CONFLICT (cup, name) DO UPDATE SET finished = EXCLUDED.finished, known = EXCLUDED.known",
            *(self._cup, self._cup, stage.name, stage.finished, stage.known),
        )
        self._execute("DELETE FROM live_next WHERE cup = %s", self._cup)
        rows = [
            (self._cup, place, one.stage, one.key, json.dumps(one.entrants), one.label, one.games)
            for place, one in enumerate(coming)
        ]
        self._execute_many("INSERT INTO live_next VALUES (%s, %s, %s, %s, %s, %s, %s)", rows)

    def mark_alive(self, now: float, *, ended: bool = False) -> None:
        if ended:
            self._execute("DELETE FROM live_next WHERE cup = %s", self._cup)
        values = (now, now if ended else None, self._cup)
        self._execute("UPDATE live_runs SET seen = %s, ended = %s WHERE cup = %s", *values)
