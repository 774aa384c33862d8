"""The curtain: what the public may see of a cup.

The public cup is always a *prefix* of what was played: the games in the order of (number of the series,
number of the game). Nothing is held back: all of it, as it happens. Held: the first `shown` games of that
order, and nothing that depends on any later one. So a cup can be played ahead and revealed game by game, or
frozen before its final, by one number.

`Curtain` is pure: every finished series and `shown` in, what is public out. `Show` is the file that keeps
`shown`; organisers and servers write it, never the coordinator of a cup::

    with Store.open(home.store) as store:
        curtain = Curtain.of(store, home.show)
    progress = cup.progress(seed, curtain.results())

    with Show.open(home.show) as show:
        show.hold(at=0)                                           # play ahead
        show.reveal(to=curtain.next_game(), expected=curtain.shown)
        show.release()                                            # all is public, as it happens
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final

from botequim.core.errors import BotequimError, InputError, os_reason
from botequim.core.messages import msg
from botequim.cup.database import BUSY_SECONDS, Database
from botequim.cup.pairing import GameResult, Result
from botequim.cup.store import FaultNote, Store, Stored

MIGRATIONS: Final[tuple[str, ...]] = (
    """
    CREATE TABLE curtain (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        shown INTEGER CHECK (shown >= 0)
    );
    INSERT INTO curtain VALUES (1, NULL);
    """,
    # what the organiser's token is known by; the game after the first `shown` is shown move by move
    """
    CREATE TABLE organiser (one INTEGER PRIMARY KEY CHECK (one = 1), token_sha256 TEXT NOT NULL);
    CREATE TABLE showing (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        shown INTEGER NOT NULL, began REAL NOT NULL, pace REAL NOT NULL
    );
    """,
    # contests: what was voted has neither a time nor an order nor a way back to who did
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
)
"""Of `show.sqlite`. Whoever keeps something else there (contests, ballots) adds its tables at the end; see
`botequim.cup.database`."""


@dataclass(frozen=True, slots=True)
class PublicSeries:
    """A series as far as it is public."""

    number: int
    """As stored, from 1: a part of the addresses of its games."""
    stage: str
    result: Result
    """With its public games only."""
    whole: bool
    """Whether that is all of it: only then it counts for standings, cross table and bracket."""

    @property
    def key(self) -> str:
        return self.result.key


@dataclass(frozen=True, slots=True)
class PublicGame:
    """A game that everybody may see."""

    series: PublicSeries
    number: int
    """In its series, from 0."""

    @property
    def result(self) -> GameResult:
        return self.series.result.games[self.number]


@dataclass(frozen=True)
class Curtain:
    """What is public, and what would be next."""

    played: Sequence[Stored]
    """Every finished series, in the order of their numbers: for the organiser's eyes."""
    shown: int | None = None
    """How many games are public; None: all, and those under way."""

    @classmethod
    def of(cls, store: Store, show: Path, *, unrevealed: bool = False) -> Curtain:
        """As it is now. `unrevealed` is for the organiser: everything."""
        played = store.played()  # first: what is held from now on cannot be among what was read before
        return cls(played, None if unrevealed else shown_in(show))

    @property
    def held(self) -> bool:
        """Whether games are public only when they are revealed; then none under way is."""
        return self.shown is not None

    # --- what everybody may see --------------------------------------------------------------------

    @cached_property
    def public(self) -> tuple[PublicSeries, ...]:
        """Every series of which something is public; of these at most the last is not whole."""
        return tuple(self._cut())

    def _cut(self) -> Iterator[PublicSeries]:
        left = self.count if self.shown is None else self.shown
        for one in self.played:
            if left <= 0:
                return
            games = one.result.games
            if len(games) <= left:
                yield PublicSeries(one.number, one.stage, one.result, True)
            else:
                yield PublicSeries(one.number, one.stage, replace(one.result, games=games[:left]), False)
            left -= len(games)

    @property
    def visible(self) -> int:
        """How many games are public."""
        return sum(len(one.result.games) for one in self.public)

    def results(self) -> dict[str, dict[str, Result]]:
        """Of the series that are public as a whole, by stage and key: for `Cup.progress`."""
        found: dict[str, dict[str, Result]] = {}
        for one in self.public:
            if one.whole:
                found.setdefault(one.stage, {})[one.key] = one.result
        return found

    def partly(self) -> PublicSeries | None:
        """The series that is being revealed game by game."""
        return next((one for one in self.public if not one.whole), None)

    def games(self) -> Iterator[PublicGame]:
        """In the order in which they became public."""
        for one in self.public:
            for number in range(len(one.result.games)):
                yield PublicGame(one, number)

    def series(self, number: int) -> PublicSeries | None:
        """By its number; None if it is not public, or not there: nobody is told which."""
        return self._by_number.get(number)

    def sees(self, stage: str, key: str, game: int) -> bool:
        """Whether a game (from 0) is public."""
        one = self._by_key.get((stage, key))
        return one is not None and 0 <= game < len(one.result.games)

    def record(self, store: Store, series: int, game: int) -> list[str] | None:
        """The lines of a game's record (from 0), if that is public."""
        one = self.series(series)
        public = one is not None and 0 <= game < len(one.result.games)
        return store.record_of(series, game) if public else None

    def faults(self, notes: Iterable[tuple[str, str, FaultNote]]) -> list[tuple[str, str, FaultNote]]:
        """Those in public games, of what `Store.faults` gives."""
        return [(stage, key, note) for stage, key, note in notes if self.sees(stage, key, note.game)]

    def seconds(self, stage: str) -> tuple[int, float]:
        """How many series of a stage are public, and how long they took together."""
        whole = {one.number for one in self.public if one.whole and one.stage == stage}
        return len(whole), sum(one.seconds for one in self.played if one.number in whole)

    @cached_property
    def _by_number(self) -> dict[int, PublicSeries]:
        return {one.number: one for one in self.public}

    @cached_property
    def _by_key(self) -> dict[tuple[str, str], PublicSeries]:
        return {(one.stage, one.key): one for one in self.public}

    # --- what only the organiser knows -------------------------------------------------------------

    @cached_property
    def count(self) -> int:
        """Games that were played."""
        return sum(len(one.result.games) for one in self.played)

    @property
    def hides(self) -> bool:
        """Whether something was played that is not public."""
        return self.shown is not None and self.shown < self.count

    def next_game(self) -> int | None:
        """What `shown` is when the next game is revealed too; None: there is nothing to reveal."""
        return self.shown + 1 if self.shown is not None and self.hides else None

    def rest_of_series(self) -> int | None:
        """The same for the rest of the next game's series."""
        ends = self._ends_after_shown()
        return ends[0][0] if ends else None

    def rest_of_stage(self) -> int | None:
        """The same for all that was played of the next game's stage, up to another stage's series."""
        ends = self._ends_after_shown()
        last = None
        for end, stage in ends:
            if stage != ends[0][1]:
                break
            last = end
        return last

    def _ends_after_shown(self) -> list[tuple[int, str]]:
        """Of every series that is not public as a whole: the games up to its end, and its stage."""
        if self.shown is None:
            return []
        found, end = [], 0
        for one in self.played:
            end += len(one.result.games)
            if end > self.shown:
                found.append((end, one.stage))
        return found


