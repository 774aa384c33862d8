"""`show.sqlite`: what the organiser lets the public see, and the contests in which the public votes."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

from botequim.core.errors import BotequimError, os_reason
from botequim.core.messages import msg
from botequim.storage.errors import StoreUnusable
from botequim.storage.sqlite.database import Database, connect, database_error
from botequim.storage.values import CodeBatch, StagedGame, StoredContest, StoredRequest

MIGRATIONS: Final[tuple[str, ...]] = (
    """
    CREATE TABLE curtain (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        shown INTEGER CHECK (shown >= 0)
    );
    INSERT INTO curtain VALUES (1, NULL);
    """,
    # the SHA-256 of the organiser's token; the game after the first `shown` is revealed turn by turn
    """
    CREATE TABLE organiser (one INTEGER PRIMARY KEY CHECK (one = 1), token_sha256 TEXT NOT NULL);
    CREATE TABLE showing (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        shown INTEGER NOT NULL, began REAL NOT NULL, pace REAL NOT NULL
    );
    """,
    # a ballot has neither a time nor an order, nor any relation to the code or browser it came with
    """
    CREATE TABLE contests (
        id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, voters TEXT NOT NULL,
        choice TEXT NOT NULL, phase TEXT NOT NULL, entrants TEXT NOT NULL
    );
    CREATE TABLE codes (
        code TEXT PRIMARY KEY, contest INTEGER NOT NULL REFERENCES contests, batch INTEGER NOT NULL,
        used INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE INDEX codes_of_contest ON codes (contest);
    CREATE TABLE browsers (
        contest INTEGER NOT NULL REFERENCES contests, mark TEXT NOT NULL, PRIMARY KEY (contest, mark)
    ) WITHOUT ROWID;
    CREATE TABLE ballots (
        contest INTEGER NOT NULL REFERENCES contests, place TEXT NOT NULL, chosen TEXT NOT NULL,
        PRIMARY KEY (contest, place)
    ) WITHOUT ROWID;
    """,
    # where the cup was moved; a store with a successor is sealed
    """
    CREATE TABLE IF NOT EXISTS successor (
        one INTEGER PRIMARY KEY CHECK (one = 1), location TEXT NOT NULL
    );
    """,
    # what organisers want of the coordinator, and its answers
    """
    CREATE TABLE requests (
        number INTEGER PRIMARY KEY, content TEXT NOT NULL, state TEXT NOT NULL, answer TEXT NOT NULL
    );
    """,
)
"""The schema of `show.sqlite`; see `botequim.storage.sqlite.database`."""

Self = TypeVar("Self", bound="ShowFile")


class ShowFile(Database):
    """The open file. Several programs may write it, one after another."""

    @classmethod
    def open(cls: type[Self], path: Path) -> Self:
        """Open the file to read and write; create it if it does not exist."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreUnusable(
                msg("{path} cannot be written: {why}", path=str(path.parent), why=os_reason(error))
            ) from error
        opened = cls(path, cls._connect(path))
        try:
            with opened.translate_errors():
                opened.require_unsealed()
                opened.migrate(MIGRATIONS)
        except BaseException:
            opened.close()
            raise
        return opened

    @classmethod
    def open_existing(cls: type[Self], path: Path, version: int) -> Self | None:
        """Open the file as it is; return None if it does not exist, or has an older schema than this.

        A file that cannot be read is an error: callers that do not know what is public show nothing.
        """
        if not path.exists():
            return None
        opened = cls(path, cls._connect(path))
        try:
            with opened.translate_errors():
                opened.require_unsealed()
                if opened.version(MIGRATIONS) >= version:
                    return opened
        except BaseException:
            opened.close()
            raise
        opened.close()
        return None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with super().transaction():
            self.require_unsealed()  # it may have been moved since it was opened
            yield

    @staticmethod
    def _connect(path: Path) -> sqlite3.Connection:
        try:
            return connect(path)
        except sqlite3.OperationalError as error:
            raise StoreUnusable(database_error(path, error).message) from error

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Report values that Botequim never stores as damage, too."""
        with super().translate_errors():
            try:
                yield
            except (ValueError, TypeError) as error:
                why = f"{type(error).__name__}: {error}"[:200]
                raise BotequimError(
                    msg("{path} is damaged ({why}): restore a copy of it", path=str(self.path), why=why)
                ) from error


class SqliteVisibilityStore(ShowFile):
    """See `botequim.storage.protocol.VisibilityStore`."""

    @property
    def shown(self) -> int | None:
        with self.translate_errors():
            (shown,) = self._connection.execute("SELECT shown FROM curtain").fetchone()
            return None if shown is None else int(shown)

    def _set_shown(self, shown: int | None) -> None:
        self._connection.execute("UPDATE curtain SET shown = ?", (shown,))

    def hold(self, at: int) -> int:
        with self.transaction():
            before = self.shown
            if before is None:
                self._set_shown(at)
            return at if before is None else before

    def reveal(self, to: int, *, expected: int | None = None) -> bool:
        with self.transaction():
            before = self.shown
            if before is None or to <= before or (expected is not None and expected != before):
                return False
            self._set_shown(to)
            return True

    def release(self) -> bool:
        with self.transaction():
            before = self.shown
            self._set_shown(None)
            return before is not None

    def hold_back(self, to: int) -> None:
        """Make no more than the first `to` games public: for a store that has lost the games after them."""
        with self.transaction():
            before = self.shown
            if before is not None and to < before:
                self._set_shown(to)

    def stage_next(self, *, expected: int, began: float, pace: float) -> bool:
        with self.transaction():
            if self.shown != expected or self.staged is not None:
                return False
            row = (expected, began, pace)
            self._connection.execute("INSERT OR REPLACE INTO showing VALUES (1, ?, ?, ?)", row)
            return True

    @property
    def staged(self) -> StagedGame | None:
        with self.translate_errors():
            query = "SELECT showing.shown, began, pace FROM showing JOIN curtain USING (shown)"
            row = self._connection.execute(query).fetchone()
            return None if row is None else StagedGame(*row)

    def set_token(self, digest: str) -> None:
        with self.transaction():
            self._connection.execute("INSERT OR REPLACE INTO organiser VALUES (1, ?)", (digest,))

    @property
    def token(self) -> str | None:
        with self.translate_errors():
            row = self._connection.execute("SELECT token_sha256 FROM organiser").fetchone()
        return None if row is None else str(row[0])


WITH_REQUESTS: Final = 5
"""The oldest version of a file with requests."""


class SqliteRequestStore(ShowFile):
    """See `botequim.storage.protocol.RequestStore`."""

    def requests(self) -> list[StoredRequest]:
        with self.translate_errors():
            rows = self._connection.execute(
                "SELECT number, content, state, answer FROM requests ORDER BY number"
            )
            return [StoredRequest(*row) for row in rows]

    def add_request(self, content: str, state: str) -> int:
        with self.transaction():
            query = "SELECT COALESCE(MAX(number), 0) + 1 FROM requests"
            (number,) = self._connection.execute(query).fetchone()
            row = (number, content, state, "")
            self._connection.execute("INSERT INTO requests VALUES (?, ?, ?, ?)", row)
        return int(number)

    def answer_request(self, number: int, state: str, answer: str) -> None:
        with self.transaction():
            self._connection.execute(
                "UPDATE requests SET state = ?, answer = ? WHERE number = ?", (state, answer, number)
            )


_CONTEST: Final = "SELECT id, title, voters, choice, phase, entrants FROM contests"


class SqliteVoteStore(ShowFile):
    """See `botequim.storage.protocol.VoteStore`."""

    def _rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        with self.translate_errors():
            return self._connection.execute(query, values).fetchall()

    def _change(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        with self.translate_errors():
            self._connection.executemany(statement, rows)

    def contests(self) -> list[StoredContest]:
        return self._contests(f"{_CONTEST} ORDER BY id")

    def contest(self, number: int) -> StoredContest | None:
        if not 0 < number < 2**63:
            return None
        return next(iter(self._contests(f"{_CONTEST} WHERE id = ?", number)), None)

    def _contests(self, query: str, *values: object) -> list[StoredContest]:
        with self.translate_errors():
            return [
                StoredContest(number, title, voters, choice, phase, tuple(json.loads(entrants)))
                for number, title, voters, choice, phase, entrants in self._connection.execute(query, values)
            ]

    def add_contest(self, title: str, voters: str, choice: str, phase: str, entrants: Sequence[str]) -> int:
        with self.translate_errors():
            row = self._connection.execute(
                "INSERT INTO contests (title, voters, choice, phase, entrants) VALUES (?, ?, ?, ?, ?)",
                (title, voters, choice, phase, json.dumps(entrants)),
            )
        return int(row.lastrowid or 0)

    def set_phase(self, number: int, phase: str) -> None:
        self._change("UPDATE contests SET phase = ? WHERE id = ?", [(phase, number)])

    def delete_contest(self, number: int) -> None:
        for table in ("codes", "browsers", "ballots"):
            self._change(f"DELETE FROM {table} WHERE contest = ?", [(number,)])
        self._change("DELETE FROM contests WHERE id = ?", [(number,)])

    def codes(self, number: int, *, batch: int | None = None, unused: bool = False) -> list[str]:
        rows = self._rows(
            "SELECT code FROM codes WHERE contest = ? AND used <= ? AND (? IS NULL OR batch = ?)"
            " ORDER BY batch, code",
            number,
            0 if unused else 1,
            batch,
            batch,
        )
        return [str(code) for (code,) in rows]

    def batches(self, number: int) -> list[CodeBatch]:
        query = "SELECT batch, COUNT(*), SUM(used) FROM codes WHERE contest = ? GROUP BY batch ORDER BY batch"
        with self.translate_errors():
            return [CodeBatch(*row) for row in self._connection.execute(query, (number,))]

    def add_codes(self, number: int, batch: int, codes: Iterable[str]) -> None:
        self._change("INSERT INTO codes VALUES (?, ?, ?, 0)", [(code, number, batch) for code in codes])

    def remove_codes(self, codes: Iterable[str]) -> None:
        with self.transaction():
            self._change("DELETE FROM codes WHERE code = ? AND used = 0", [(code,) for code in codes])

    def is_used(self, number: int, code: str) -> bool | None:
        rows = self._rows("SELECT used FROM codes WHERE code = ? AND contest = ?", code, number)
        return bool(rows[0][0]) if rows else None

    def use_code(self, code: str) -> None:
        self._change("UPDATE codes SET used = 1 WHERE code = ?", [(code,)])

    def has_voted(self, number: int, mark: str) -> bool:
        return bool(self._rows("SELECT 1 FROM browsers WHERE contest = ? AND mark = ?", number, mark))

    def add_voter(self, number: int, mark: str) -> None:
        self._change("INSERT INTO browsers VALUES (?, ?)", [(number, mark)])

    def add_ballot(self, number: int, places: Sequence[int]) -> None:
        # rows are sorted by a random text, so that nothing says which ballot came first
        row = (number, secrets.token_hex(16), json.dumps(list(places)))
        self._change("INSERT INTO ballots VALUES (?, ?, ?)", [row])

    def ballots(self, number: int) -> list[tuple[int, ...]]:
        with self.translate_errors():
            rows = self._connection.execute("SELECT chosen FROM ballots WHERE contest = ?", (number,))
            return [tuple(json.loads(chosen)) for (chosen,) in rows]

    def count_ballots(self, number: int) -> int:
        with self.translate_errors():
            query = "SELECT COUNT(*) FROM ballots WHERE contest = ?"
            return int(self._connection.execute(query, (number,)).fetchone()[0])

    def erase_traces(self) -> None:
        """Empty the write-ahead log, unless somebody is reading; then it happens later."""
        self._rows("PRAGMA wal_checkpoint(TRUNCATE)")
