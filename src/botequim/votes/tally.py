"""Counts votes.

*Single choice*: the entrant with the most votes wins. *Ranked*: instant run-off. In each round a ballot
counts for the remaining entrant that it ranks highest. The entrant with the fewest votes is eliminated, and
is placed behind all that remain. This continues until one remains, so all entrants are ranked. An entrant
with more than half of the votes in any round cannot be overtaken later.

*Ties*: if several entrants have the fewest votes, the ballots are counted among only these, and the one with
the fewest then is eliminated; this is repeated while it reduces the tie. Entrants that are still tied are
eliminated together and share a place. Neither chance nor names nor the order of a list decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from botequim.votes.contest import Ballot, Choice, Contest

Paper: TypeAlias = tuple[Ballot, int]
"""A ballot, and how many ballots are equal to it."""


@dataclass(frozen=True, slots=True)
class Round:
    """One count of all ballots."""

    votes: Mapping[str, int]
    """The votes of the remaining entrants, the most first."""
    silent: int
    """The number of ballots that rank none of the remaining entrants."""
    asked: tuple[Mapping[str, int], ...]
    """The counts among the entrants with the fewest votes, if there was a tie."""
    leaving: tuple[str, ...]
    """The entrants that are eliminated; several if they are tied."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The place of an entrant; tied entrants share one."""

    place: int
    entrant: str
    votes: int
    """All its votes; for a ranked choice, those in its last round."""


@dataclass(frozen=True, slots=True)
class Tally:
    """A result with its reasons."""

    ballots: int
    standings: tuple[Standing, ...]
    rounds: tuple[Round, ...]
    """The rounds of a ranked choice; in the last one, those who share the first place remain."""

    @property
    def winners(self) -> tuple[str, ...]:
        """The winners: several if they are tied, none if nobody voted."""
        return tuple(row.entrant for row in self.standings if row.place == 1) if self.ballots else ()

    @property
    def podium(self) -> tuple[Standing, ...]:
        """The first three places, without entrants that got no vote."""
        return tuple(row for row in self.standings if row.place <= 3 and row.votes) if self.ballots else ()


def tally(contest: Contest, ballots: Sequence[Ballot]) -> Tally:
    """Count the ballots of a contest. Their order does not matter."""
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
    papers = Counter(ballots)  # equal ballots are counted together
    piles: dict[str, list[Paper]] = {name: [] for name in entrants}
    _deal(papers.items(), piles)
    rounds: list[Round] = []
    standings: list[Standing] = []
    while piles:
        votes = _most_first({name: sum(times for _, times in pile) for name, pile in piles.items()})
        tie_breaks, leaving = _fewest(votes, papers)
        rounds.append(Round(votes, len(ballots) - sum(votes.values()), tie_breaks, leaving))
        theirs = [one for name in leaving for one in piles.pop(name)]
        _deal(theirs, piles)
        standings += (Standing(len(piles) + 1, name, votes[name]) for name in reversed(leaving))
    return Tally(len(ballots), tuple(reversed(standings)), tuple(rounds))


def _deal(papers: Iterable[Paper], piles: Mapping[str, list[Paper]]) -> None:
    """Put each ballot on the pile of the entrant that it ranks highest, if there is one."""
    for paper in papers:
        first = next((name for name in paper[0] if name in piles), None)
        if first is not None:
            piles[first].append(paper)


def _first_choices(among: Sequence[str], papers: Mapping[Ballot, int]) -> dict[str, int]:
    """Return the number of ballots that rank each entrant before the others in `among`, the most first."""
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
    """Return the counts that broke ties, and who is eliminated."""
    tie_breaks = []
    least = _least(votes)
    while 1 < len(least) < len(votes):
        votes = _first_choices(least, papers)
        tie_breaks.append(votes)
        least = _least(votes)
    return tuple(tie_breaks), least


def _least(votes: Mapping[str, int]) -> tuple[str, ...]:
    fewest = min(votes.values())
    return tuple(name for name, count in votes.items() if count == fewest)
