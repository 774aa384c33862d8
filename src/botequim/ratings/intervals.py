"""The intervals of strengths, by a jackknife: every deal, and then every series, is left out in turn.

The games of one deal depend on each other, and so may all games of a series, because deterministic bots
repeat themselves. So whole deals and whole series are left out, never single games, and the wider interval is
used. The change of the strengths without some games is computed from the derivatives of these games, so no
other fit is needed, and nothing is random. The imaginary results of the prior are left out in the same way,
because they alone limit the strength of entrants who won every game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, sqrt
from typing import Final

from botequim.ratings.fit import Fit, add_block, weighted_sum
from botequim.ratings.games import Unit
from botequim.ratings.matrix import Matrix, dot, inverse, zeros

Z_95: Final = 1.959964
MOST_LEVERAGE: Final = 0.99


def margins(fit: Fit, zero: Sequence[int]) -> list[float]:
    """Return half of the 95 % interval of each strength, above the mean strength of the entrants `zero`."""
    covariance = inverse(fit.lower)
    mean = [sum(covariance[at][column] for at in zero) / len(zero) for column in range(fit.model.size)]
    above = [
        [one - other for one, other in zip(covariance[at], mean, strict=True)]
        for at in range(fit.model.entrants)
    ]
    variances = []
    for units in (fit.model.counts.deals, fit.model.counts.series):
        spread = _spread(fit, covariance, units)
        variances.append([dot(row, [dot(row, line) for line in spread]) for row in above])
    return [Z_95 * sqrt(max(0.0, *pair)) for pair in zip(*variances, strict=True)]


def _spread(fit: Fit, covariance: Matrix, units: Mapping[Unit, int]) -> Matrix:
    """Return the sum of the squared gradients of all units.

    A unit pulls the strengths towards itself, so its own gradient is too small. With the share of the
    information that is its own (its leverage) as h, its square is divided by 1 - h.
    """
    model = fit.model
    spread = zeros(model.size)
    for at, strength in enumerate(fit.strengths[: model.entrants]):
        p = 1 / (1 + exp(-strength))
        spread[at][at] += (p**2 + (1 - p) ** 2) / 4  # half a win and half a loss
    for (table, counts), times in units.items():
        results, groups = model.results(table, fit.strengths), model.members[table]
        unit = weighted_sum([(results[places], count) for places, count in counts])
        own = sum(
            number * covariance[at][there]
            for group, row in zip(groups, unit.information, strict=True)
            for others, number in zip(groups, row, strict=True)
            for at in group
            for there in others
        )
        factor = times / (1 - min(own / (len(table) - 1), MOST_LEVERAGE))
        block = [[factor * slope * other for other in unit.gradient] for slope in unit.gradient]
        add_block(spread, groups, block)
    return spread
