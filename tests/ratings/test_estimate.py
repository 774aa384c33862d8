"""Ratings as a function of games."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import pytest

from botequim.core.results import GameResult, SeriesResult
from botequim.ratings import ANCHOR, RatedSeries, Ratings, ratings_of
from botequim.ratings.values import Places
from tests.support.simulated_players import (
    deals_of,
    independent_games,
    league,
    mirrored_deals,
    player,
    ranked_tables,
    strengths,
)

WON, DRAWN, LOST = (1, 2), (1, 1), (2, 1)


def series(one: str, other: str, *results: Places) -> RatedSeries:
    return RatedSeries.from_deals(((one,), (other,)), tuple((places,) for places in results))


def rating(found: Ratings, name: str) -> float:
    return found.by_entrant()[name].rating


# --- a function of the games alone -------------------------------------------------------------------


def test_the_order_of_games_changes_no_bit() -> None:
    rng = random.Random(1)
    players = strengths(rng, 6)
    played = league(rng, players, independent_games(9)) + league(rng, players, ranked_tables(2), size=3)
    found = ratings_of(played, anchors=[player(0)])
    for _ in range(5):
        shuffled = [(one.sides, rng.sample(deals_of(one), sum(one.deals.values()))) for one in played]
        other = [RatedSeries.from_deals(sides, deals) for sides, deals in shuffled]
        rng.shuffle(other)
        assert ratings_of(other, anchors=[player(0)]) == found


def test_it_does_not_matter_who_is_named_first() -> None:
    one = ratings_of([series("a", "b", WON, WON, DRAWN, LOST), series("b", "c", WON, LOST)])
    other = ratings_of([series("b", "a", LOST, LOST, DRAWN, WON), series("c", "b", LOST, WON)])
    assert one == other


def test_places_count_and_not_their_numbers() -> None:
    one = ratings_of([RatedSeries.from_deals((("a",), ("b",), ("c",)), (((1, 1, 3),),))])
    other = ratings_of([RatedSeries.from_deals((("a",), ("b",), ("c",)), (((1, 1, 2),),))])
    assert one == other


def test_known_strengths_are_recovered_in_order() -> None:
    rng = random.Random(2)
    true = strengths(rng, 40)
    for played in (league(rng, true, mirrored_deals(10)), league(rng, true[:16], ranked_tables(3), size=3)):
        found = ratings_of(played).by_entrant()
        names = sorted(found)
        order = sorted(names, key=lambda name: found[name].rating)
        truth = sorted(names, key=lambda name: true[int(name[1:])])
        distance = sum((order.index(name) - truth.index(name)) ** 2 for name in names)
        assert 1 - 6 * distance / (len(names) ** 3 - len(names)) > 0.97  # Spearman's rank correlation


# --- the scale ---------------------------------------------------------------------------------------


def test_ten_wins_for_every_loss_are_400_points() -> None:
    found = ratings_of([series("a", "b", *[WON] * 10_000, *[LOST] * 1000)])
    assert rating(found, "a") - rating(found, "b") == pytest.approx(400, abs=0.2)


def test_without_an_anchor_the_mean_is_the_anchor() -> None:
    found = ratings_of([series("a", "b", WON, WON, LOST), series("b", "c", WON, DRAWN)])
    assert found.anchors == ()
    assert sum(row.rating for row in found.rows) / 3 == pytest.approx(ANCHOR)


def test_an_anchor_has_a_fixed_rating_and_no_interval() -> None:
    played = [series("a", "b", WON, WON, LOST), series("b", "c", WON, DRAWN)]
    found = ratings_of(played, anchors=["b", "somebody else"])
    assert found.anchors == ("b",)
    assert rating(found, "b") == ANCHOR
    assert found.by_entrant()["b"].margin == pytest.approx(0, abs=1e-6)
    free = ratings_of(played)
    assert rating(found, "a") - ANCHOR == pytest.approx(rating(free, "a") - rating(free, "b"))


def test_two_anchors_are_at_their_mean() -> None:
    found = ratings_of([series("a", "b", WON, WON, LOST), series("b", "c", WON)], anchors=["a", "b"])
    assert (rating(found, "a") + rating(found, "b")) / 2 == pytest.approx(ANCHOR)


# --- the prior ---------------------------------------------------------------------------------------


def test_an_unbeaten_entrant_has_a_finite_rating_and_a_wide_interval() -> None:
    games = [WON, LOST] * 10
    played = [series("a", "b", *[WON] * 20), series("a", "c", *[WON] * 20), series("b", "c", *games)]
    found = ratings_of(played).by_entrant()
    assert 1700 < found["a"].rating < 2400
    assert found["a"].margin > 250
    longer = ratings_of([series("a", "b", *[WON] * 200), series("a", "c", *[WON] * 200), played[2]])
    assert found["a"].rating < rating(longer, "a") < 3000


def test_the_prior_is_one_game_half_won_and_half_lost_against_strength_zero() -> None:
    # one win: log σ(2x) and twice half of log σ(x) + log σ(-x) are highest together where σ(-2x) = σ(x) - 1/2
    found = ratings_of([series("a", "b", WON)])
    strength = (rating(found, "a") - ANCHOR) * math.log(10) / 400

    def p(x: float) -> float:
        return 1 / (1 + math.exp(-x))

    assert p(-2 * strength) == pytest.approx(p(strength) - 0.5)


def test_groups_that_never_met_are_finite() -> None:
    found = ratings_of([series("a", "b", WON, WON, LOST), series("c", "d", WON, WON, LOST)])
    assert rating(found, "a") == pytest.approx(rating(found, "c"))
    assert all(math.isfinite(row.rating) and 0 < row.margin < 1000 for row in found.rows)


def test_a_long_chain_of_shutouts_is_finite() -> None:
    names = [player(at) for at in range(30)]
    found = ratings_of([series(one, other, *[WON] * 500) for one, other in pairwise(names)])
    assert [row.entrant for row in found.rows] == names
    assert all(math.isfinite(row.rating) and math.isfinite(row.margin) for row in found.rows)


@pytest.mark.parametrize("results", [[DRAWN] * 50, [WON] * 50, [WON]])
def test_games_that_all_ended_alike_are_finite(results: list[Places]) -> None:
    found = ratings_of([series("a", "b", *results), series("b", "c", *results)])
    assert all(math.isfinite(row.rating) and math.isfinite(row.margin) for row in found.rows)


# --- draws, ties, partners ---------------------------------------------------------------------------


def test_a_draw_lies_between_a_win_and_a_loss() -> None:
    last = [rating(ratings_of([series("a", "b", WON, LOST, one)]), "a") for one in (LOST, DRAWN, WON)]
    assert last == sorted(last)
    assert last[1] == pytest.approx(ANCHOR)


def test_draws_alone_make_equals() -> None:
    found = ratings_of([series("a", "b", DRAWN, DRAWN)])
    assert rating(found, "a") == pytest.approx(rating(found, "b"))


def test_draws_do_not_change_what_decided_games_say() -> None:
    games = [WON] * 3000 + [LOST] * 1000
    sure = ratings_of([series("a", "b", *games)])
    drawn = ratings_of([series("a", "b", *games, *[DRAWN] * 3000)])
    # in Davidson's model 3 : 1 of the decided games and 43 % draws fit the same difference exactly
    assert rating(drawn, "a") == pytest.approx(rating(sure, "a"), abs=0.1)


def table(*games: Places) -> list[RatedSeries]:
    return [RatedSeries.from_deals((("a",), ("b",), ("c",)), tuple((places,) for places in games))]


def test_a_shared_first_place_is_shared() -> None:
    found = ratings_of(table((1, 1, 3)))
    assert rating(found, "a") == pytest.approx(rating(found, "b"))
    assert rating(found, "a") > rating(found, "c")


def test_a_tie_lies_between_both_orders() -> None:
    start = [(1, 2, 3), (2, 3, 1), (3, 1, 2)]
    last = [rating(ratings_of(table(*start, one)), "a") for one in ((2, 1, 3), (1, 1, 3), (1, 2, 3))]
    assert last[0] < last[1] < last[2]


def test_sides_that_share_the_last_place_are_not_compared() -> None:
    winners_only = table(*[(1, 2, 2)] * 50, *[(2, 1, 2)] * 30, *[(2, 2, 1)] * 20)
    found = ratings_of(winners_only)
    # the odds of winning a table are those of the strengths
    for one, other, odds in (("a", "b", 50 / 30), ("b", "c", 30 / 20)):
        difference = 400 * math.log10(odds)
        assert rating(found, one) - rating(found, other) == pytest.approx(difference, abs=5)


def test_a_table_where_all_tie_says_nothing() -> None:
    assert {row.rating for row in ratings_of(table((1, 1, 1), (1, 1, 1))).rows} == {ANCHOR}


def test_the_strengths_of_partners_add() -> None:
    rng = random.Random(3)
    true = strengths(rng, 6)
    played = []
    for _ in range(3000):
        one, two, three, four = rng.sample(range(6), 4)
        difference = true[one] + true[two] - true[three] - true[four]
        won = rng.random() < 1 / (1 + math.exp(-difference))
        sides = ((player(one), player(two)), (player(three), player(four)))
        played.append(RatedSeries.from_deals(sides, (((1, 2) if won else (2, 1),),)))
    found = ratings_of(played).by_entrant()
    mean = sum(true) / 6
    for at, strength in enumerate(true):
        row = found[player(at)]
        assert abs(row.rating - ANCHOR - (strength - mean) * 400 / math.log(10)) < 2 * row.margin
    order = sorted(range(6), key=lambda at: true[at])
    assert sorted(range(6), key=lambda at: found[player(at)].rating) == order


# --- what counts -------------------------------------------------------------------------------------


def test_a_series_without_games_counts_for_nobody() -> None:
    """A series whose games were annulled is stored without them."""
    played = [series("a", "b", WON, LOST, WON)]
    assert ratings_of([*played, series("a", "c")]) == ratings_of(played)
    assert ratings_of([series("a", "c")]) == Ratings()


def test_stored_games_are_grouped_by_deal() -> None:
    games = tuple(GameResult(places, "end") for places in (WON, LOST, WON, WON, DRAWN))
    stored = SeriesResult("a | b", ("a", "b"), games)
    assert RatedSeries.of(stored, together=2).deals == {(WON, LOST): 1, (WON, WON): 1, (DRAWN,): 1}
    assert RatedSeries.of(stored).deals == {(WON,): 3, (LOST,): 1, (DRAWN,): 1}
    assert ratings_of([RatedSeries.of(stored)]).by_entrant()["a"].games == 5
