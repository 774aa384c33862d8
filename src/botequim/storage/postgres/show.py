"""What the organiser lets the public see, and the contests in which the public votes, in PostgreSQL.

Whoever writes locks the row of the cup in `shows` first, so writers take turns.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final, TypeVar

import psycopg

from botequim.core.errors import BotequimError
from botequim.core.messages import msg
from botequim.storage.address import StoreAddress
from botequim.storage.errors import moved_error
from botequim.storage.postgres.connection import Connection
from botequim.storage.postgres.idle import Reader, borrow
from botequim.storage.postgres.migrations import has_tables, migrate
from botequim.storage.postgres.times import MachineClock
from botequim.storage.postgres.watch import FIRST_VERSION, NOTIFY, notification
from botequim.storage.values import CodeBatch, StagedGame, StoredContest, StoredRequest

Self = TypeVar("Self", bound="ShowStore")


class ShowStore(Reader):
    """An open connection. Several programs may write, one after another."""

    def __init__(self, address: StoreAddress, connection: Connection) -> None:
        super().__init__(address, connection)
        self._writing = False

    @classmethod
    def open(cls: type[Self], address: StoreAddress) -> Self:
        """Open it to read and write; create it if it does not exist."""
        opened = cls(address, borrow(address))
        try:
            with opened.translate_errors():
                migrate(opened._connection, address)
                if not opened.exists():
                    opened._execute(
                        f"INSERT INTO shows (cup, version) VALUES (%s, {FIRST_VERSION})"
                        " ON CONFLICT DO NOTHING",
                        address.cup,
                    )
                opened.require_unsealed()
        except BaseException:
            opened.close()
            raise
        return opened

    @classmethod
    def open_existing(cls: type[Self], address: StoreAddress) -> Self | None:
        """Open it as it is; return None if it does not exist."""
        opened = cls(address, borrow(address))
        try:
            if opened.exists():
                opened.require_unsealed()
                return opened
        except BaseException:
            opened.close()
            raise
        opened.close()
        return None

    def exists(self) -> bool:
        with self.translate_errors():
            if not has_tables(self._connection, self.address):
                return False
        return bool(self._rows("SELECT 1 FROM shows WHERE cup = %s", self._cup))

    def require_unsealed(self) -> None:
        """Raise InputError if the cup was moved elsewhere."""
        row = self._row("SELECT successor FROM shows WHERE cup = %s", self._cup)
        if row is not None and row[0] is not None:
            raise moved_error(self.location, row[0])

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Do everything within, or nothing; nobody else writes meanwhile."""
        with self._atomic():
            self._rows("SELECT 1 FROM shows WHERE cup = %s FOR UPDATE", self._cup)
            self.require_unsealed()
            self._writing = True
            try:
                yield
            finally:
                self._writing = False

    @contextmanager
    def _write(self) -> Iterator[None]:
        """Write within the transaction, or in one of its own."""
        if self._writing:
            yield
        else:
            with self.transaction():
                yield

    @contextmanager
    def _parsing(self) -> Iterator[None]:
        """Report values that Botequim never stores as damage."""
        try:
            yield
        except (ValueError, TypeError) as error:
            why = f"{type(error).__name__}: {error}"[:200]
            raise BotequimError(
                msg("{path} is damaged ({why}): restore a copy of it", path=self.location, why=why)
            ) from error

    def _set(self, assignment: str, *values: object) -> None:
        """Change the row of the cup, and notify servers and the coordinator."""
        row = self._row(
            f"UPDATE shows SET version = version + 1{assignment} WHERE cup = %s RETURNING version",
            *(*values, self._cup),
        )
        if row is not None:
            self._execute(NOTIFY, *notification(self._cup, "show", row[0]))


