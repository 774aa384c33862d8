"""In the coordinator: what its workers tell is written into `live.sqlite`, some twenty times a second.

All of it is done by a thread of its own. When it fails, the cup goes on without being told, and says so once.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from botequim.core import clock
from botequim.core.messages import Message, msg
from botequim.core.record import message_json
from botequim.cup.database import BUSY_SECONDS
from botequim.cup.live.form import FORM, KEPT_SECONDS, SEEN_SECONDS, TABLES
from botequim.cup.live.post import Receiver, Sender, post_box
from botequim.cup.live.telling import begin_telling
from botequim.cup.pairing import Pairing

BATCH_SECONDS: Final = 0.05
MOST_NEXT: Final = 20
"""Series that wait to be played."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How far a stage is, and what comes next."""

    stage: str
    finished: int
    known: int
    coming: Sequence[Pairing]


class Broadcast:
    """`with Broadcast(path) as live, Pool(workers, live.first) as pool`."""

    def __init__(self, path: Path, tell: Callable[[Message], None] = lambda said: None) -> None:
        """`tell` hears why nothing is told any more."""
        self._path: Final = path
        self._tell: Final = tell
        self._out, self._into = post_box()
        self._plan: Plan | None = None
        self._gone: Final[list[_Gone]] = []
        self._trouble: Message | None = None
        self._closing: Final = threading.Event()
        self._thread: Final = threading.Thread(target=self._write_on, name="broadcast", daemon=True)

    @property
    def first(self) -> Callable[[], Callable[[], None]]:
        """What each worker does before any work: see `Pool`."""
        return partial(begin_telling, self._into)

    def __enter__(self) -> Broadcast:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """The workers have ended."""
        self._closing.set()
        Sender(self._into).post(b"[]")  # wakes it
        self._thread.join()
        self._out.close()
        self._into.close()
        self._complain()

    # --- what the coordinator says -----------------------------------------------------------------

    def planned(self, plan: Plan) -> None:
        """How far a stage is; only the last of these counts."""
        self._plan = plan
        self._complain()

    def played_again(self, stage: str, key: str) -> None:
        """A series failed for a reason of ours: its games never were."""
        self._gone.append(_Gone(clock.now(), stage, key))

    def _complain(self) -> None:
        trouble, self._trouble = self._trouble, None
        if trouble is not None:
            self._tell(trouble)

    # --- the thread --------------------------------------------------------------------------------

    def _write_on(self) -> None:
        try:
            with _File(self._path) as file:
                self._write_into(file)
        except Exception as error:  # whatever it is, it is no reason not to play
            self._trouble = msg(
                "{path}: games under way are not told any more, the cup goes on: {why}",
                path=str(self._path),
                why=str(error),
            )
            self._listen_in_vain()

    def _write_into(self, file: _File) -> None:
        receiver = Receiver(self._out)
        written = 0.0
        while not file.ended:
            last = self._closing.is_set()
            batch = self._collected(receiver, due=written + BATCH_SECONDS)
            gone = [self._gone.pop(0) for _ in range(len(self._gone))]
            plan, self._plan = self._plan, None
            now = clock.now()
            if batch or gone or plan is not None or last or now - written >= SEEN_SECONDS:
                written = now
                file.write(batch, gone, plan, last=last)

    def _collected(self, receiver: Receiver, *, due: float) -> list[tuple[int, list[Any]]]:
        """What comes until the next batch is due; what comes later than that is not kept waiting."""
        found: list[tuple[int, list[Any]]] = []
        left = BATCH_SECONDS
        while True:
            for sender, message in receiver.messages(0.0 if self._closing.is_set() else left):
                found += [(sender, part) for part in json.loads(message)]
            left = due - clock.now()
            if self._closing.is_set() or left <= 0:
                return found

    def _listen_in_vain(self) -> None:
        """So that no worker waits for room."""
        receiver = Receiver(self._out)
        while not self._closing.is_set():
            for _ in receiver.messages(SEEN_SECONDS):
                pass


@dataclass(frozen=True, slots=True)
class _Gone:
    """Games that began before: those of a series, which never were, or all that have not ended."""

    before: float
    stage: str | None = None
    key: str | None = None


