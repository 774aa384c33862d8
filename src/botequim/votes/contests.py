"""The contests of a cup, with the rules of voting::

    with storage.open_votes() as store:
        contests = Contests(store)
        contest = contests.add("Best art", Voters.CODES, Choice.RANKED, names)
        codes = contests.add_codes(contest.id, 100)
        contests.set_phase(contest.id, Phase.OPEN)
        contests.vote(contest.id, ["a", "b"], code=codes[0])

Several programs may do that at the same time. A vote is one transaction: either its code is marked as used
and its ballot is stored, or nothing changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from botequim.core.errors import BotequimError, InputError
from botequim.core.messages import msg
from botequim.storage.protocol import VoteStore
from botequim.storage.values import CodeBatch, StoredContest
from botequim.votes.codes import new_code, parse_code
from botequim.votes.contest import Choice, Contest, Phase, Voters
from botequim.votes.tally import Tally, tally

MOST_CODES: Final = 5000
"""The most codes of a contest."""
MOST_CONTESTS: Final = 100
"""The most contests of a cup."""


class NoContest(InputError):
    """There is no contest with this number."""


class NotOpen(InputError):
    """The contest is not open for voting."""


class UnknownCode(InputError):
    """The code does not belong to this contest."""


class NoCookie(InputError):
    """The browser has no cookie by which it could be recognised."""


class DuplicateVote(InputError):
    """This code, or this browser, has voted already."""


class TooEarly(InputError):
    """Votes are counted only when the contest is closed."""


@dataclass(frozen=True, slots=True)
class Turnout:
    """How many voted. It is public once the contest is closed."""

    codes: int
    used: int
    ballots: int


class Contests:
    """The contests of one cup."""

    def __init__(self, store: VoteStore) -> None:
        self._store: Final = store

    # --- reading -------------------------------------------------------------------------------------

    def all(self) -> list[Contest]:
        return [_contest(one) for one in self._store.contests()]

    def get(self, number: int) -> Contest:
        """Return a contest, or raise NoContest."""
        row = self._store.contest(number)
        if row is None:
            numbers = [str(one.id) for one in self._store.contests()]
            raise NoContest(
                msg(
                    "there is no contest {number} in this cup; known: {known}",
                    number=number,
                    known=", ".join(numbers) or "–",
                )
            )
        return _contest(row)

    def turnout(self, number: int) -> Turnout:
        self.get(number)
        batches = self._store.batches(number)
        return Turnout(
            sum(batch.codes for batch in batches),
            sum(batch.used for batch in batches),
            self._store.count_ballots(number),
        )

    def codes(self, number: int, *, batch: int | None = None, unused: bool = False) -> list[str]:
        """Return the codes of a contest or of a batch, or only the unused ones. Their order means nothing."""
        self.get(number)
        return self._store.codes(number, batch=batch, unused=unused)

    def batches(self, number: int) -> list[CodeBatch]:
        """Return the batches of codes that were created together, the oldest first."""
        return self._store.batches(number)

    def tally(self, number: int, *, early: bool = False) -> Tally:
        """Return the result; `early` is for an organiser, before the contest is closed."""
        contest = self.get(number)
        if contest.phase is not Phase.CLOSED and not early:
            raise TooEarly(msg("the votes are counted when the contest is closed"))
        try:
            ballots = [
                tuple(contest.entrants[place] for place in places) for places in self._store.ballots(number)
            ]
        except (IndexError, TypeError) as error:
            raise _damage_error(number, error) from error
        return tally(contest, ballots)

    # --- for the organiser ---------------------------------------------------------------------------

    def add(self, title: str, voters: Voters, choice: Choice, entrants: Sequence[str]) -> Contest:
        """Add a contest that is not open yet."""
        new = Contest(0, title.strip(), voters, choice, tuple(entrants))
        with self._store.transaction():
            if len(self._store.contests()) >= MOST_CONTESTS:
                raise InputError(
                    msg("a cup has at most {most} contests; delete one first", most=MOST_CONTESTS)
                )
            number = self._store.add_contest(new.title, new.voters, new.choice, new.phase, new.entrants)
            return self.get(number)

    def add_codes(self, number: int, count: int) -> list[str]:
        """Create codes for a contest that is not closed yet, and return them."""
        with self._store.transaction():
            contest = self.get(number)
            if contest.voters is not Voters.CODES:
                raise InputError(msg("this contest is open to everybody: it has no codes"))
            if contest.phase is Phase.CLOSED:
                raise InputError(msg("this contest is closed: new codes would be useless"))
            batches = self._store.batches(number)
            existing = sum(batch.codes for batch in batches)
            if count < 1 or existing + count > MOST_CODES:
                raise InputError(
                    msg(
                        "{count} codes cannot be created: a contest has 1 to {most}, this one has {existing}",
                        count=count,
                        most=MOST_CODES,
                        existing=existing,
                    )
                )
            codes = [new_code() for _ in range(count)]
            self._store.add_codes(number, batches[-1].number + 1 if batches else 1, codes)
        return codes

    def remove_codes(self, codes: Sequence[str]) -> None:
        """Remove codes that were never given to anybody."""
        self._store.remove_codes(codes)

    def set_phase(self, number: int, phase: Phase) -> Contest:
        """Open or close a contest. It may be in that phase already, but not in a later one."""
        order = list(Phase)
        with self._store.transaction():
            before = self.get(number).phase
            if order.index(phase) < order.index(before):
                raise InputError(
                    msg("a contest that was opened cannot be prepared again")
                    if before is Phase.OPEN
                    else msg("a closed contest cannot be opened again: its result may be known")
                )
            if before is Phase.PREPARING and phase is Phase.CLOSED:
                raise InputError(
                    msg(
                        "this contest was never opened, and closing is final: open it first, or delete it "
                        "(botequim contest delete)"
                    )
                )
            self._store.set_phase(number, phase)
            after = self.get(number)
        if phase is Phase.CLOSED:
            self._store.erase_traces()
        return after

    def delete(self, number: int, title: str) -> None:
        """Delete a contest with its codes and ballots. The title must match, as a confirmation."""
        with self._store.transaction():
            if self.get(number).title != title.strip():
                raise InputError(msg("that is not the title of this contest: nothing was deleted"))
            self._store.delete_contest(number)
        self._store.erase_traces()

    # --- for the public ------------------------------------------------------------------------------

    def vote(self, number: int, choices: Sequence[str], *, code: str = "", browser: str = "") -> None:
        """Store one ballot, with a code as somebody typed it, or from the browser with this cookie.

        Raise `NoContest`, `NotOpen`, `UnknownCode`, `NoCookie`, `DuplicateVote` or `Spoilt`; then nothing
        changed.
        """
        with self._store.transaction():
            contest = self.get(number)
            if contest.phase is not Phase.OPEN:
                raise NotOpen(
                    msg("the voting has not begun yet")
                    if contest.phase is Phase.PREPARING
                    else msg("the voting is over")
                )
            if contest.voters is Voters.CODES:
                self.check_code(number, code)
                self._store.use_code(parse_code(code) or "")
            else:
                self._mark_browser(number, browser)
            places = [contest.entrants.index(name) for name in contest.ballot(choices)]
            self._store.add_ballot(number, places)

    def check_code(self, number: int, code: str) -> None:
        """Raise `UnknownCode` or `DuplicateVote` if nobody can vote with this code."""
        is_used = self._store.is_used(number, parse_code(code) or "")
        if is_used is None:
            raise UnknownCode(msg("this contest has no such code: check each letter and digit"))
        if is_used:
            raise DuplicateVote(msg("somebody has already voted with this code; a code can be used once"))

    def has_voted(self, number: int, browser: str) -> bool:
        return self._store.has_voted(number, _mark(number, browser))

    def _mark_browser(self, number: int, browser: str) -> None:
        if not browser:
            raise NoCookie(msg("your browser does not accept cookies; without one you cannot vote here"))
        if self.has_voted(number, browser):
            raise DuplicateVote(msg("this browser has already voted; it can vote once"))
        self._store.add_voter(number, _mark(number, browser))


def _contest(row: StoredContest) -> Contest:
    try:
        voters, choice, phase = Voters(row.voters), Choice(row.choice), Phase(row.phase)
    except ValueError as error:
        raise _damage_error(row.id, error) from error
    return Contest(row.id, row.title, voters, choice, row.entrants, phase)


def _damage_error(number: int, error: Exception) -> BotequimError:
    why = f"{type(error).__name__}: {error}"[:200]
    return BotequimError(
        msg("contest {number} is damaged ({why}): restore a copy of `show.sqlite`", number=number, why=why)
    )


def _mark(number: int, browser: str) -> str:
    """Return a digest of the cookie that differs in each contest, so that votes cannot be linked."""
    return sha256(f"{number}:{browser}".encode()).hexdigest()
