"""Contests, codes and ballots in a cup's `show.sqlite`::

    with Show.open(home.show) as show:
        contests = Contests(show)
        contest = contests.make("Best art", Voters.CODES, Choice.RANKED, names)
        codes = contests.add_codes(contest.id, 100)
        contests.turn(contest.id, Phase.OPEN)
        contests.vote(contest.id, ["a", "b"], code=codes[0])

Several programs may do that at once. A vote is one transaction: its code is used and its ballot is in, or
neither. A ballot's place in its table is drawn, so that nothing says which came first.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from botequim.contests import codes
from botequim.contests.contest import Ballot, Choice, Contest, Phase, Voters
from botequim.contests.tally import Tally, tally
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.cup.curtain import Show

MOST_CODES: Final = 5000
"""Of a contest."""
MOST_CONTESTS: Final = 100
"""Of a cup."""


class NoContest(InputError):
    """There is none of that number."""


class NotOpen(InputError):
    """It is not voted just now."""


class UnknownCode(InputError):
    """Not one of this contest."""


class NoMark(InputError):
    """A browser that says nothing by which it could be known again."""


class AlreadyVoted(InputError):
    """With this code, or from this browser."""


class TooEarly(InputError):
    """Before a contest is closed nobody is told how it stands."""


@dataclass(frozen=True, slots=True)
class Turnout:
    """How many voted: for the organiser, and for everybody once it is closed."""

    codes: int
    used: int
    ballots: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Codes that were made together."""

    number: int
    """From 1."""
    codes: int
    used: int


