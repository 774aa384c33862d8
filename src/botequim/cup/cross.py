"""Results between each two entrants, with confidence intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from botequim.core.results import SeriesResult
from botequim.match.statistics import Score, share_against


@dataclass(frozen=True, slots=True)
class Duel:
    """The results of one entrant in games at the same table as another."""

    ahead: int = 0
    level: int = 0
    behind: int = 0

    @property
    def games(self) -> int:
        return self.ahead + self.level + self.behind

    @property
    def share(self) -> Fraction:
        """The number of games won, where a tie counts half."""
        return Fraction(2 * self.ahead + self.level, 2)


def cross_table(results: Iterable[SeriesResult]) -> Mapping[tuple[str, str], Duel]:
    """Return the results of one entrant against another by (one, other), for pairs that have met."""
    counts: dict[tuple[str, str], list[int]] = {}
    for result in results:
        for one, other in permutations(range(len(result.entrants)), 2):
            count = counts.setdefault((result.entrants[one], result.entrants[other]), [0, 0, 0])
            for game in result.games:
                difference = game.places[one] - game.places[other]
                count[0 if difference < 0 else 1 if difference == 0 else 2] += 1
    return {pair: Duel(*count) for pair, count in counts.items()}


def duels(results: Iterable[SeriesResult], *, together: int = 1) -> Mapping[tuple[str, str], Score]:
    """Return the scores of one entrant against another by (one, other), with intervals.

    A game counts as won if one is ahead of the other. `together` is as for `scores`.
    """
    scores: dict[tuple[str, str], Score] = {}
    for result in results:
        step = together or len(result.games)
        for one, other in permutations(range(len(result.entrants)), 2):
            score = scores.setdefault((result.entrants[one], result.entrants[other]), Score())
            shares = [share_against(game.places[one], game.places[other]) for game in result.games]
            for first in range(0, len(shares), step):
                score.add_deal(shares[first : first + step])
    return scores


def scores(
    names: Sequence[str], results: Iterable[SeriesResult], *, together: int = 1
) -> Mapping[str, Score]:
    """Return the rate of each entrant, with its interval.

    Each group of `together` consecutive games is one sample, because its games have the same deal: 1, or the
    number of entrants at a table if every deal is played from every side. With 0 a whole series is one
    sample, for bots that remember earlier games.
    """
    by_name = {name: Score() for name in names}
    for result in results:
        step = together or len(result.games)
        for at, name in enumerate(result.entrants):
            if name not in by_name:
                continue
            for first in range(0, len(result.games), step):
                by_name[name].add_deal([game.share(at) for game in result.games[first : first + step]])
            by_name[name].faults += sum(game.faults[at] for game in result.games if game.faults)
    return by_name
