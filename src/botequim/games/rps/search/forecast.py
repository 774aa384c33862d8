"""Predicts the opponent's next hand in rps from the hands of both players, by weighted predictors.

A *reading* is a predictor: it names a hand, in a context. How far the hand that came was from the named one
(0: the same, 1: the hand that beats it, 2: the hand it beats) is counted by context. So one reading, "the
opponent's last hand", predicts the constant player, players who always step to the next hand, and, with the
context of won or lost, players who stay or shift. Readings of our own next hand predict players who try to
predict us. Each reading is weighted by how well it has predicted so far; a part of the weight is given back
to all of them in each round, because players change their strategy.
"""

from __future__ import annotations

from typing import Final, final

from botequim.core.compiling import i64
from botequim.games.rps.search.value import Mixture, any_hand, tie

_LAGS: Final = 8
_OTHER_LAGS: Final = 3
READINGS: Final = 41
_RANDOM: Final = 3.0
"""The weight of a player who shows random hands, beside those of the readings."""
_SHARE: Final = 0.03
"""The part of the weight that is given back in each round."""
_STRENGTH: Final = 0.25
"""The initial count of the two hands that a reading does not name."""
_NOTHING: Final = -1
"""A reading that has no prediction yet."""


@final
class Forecast:
    """Returns the probability of each next hand of the opponent, from the rounds so far."""

    __slots__ = ("_counts", "_named", "_priors", "_readings", "_weights", "others", "own", "won")

    def __init__(self, readings: int = READINGS) -> None:
        """`readings` is the number of readings that are used, the simplest first."""
        self.own: list[int] = []
        self.others: list[int] = []
        self.won: list[int] = []
        """By round: 1 if the opponent won it."""
        self._readings: Final = readings
        self._named = self._read()
        count = len(self._named)
        total = _RANDOM + sum([_prior(at) for at in range(count)])
        self._priors: Final = [_prior(at) / total for at in range(count)] + [_RANDOM / total]
        self._weights = list(self._priors)
        self._counts: Final[list[dict[int, float]]] = [{} for _ in range(count)]

    def next(self) -> Mixture:
        """Return the probability of each hand."""
        total = [0.0, 0.0, 0.0]
        for at, weight in enumerate(self._weights):
            chances = self._chances(at)
            for hand in range(3):
                total[hand] += weight * chances[hand]
        return total[0], total[1], total[2]

    def add(self, own: int, other: int, *, lost: bool) -> None:
        """Add a round: the hands of both, and whether the opponent won it."""
        share, sure = _SHARE, 0.0
        weights = self._weights
        for at in range(len(weights)):
            weights[at] *= self._chances(at)[other]
            sure += weights[at]
        for at in range(len(weights)):
            weights[at] = (1 - share) * weights[at] / sure + share * self._priors[at]
        for at, named in enumerate(self._named):
            if named != _NOTHING:
                key = named // 3 * 3 + (other - named) % 3
                self._counts[at][key] = self._counts[at].get(key, 0.0) + 1.0
        self.own.append(own)
        self.others.append(other)
        self.won.append(int(lost))
        self._named = self._read()

    def _chances(self, at: int) -> Mixture:
        if at == len(self._named) or self._named[at] == _NOTHING:
            return any_hand()
        named = self._named[at]
        counts = self._counts[at]
        steps = [counts.get(named // 3 * 3 + step, 0.0) + _STRENGTH for step in range(3)]
        total = steps[0] + steps[1] + steps[2]
        hand = named % 3
        return steps[-hand % 3] / total, steps[(1 - hand) % 3] / total, steps[(2 - hand) % 3] / total

    def _read(self) -> list[int]:
        """Return by reading: context * 3 + hand, or that it has no prediction."""
        others, own, won = self.others, self.own, self.won
        named = [0]
        named += [_lagged(others, lag) for lag in range(1, _LAGS + 1)]
        named += [_lagged(own, lag) for lag in range(1, _OTHER_LAGS + 1)]
        if others:
            named += [won[-1] * 3 + others[-1], won[-1] * 3 + own[-1]]
        else:
            named += [_NOTHING] * 2
        # contexts only: what came after the same last hands
        named += [_context(others, [], 1), _context(others, [], 2), _context(others, [], 3)]
        named += [
            _context(own, [], 1),
            _context(own, [], 2),
            _context(others, own, 1),
            _context(others, own, 2),
        ]
        for shown, beside in ((others, own), (own, others)):
            named += _guesses(shown, beside)
        named.append(_greedy(others, own))
        named.append(_greedy(own, others))
        return named[: self._readings]


def _prior(at: int) -> float:
    """Return the initial weight of a reading; simple readings have more."""
    return 3.0 if at <= 3 or at == 1 + _LAGS else 1.0


def _lagged(hands: list[int], lag: int) -> int:
    return hands[-lag] if len(hands) >= lag else _NOTHING


def _context(first: list[int], second: list[int], order: int) -> int:
    if len(first) < order:
        return _NOTHING
    context = 0
    for back in range(1, order + 1):
        context = context * 3 + first[-back]
        if second:
            context = context * 3 + second[-back]
    return context * 3


def _guesses(shown: list[int], beside: list[int]) -> list[int]:
    """Return simple predictions for the player of these hands; `beside` are the hands of the other."""
    counts = [shown.count(hand) for hand in range(3)]
    recent = [0.0, 0.0, 0.0]
    for hand in shown:
        recent = [weight * 0.8 for weight in recent]
        recent[hand] += 1.0
    guesses = [
        _most([float(count) for count in counts]),
        _most([-float(count) for count in counts]),
        _most(recent),
    ]
    guesses += [_successor(shown, [], 1), _successor(shown, [], 2), _successor(shown, beside, 1)]
    guesses += [_longest(shown, shown, []), _longest(shown, beside, []), _longest(shown, shown, beside)]
    return guesses


def _most(weights: list[float]) -> int:
    """Return the hand with the most weight, among equals the first; no prediction if all are equal."""
    if weights[0] == weights[1] == weights[2]:
        return _NOTHING
    return weights.index(max(weights))


def _successor(shown: list[int], beside: list[int], order: int) -> int:
    """Return the hand that most often came after the last ones."""
    length = len(shown)
    counts = [0.0, 0.0, 0.0]
    for at in range(order, length):
        if shown[at - order : at] == shown[length - order :] and (
            not beside or beside[at - order : at] == beside[length - order :]
        ):
            counts[shown[at]] += 1.0
    return _most(counts)


def _longest(shown: list[int], first: list[int], second: list[int]) -> int:
    """Return the hand that came after the longest earlier sequence that equals the latest one, or after the
    newest of several."""
    length: i64 = len(first)
    longest: i64 = 0
    found: i64 = _NOTHING
    end: i64 = length - 1
    while end > longest:
        back: i64 = 0
        while back < end and first[end - 1 - back] == first[length - 1 - back]:
            if second and second[end - 1 - back] != second[length - 1 - back]:
                break
            back += 1
        if back > longest:
            longest = back
            found = shown[end]
        end -= 1
    return found


def _greedy(shown: list[int], others: list[int]) -> int:
    """Return the hand that wins most rounds against the frequencies of the other's hands, ties included."""
    if not shown:
        return _NOTHING
    counts = [others.count(hand) for hand in range(3)]
    rock, paper = shown.count(0) - counts[0], shown.count(1) - counts[1]
    gains: list[float] = []
    for hand in range(3):
        gain = counts[(hand + 2) % 3] - counts[(hand + 1) % 3] + tie(rock, paper, hand) * counts[hand]
        gains.append(float(gain))
    return _most(gains)
