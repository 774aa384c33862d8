"""rps as a solved game: the value of a round, the safe mixtures, and the value of counts.

Only the differences of the counts matter, and they add up to zero. A round is won or lost, and for any
differences some mixture wins at least half of the rounds against any opponent. So the value of a game with a
known score is that of fair coins, `Fair`, and a player who uses safe mixtures keeps it.

Counts are also worth something against a player who ignores them: `Outlook` has the expected number of rounds
won minus rounds lost from here on against random hands.

Hands are 0 rock, 1 paper, 2 scissors: hand `h` is beaten by `h + 1`.
"""

from __future__ import annotations

from typing import Final, final

from botequim.core.compiling import i64, vec

Mixture = tuple[float, float, float]
"""The probability of each hand."""

_CLOSE: Final = 1e-9


def any_hand() -> Mixture:
    """Return the uniform mixture."""
    return 1 / 3, 1 / 3, 1 / 3


def tie(rock: i64, paper: i64, hand: i64) -> i64:
    """Return the result if both show this hand: 1 for a win, -1 for a loss, 0 if the coin decides.

    `rock` and `paper` are the differences of the counts of these hands; that of scissors follows from them.
    """
    scissors: i64 = -rock - paper
    if hand == 0:
        more, beating = rock, paper
    elif hand == 1:
        more, beating = paper, scissors
    else:
        more, beating = scissors, rock
    if more == 0:
        more = beating
    if more > 0:
        return 1
    return -1 if more < 0 else 0


def payoff(rock: i64, paper: i64, own: i64, other: i64) -> i64:
    """Return 1 for a win of the round, -1 for a loss, 0 if the coin decides."""
    if own == other:
        return tie(rock, paper, own)
    return 1 if (own - other + 3) % 3 == 1 else -1


@final
class Round:
    """The payoffs of one round, by own hand and by the hand of the other."""

    __slots__ = ("paper", "payoffs", "rock")

    def __init__(self, rock: int, paper: int) -> None:
        self.rock: Final = rock
        self.paper: Final = paper
        self.payoffs: Final[list[list[float]]] = [
            [float(payoff(rock, paper, own, other)) for other in range(3)] for own in range(3)
        ]

    def gains(self, mixture: Mixture) -> Mixture:
        """Return the average gain of the mixture, by the hand of the other."""
        first, second, third = self.payoffs
        rock, paper, scissors = mixture
        return (
            rock * first[0] + paper * second[0] + scissors * third[0],
            rock * first[1] + paper * second[1] + scissors * third[1],
            rock * first[2] + paper * second[2] + scissors * third[2],
        )

    def expected_gains(self, others: Mixture) -> Mixture:
        """Return the average gain of each own hand against a mixture of the other."""
        result = [sum([row[at] * others[at] for at in range(3)]) for row in self.payoffs]
        return result[0], result[1], result[2]

    def corners(self, risk: float) -> list[Mixture]:
        """Return the corners of the set of mixtures that lose at most `risk` of a round on average, against
        any hand.

        With a risk of 0 these are the safe mixtures; there is always one.
        """
        first, second, third = self.payoffs
        edges: list[Mixture] = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
        edges += [(first[at] + risk, second[at] + risk, third[at] + risk) for at in range(3)]
        found: list[Mixture] = []
        for one in range(6):
            for two in range(one + 1, 6):
                a, b, c = edges[one]
                d, e, f = edges[two]
                x, y, z = b * f - c * e, c * d - a * f, a * e - b * d
                total = x + y + z
                if -_CLOSE < total < _CLOSE:
                    continue
                x, y, z = x / total, y / total, z / total
                if _inside(edges, x, y, z):
                    found.append((max(x, 0.0), max(y, 0.0), max(z, 0.0)))
        return found


def _inside(edges: list[Mixture], x: float, y: float, z: float) -> bool:
    return all(a * x + b * y + c * z >= -_CLOSE for a, b, c in edges)


# --- the value of a score -------------------------------------------------------------------------------


