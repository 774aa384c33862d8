"""Ladders: who challenges whom, and who is where afterwards."""

from __future__ import annotations

from dataclasses import replace

import pytest

from botequim.cup.formats.ladder import FORMAT
from botequim.cup.pairing import Pairing
from botequim.testing import check_format
from tests.support.cups import better_seed, finish, places, result, stage, table


def order(names: str, *, reach: int) -> list[str]:
    """The ladder after all rounds, if the letter that is later in the alphabet always wins."""
    at = stage("ladder", names, reach=reach)
    end = finish("ladder", at, lambda pairing: max(pairing.entrants))
    return list(table("ladder", end).names)


def rounds(names: str, *, reach: int, rounds: int) -> list[list[str]]:
    """The challenges of each round, if whoever is challenged always wins."""
    at = stage("ladder", names, reach=reach, rounds=rounds)
    end = finish("ladder", at, better_seed(at))
    return [["".join(pair) for pair in played] for played in FORMAT.rounds(end)]


def test_neighbours_challenge_each_other_by_turns() -> None:
    assert rounds("ABCDE", reach=1, rounds=3) == [["AB", "CD"], ["BC", "DE"], ["AB", "CD"]]


def test_challenges_go_as_far_as_the_reach_and_then_less_far() -> None:
    assert rounds("ABCDEFG", reach=2, rounds=5) == [
        ["AC", "BD", "EG"],
        ["CE", "DF"],
        ["AB", "CD", "EF"],
        ["BC", "DE", "FG"],
        ["AC", "BD", "EG"],
    ]


def test_a_reach_beyond_the_ladder_leaves_no_round_empty() -> None:
    found = rounds("ABC", reach=9, rounds=6)
    assert found == [["AC"], ["AB"], ["BC"], ["AC"], ["AB"], ["BC"]]


def test_the_winner_takes_the_better_place_and_a_tie_changes_nothing() -> None:
    start = stage("ladder", "ABCD", reach=2, rounds=1)
    one, other = FORMAT.pairings(start)
    assert (one.entrants, other.entrants) == (("A", "C"), ("B", "D"))
    after = replace(start, results={one.key: result(one, "C")})
    assert places("ladder", after) == {"C": 1, "B": 2, "A": 3, "D": 4}
    end = replace(after, results={**after.results, other.key: result(other, "=")})
    assert places("ladder", end) == {"C": 1, "B": 2, "A": 3, "D": 4}
    assert not FORMAT.pairings(end)
    rows = {row.entrant: row.figures for row in table("ladder", end).rows}
    assert (rows["C"]["start"], rows["C"]["matches_won"], rows["C"]["matches_lost"]) == (3, 1, 0)
    assert (rows["D"]["start"], rows["D"]["matches_tied"]) == (4, 1)


@pytest.mark.parametrize("names", ["ABCDEFGH", "CABED", "BACDFE"])
def test_with_neighbours_only_as_many_rounds_as_entrants_sort_any_ladder(names: str) -> None:
    assert order(names, reach=1) == sorted(names, reverse=True)


def test_who_meets_whom_follows_from_the_results_alone() -> None:
    start = stage("ladder", "ABCDEF", reach=2, rounds=4)

    def script(pairing: Pairing) -> str:
        return min(pairing.entrants) if pairing.round % 2 else max(pairing.entrants)

    end = finish("ladder", start, script)
    again = replace(start, results=dict(reversed(list(end.results.items()))), seed="another")
    assert FORMAT.rounds(again) == FORMAT.rounds(end)
    assert FORMAT.standings(again) == FORMAT.standings(end)
    assert FORMAT.length(start) == len(end.results)


def test_the_contract() -> None:
    check_format(FORMAT, fields=(2, 3, 7))
