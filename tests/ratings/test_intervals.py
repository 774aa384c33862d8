"""Intervals contain the true strength as often as they say, also where games depend on each other."""

from __future__ import annotations

import random
import statistics
from itertools import chain

import pytest

from botequim.ratings import RatedSeries, ratings_of
from tests.support.simulated_players import (
    POINTS,
    Play,
    deals_of,
    independent_games,
    league,
    mirrored_deals,
    player,
    ranked_tables,
    repeated_games,
    strengths,
)

LEAGUES = 40
PLAYERS = 10


def coverage(play: Play, *, size: int = 2, anchored: bool = False, split: bool = False) -> float:
    """Return how often the true strength is inside, in percent, over many simulated leagues.

    With `split`, every game is counted as if it were independent of all others."""
    inside = count = 0
    for seed in range(LEAGUES):
        rng = random.Random(seed)
        true = strengths(rng, PLAYERS)
        played = league(rng, true, play, size=size)
        if split:
            games = [(one.sides, places) for one in played for places in chain(*deals_of(one))]
            played = [RatedSeries.from_deals(sides, ((places,),)) for sides, places in games]
        found = ratings_of(played, anchors=[player(0)] if anchored else []).by_entrant()
        zero = true[0] if anchored else sum(true) / PLAYERS
        for at in range(int(anchored), PLAYERS):
            low, high = found[player(at)].interval
            inside += low <= 1500 + POINTS * (true[at] - zero) <= high
            count += 1
    return 100 * inside / count


@pytest.mark.parametrize("anchored", [False, True])
@pytest.mark.parametrize(
    ("play", "size"),
    [(independent_games(5), 2), (independent_games(20), 2), (mirrored_deals(10), 2), (ranked_tables(1), 3)],
    ids=["independent-5", "independent-20", "mirrored", "tables"],
)
def test_95_percent_intervals_contain_the_truth_in_93_to_98_percent(
    play: Play, size: int, anchored: bool
) -> None:
    assert 93 <= coverage(play, size=size, anchored=anchored) <= 98


@pytest.mark.parametrize("anchored", [False, True])
def test_repeated_games_are_no_more_certain_than_one(anchored: bool) -> None:
    """Ten players have nine different results each, so the truth may be outside a little more often."""
    assert 89 <= coverage(repeated_games(10), anchored=anchored) <= 98
    assert coverage(repeated_games(10), anchored=anchored, split=True) < 60


def test_mirrored_deals_are_more_certain_than_independent_games() -> None:
    """The luck of a deal cancels out. Intervals of single games would not know that."""
    true = strengths(random.Random(5), PLAYERS)
    played = league(random.Random(6), true, mirrored_deals(50))
    split = [
        RatedSeries.from_deals(one.sides, tuple((places,) for places in chain(*deals_of(one))))
        for one in played
    ]
    paired, single = ratings_of(played), ratings_of(split)
    assert paired.rows[0].rating == single.rows[0].rating
    assert statistics.mean(row.margin for row in paired.rows) < 0.9 * statistics.mean(
        row.margin for row in single.rows
    )


def test_intervals_agree_with_a_bootstrap_that_fits_again() -> None:
    rng = random.Random(7)
    played = league(rng, strengths(rng, 8), mirrored_deals(20))
    deals = [RatedSeries.from_deals(one.sides, (deal,)) for one in played for deal in deals_of(one)]
    found = ratings_of(played).by_entrant()
    widest = dict.fromkeys(found, 0.0)
    for units in (deals, played):
        samples = [ratings_of(rng.choices(units, k=len(units))).by_entrant() for _ in range(60)]
        for name in found:
            ratings = [sample[name].rating for sample in samples if name in sample]
            widest[name] = max(widest[name], 1.96 * statistics.stdev(ratings))
    ratio = statistics.mean(row.margin / widest[name] for name, row in found.items())
    assert 0.85 < ratio < 1.15
