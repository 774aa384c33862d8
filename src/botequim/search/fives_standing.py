"""fives between rounds: the chance to win the game from a standing, by backward induction.

A *standing* is both scores and who opens the next round: I, they, or whoever holds the highest double. How
rounds go between equals is a table of frequencies (`data/fives_rounds.txt`, made by
`scripts/train_fives.py`); from it follows the chance for every standing, from those near the target down to
0-0, whatever the target is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias, final

from botequim.core.compiling import i64, vec

I_OPEN: Final[i64] = 0
THEY_OPEN: Final[i64] = 1
HIGHEST_DOUBLE: Final[i64] = 2
BEYOND: Final[i64] = 24
"""How far above the target, in fives, scores are told apart."""
ROUNDS_OF_REPAIR: Final = 40

RoundResult: TypeAlias = tuple[int, int, int, float]
"""What the opener got, in fives, what the other got, who opens next (seen from the opener), how often."""


@final
class Standings:
    """The chance to win from every standing."""

    def __init__(
        self, target: int, reach: bool, opened: Sequence[RoundResult], by_double: Sequence[RoundResult]
    ) -> None:
        self._limit: i64 = i64((target + (4 if reach else 5)) // 5)
        """In fives: from this score on the game can be over."""
        self._side: i64 = self._limit + BEYOND
        self._chance: vec[float] = vec[float]([0.5 for _ in range(int(self._side * self._side * 3))])
        self._mine: vec[i64] = vec[i64]([i64(one[0]) for one in (*opened, *by_double)])
        self._theirs: vec[i64] = vec[i64]([i64(one[1]) for one in (*opened, *by_double)])
        self._next: vec[i64] = vec[i64]([i64(one[2]) for one in (*opened, *by_double)])
        self._often: vec[float] = vec[float](_shares(opened) + _shares(by_double))
        self._opened: i64 = len(opened)
        self._induce()

    def chance(self, mine: i64, theirs: i64, opens: i64) -> float:
        """That I win with these scores when a round is over and the next is opened so."""
        one: i64 = mine // 5
        other: i64 = theirs // 5
        if one != other and (one >= self._limit or other >= self._limit):
            return 1.0 if one > other else 0.0
        if one >= self._side or other >= self._side:
            return 0.5
        return self._chance[(one * self._side + other) * 3 + opens]

    def _induce(self) -> None:
        top: i64 = 2 * (self._side - 1)
        for total in range(top, i64(-1), i64(-1)):
            first: i64 = max(i64(0), total - self._side + 1)
            last: i64 = min(self._side - 1, total)
            # a round without points leads back to the same scores: so a pair is looked at until it rests
            for one in range(first, last + 1):
                other: i64 = total - one
                if one > other or (one != other and max(one, other) >= self._limit):
                    continue
                for _ in range(i64(ROUNDS_OF_REPAIR)):
                    if self._settle(one, other) < 1e-9:
                        break

    def _settle(self, one: i64, other: i64) -> float:
        """Sets the chances of two scores, seen from either side; by how much they changed."""
        mine: float = self._expected(one, other, i64(0), self._opened)
        theirs: float = self._expected(other, one, i64(0), self._opened)
        double: float = 0.5
        if one != other:
            ahead: float = self._expected(one, other, self._opened, i64(len(self._mine)))
            behind: float = self._expected(other, one, self._opened, i64(len(self._mine)))
            double = (ahead + 1.0 - behind) / 2.0
        at: i64 = (one * self._side + other) * 3
        turned: i64 = (other * self._side + one) * 3
        change: float = abs(self._chance[at] - mine) + abs(self._chance[turned] - theirs)
        change += abs(self._chance[at + 2] - double)
        self._chance[at] = mine
        self._chance[at + 1] = 1.0 - theirs
        self._chance[at + 2] = double
        self._chance[turned] = theirs
        self._chance[turned + 1] = 1.0 - mine
        self._chance[turned + 2] = 1.0 - double
        return change

    def _expected(self, one: i64, other: i64, start: i64, stop: i64) -> float:
        total: float = 0.0
        for at in range(start, stop):
            total += self._often[at] * self.chance(
                5 * (one + self._mine[at]), 5 * (other + self._theirs[at]), self._next[at]
            )
        return total


def _shares(results: Sequence[RoundResult]) -> list[float]:
    total = sum([one[3] for one in results])
    return [one[3] / total for one in results]
