"""Knock-outs: brackets, byes, and matches that will not be decided."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from botequim.core.results import SeriesResult
from botequim.cup.bracket import seeds
from botequim.cup.format import find_format
from botequim.cup.formats.knockout import Bracket
from botequim.cup.stage_series import StageSeries
from tests.support.cups import better_seed, finish, places, result, script_of, stage, table, why

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijk"


@pytest.mark.parametrize("count", range(2, 34))
def test_any_field_has_a_winner_and_byes_go_to_the_best_seeds(count: int) -> None:
    start = stage("knockout", LETTERS[:count], third_place="no")
    size = 1 << (count - 1).bit_length()
    first = find_format("knockout").pairings(start)
    playing = {name for one in first for name in one.entrants}
    byes = set(LETTERS[: size - count])
    assert len(first) >= count - size // 2, "a match between two that have byes can be played at once"
    opening = [one for one in first if one.round == 1]
    assert {name for one in opening for name in one.entrants} == set(start.entrants) - byes
    assert playing <= set(start.entrants)
    keys: list[str] = []
    end = finish("knockout", start, better_seed(start), keys=keys)
    assert len(keys) == count - 1, "everybody but the winner loses once"
    names = table("knockout", end).names
    assert names[:2] == ("A", "B"), "the best two meet only in the final"
    assert places("knockout", end)[LETTERS[count - 1]] == size // 2 + 1


def test_the_best_four_meet_as_in_the_rules() -> None:
    start = stage("knockout", "ABCD")
    assert [one.entrants for one in find_format("knockout").pairings(start)] == [("A", "D"), ("B", "C")]
    assert [str(one.label) for one in find_format("knockout").pairings(start)] == [
        "semi-final 1",
        "semi-final 2",
    ]
    assert seeds(8) == [0, 7, 3, 4, 1, 6, 2, 5]


def test_losers_of_the_semi_finals_meet_for_the_third_place_and_the_final_is_last() -> None:
    keys: list[str] = []
    start = stage("knockout", "ABCD")
    end = finish("knockout", start, script_of({"AD": "D", "BC": "B", "third": "C", "2.1": "B"}), keys=keys)
    assert keys == ["4.1", "4.2", "third", "2.1"]
    assert places("knockout", end) == {"B": 1, "D": 2, "C": 3, "A": 4}
    assert why("knockout", end) == {
        "B": "",
        "D": "lost: final",
        "C": "won the match for the third place",
        "A": "lost the match for the third place",
    }
    without = finish("knockout", stage("knockout", "ABCD", third_place="no"), better_seed(start))
    assert places("knockout", without) == {"A": 1, "B": 2, "C": 3, "D": 3}


def test_a_coordinator_begins_the_final_when_the_third_place_is_decided() -> None:
    results = {"4.1": "A", "4.2": "B", "third": "=", "third+1": "C", "2.1": "=", "2.1+1": "A"}
    start, done = stage("knockout", "ABCD"), dict[str, SeriesResult]()
    series = StageSeries(lambda: find_format("knockout").pairings(replace(start, results=done)), 0)
    while True:
        while series.take(0) is not None:
            pass  # there are workers for all of them
        if not series.playing:
            break
        key, pairing = series.playing.popitem()  # the one that began last ends first
        done[key] = result(pairing, results[key])
        series.refill()
    assert list(done) == ["4.2", "4.1", "third", "third+1", "2.1", "2.1+1"]


def test_a_final_that_was_played_before_the_third_place_is_valid() -> None:
    form, start = find_format("knockout"), stage("knockout", "ABCD")
    semi_finals = {one.key: result(one, one.entrants[0]) for one in form.pairings(start)}
    third, final = form.pairings(replace(start, results=semi_finals))
    assert (third.last, final.last) == (False, True)
    played = replace(start, results={**semi_finals, "2.1": result(final, "A")})
    assert form.pairings(played) == [third]


def test_a_final_waits_for_its_semi_final_alone() -> None:
    form = find_format("knockout")
    start = stage("knockout", "ABCDE")
    # A, B and C have byes; B against C does not wait for D against E
    assert [one.key for one in form.pairings(start)] == ["8.2", "4.2"]
    played = replace(start, results={"4.2": result(form.pairings(start)[1], "B")})
    assert [one.key for one in form.pairings(played)] == ["8.2"]
    assert places("knockout", played) == {"A": 1, "B": 1, "D": 1, "E": 1, "C": 5}


@pytest.mark.parametrize(
    ("options", "games", "again"),
    [
        ({"replays": 10, "replay_games": 1, "level": "seed"}, 1, 1),  # cubos
        ({"replays": 10, "replay_games": 1, "level": "seed"}, 100, 1),  # cubos, as many as in the end
        ({"replays": 3, "replay_games": 1, "level": "seed"}, 1, 1),  # rps
        ({"replays": 3, "replay_games": 0, "level": "coin"}, 1000, 1000),  # havana
    ],
)
def test_a_level_match_is_played_on_so_often_and_no_more(
    options: dict[str, Any], games: int, again: int
) -> None:
    form, keys = find_format("knockout"), list[str]()
    start = stage("knockout", "AB", games=games, **options)
    end = finish("knockout", start, script_of({}), keys=keys)
    assert len(keys) == 1 + int(str(options["replays"]))
    assert keys[:2] == ["2.1", "2.1+1"]
    (first,) = form.pairings(start)
    (second,) = form.pairings(replace(start, results={"2.1": result(first, "=" * games)}))
    assert (first.terms.games, second.terms.games) == (games, again)
    assert str(second.label) == "final, further 1"
    if options["level"] == "seed":
        assert table("knockout", end).names == ("A", "B")
        assert why("knockout", end) == {"A": "as the better seed", "B": "lost: final (as the better seed)"}
    else:
        assert why("knockout", end)[table("knockout", end).names[0]] == "by a coin"


def test_the_first_further_game_that_is_decided_decides() -> None:
    end = finish("knockout", stage("knockout", "AB", replays=10), script_of({"2.1+2": "B"}))
    assert table("knockout", end).names == ("B", "A")
    assert len(end.results) == 3


def test_coins_fall_both_ways_and_the_same_for_the_same_seed() -> None:
    def champion(seed: str) -> str:
        start = stage("knockout", "AB", replays=0, level="coin", seed=seed)
        return table("knockout", finish("knockout", start, script_of({}))).names[0]

    assert {champion(seed) for seed in "0123456789"} == {"A", "B"}
    assert champion("5") == champion("5")


def test_a_drawn_bracket_follows_from_the_seed_and_its_numbers_are_the_seeds() -> None:
    def drawn(seed: str) -> tuple[str, ...]:
        return Bracket.of(stage("knockout", "ABCDEFGH", bracket="drawn", seed=seed)).seeds

    assert drawn("x") == drawn("x")
    assert sorted(drawn("x")) == list("ABCDEFGH")
    assert len({drawn(str(number)) for number in range(20)}) > 15
    # who meets whom among four: every draw comes up
    pairs = {
        frozenset(frozenset(one.entrants) for one in find_format("knockout").pairings(at))
        for at in (stage("knockout", "ABCD", bracket="drawn", seed=str(number)) for number in range(40))
    }
    assert len(pairs) == 3
    start = stage("knockout", "AB", bracket="drawn", replays=0, level="seed", seed="x")
    assert table("knockout", finish("knockout", start, script_of({}))).names[0] == Bracket.of(start).seeds[0]


def test_one_entrant_is_no_knockout() -> None:
    assert str(find_format("knockout").problem(stage("knockout", "A"))) == (
        "at least 2 entrants are needed, but there is only 1"
    )