class PostgresVisibilityStore(ShowStore):
    """See `botequim.storage.protocol.VisibilityStore`."""

    @property
    def shown(self) -> int | None:
        row = self._row("SELECT shown FROM shows WHERE cup = %s", self._cup)
        return None if row is None or row[0] is None else int(row[0])

    def hold(self, at: int) -> int:
        with self.transaction():
            before = self.shown
            if before is None:
                self._set(", shown = %s", at)
            return at if before is None else before

    def reveal(self, to: int, *, expected: int | None = None) -> bool:
        with self.transaction():
            before = self.shown
            if before is None or to <= before or (expected is not None and expected != before):
                return False
            self._set(", shown = %s", to)
            return True

    def release(self) -> bool:
        with self.transaction():
            before = self.shown
            if before is not None:
                self._set(", shown = NULL")
            return before is not None

    def stage_next(self, *, expected: int, began: float, pace: float) -> bool:
        with self.transaction():
            if self.shown != expected or self.staged is not None:
                return False
            ours = MachineClock.here(self._connection)
            values = (expected, began, pace, ours.machine, ours.behind)
            self._set(", staged = %s, began = %s, pace = %s, machine = %s, clock = %s", *values)
            return True

    @property
    def staged(self) -> StagedGame | None:
        row = self._row(
            "SELECT staged, began, pace, machine, clock FROM shows WHERE cup = %s AND staged = shown",
            self._cup,
        )
        if row is None:
            return None
        staged, began, pace, machine, behind = row
        with self.translate_errors():
            shift = MachineClock(machine, behind).shift_to(MachineClock.here(self._connection))
        return StagedGame(staged, began + shift, pace)

    def set_token(self, digest: str) -> None:
        with self.transaction():
            self._execute("UPDATE shows SET token_sha256 = %s WHERE cup = %s", digest, self._cup)

    @property
    def token(self) -> str | None:
        row = self._row("SELECT token_sha256 FROM shows WHERE cup = %s", self._cup)
        return None if row is None or row[0] is None else str(row[0])


_CONTEST: Final = "SELECT id, title, voters, choice, phase, entrants FROM contests WHERE cup = %s"
VOTES: Final = ("codes", "browsers", "ballots")


class PostgresRequestStore(ShowStore):
    """See `botequim.storage.protocol.RequestStore`."""

    def requests(self) -> list[StoredRequest]:
        query = "SELECT number, content, state, answer FROM requests WHERE cup = %s ORDER BY number"
        return [StoredRequest(*row) for row in self._rows(query, self._cup)]

    def add_request(self, content: str, state: str) -> int:
        with self.transaction():
            row = self._row("SELECT COALESCE(MAX(number), 0) + 1 FROM requests WHERE cup = %s", self._cup)
            number = int(row[0]) if row else 1
            values = (self._cup, number, content, state)
            self._execute("INSERT INTO requests VALUES (%s, %s, %s, %s, '')", *values)
            self._set("")
        return number

    def answer_request(self, number: int, state: str, answer: str) -> None:
        with self.transaction():
            statement = "UPDATE requests SET state = %s, answer = %s WHERE cup = %s AND number = %s"
            self._execute(statement, state, answer, self._cup, number)
            self._set("")


