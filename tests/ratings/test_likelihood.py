"""The model: probabilities, derivatives, and the same figures as another library."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import permutations

import pytest

from botequim.ratings import RatedSeries, ratings_of
from botequim.ratings.likelihood import Derivatives, several_sides, two_sides
from botequim.ratings.values import Places

STRENGTHS = (0.4, -0.3, 1.1, 0.2)


def davidson(places: Places) -> Callable[[Sequence[float]], Derivatives]:
    return lambda numbers: two_sides(numbers[0], numbers[1], numbers[2])[places]


def plackett_luce(places: Places) -> Callable[[Sequence[float]], Derivatives]:
    return lambda numbers: several_sides(numbers, places)


def test_probabilities_of_two_sides_add_up_to_one() -> None:
    for draw in (None, -0.5):
        found = two_sides(0.4, -0.3, draw)
        assert sum(math.exp(one.value) for one in found.values()) == pytest.approx(1)
    assert math.exp(found[1, 2].value - found[2, 1].value) == pytest.approx(math.exp(0.7))
    # a draw is v times the geometric mean of a win and a loss
    mean = (found[1, 2].value + found[2, 1].value) / 2
    assert found[1, 1].value == pytest.approx(-0.5 + mean)


def test_probabilities_of_all_orders_add_up_to_one() -> None:
    orders = list(permutations((1, 2, 3, 4)))
    assert sum(math.exp(several_sides(STRENGTHS, one).value) for one in orders) == pytest.approx(1)


def test_a_winner_alone_is_chosen_among_all() -> None:
    worths = [math.exp(one) for one in STRENGTHS]
    found = math.exp(several_sides(STRENGTHS, (2, 2, 1, 2)).value)
    assert found == pytest.approx(worths[2] / sum(worths))


@pytest.mark.parametrize(
    ("function", "numbers"),
    [
        *((davidson(places), (0.4, -0.3, -0.5)) for places in ((1, 2), (2, 1), (1, 1))),
        *(
            (plackett_luce(places), STRENGTHS)
            for places in ((1, 2, 3, 4), (1, 1, 3, 4), (1, 1, 1, 4), (3, 1, 1, 4), (2, 2, 1, 2), (1, 1, 1, 1))
        ),
    ],
)
def test_derivatives_are_those_of_the_value(
    function: Callable[[Sequence[float]], Derivatives], numbers: Sequence[float]
) -> None:
    here, small = function(numbers), 1e-5
    for at in range(len(numbers)):
        up, down = (
            function([one + sign * small * (to == at) for to, one in enumerate(numbers)]) for sign in (1, -1)
        )
        assert here.gradient[at] == pytest.approx((up.value - down.value) / (2 * small), abs=1e-8)
        for other in range(len(numbers)):
            second = (up.gradient[other] - down.gradient[other]) / (2 * small)
            assert here.information[at][other] == pytest.approx(-second, abs=1e-8)


# --- the same as choix -------------------------------------------------------------------------------

# choix 0.4.1 with scipy 1.17.1 printed these strengths. It is not a dependency: scipy alone has 113 MB.
# The prior is part of the data: all games twice, and each player wins and loses a game against player 4.
#
#   prior = [pair for one in range(4) for pair in ((one, 4), (4, one))]
#   pairs = [(one, other) for one in range(4) for other in range(4) for _ in range(2 * WINS[one][other])]
#   found = choix.opt_pairwise(5, pairs + prior, alpha=0, tol=1e-10)
#   found = choix.opt_rankings(5, 2 * TABLES + prior, alpha=0, tol=1e-10)
#   print([round(float(one - found[4]), 5) for one in found[:4]])
WINS = [[0, 7, 5, 9], [3, 0, 6, 4], [5, 4, 0, 8], [1, 6, 2, 0]]
TABLES = [(0, 1, 2, 3), (0, 2, 1, 3), (2, 0, 3, 1), (1, 0, 2), (3, 0, 2), (0, 3, 1), (2, 1, 3), (0, 1, 3, 2)]
CHOIX_PAIRWISE = [0.6345, -0.20626, 0.20626, -0.6345]
CHOIX_RANKINGS = [1.14836, -0.21279, -0.21995, -0.62542]


def strengths(played: list[RatedSeries]) -> list[float]:
    found = ratings_of(played).by_entrant()
    return [(found[str(at)].rating - 1500) * math.log(10) / 400 for at in range(4)]


def above_mean(numbers: list[float]) -> list[float]:
    return [one - sum(numbers) / len(numbers) for one in numbers]


def test_games_of_two_agree_with_choix() -> None:
    played = [
        RatedSeries.from_deals(((str(one),), (str(other),)), (((1, 2),),) * WINS[one][other])
        for one in range(4)
        for other in range(4)
        if one != other
    ]
    assert strengths(played) == pytest.approx(above_mean(CHOIX_PAIRWISE), abs=2e-5)


def test_tables_agree_with_choix() -> None:
    played = [
        RatedSeries.from_deals(tuple((str(at),) for at in order), ((tuple(range(1, len(order) + 1)),),))
        for order in TABLES
    ]
    assert strengths(played) == pytest.approx(above_mean(CHOIX_RANKINGS), abs=2e-5)
