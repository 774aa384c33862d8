"""What servers read of the games under way."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from botequim.core import clock
from botequim.core.messages import Message
from botequim.core.record import Json, message_from
from botequim.cup.database import BUSY_SECONDS, UNREADABLE
from botequim.cup.live.form import FORM, KEPT_SECONDS, LOST_SECONDS


@dataclass(frozen=True)
class LiveGame:
    """A game under way, or one that has just ended."""

    id: int
    """Never given twice. A game that is played again has another."""
    stage: str
    key: str
    """Of its series."""
    number: int
    """In its series, from 0."""
    told: str
    """The header as JSON."""
    began: float
    """Seconds since 1970, as all times here."""
    ended: float | None
    turns: int
    """That are told so far."""

    @cached_property
    def header(self) -> Json:
        """The first line of its record, without the seed: game, options, seats with names."""
        content: Json = json.loads(self.told)
        return content


@dataclass(frozen=True, slots=True)
class LiveTurn:
    """One turn of it."""

    number: int
    """From 1."""
    line: str
    """As a record has it, without logs and digest; all of it ASCII."""
    made: float
    """When."""


@dataclass(frozen=True, slots=True)
class NextSeries:
    """A series that will be played soon."""

    stage: str
    key: str
    entrants: tuple[str, ...]
    label: Message
    games: int
    """At most."""


@dataclass(frozen=True, slots=True)
class StageState:
    """How far a stage is."""

    name: str
    finished: int
    """Series."""
    known: int
    """Those and all that can be played now; more may follow from their results."""


class Live:
    """`live.sqlite`, read. It belongs to the thread that uses it first, and may be opened before there is a
    file.

    The file may be damaged, made anew or taken away at any time; then there are no games.
    """

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._seen: object = object()

    @classmethod
    def open(cls, path: Path) -> Live:
        return cls(path)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __enter__(self) -> Live:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def changed(self) -> bool:
        """Whether anything was written since this was asked last; the first time, yes. It costs some
        microseconds. A coordinator that is there writes at least every second."""
        now = (self._file_there(), self._ask("PRAGMA data_version"))
        before, self._seen = self._seen, now
        return bool(now != before)

    @property
    def running(self) -> bool:
        """Whether the cup is being played just now. One who died in the middle is noticed after some
        seconds."""
        return any(
            ended is None and abs(clock.now() - seen) < LOST_SECONDS
            for seen, ended in self._ask("SELECT seen, ended FROM run")
        )

    @property
    def began(self) -> float | None:
        """When the run began that is told here: another number is another run."""
        return next((float(began) for (began,) in self._ask("SELECT began FROM run")), None)

    def games(self) -> list[LiveGame]:
        """Those under way, and those that ended some seconds ago, in the order in which they began. None when
        nobody plays any more."""
        since = clock.now() - KEPT_SECONDS
        alive = self.running
        rows = self._ask(
            "SELECT id, stage, key, number, header, began, ended,"
            " (SELECT COALESCE(MAX(number), 0) FROM turns WHERE game = id) FROM games ORDER BY id"
        )
        found = [LiveGame(*row) for row in rows]
        return [game for game in found if (alive if game.ended is None else game.ended > since)]

    def turns(self, game: int, after: int = 0) -> list[LiveTurn]:
        """Of a game, those after turn `after`."""
        rows = self._ask(
            "SELECT number, line, made FROM turns WHERE game = ? AND number > ? ORDER BY number",
            (game, after),
        )
        return [LiveTurn(*row) for row in rows]

    def next_series(self) -> list[NextSeries]:
        """Those that come next, as far as it is known, the first first. None of them is under way."""
        rows = self._ask("SELECT stage, key, entrants, label, games FROM next ORDER BY place")
        playing = {(game.stage, game.key) for game in self.games()}
        return [
            NextSeries(stage, key, tuple(json.loads(entrants)), message_from(json.loads(label)), games)
            for stage, key, entrants, label, games in rows
            if self.running and (stage, key) not in playing
        ]

    def stages(self) -> list[StageState]:
        """Those that were begun in this run."""
        return [
            StageState(*row) for row in self._ask("SELECT name, finished, known FROM stages ORDER BY rowid")
        ]

    # --- with care ---------------------------------------------------------------------------------

    def _file_there(self) -> tuple[int, int] | None:
        try:
            known = self.path.stat()
        except OSError:
            return None
        return (known.st_dev, known.st_ino)

    def _ask(self, question: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Nothing where there is nothing that can be read."""
        there = self._file_there()
        if there is None or there != self._file:
            self.close()
        if there is None:
            return []
        try:
            if self._connection is None:
                self._connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
                self._file = there
            if question.startswith("SELECT"):
                (form,) = self._connection.execute("PRAGMA user_version").fetchone()
                if form != FORM:
                    return []
            return self._connection.execute(question, values).fetchall()
        except UNREADABLE:
            self.close()
            return []
