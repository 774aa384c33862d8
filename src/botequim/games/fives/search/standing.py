"""The probability of winning a game of fives from the scores between two rounds, by backward induction.

A *standing* consists of both scores and the player who opens the next round: I, the opponent, or the holder
of the highest double. The results of rounds between equal players are a table of frequencies (`rounds.txt`,
written by `scripts/train_fives.py`). From it follows the probability for every standing, from those near the
target down to 0-0, for any target.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias, final

from botequim.core.compiling import i64, vec

I_OPEN: Final[i64] = 0
THEY_OPEN: Final[i64] = 1
HIGHEST_DOUBLE: Final[i64] = 2
BEYOND: Final[i64] = 24
"""Scores above the target are distinguished up to so many fives."""
ROUNDS_OF_REPAIR: Final = 40

RoundResult: TypeAlias = tuple[int, int, int, float]
"""The opener's points in fives, the other's points, who opens next (seen from the opener), the frequency."""


@final
class Standings:
    """The probability of winning from every standing."""

    def __init__(
        self, target: int, reach: bool, opened: Sequence[RoundResult], by_double: Sequence[RoundResult]
    ) -> None:
        results = [*opened, *by_double]
        self._limit: i64 = i64((target + (4 if reach else 5)) // 5)
        """In fives: from this score on the game can be over."""
        self._side: i64 = self._limit + BEYOND
        self._width: i64 = self._side + i64(max([max(one[0], one[1]) for one in results]))
        """The table includes all scores that a round can lead to, so no bounds have to be checked."""
        self._chance: vec[float] = vec[float]([0.5 for _ in range(int(self._width * self._width * 3))])
        self._opened: Rounds = Rounds(opened, self._width)
        self._by_double: Rounds = Rounds(by_double, self._width)
        self._decide()
        self._induce()

    def chance(self, mine: i64, theirs: i64, opens: i64) -> float:
        """Return the probability that I win, with these scores and the next round opened by `opens`."""
        one: i64 = mine // 5
        other: i64 = theirs // 5
        if one != other and (one >= self._limit or other >= self._limit):
            return 1.0 if one > other else 0.0
        if one >= self._side or other >= self._side:
            return 0.5
        return self._chance[(one * self._width + other) * 3 + opens]

    def _decide(self) -> None:
        """Set the probabilities where the game is over."""
        for one in range(self._limit, self._width):
            for other in range(one):
                for opens in range(i64(3)):
                    self._chance[(one * self._width + other) * 3 + opens] = 1.0
                    self._chance[(other * self._width + one) * 3 + opens] = 0.0

    def _induce(self) -> None:
        top: i64 = 2 * (self._side - 1)
        for total in range(top, i64(-1), i64(-1)):
            first: i64 = max(i64(0), total - self._side + 1)
            for one in range(first, total // 2 + 1):
                other: i64 = total - one
                if one == other or other < self._limit:
                    self._settle(one, other)

    def _settle(self, one: i64, other: i64) -> None:
        """Set the probabilities for two scores, seen from either side.

        A round without points leads back to the same scores: that part is iterated until it converges.
        """
        at: i64 = (one * self._width + other) * 3
        turned: i64 = (other * self._width + one) * 3
        chance = self._chance
        opened, by_double = self._opened, self._by_double
        mine_later: float = opened.later(chance, at)
        theirs_later: float = opened.later(chance, turned)
        ahead_later: float = 0.0
        behind_later: float = 0.0
        if one != other:
            ahead_later = by_double.later(chance, at)
            behind_later = by_double.later(chance, turned)
        for _ in range(i64(ROUNDS_OF_REPAIR)):
            mine: float = mine_later + opened.again(chance, at)
            theirs: float = theirs_later + opened.again(chance, turned)
            double: float = 0.5
            if one != other:
                ahead: float = ahead_later + by_double.again(chance, at)
                behind: float = behind_later + by_double.again(chance, turned)
                double = (ahead + 1.0 - behind) / 2.0
            change: float = abs(chance[at] - mine) + abs(chance[turned] - theirs)
            change += abs(chance[at + 2] - double)
            chance[at] = mine
            chance[at + 1] = 1.0 - theirs
            chance[at + 2] = double
            chance[turned] = theirs
            chance[turned + 1] = 1.0 - mine
            chance[turned + 2] = 1.0 - double
            if change < 1e-9:
                return


@final
class Rounds:
    """The results of rounds of one kind, as offsets in a table of the given width."""

    def __init__(self, results: Sequence[RoundResult], width: i64) -> None:
        total = sum([one[3] for one in results])
        often: dict[int, float] = {}
        for mine, theirs, opens, times in results:
            place = (mine * int(width) + theirs) * 3 + opens
            often[place] = often.get(place, 0.0) + times / total
        self._places: vec[i64] = vec[i64]([i64(place) for place in sorted(often)])
        self._often: vec[float] = vec[float]([often[place] for place in sorted(often)])
        self._blank: i64 = i64(len([place for place in often if place < 3]))
        """The first so many results lead back to the same scores."""

    def later(self, chance: vec[float], start: i64) -> float:
        """Return the value of rounds with points from a standing."""
        total: float = 0.0
        places, often = self._places, self._often
        for at in range(self._blank, i64(len(places))):
            total += often[at] * chance[start + places[at]]
        return total

    def again(self, chance: vec[float], start: i64) -> float:
        """Return the value of rounds without points from a standing."""
        total: float = 0.0
        for at in range(self._blank):
            total += self._often[at] * chance[start + self._places[at]]
        return total