@final
class Fair:
    """The probability of winning if each round left is a fair coin; a draw is half a win."""

    __slots__ = ("_left", "_tails")

    def __init__(self) -> None:
        self._left = -1
        self._tails: list[float] = []

    def value(self, ahead: int, left: int) -> float:
        """Return the value of being `ahead` rounds ahead with `left` rounds left."""
        if ahead > left:
            return 1.0
        if ahead < -left:
            return 0.0
        if left != self._left:
            self._count(left)
        # the number of rounds to win: more than half of those that are left
        twice = left - ahead
        if twice % 2:
            return self._tails[(twice + 1) // 2]
        return (self._tails[twice // 2] + self._tails[twice // 2 + 1]) / 2

    def _count(self, left: int) -> None:
        chance, chances = 0.5**left, []
        for won in range(left + 1):
            chances.append(chance)
            chance = chance * (left - won) / (won + 1)
        tails = [0.0]
        for chance in reversed(chances):
            tails.append(tails[-1] + chance)
        tails.reverse()
        self._left, self._tails = left, tails


# --- the value of counts --------------------------------------------------------------------------------

REACH: Final = 26
"""Larger differences are treated as this one, because nobody can catch up."""
HORIZON: Final = 50
"""The number of rounds that are looked ahead; more would change nothing."""
_WIDTH: Final[i64] = 2 * REACH + 1
_AREA: Final[i64] = _WIDTH * _WIDTH


def _place(rock: i64, paper: i64) -> i64:
    """Return the index of differences in the table; larger ones are limited to the reach."""
    reach: i64 = REACH
    rock = min(max(rock, -reach), reach)
    paper = min(max(paper, -reach), reach)
    return (rock + reach) * _WIDTH + paper + reach


@final
class Outlook:
    """Rounds won minus rounds lost from here on, against random hands.

    It is computed by backward induction over the rounds left and both differences. A *safe* player uses
    mixtures that lose to nobody; a *free* player takes the hand that wins most.
    """

    __slots__ = ("_free", "_safe")

    def __init__(self) -> None:
        self._safe: vec[float] = vec[float]([0.0] * ((HORIZON + 1) * _AREA))
        self._free: vec[float] = vec[float]([0.0] * ((HORIZON + 1) * _AREA))
        corners = [_safe_corners(pattern) for pattern in range(27)]
        left: i64 = 1
        while left <= HORIZON:
            _fill(self._safe, self._free, left, corners)
            left += 1

    def safe(self, rock: int, paper: int, left: int) -> float:
        return self._safe[min(left, HORIZON) * _AREA + _place(rock, paper)]

    def free(self, rock: int, paper: int, left: int) -> float:
        return self._free[min(left, HORIZON) * _AREA + _place(rock, paper)]


def _pattern(rock: i64, paper: i64) -> i64:
    """Return the results of ties of the three hands, which is all that the differences mean for this round,
    as one number below 27."""
    return (tie(rock, paper, 0) + 1) * 9 + (tie(rock, paper, 1) + 1) * 3 + tie(rock, paper, 2) + 1


def _safe_corners(pattern: int) -> vec[float]:
    """Return the corners of the safe mixtures for a pattern, in a row; empty if no differences have it."""
    row: list[float] = []
    for rock in (-1, 0, 1, 2):
        for paper in (-1, 0, 1, 2):
            if not row and _pattern(rock, paper) == pattern:
                for corner in Round(rock, paper).corners(0.0):
                    row.extend(corner)
    return vec[float](row)


def _fill(safe: vec[float], free: vec[float], left: i64, corners: list[vec[float]]) -> None:
    """Compute the values with `left` rounds left from those with one less."""
    reach: i64 = REACH
    here: i64 = left * _AREA
    after: i64 = here - _AREA
    kept: vec[float] = vec[float]([0.0] * 3)
    rock: i64 = -reach
    while rock <= reach:
        paper: i64 = -reach
        while paper <= reach:
            best: float = -1000.0
            own: i64 = 0
            while own < 3:
                kept[own] = 0.0
                taken: float = 0.0
                other: i64 = 0
                while other < 3:
                    won = float(payoff(rock, paper, own, other))
                    place: i64 = after + _after(rock, paper, own, other)
                    kept[own] += won + safe[place]
                    taken += won + free[place]
                    other += 1
                best = max(best, taken)
                own += 1
            place = here + _place(rock, paper)
            free[place] = best / 3.0
            safe[place] = _best_corner(corners[_pattern(rock, paper)], kept) / 3.0
            paper += 1
        rock += 1


def _after(rock: i64, paper: i64, own: i64, other: i64) -> i64:
    """Return the index of the differences after a round."""
    if own == 0:
        rock += 1
    elif own == 1:
        paper += 1
    if other == 0:
        rock -= 1
    elif other == 1:
        paper -= 1
    return _place(rock, paper)


def _best_corner(corners: vec[float], values: vec[float]) -> float:
    best: float = -1000.0
    at: i64 = 0
    count: i64 = len(corners)
    while at < count:
        value: float = corners[at] * values[0] + corners[at + 1] * values[1] + corners[at + 2] * values[2]
        best = max(best, value)
        at += 3
    return best
