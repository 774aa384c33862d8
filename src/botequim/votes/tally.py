"""Counting.

*Single choice*: who has the most votes. *Ranked*: by instant run-off. In each round a ballot counts for that
entrant still standing which it ranks highest; who has the fewest votes leaves, and takes the place behind all
that still stand. It goes on until one stands, so there is a full order; whoever has more than half of the
votes in any round cannot be overtaken in a later one.

*Ties*: if several have the fewest votes, every ballot is asked which of those it ranks highest, and who then
has the fewest leaves; this is asked again as long as it leaves fewer. Whom nothing tells apart is equal: they
leave together, and share a place. No lot is drawn, and no name or order of a list decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from botequim.contests.contest import Ballot, Choice, Contest

Paper: TypeAlias = tuple[Ballot, int]
"""What stands on it, and on how many others."""


@dataclass(frozen=True, slots=True)
class Round:
    """One look at all ballots."""

    votes: Mapping[str, int]
    """Of everybody still standing, the most first."""
    silent: int
    """Ballots that rank none of them."""
    asked: tuple[Mapping[str, int], ...]
    """The votes among those who shared the fewest, each time that was asked."""
    leaving: tuple[str, ...]
    """Who is out after it; several are equal."""


@dataclass(frozen=True, slots=True)
class Standing:
    """An entrant's place; equal places are shared."""

    place: int
    entrant: str
    votes: int
    """All, or of a ranked choice those in the last round in which it stood."""


@dataclass(frozen=True, slots=True)
class Tally:
    """A result with its reasons."""

    ballots: int
    standings: tuple[Standing, ...]
    rounds: tuple[Round, ...]
    """Of a ranked choice; in the last one those are left who share the first place."""

    @property
    def winners(self) -> tuple[str, ...]:
        """Several if they are equal; nobody without a vote."""
        return tuple(row.entrant for row in self.standings if row.place == 1) if self.ballots else ()

    @property
    def podium(self) -> tuple[Standing, ...]:
        """The first three places, shared or not, without those for whom nobody voted."""
        return tuple(row for row in self.standings if row.place <= 3 and row.votes) if self.ballots else ()


def tally(contest: Contest, ballots: Sequence[Ballot]) -> Tally:
    """Who has won. The order of ballots does not matter."""
    if contest.choice is Choice.SINGLE:
        return _most_votes(contest.entrants, ballots)
    return _run_off(contest.entrants, ballots)


def _most_votes(entrants: Sequence[str], ballots: Sequence[Ballot]) -> Tally:
    votes = _first_choices(entrants, Counter(ballots))
    standings = tuple(
        Standing(1 + sum(other > count for other in votes.values()), name, count)
        for name, count in votes.items()
    )
    return Tally(len(ballots), standings, ())


def _run_off(entrants: Sequence[str], ballots: Sequence[Ballot]) -> Tally:
    papers = Counter(ballots)  # equal ballots are looked at once
    piles: dict[str, list[Paper]] = {name: [] for name in entrants}
    _deal(papers.items(), piles)
    rounds: list[Round] = []
    standings: list[Standing] = []
    while piles:
        votes = _most_first({name: sum(times for _, times in pile) for name, pile in piles.items()})
        asked, leaving = _fewest(votes, papers)
        rounds.append(Round(votes, len(ballots) - sum(votes.values()), asked, leaving))
        theirs = [one for name in leaving for one in piles.pop(name)]
        _deal(theirs, piles)
        standings += (Standing(len(piles) + 1, name, votes[name]) for name in reversed(leaving))
    return Tally(len(ballots), tuple(reversed(standings)), tuple(rounds))


def _deal(papers: Iterable[Paper], piles: Mapping[str, list[Paper]]) -> None:
    """Each on the pile of that entrant which it ranks highest, if there is one."""
    for paper in papers:
        first = next((name for name in paper[0] if name in piles), None)
        if first is not None:
            piles[first].append(paper)


def _first_choices(among: Sequence[str], papers: Mapping[Ballot, int]) -> dict[str, int]:
    """How many ballots rank each of these before the others of them; the most first, else in their order."""
    votes = dict.fromkeys(among, 0)
    for ballot, times in papers.items():
        first = next((name for name in ballot if name in votes), None)
        if first is not None:
            votes[first] += times
    return _most_first(votes)


def _most_first(votes: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(votes.items(), key=lambda item: -item[1]))


def _fewest(
    votes: Mapping[str, int], papers: Mapping[Ballot, int]
) -> tuple[tuple[Mapping[str, int], ...], tuple[str, ...]]:
    """Who leaves, and what was asked to find out."""
    asked = []
    least = _least(votes)
    while 1 < len(least) < len(votes):
        votes = _first_choices(least, papers)
        asked.append(votes)
        least = _least(votes)
    return tuple(asked), least


def _least(votes: Mapping[str, int]) -> tuple[str, ...]:
    fewest = min(votes.values())
    return tuple(name for name, count in votes.items() if count == fewest)