class PostgresVoteStore(ShowStore):
    """See `botequim.storage.protocol.VoteStore`."""

    def _change(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        with self._write():
            self._execute_many(statement, list(rows))

    def contests(self) -> list[StoredContest]:
        return self._contests(f"{_CONTEST} ORDER BY id", self._cup)

    def contest(self, number: int) -> StoredContest | None:
        return next(iter(self._contests(f"{_CONTEST} AND id = %s", self._cup, number)), None)

    def _contests(self, query: str, *values: object) -> list[StoredContest]:
        rows: list[tuple[Any, ...]] = self._rows(query, *values)
        with self._parsing():
            return [
                StoredContest(number, json.loads(title), voters, choice, phase, tuple(json.loads(entrants)))
                for number, title, voters, choice, phase, entrants in rows
            ]

    def add_contest(self, title: str, voters: str, choice: str, phase: str, entrants: Sequence[str]) -> int:
        with self._write():
            row = self._row(
                "UPDATE shows SET last_contest = last_contest + 1 WHERE cup = %s RETURNING last_contest",
                self._cup,
            )
            assert row is not None
            values = (self._cup, row[0], json.dumps(title), voters, choice, phase, json.dumps(list(entrants)))
            self._execute("INSERT INTO contests VALUES (%s, %s, %s, %s, %s, %s, %s)", *values)
        return int(row[0])

    def set_phase(self, number: int, phase: str) -> None:
        self._change(
            "UPDATE contests SET phase = %s WHERE cup = %s AND id = %s", [(phase, self._cup, number)]
        )

    def delete_contest(self, number: int) -> None:
        self._change("DELETE FROM contests WHERE cup = %s AND id = %s", [(self._cup, number)])

    def codes(self, number: int, *, batch: int | None = None, unused: bool = False) -> list[str]:
        rows = self._rows(
            "SELECT code FROM codes WHERE cup = %s AND contest = %s AND used <= %s"
            " AND (%s::bigint IS NULL OR batch = %s) ORDER BY batch, code",
            *(self._cup, number, 0 if unused else 1, batch, batch),
        )
        return [str(code) for (code,) in rows]

    def batches(self, number: int) -> list[CodeBatch]:
        query = (
            "SELECT batch, COUNT(*), SUM(used) FROM codes WHERE cup = %s AND contest = %s"
            " GROUP BY batch ORDER BY batch"
        )
        return [CodeBatch(*map(int, row)) for row in self._rows(query, self._cup, number)]

    def add_codes(self, number: int, batch: int, codes: Iterable[str]) -> None:
        rows = [(self._cup, code, number, batch) for code in codes]
        self._change("INSERT INTO codes VALUES (%s, %s, %s, %s, 0)", rows)

    def remove_codes(self, codes: Iterable[str]) -> None:
        rows = [(self._cup, code) for code in codes]
        self._change("DELETE FROM codes WHERE cup = %s AND code = %s AND used = 0", rows)

    def is_used(self, number: int, code: str) -> bool | None:
        query = "SELECT used FROM codes WHERE cup = %s AND code = %s AND contest = %s"
        row = self._row(query, self._cup, code, number)
        return None if row is None else bool(row[0])

    def use_code(self, code: str) -> None:
        self._change("UPDATE codes SET used = 1 WHERE cup = %s AND code = %s", [(self._cup, code)])

    def has_voted(self, number: int, mark: str) -> bool:
        query = "SELECT 1 FROM browsers WHERE cup = %s AND contest = %s AND mark = %s"
        return bool(self._rows(query, self._cup, number, mark))

    def add_voter(self, number: int, mark: str) -> None:
        self._change("INSERT INTO browsers VALUES (%s, %s, %s)", [(self._cup, number, mark)])

    def add_ballot(self, number: int, places: Sequence[int]) -> None:
        # a random text, so that nothing says which ballot came first
        row = (self._cup, number, secrets.token_hex(16), json.dumps(list(places)))
        self._change("INSERT INTO ballots VALUES (%s, %s, %s, %s)", [row])

    def ballots(self, number: int) -> list[tuple[int, ...]]:
        query = "SELECT chosen FROM ballots WHERE cup = %s AND contest = %s ORDER BY place"
        rows = self._rows(query, self._cup, number)
        with self._parsing():
            return [tuple(json.loads(chosen)) for (chosen,) in rows]

    def count_ballots(self, number: int) -> int:
        query = "SELECT COUNT(*) FROM ballots WHERE cup = %s AND contest = %s"
        row = self._row(query, self._cup, number)
        return int(row[0]) if row else 0

    def erase_traces(self) -> None:
        """Write codes, voters and ballots anew, each in one transaction and in the order of random texts.

        PostgreSQL keeps the transaction of every row: a code and the ballot that came with it have the same.
        """
        for table, order in zip(VOTES, ("code", "mark", "place"), strict=True):
            with self.transaction():
                self._execute(
                    f"WITH gone AS (DELETE FROM {table} WHERE cup = %s RETURNING *)"
                    f" INSERT INTO {table} SELECT * FROM gone ORDER BY {order}",
                    self._cup,
                )
        with suppress(psycopg.Error):  # somebody may be reading; then the server does it later
            self._connection.execute(f"VACUUM {', '.join(VOTES)}")
