"""Rates and intervals."""

from __future__ import annotations

from fractions import Fraction

import pytest

from botequim.core.rng import Rng
from botequim.match.statistics import Score, wilson

HALF = Fraction(1, 2)


def score(*deals: list[Fraction]) -> Score:
    made = Score()
    for deal in deals:
        made.add_deal(deal)
    return made


def ones(*values: int) -> list[Fraction]:
    return [Fraction(value) for value in values]


def test_wins_draws_and_losses_are_counted() -> None:
    made = score(ones(1, 0), [Fraction(1), HALF], ones(0, 0))
    assert (made.games, made.deals, made.won, made.drawn, made.lost) == (6, 3, 2, 1, 3)
    assert made.rate == 2.5 / 6


def test_one_deal_says_nothing_of_the_spread() -> None:
    assert score(ones(1, 1)).interval() is None


def test_wilson_agrees_with_a_worked_example() -> None:
    low, high = wilson(0.3, 100)
    assert round(low, 4) == 0.2189
    assert round(high, 4) == 0.3958


def test_single_games_give_wilsons_interval() -> None:
    made = score(*([ones(1)] * 30 + [ones(0)] * 70))
    assert made.interval() is not None
    low, high = made.interval() or (0, 0)
    expected = wilson(0.3, 99)  # the variance is estimated with one game less
    assert abs(low - expected[0]) < 1e-9
    assert abs(high - expected[1]) < 1e-9


def test_deals_that_cancel_out_narrow_the_interval_and_those_that_repeat_widen_it() -> None:
    def width(made: Score) -> float:
        low, high = made.interval() or (0, 1)
        return high - low

    cancelling = score(*[ones(1, 0)] * 95, *[ones(1, 1)] * 5)
    repeating = score(*[ones(1, 1)] * 50, *[ones(0, 0)] * 50)
    independent = wilson(0.5, 200)
    assert width(cancelling) < independent[1] - independent[0] < width(repeating)


def test_a_clean_sweep_is_not_taken_for_certainty() -> None:
    low, high = score(*[ones(1, 1)] * 10).interval() or (0, 0)
    assert 0.6 < low < 0.8
    assert high == pytest.approx(1)


def test_the_interval_covers_the_truth_about_95_times_in_100() -> None:
    rng = Rng("cover")
    covered = 0
    for _ in range(400):
        made = Score()
        for _ in range(60):
            favoured = rng.below(10) < 6
            made.add_deal(ones(int(favoured), int(rng.below(10) < 5)))
        low, high = made.interval() or (1, 0)
        covered += low <= 0.55 <= high
    assert 0.92 <= covered / 400 <= 0.98
