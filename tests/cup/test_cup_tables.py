"""Combinations, gauntlets, how a series sits, and what is kept of it."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import comb

import pytest

from botequim.core.game import Outcome
from botequim.core.messages import msg
from botequim.core.results import GameResult, SeriesResult
from botequim.cup.cross import Duel, cross_table, scores
from botequim.cup.format import find_format
from botequim.cup.pairing import Pairing, SeriesRules, Sides, Starter
from tests.support.cups import finish, places, script_of, stage, table

# --- combinations: uno -----------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "size"), [(3, 3), (4, 3), (7, 3), (6, 2), (6, 5)])
def test_every_combination_has_a_table(count: int, size: int) -> None:
    at = stage("combinations", "ABCDEFG"[:count], size=size)
    waiting = find_format("combinations").pairings(at)
    assert len({frozenset(one.entrants) for one in waiting}) == len(waiting) == comb(count, size)


def test_wins_are_shared_and_places_are_counted() -> None:
    at = stage("combinations", "ABCD", games=2)
    ended = {
        "A | B | C": [(1, 1, 3), (2, 3, 1)],
        "A | B | D": [(1, 2, 3), (1, 1, 1)],
        "A | C | D": [(3, 1, 2), (2, 3, 1)],
        "B | C | D": [(1, 2, 3), (3, 2, 1)],
    }
    results = {
        one.key: one.result([GameResult(game, "empty") for game in ended[one.key]])
        for one in find_format("combinations").pairings(at)
    }
    standings = table("combinations", replace(at, results=results))
    figures = {row.entrant: row.figures for row in standings.rows}
    assert figures["A"]["wins"] == Fraction(1, 2) + 1 + Fraction(1, 3)
    assert figures["B"]["wins"] == Fraction(1, 2) + Fraction(1, 3) + 1
    assert [figures["A"][f"place_{place}"] for place in (1, 2, 3)] == [3, 2, 1]
    assert [figures["B"][f"place_{place}"] for place in (1, 2, 3)] == [3, 1, 2]
    assert standings.names == ("D", "C", "A", "B")
    assert str(standings.row("A").why) == "by places 2"
    assert sum(Fraction(row["wins"]) for row in figures.values()) == 8, "one for each game"


def test_equal_wins_and_places_share_a_place() -> None:
    at = stage("combinations", "ABC")
    (one,) = find_format("combinations").pairings(at)
    end = replace(at, results={one.key: one.result([GameResult((1, 2, 2), "pile")])})
    assert places("combinations", end) == {"A": 1, "B": 2, "C": 2}


# --- gauntlet --------------------------------------------------------------------------------------


def test_one_against_all_the_others() -> None:
    at = stage("gauntlet", "ABCD", games=2)
    assert [one.entrants for one in find_format("gauntlet").pairings(at)] == [
        ("A", "B"),
        ("A", "C"),
        ("A", "D"),
    ]
    end = finish("gauntlet", at, script_of({"AB": "AA", "AC": "AC", "AD": "DD"}))
    assert places("gauntlet", end) == {"D": 1, "A": 2, "C": 2, "B": 4}
    assert table("gauntlet", end).row("A").figures["rate"] == Fraction(1, 2)


def test_some_against_the_others_at_larger_tables() -> None:
    at = stage("gauntlet", "ABCDE", challengers=2, size=3)
    waiting = find_format("gauntlet").pairings(at)
    assert len(waiting) == 2 * 3
    assert all(len({"A", "B"} & set(one.entrants)) == 1 for one in waiting)
    assert find_format("gauntlet").problem(stage("gauntlet", "ABC", challengers=2, size=3)) is not None


# --- how a series sits -----------------------------------------------------------------------------


def pairing(terms: SeriesRules, *names: str) -> Pairing:
    return Pairing("key", names or ("A", "B"), terms, msg("table"))


def test_drawn_sides_change_and_follow_from_the_seed() -> None:
    one = pairing(SeriesRules(40))
    orders = [one.game_setup(number, "x").order for number in range(40)]
    assert set(orders) == {(0, 1), (1, 0)}
    assert orders == [one.game_setup(number, "x").order for number in range(40)]
    assert orders != [one.game_setup(number, "y").order for number in range(40)]
    assert len({one.game_setup(number, "x").seed for number in range(40)}) == 40


def test_every_deal_from_every_side() -> None:
    three = pairing(SeriesRules(6, sides=Sides.EVERY), "A", "B", "C")
    setups = [three.game_setup(number, "x") for number in range(6)]
    assert [one.order for one in setups[:3]] == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    assert [one.rotation for one in setups] == [0, 1, 2, 0, 1, 2]
    assert len({one.seed for one in setups[:3]}) == 1
    assert len({one.seed for one in setups}) == 2


def test_fixed_sides_and_a_starter_that_moves_on() -> None:
    confronto = pairing(SeriesRules(9, sides=Sides.FIXED, starter=Starter("first", ("0", "1", "2", "3"))))
    setups = [confronto.game_setup(number, "x") for number in range(9)]
    assert {one.order for one in setups} == {(0, 1)}
    starters = [int(one.options["first"]) for one in setups]
    assert all((after - before) % 4 == 1 for before, after in pairwise(starters))
    assert {confronto.game_setup(0, str(seed)).options["first"] for seed in range(40)} == {"0", "1", "2", "3"}


def test_no_seed_of_a_game_shows_what_it_was_made_from() -> None:
    assert "secret" not in pairing(SeriesRules()).game_setup(0, "secret").seed


def test_best_of_three_ends_when_it_is_decided() -> None:
    best = pairing(SeriesRules(3, early=True))
    first, second, level = GameResult((1, 2), "x"), GameResult((2, 1), "x"), GameResult((1, 1), "x")
    assert not best.over([first])
    assert best.over([first, first])
    assert not best.over([first, second])
    assert not best.over([first, level])
    assert best.over([first, level, level])
    assert not pairing(SeriesRules(3)).over([first, first])
    assert not pairing(SeriesRules(1, early=True)).over([])


# --- what is kept ----------------------------------------------------------------------------------


def test_a_game_is_kept_by_entrant_however_they_sat() -> None:
    kept = GameResult.of(Outcome("empty", (1, 2, 3)), (2, 0, 1), (0, 0, 4))
    assert (kept.places, kept.faults) == ((2, 3, 1), (0, 4, 0))
    assert GameResult.of(Outcome("empty", (1, 2)), (1, 0), (0, 0)).faults == ()


def test_a_result_is_the_same_after_json() -> None:
    games = [GameResult((1, 1, 3), "pile", (0, 2, 0)), GameResult((3, 1, 2), "empty")]
    made = pairing(SeriesRules(2), "A", "B", "C").result(games)
    again = SeriesResult.from_json(json.loads(json.dumps(made.as_json())))
    assert again == made
    total = again.totals()["B"]
    assert (total.games, total.won, total.drawn, total.lost, total.faults) == (2, 1, 1, 0, 2)
    assert total.share == Fraction(3, 2)
    assert again.winner() == "B"
    assert pairing(SeriesRules()).result([GameResult((1, 1), "x")]).winner() is None


def test_a_cross_table_says_who_did_what_against_whom() -> None:
    at = stage("round_robin", "ABC", games=3, playoff="none")
    end = finish("round_robin", at, script_of({"AB": "AAB", "AC": "C=="}))
    cross = cross_table(end.results.values())
    assert cross["A", "B"] == Duel(2, 0, 1)
    assert cross["C", "A"] == Duel(1, 2, 0)
    assert cross["C", "A"].share == 2
    assert cross["C", "A"].games == 3
    assert ("A", "A") not in cross
    three = pairing(SeriesRules(), "A", "B", "C").result([GameResult((2, 1, 2), "pile")])
    assert cross_table([three])["A", "C"] == Duel(0, 1, 0)


def test_rates_come_with_intervals_of_deals_or_series() -> None:
    at = stage("round_robin", "AB", games=8, playoff="none")
    end = finish("round_robin", at, script_of({"AB": "ABABABAB"}))
    single = scores("AB", end.results.values())["A"]
    paired = scores("AB", end.results.values(), together=2)["A"]
    assert (single.games, single.deals, paired.deals, paired.rate) == (8, 8, 4, 0.5)
    assert scores("AB", end.results.values(), together=0)["A"].interval() is None, "one series says nothing"