@dataclass
class _File:
    """`live.sqlite`, written."""

    path: Path
    ended: bool = False
    _ids: dict[tuple[int, int], int] = field(default_factory=dict)
    """By sender and its number: the games that are told."""
    _connection: sqlite3.Connection = field(init=False)

    def __enter__(self) -> _File:
        try:
            self._begin()
        except sqlite3.DatabaseError:  # damaged, or nothing of ours: there is nothing in it to be lost
            self._connection.close()
            for name in (self.path.name, f"{self.path.name}-wal", f"{self.path.name}-shm"):
                self.path.with_name(name).unlink(missing_ok=True)
            self._begin()
        return self

    def _begin(self) -> None:
        self._connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
        execute = self._connection.execute
        execute("PRAGMA journal_mode = WAL")
        execute("PRAGMA synchronous = OFF")
        execute("BEGIN IMMEDIATE")
        (form,) = execute("PRAGMA user_version").fetchone()
        names = [
            name
            for (name,) in execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            )
        ]
        if form == FORM:
            for name in names:
                execute(f'DELETE FROM "{name}"')
        else:
            for name in names:
                execute(f'DROP TABLE "{name}"')
            for table in TABLES:
                execute(table)
            execute(f"PRAGMA user_version = {FORM}")
        now = clock.now()
        execute("INSERT INTO run VALUES (1, ?, ?, NULL)", (now, now))
        execute("COMMIT")

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def write(
        self,
        batch: Sequence[tuple[int, list[Any]]],
        gone: Sequence[_Gone],
        plan: Plan | None,
        *,
        last: bool,
    ) -> None:
        """One batch: all of it or nothing."""
        execute = self._connection.execute
        now = clock.now()
        execute("BEGIN IMMEDIATE")
        try:
            for sender, (what, serial, *rest) in batch:
                self._take(sender, what, serial, rest)
            for one in gone:
                self._forget(one)
            if plan is not None:
                self._keep_plan(plan)
            execute(
                "DELETE FROM turns WHERE game IN (SELECT id FROM games WHERE ended < ?)",
                (now - KEPT_SECONDS,),
            )
            execute("DELETE FROM games WHERE ended < ?", (now - KEPT_SECONDS,))
            if last:
                self._forget(_Gone(now))
                execute("DELETE FROM next")
            execute("UPDATE run SET seen = ?, ended = ?", (now, now if last else None))
            execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                execute("ROLLBACK")
            raise
        self.ended = last

    def _take(self, sender: int, what: str, serial: int, rest: list[Any]) -> None:
        execute = self._connection.execute
        if what == "begin":
            stage, key, number, header, began = rest
            row = execute(
                "INSERT INTO games (stage, key, number, header, began) VALUES (?, ?, ?, ?, ?)",
                (stage, key, number, json.dumps(header), began),
            )
            self._ids[sender, serial] = int(row.lastrowid or 0)
            return
        game = self._ids.get((sender, serial))
        if game is None:
            return  # forgotten meanwhile
        if what == "turns":
            self._connection.executemany(
                "INSERT INTO turns VALUES (?, ?, ?, ?)",
                [(game, number, line, made) for number, line, made in rest[0]],
            )
            return
        del self._ids[sender, serial]
        if what == "end":
            execute("UPDATE games SET ended = ? WHERE id = ?", (rest[0], game))
        else:
            self._delete([game])

    def _forget(self, gone: _Gone) -> None:
        if gone.key is None:
            rows = self._connection.execute(
                "SELECT id FROM games WHERE ended IS NULL AND began <= ?", (gone.before,)
            )
        else:
            rows = self._connection.execute(
                "SELECT id FROM games WHERE stage = ? AND key = ? AND began <= ?",
                (gone.stage, gone.key, gone.before),
            )
        self._delete([game for (game,) in rows])

    def _delete(self, games: Sequence[int]) -> None:
        ids = [(game,) for game in games]
        self._connection.executemany("DELETE FROM turns WHERE game = ?", ids)
        self._connection.executemany("DELETE FROM games WHERE id = ?", ids)
        self._ids = {where: game for where, game in self._ids.items() if game not in set(games)}

    def _keep_plan(self, plan: Plan) -> None:
        execute = self._connection.execute
        execute("INSERT OR IGNORE INTO stages VALUES (?, 0, 0)", (plan.stage,))
        execute(
            "UPDATE stages SET finished = ?, known = ? WHERE name = ?",
            (plan.finished, plan.known, plan.stage),
        )
        execute("DELETE FROM next")
        self._connection.executemany(
            "INSERT INTO next VALUES (?, ?, ?, ?, ?, ?)",
            [
                (
                    place,
                    plan.stage,
                    pairing.key,
                    json.dumps(pairing.entrants),
                    json.dumps(message_json(pairing.label)),
                    pairing.terms.games,
                )
                for place, pairing in enumerate(plan.coming)
            ],
        )
