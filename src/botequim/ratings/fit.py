"""The strengths that make the games, and the prior, most probable.

The prior keeps all strengths finite, also for entrants who won all their games, or met only some of the
others. Each entrant has one more imaginary game against an opponent of strength 0, half won and half lost. If
there are draws, there is also one imaginary game between equals, half drawn and half not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, log1p
from typing import Final

from botequim.ratings.games import GameCounts, Table
from botequim.ratings.likelihood import Derivatives, several_sides, two_sides
from botequim.ratings.matrix import Matrix, Vector, cholesky, solution, zeros
from botequim.ratings.values import Places

MOST_STEPS: Final = 100
SMALLEST_STEP: Final = 1e-7
ROUNDING: Final = 1e-12
MOST_HALVINGS: Final = 30
LONGEST_STEP: Final = 4.0


class Model:
    """The probability of the games as a function of strengths, by entrant. With draws, the last one is log
    v."""

    def __init__(self, counts: GameCounts) -> None:
        self.counts: Final = counts
        self.entrants: Final = len(counts.entrants)
        self.has_draws: Final = counts.has_draws
        self.size: Final = self.entrants + self.has_draws
        number = {name: at for at, name in enumerate(counts.entrants)}
        members = {table: [[number[name] for name in side] for side in table] for table in counts.tables}
        for table, groups in members.items():
            if len(table) == 2 and self.has_draws:
                groups.append([self.entrants])
        self.members: Final[Mapping[Table, Sequence[Sequence[int]]]] = members
        """By table and side: the indexes of the strengths whose sum is the strength of the side. With draws,
        a table of two sides has a third row for log v."""

    def results(self, table: Table, strengths: Sequence[float]) -> Mapping[Places, Derivatives]:
        """Return the derivatives of every result that occurred at a table."""
        sums = [sum(map(strengths.__getitem__, group)) for group in self.members[table]]
        if len(table) == 2:
            return two_sides(sums[0], sums[1], sums[2] if self.has_draws else None)
        return {places: several_sides(sums, places) for places in self.counts.tables[table]}

    def prior(self, strengths: Sequence[float]) -> list[tuple[float, float, float]]:
        """Return the value, derivative and information of the prior of each strength."""
        terms = []
        for at, strength in enumerate(strengths):
            # a draw between equals is v : 2
            odds = strength if at < self.entrants else strength - log(2)
            p = 1 / (1 + exp(-odds))
            value = -abs(odds) / 2 - log1p(exp(-abs(odds)))  # half of log p + log (1 - p)
            terms.append((value, 0.5 - p, p * (1 - p)))
        return terms

    def total(self, strengths: Sequence[float]) -> Derivatives:
        """Return the derivatives of all games and the prior together."""
        value, gradient, information = 0.0, [0.0] * self.size, zeros(self.size)
        for at, (amount, slope, weight) in enumerate(self.prior(strengths)):
            value += amount
            gradient[at] += slope
            information[at][at] += weight
        for table, results_here in self.counts.tables.items():
            results, groups = self.results(table, strengths), self.members[table]
            here = weighted_sum([(results[places], count) for places, count in results_here.items()])
            value += here.value
            for side, group in enumerate(groups):
                for at in group:
                    gradient[at] += here.gradient[side]
            add_block(information, groups, here.information)
        return Derivatives(value, gradient, information)


def weighted_sum(parts: Sequence[tuple[Derivatives, int]]) -> Derivatives:
    """Return the sum of derivatives, each multiplied by its count."""
    (first, count), *others = parts
    value = count * first.value
    gradient = [count * slope for slope in first.gradient]
    information = [[count * number for number in row] for row in first.information]
    for one, count in others:
        value += count * one.value
        for side, slope in enumerate(one.gradient):
            gradient[side] += count * slope
            row = information[side]
            for other, number in enumerate(one.information[side]):
                row[other] += count * number
    return Derivatives(value, gradient, information)


def add_block(matrix: Matrix, groups: Sequence[Sequence[int]], block: Matrix) -> None:
    """Add a matrix by side to a matrix by index of a strength."""
    for group, amounts in zip(groups, block, strict=True):
        for at in group:
            row = matrix[at]
            for others, amount in zip(groups, amounts, strict=True):
                for there in others:
                    row[there] += amount


@dataclass(frozen=True, slots=True)
class Fit:
    """The best strengths, and the information at that point."""

    model: Model
    strengths: Vector
    lower: Matrix
    """The information as the lower triangle of Cholesky."""


def best_fit(model: Model) -> Fit:
    """Return the strengths of the highest probability, by Newton's method."""
    strengths = [0.0] * model.size
    here = model.total(strengths)
    for _ in range(MOST_STEPS):
        lower = cholesky(here.information)
        step = solution(lower, here.gradient)
        longest = max(map(abs, step))
        if longest < SMALLEST_STEP:
            break
        if longest > LONGEST_STEP:
            step = [change * LONGEST_STEP / longest for change in step]
        there, next_total = strengths, here
        for _halving in range(MOST_HALVINGS):
            there = [at + change for at, change in zip(strengths, step, strict=True)]
            next_total = model.total(there)
            if next_total.value >= here.value - ROUNDING * abs(here.value):
                break
            step = [change / 2 for change in step]
        strengths, here = there, next_total
    return Fit(model, strengths, lower)