class Contests:
    """Those of one cup."""

    def __init__(self, show: Show) -> None:
        self._show: Final = show

    # --- what there is -----------------------------------------------------------------------------

    def all(self) -> list[Contest]:
        with self._show.reading() as asked:
            return [_contest(row) for row in asked.execute(f"SELECT {COLUMNS} FROM contests ORDER BY id")]

    def get(self, number: int) -> Contest:
        with self._show.reading() as asked:
            return _found(asked, number)

    def turnout(self, number: int) -> Turnout:
        with self._show.reading() as asked:
            _found(asked, number)
            made, used = asked.execute(
                "SELECT COUNT(*), COALESCE(SUM(used), 0) FROM codes WHERE contest = ?", (number,)
            ).fetchone()
            (ballots,) = asked.execute("SELECT COUNT(*) FROM ballots WHERE contest = ?", (number,)).fetchone()
        return Turnout(made, used, ballots)

    def codes(self, number: int, *, batch: int | None = None, unused: bool = False) -> list[str]:
        """All, or those that were made together, or that nobody voted with; their order means nothing."""
        with self._show.reading() as asked:
            _found(asked, number)
            rows = asked.execute(
                "SELECT code FROM codes WHERE contest = ? AND used <= ? AND (? IS NULL OR batch = ?)"
                " ORDER BY batch, code",
                (number, 0 if unused else 1, batch, batch),
            ).fetchall()
        return [code for (code,) in rows]

    def batches(self, number: int) -> list[Batch]:
        """Codes that were made together, as they were printed; the first first."""
        with self._show.reading() as asked:
            rows = asked.execute(
                "SELECT batch, COUNT(*), SUM(used) FROM codes WHERE contest = ?"
                " GROUP BY batch ORDER BY batch",
                (number,),
            ).fetchall()
        return [Batch(*row) for row in rows]

    def tally(self, number: int, *, early: bool = False) -> Tally:
        """The result; `early` is for an organiser who wants to know before it is closed."""
        with self._show.reading() as asked:
            contest = _found(asked, number)
            if contest.phase is not Phase.CLOSED and not early:
                raise TooEarly(msg("the votes are counted when the contest is closed"))
            rows = asked.execute("SELECT chosen FROM ballots WHERE contest = ?", (number,)).fetchall()
        return tally(contest, [_ballot(contest, chosen) for (chosen,) in rows])

    # --- what the organiser does ---------------------------------------------------------------------

    def make(self, title: str, voters: Voters, choice: Choice, entrants: Sequence[str]) -> Contest:
        """A new one, in preparation."""
        made = Contest(0, title.strip(), voters, choice, tuple(entrants))
        with self._show.transaction() as change:
            (count,) = change.execute("SELECT COUNT(*) FROM contests").fetchone()
            if count >= MOST_CONTESTS:
                raise InputError(
                    msg("a cup has at most {most} contests; delete one first", most=MOST_CONTESTS)
                )
            change.execute(
                "INSERT INTO contests (title, voters, choice, phase, entrants) VALUES (?, ?, ?, ?, ?)",
                (made.title, made.voters, made.choice, made.phase, json.dumps(made.entrants)),
            )
            (number,) = change.execute("SELECT last_insert_rowid()").fetchone()
            return _found(change, number)

    def add_codes(self, number: int, count: int) -> list[str]:
        """So many new ones, until it is closed."""
        with self._show.transaction() as change:
            contest = _found(change, number)
            if contest.voters is not Voters.CODES:
                raise InputError(msg("this contest is open to everybody: it has no codes"))
            if contest.phase is Phase.CLOSED:
                raise InputError(msg("this contest is closed: new codes would be of no use"))
            there, last = change.execute(
                "SELECT COUNT(*), COALESCE(MAX(batch), 0) FROM codes WHERE contest = ?", (number,)
            ).fetchone()
            if count < 1 or there + count > MOST_CODES:
                raise InputError(
                    msg(
                        "{count} codes cannot be made: a contest has 1 to {most}, this one has {there}",
                        count=count,
                        most=MOST_CODES,
                        there=there,
                    )
                )
            drawn = [codes.drawn() for _ in range(count)]
            change.executemany(
                "INSERT INTO codes VALUES (?, ?, ?, 0)", [(code, number, last + 1) for code in drawn]
            )
        return drawn

    def withdraw(self, drawn: Sequence[str]) -> None:
        """Codes that were never given to anybody."""
        with self._show.transaction() as change:
            change.executemany("DELETE FROM codes WHERE code = ? AND used = 0", [(code,) for code in drawn])

    def turn(self, number: int, phase: Phase) -> Contest:
        """Open it, then close it. It is no mistake to do so twice; back there is no way."""
        order = list(Phase)
        with self._show.transaction() as change:
            before = _found(change, number).phase
            if order.index(phase) < order.index(before):
                raise InputError(
                    msg("a contest that was opened is not prepared again")
                    if before is Phase.OPEN
                    else msg("a contest that was closed is not opened again: its result may be known")
                )
            if before is Phase.PREPARING and phase is Phase.CLOSED:
                raise InputError(
                    msg(
                        "this contest was never opened, and closing it would be for good: open it first, or "
                        "delete it (botequim contest delete)"
                    )
                )
            change.execute("UPDATE contests SET phase = ? WHERE id = ?", (phase, number))
            after = _found(change, number)
        if phase is Phase.CLOSED:
            self._forget_traces()
        return after

    def delete(self, number: int, title: str) -> None:
        """With its codes and ballots, for good. Whoever does it says its title: so it is the one meant."""
        with self._show.transaction() as change:
            if _found(change, number).title != title.strip():
                raise InputError(msg("that is not the title of this contest: nothing was deleted"))
            for table in ("codes", "browsers", "ballots"):
                change.execute(f"DELETE FROM {table} WHERE contest = ?", (number,))
            change.execute("DELETE FROM contests WHERE id = ?", (number,))
        self._forget_traces()

    def _forget_traces(self) -> None:
        """The journal has which rows were written together. If somebody is reading, it goes later."""
        with self._show.reading() as asked:
            asked.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    # --- what the public does ------------------------------------------------------------------------

    def vote(self, number: int, chosen: Sequence[str], *, code: str = "", browser: str = "") -> None:
        """One ballot, with a code as it was typed, or from a browser that has this mark.

        Refused with `NoContest`, `NotOpen`, `UnknownCode`, `NoMark`, `AlreadyVoted` or `Spoilt`; then nothing
        changed.
        """
        with self._show.transaction() as change:
            contest = _found(change, number)
            if contest.phase is not Phase.OPEN:
                raise NotOpen(
                    msg("the voting has not begun yet")
                    if contest.phase is Phase.PREPARING
                    else msg("the voting is over")
                )
            if contest.voters is Voters.CODES:
                _use_code(change, number, code)
            else:
                _mark(change, number, browser)
            places = [contest.entrants.index(name) for name in contest.ballot(chosen)]
            change.execute(
                "INSERT INTO ballots VALUES (?, ?, ?)", (number, secrets.token_hex(16), json.dumps(places))
            )

    def look_up(self, number: int, code: str) -> None:
        """Refused as a vote with this code would be, with `UnknownCode` or `AlreadyVoted`."""
        with self._show.reading() as asked:
            _check_code(asked, number, code)

    def has_voted(self, number: int, browser: str) -> bool:
        """Whether this browser did."""
        with self._show.reading() as asked:
            return _is_marked(asked, number, browser)


