"""The probability of the result of a game, and its derivatives.

The strength of a side is a natural logarithm; the strengths of partners add. With a and b for the
exponentials of two strengths:

- Two sides: Davidson's model. Win, loss and draw are as probable as a : b : v √(ab), with one v for all
  games.
- More sides: the model of Plackett and Luce. The first place goes to each side with a probability
  proportional to its exponential; the next place is decided in the same way among the others, and so on. A
  tie of m sides counts by Efron's rule: their m places are decided one after another among the sides that are
  left, where each tied side counts 1, (m-1)/m, ... 1/m. Sides that share the last place are not compared with
  each other, because many games name only a winner.

All logarithms of probabilities are concave, so there is one best set of strengths.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log
from typing import Final, NamedTuple

from botequim.ratings.matrix import Matrix, Vector, zeros
from botequim.ratings.values import Places

LEAST: Final = -600.0
"""The exponential of this is nearly zero, but not zero."""


class Derivatives(NamedTuple):
    """The logarithm of a probability, and its derivatives by the strengths of the sides.

    In games of two sides with draws, the last row and column belong to the logarithm of v.
    """

    value: float
    gradient: Vector
    information: Matrix
    """The negative second derivatives."""


def two_sides(one: float, other: float, draw: float | None) -> Mapping[Places, Derivatives]:
    """Return the derivatives of Davidson's model for each result; `draw` is log v, None without draws."""
    half = (one - other) / 2
    win, loss, tie = exp(half), exp(-half), 0.0 if draw is None else exp(draw)
    total = win + loss + tie
    level, p = log(total), tie / total
    mean = (win + tie / 2) / total
    spread = win / total + p / 4 - mean * mean
    if draw is None:
        information = [[spread, -spread], [-spread, spread]]
        return {
            (1, 2): Derivatives(half - level, [1 - mean, mean - 1], information),
            (2, 1): Derivatives(-half - level, [-mean, mean], information),
        }
    cross = p * (0.5 - mean)
    information = [[spread, -spread, cross], [-spread, spread, -cross], [cross, -cross, p * (1 - p)]]
    return {
        (1, 2): Derivatives(half - level, [1 - mean, mean - 1, -p], information),
        (2, 1): Derivatives(-half - level, [-mean, mean, -p], information),
        (1, 1): Derivatives(draw - level, [0.5 - mean, mean - 0.5, 1 - p], information),
    }


def several_sides(strengths: Sequence[float], places: Sequence[int]) -> Derivatives:
    """Return the derivatives of the model of Plackett and Luce, with Efron's rule for ties."""
    count = len(strengths)
    top = max(strengths)
    worths = [exp(max(strength - top, LEAST)) for strength in strengths]
    value, gradient, information = 0.0, [0.0] * count, zeros(count)
    for place in sorted(set(places))[:-1]:
        tied = [side for side in range(count) if places[side] == place]
        for side in tied:
            gradient[side] += 1
            value += strengths[side] - top
        left = [side for side in range(count) if places[side] >= place]
        for step in range(len(tied)):
            weight = 1 - step / len(tied)
            shares = [worths[side] * (weight if places[side] == place else 1) for side in left]
            total = sum(shares)
            value -= log(total)
            for at, side in enumerate(left):
                share = shares[at] / total
                gradient[side] -= share
                row = information[side]
                row[side] += share
                for other, worth in zip(left, shares, strict=True):
                    row[other] -= share * worth / total
    return Derivatives(value, gradient, information)
