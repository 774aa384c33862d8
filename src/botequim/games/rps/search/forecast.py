"""What the other will show next in rps, from what both have shown: many readings of the past, weighed.

A *reading* names a hand, in a context; how far the hand that came was from the one it named (0 it, 1 the hand
that beats it, 2 the one it beats) is counted by context. So one reading, "what it showed last", foretells the
constant player, the three that always step on, and in the context of won or lost, those who stay or shift.
Readings of what we are about to show foretell those who read us. Each reading is weighed by how well it
foretold so far; a part of the weight goes back to all of them, because players change their minds.
"""

from __future__ import annotations

from typing import Final, final

from botequim.core.compiling import i64
from botequim.search.rps import Mixture, any_hand, tie

_LAGS: Final = 8
_OTHER_LAGS: Final = 3
READINGS: Final = 41
_RANDOM: Final = 3.0
"""The weight of a player who shows hands at random, beside those of the readings."""
_SHARE: Final = 0.03
"""Of the weight, what is given back each round."""
_STRENGTH: Final = 0.25
"""How much each reading doubts itself at first: it names the other two hands so often."""
_NOTHING: Final = -1
"""A reading that has no opinion yet."""


@final
class Forecast:
    """Fed with rounds, tells how likely each hand of the other is to come next."""

    __slots__ = ("_counts", "_named", "_priors", "_readings", "_weights", "others", "own", "won")

    def __init__(self, readings: int = READINGS) -> None:
        """`readings`: how many are used, the simplest first."""
        self.own: list[int] = []
        self.others: list[int] = []
        self.won: list[int] = []
        """Rounds: 1 those that the other won."""
        self._readings: Final = readings
        self._named = self._read()
        count = len(self._named)
        total = _RANDOM + sum([_prior(at) for at in range(count)])
        self._priors: Final = [_prior(at) / total for at in range(count)] + [_RANDOM / total]
        self._weights = list(self._priors)
        self._counts: Final[list[dict[int, float]]] = [{} for _ in range(count)]

    def next(self) -> Mixture:
        """How likely each hand is."""
        total = [0.0, 0.0, 0.0]
        for at, weight in enumerate(self._weights):
            chances = self._chances(at)
            for hand in range(3):
                total[hand] += weight * chances[hand]
        return total[0], total[1], total[2]

    def add(self, own: int, other: int, *, lost: bool) -> None:
        """A round is over: what both showed, and whether the other won it."""
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
        """By reading: context * 3 + hand, or that it has no opinion."""
        others, own, won = self.others, self.own, self.won
        named = [0]
        named += [_lagged(others, lag) for lag in range(1, _LAGS + 1)]
        named += [_lagged(own, lag) for lag in range(1, _OTHER_LAGS + 1)]
        if others:
            named += [won[-1] * 3 + others[-1], won[-1] * 3 + own[-1]]
        else:
            named += [_NOTHING] * 2
        # contexts alone: what came after the same last hands
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
    """Simple readings are believed more readily."""
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
    """What a simple mind expects of the one who showed these hands; `beside` are the other's."""
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
    """The hand with the most weight, of equals the first; no opinion if all are equal."""
    if weights[0] == weights[1] == weights[2]:
        return _NOTHING
    return weights.index(max(weights))


def _successor(shown: list[int], beside: list[int], order: int) -> int:
    """The hand that most often came after the last ones."""
    length = len(shown)
    counts = [0.0, 0.0, 0.0]
    for at in range(order, length):
        if shown[at - order : at] == shown[length - order :] and (
            not beside or beside[at - order : at] == beside[length - order :]
        ):
            counts[shown[at]] += 1.0
    return _most(counts)


def _longest(shown: list[int], first: list[int], second: list[int]) -> int:
    """The hand that came after the longest piece of the past that is like the latest, the newest such
    piece.
    """
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
    """What wins most at once against the hands of the other as often as they came, ties known."""
    if not shown:
        return _NOTHING
    counts = [others.count(hand) for hand in range(3)]
    rock, paper = shown.count(0) - counts[0], shown.count(1) - counts[1]
    gains: list[float] = []
    for hand in range(3):
        gain = counts[(hand + 2) % 3] - counts[(hand + 1) % 3] + tie(rock, paper, hand) * counts[hand]
        gains.append(float(gain))
    return _most(gains)