COLUMNS: Final = "id, title, voters, choice, entrants, phase"


def _found(asked: sqlite3.Connection, number: int) -> Contest:
    row = None
    if 0 < number < 2**63:
        row = asked.execute(f"SELECT {COLUMNS} FROM contests WHERE id = ?", (number,)).fetchone()
    if row is None:
        known = [str(one) for (one,) in asked.execute("SELECT id FROM contests ORDER BY id")]
        raise NoContest(
            msg(
                "there is no contest {number} in this cup; known: {known}",
                number=number,
                known=", ".join(known) or "–",
            )
        )
    return _contest(row)


def _contest(row: tuple[int, str, str, str, str, str]) -> Contest:
    number, title, voters, choice, entrants, phase = row
    return Contest(number, title, Voters(voters), Choice(choice), tuple(json.loads(entrants)), Phase(phase))


def _ballot(contest: Contest, chosen: str) -> Ballot:
    return tuple(contest.entrants[place] for place in json.loads(chosen))


def _check_code(asked: sqlite3.Connection, number: int, code: str) -> None:
    row = asked.execute(
        "SELECT used FROM codes WHERE code = ? AND contest = ?", (codes.typed(code) or "", number)
    ).fetchone()
    if row is None:
        raise UnknownCode(msg("this code is not one of this contest: look at each letter and digit"))
    if row[0]:
        raise AlreadyVoted(msg("this code was used already: a vote with it is in, and it counts once"))


def _use_code(change: sqlite3.Connection, number: int, code: str) -> None:
    _check_code(change, number, code)
    change.execute("UPDATE codes SET used = 1 WHERE code = ?", (codes.typed(code),))


def _is_marked(asked: sqlite3.Connection, number: int, browser: str) -> bool:
    mark = _mark_of(number, browser)
    row = asked.execute("SELECT 1 FROM browsers WHERE contest = ? AND mark = ?", (number, mark)).fetchone()
    return row is not None


def _mark(change: sqlite3.Connection, number: int, browser: str) -> None:
    if not browser:
        raise NoMark(msg("your browser takes no cookies; without one it cannot vote here"))
    if _is_marked(change, number, browser):
        raise AlreadyVoted(msg("a vote from this browser is in already, and it counts once"))
    change.execute("INSERT INTO browsers VALUES (?, ?)", (number, _mark_of(number, browser)))


def _mark_of(number: int, browser: str) -> str:
    """Not the cookie itself, and another in every contest: marks tell nobody who voted where."""
    return sha256(f"{number}:{browser}".encode()).hexdigest()