@dataclass(frozen=True, slots=True)
class Showing:
    """A game that is revealed move by move: the one after the first `shown`."""

    shown: int
    began: float
    """When its first move is to be seen, in seconds since 1970."""
    pace: float
    """Seconds from move to move."""


# --- the file that keeps it --------------------------------------------------------------------------


class Show(Database):
    """`with Show.open(path) as show`: what the organiser lets be seen. Several may write it, in turns.

    Other parts keep their own tables in it: they are given a `Show`, and use `transaction()` and `reading()`.
    """

    @classmethod
    def open(cls, path: Path) -> Show:
        """To read and to write; it is made if it is not there."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                msg("{path} cannot be written: {why}", path=str(path.parent), why=os_reason(error))
            ) from error
        show = cls(path, _connected(path))
        try:
            with show.told():
                show.bring_up_to_date(MIGRATIONS)
        except BaseException:
            show.close()
            raise
        return show

    @contextmanager
    def told(self) -> Iterator[None]:
        """Say in words what can go wrong with a file, also if it holds values that we do not store."""
        with super().told():
            try:
                yield
            except (ValueError, TypeError) as error:
                why = f"{type(error).__name__}: {error}"[:200]
                raise BotequimError(
                    msg("{path} is damaged ({why}): restore a copy of it", path=str(self.path), why=why)
                ) from error

    @property
    def shown(self) -> int | None:
        """How many games are public; None: all of them, as they happen."""
        with self.reading() as asked:
            return _shown(asked)

    def hold(self, at: int) -> int:
        """From now on only the first `at` games are public, until more are revealed. Where it is held already
        nothing changes: what was public stays so. How many are public now."""
        with self.transaction() as change:
            before = _shown(change)
            if before is not None:
                return before
            change.execute("UPDATE curtain SET shown = ?", (at,))
            return at

    def reveal(self, to: int, *, expected: int | None = None) -> bool:
        """Let the first `to` games be public; whether that was new. It only goes on, never back.

        With `expected` nothing happens if meanwhile another number of games is public: when two press "next"
        at the same time, one game is revealed.
        """
        with self.transaction() as change:
            before = _shown(change)
            if before is None or to <= before or (expected is not None and expected != before):
                return False
            change.execute("UPDATE curtain SET shown = ?", (to,))
            return True

    def show_next(self, *, expected: int, began: float, pace: float) -> bool:
        """Show the game after the first `expected`, move by move: its first at `began` (seconds since 1970),
        a turn every `pace` seconds. It is public when somebody reveals it, after its last move or before.
        Whether that was new: one game is shown at a time.
        """
        with self.transaction() as change:
            if _shown(change) != expected or _showing(change, expected) is not None:
                return False
            change.execute("INSERT OR REPLACE INTO showing VALUES (1, ?, ?, ?)", (expected, began, pace))
            return True

    @property
    def showing(self) -> Showing | None:
        """What is being shown move by move. What was revealed meanwhile is not."""
        with self.reading() as asked:
            shown = _shown(asked)
            return None if shown is None else _showing(asked, shown)

    def keep_token(self, digest: str) -> None:
        """The organiser's from now on."""
        with self.transaction() as change:
            change.execute("INSERT OR REPLACE INTO organiser VALUES (1, ?)", (digest,))

    @property
    def token(self) -> str | None:
        """The SHA-256 of the organiser's token, if there is one."""
        with self.reading() as asked:
            row = asked.execute("SELECT token_sha256 FROM organiser").fetchone()
        return None if row is None else str(row[0])

    def release(self) -> bool:
        """All is public, as it happens; whether that was new."""
        with self.transaction() as change:
            before = _shown(change)
            change.execute("UPDATE curtain SET shown = NULL")
            return before is not None


def shown_in(path: Path) -> int | None:
    """How many games are public, asked by somebody who only reads. No file: nobody ever held anything back.

    A file that cannot be read is an error: whoever cannot know shows nothing.
    """
    if not path.exists():
        return None
    with Show(path, _connected(path)) as show, show.told():
        return show.shown if show.version(MIGRATIONS) > 0 else None


def _connected(path: Path) -> sqlite3.Connection:
    try:
        return sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    except sqlite3.OperationalError as error:
        raise InputError(
            msg("{path} cannot be written: look at its folder's permissions", path=str(path))
        ) from error


def showing_in(path: Path) -> Showing | None:
    """What is being shown move by move, asked by somebody who only reads."""
    if not path.exists():
        return None
    with Show(path, _connected(path)) as show, show.told():
        return show.showing if show.version(MIGRATIONS) > 1 else None


def _showing(connection: sqlite3.Connection, shown: int) -> Showing | None:
    row = connection.execute("SELECT shown, began, pace FROM showing WHERE shown = ?", (shown,)).fetchone()
    return None if row is None else Showing(*row)


def _shown(connection: sqlite3.Connection) -> int | None:
    (shown,) = connection.execute("SELECT shown FROM curtain").fetchone()
    return None if shown is None else int(shown)
