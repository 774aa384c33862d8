"""Leagues: what counts, in which order, and what happens between equals."""

from __future__ import annotations

from dataclasses import replace

import pytest

from botequim.core.rng import Rng
from botequim.cup.format import find_format
from botequim.cup.league import rounds
from tests.support.cups import finish, places, result, script_of, stage, table, why


@pytest.mark.parametrize("count", range(2, 34))
def test_everybody_meets_everybody_once_and_rests_at_most_once(count: int) -> None:
    made = rounds(count)
    pairs = [frozenset(pair) for played in made for pair in played]
    assert len(pairs) == len(set(pairs)) == count * (count - 1) // 2
    for played in made:
        assert len({one for pair in played for one in pair}) == 2 * len(played) == count - count % 2


# --- round robin: cubos ----------------------------------------------------------------------------


def test_points_are_three_one_and_nothing_for_each_game() -> None:
    start = stage("round_robin", "ABC", games=3)
    end = finish("round_robin", start, script_of({"AB": "AA=", "AC": "ACC", "BC": "B=="}))
    rows = {row.entrant: row.figures for row in table("round_robin", end).rows}
    assert {name: row["points"] for name, row in rows.items()} == {"A": 10, "B": 6, "C": 8}
    assert (rows["A"]["won"], rows["A"]["drawn"], rows["A"]["lost"], rows["A"]["games"]) == (3, 1, 2, 6)
    assert places("round_robin", end) == {"A": 1, "C": 2, "B": 3}


def test_equal_points_more_wins_first() -> None:
    # A: a win, a draw, two losses; B: four draws; all others draw among themselves
    start = stage("round_robin", "BACDE", playoff="none")
    end = finish("round_robin", start, script_of({"AC": "A", "AD": "D", "AE": "E"}))
    rows = {row.entrant: row for row in table("round_robin", end).rows}
    assert rows["A"].figures["points"] == rows["B"].figures["points"] == 4
    assert rows["A"].place == rows["B"].place - 1
    assert why("round_robin", end)["A"] == "by games won"


def test_then_the_games_between_them() -> None:
    # A and B have equal points and wins; B beat A
    start = stage("round_robin", "ABCD")
    end = finish(
        "round_robin", start, script_of({"AB": "B", "AC": "A", "AD": "A", "BC": "B", "BD": "D", "CD": "C"})
    )
    assert places("round_robin", end) == {"B": 1, "A": 2, "C": 3, "D": 4}
    assert set(why("round_robin", end).values()) == {"by the games between them"}


def test_then_a_playoff_of_three_only_when_everything_else_is_finished() -> None:
    form = find_format("round_robin")
    start = stage("round_robin", "ABC")
    first = form.pairings(start)
    assert len(first) == 3
    games = script_of({"AB": "A", "BC": "B", "AC": "C"})  # each beat one of the others
    almost = replace(start, results={one.key: result(one, games(one)) for one in first[:2]})
    assert [one.key for one in form.pairings(almost)] == [first[2].key]
    keys: list[str] = []
    end = finish(
        "round_robin",
        start,
        script_of(
            {"AB": "A", "BC": "B", "AC": "C", "1 || A | B": "A==", "1 || A | C": "AAA", "1 || B | C": "BC="}
        ),
        keys=keys,
    )
    assert keys[3:] == ["1 || A | B", "1 || A | C", "1 || B | C"]
    # the play-off leaves B and C unequal: 2 points from A's games, and equal between them
    assert places("round_robin", end) == {"A": 1, "B": 2, "C": 3}
    assert why("round_robin", end)["A"] == "by a play-off"
    assert {row.figures["games"] for row in table("round_robin", end).rows} == {2}, (
        "a play-off is no game of the league"
    )


def test_playoffs_are_of_the_games_asked_for() -> None:
    start = stage("round_robin", "AB", games=2)
    end = replace(
        start, results={one.key: result(one, "==") for one in find_format("round_robin").pairings(start)}
    )
    (playoff,) = find_format("round_robin").pairings(end)
    assert (playoff.terms.games, str(playoff.label), playoff.round) == (3, "play-off", 2)


def test_whom_the_playoff_does_not_part_the_games_between_them_do() -> None:
    games = {"AB": "A", "BC": "B", "AC": "C", "1 || A | B": "AAA", "1 || A | C": "AAA", "1 || B | C": "==="}
    end = finish("round_robin", stage("round_robin", "ABC"), script_of(games))
    assert places("round_robin", end) == {"A": 1, "B": 2, "C": 3}
    assert why("round_robin", end)["B"] == "by the games between them"


def test_after_three_level_playoffs_the_lot_is_drawn_and_the_same_seed_draws_the_same() -> None:
    keys: list[str] = []
    end = finish("round_robin", stage("round_robin", "AB"), script_of({}), keys=keys)
    assert keys == ["A | B", "1 || A | B", "2 || A | B", "3 || A | B"]
    assert set(why("round_robin", end).values()) == {"by lot"}
    orders = {
        seed: table(
            "round_robin", finish("round_robin", stage("round_robin", "AB", seed=seed), script_of({}))
        ).names
        for seed in "0123456789"
    }
    assert set(orders.values()) == {("A", "B"), ("B", "A")}
    again = finish("round_robin", stage("round_robin", "AB", seed="7"), script_of({}))
    assert table("round_robin", again).names == orders["7"]


def test_equals_may_share_a_place_where_it_does_not_matter() -> None:
    # A wins all; the others draw among themselves
    games = {"AB": "A", "AC": "A", "AD": "A"}
    none = finish("round_robin", stage("round_robin", "ABCD", playoff="none", cuts=(2,)), script_of(games))
    assert places("round_robin", none) == {"A": 1, "B": 2, "C": 2, "D": 2}
    assert why("round_robin", none)["B"] == "equal by every rule"
    keys: list[str] = []
    cut = stage("round_robin", "ABCD", playoff="cut", cuts=(1,))
    assert places("round_robin", finish("round_robin", cut, script_of(games), keys=keys))["D"] == 2
    assert len(keys) == 6, "the best one is clear"
    cut = replace(cut, cuts=(2,))
    end = finish(
        "round_robin", cut, script_of({**games, "1 || B | C": "BBB", "1 || B | D": "BBB"}), keys=keys
    )
    assert places("round_robin", end) == {"A": 1, "B": 2, "C": 3, "D": 3}, (
        "who is second is clear; the rest is not asked"
    )


def test_points_are_options() -> None:
    start = stage("round_robin", "AB", games=4, win=2, draw=1, loss=0, playoff="none")
    end = finish("round_robin", start, script_of({"AB": "AAB="}))
    assert [row.figures["points"] for row in table("round_robin", end).rows] == [5, 3]


def test_every_two_can_meet_more_than_once() -> None:
    start = stage("round_robin", "ABC", meetings=2)
    waiting = find_format("round_robin").pairings(start)
    assert len(waiting) == len({one.key for one in waiting}) == 6
    homes = {one.key: one.entrants for one in waiting}
    assert homes["A | B || 2"] == homes["A | B"][::-1]


# --- confrontos: havana ----------------------------------------------------------------------------


def confrontos(
    names: str, games: dict[str, str], *, cuts: tuple[int, ...] = (), size: int = 4
) -> dict[str, int]:
    end = finish("confrontos", stage("confrontos", names, games=size, cuts=cuts), script_of(games))
    return places("confrontos", end)


def test_step_one_confrontos_won() -> None:
    # B wins more games, A more confrontos
    games = {"AB": "ABAA", "AC": "AAC=", "BC": "BBBB"}
    assert confrontos("ABC", games) == {"A": 1, "B": 2, "C": 3}


def test_step_two_fewest_confrontos_lost() -> None:
    # A and B win one each; A ties the rest, B loses one
    games = {"AC": "A===", "BC": "BBBB", "BD": "D==="}
    end = finish("confrontos", stage("confrontos", "BACD", games=4), script_of(games))
    assert places("confrontos", end)["A"] < places("confrontos", end)["B"]
    assert why("confrontos", end)["B"] == "by confrontos lost"
    figures = table("confrontos", end).row("B").figures
    assert [figures[f"confrontos_{kind}"] for kind in ("won", "tied", "lost")] == [1, 1, 1]


def test_step_three_games_won() -> None:
    games = {"AC": "AAA=", "BC": "BB==", "AB": "===="}
    end = finish("confrontos", stage("confrontos", "BAC", games=4), script_of(games))
    assert places("confrontos", end) == {"A": 1, "B": 2, "C": 3}
    assert why("confrontos", end)["A"] == "by games won"


def test_step_four_fewest_games_lost() -> None:
    games = {"AC": "AA==", "BC": "BBC=", "AB": "===="}
    end = finish("confrontos", stage("confrontos", "BAC", games=4), script_of(games))
    assert places("confrontos", end) == {"A": 1, "B": 2, "C": 3}
    assert why("confrontos", end)["A"] == "by games lost"


def test_step_five_a_shared_place_and_the_next_is_skipped() -> None:
    games = {"AC": "AA==", "BC": "BB==", "AB": "AB=="}
    end = finish("confrontos", stage("confrontos", "ABC", games=4), script_of(games))
    assert places("confrontos", end) == {"A": 1, "B": 1, "C": 3}
    standings = table("confrontos", end)
    assert standings.is_shared(standings.rows[0])
    assert not standings.is_shared(standings.rows[2])
    assert why("confrontos", end)["A"] == "a shared place"


def test_winning_more_games_than_the_other_wins_a_confronto_whatever_is_drawn() -> None:
    end = finish("confrontos", stage("confrontos", "AB", games=1000), script_of({"AB": "=" * 998 + "BB"}))
    assert table("confrontos", end).names == ("B", "A")


SHARED_FOURTH = {f"{one}{other}": one for one in "ABC" for other in "DEF"} | {"AB": "A", "AC": "A", "BC": "B"}
"""A, B, C are clear; D, E, F lose to them and draw among themselves."""


def test_a_shared_fourth_place_that_matters_is_played_on() -> None:
    keys: list[str] = []
    games = {**SHARED_FOURTH, "1 || D | E": "D", "1 || D | F": "F", "2 || D | F": "F"}
    # after one round: F has won one and tied one, D won one and lost one, E lost one and tied one
    start = stage("confrontos", "ABCDEF", cuts=(4,))
    end = finish("confrontos", start, script_of(games), keys=keys)
    assert keys[15:] == ["1 || D | E", "1 || D | F", "1 || E | F"]
    assert places("confrontos", end) == {"A": 1, "B": 2, "C": 3, "F": 4, "D": 5, "E": 6}
    assert why("confrontos", end)["F"] == "by further confrontos"


def test_a_shared_place_that_does_not_matter_stays_shared() -> None:
    keys: list[str] = []
    end = finish("confrontos", stage("confrontos", "ABCDEF", cuts=(3,)), script_of(SHARED_FOURTH), keys=keys)
    assert len(keys) == 15
    assert places("confrontos", end)["F"] == 4
    # nor is it played on between two who both advance
    games = {**SHARED_FOURTH, "1 || D | F": "D", "1 || E | F": "E"}
    end = finish("confrontos", stage("confrontos", "ABCDEF", cuts=(5,)), script_of(games), keys=keys)
    assert [places("confrontos", end)[name] for name in "DEF"] == [4, 4, 6]


def test_at_most_three_further_confrontos_then_a_coin() -> None:
    keys: list[str] = []
    end = finish("confrontos", stage("confrontos", "ABCDE", cuts=(4,)), script_of({
        f"{one}{other}": one for one in "ABC" for other in "DE"
    } | {"AB": "A", "AC": "A", "BC": "B"}), keys=keys)  # fmt: skip
    assert keys[10:] == ["1 || D | E", "2 || D | E", "3 || D | E"]
    assert sorted(places("confrontos", end).values()) == [1, 2, 3, 4, 5]
    assert why("confrontos", end)["D"] == why("confrontos", end)["E"] == "by a coin"


def test_the_coin_is_fair() -> None:
    rng = Rng("coins")
    firsts = [
        table(
            "confrontos",
            finish(
                "confrontos", stage("confrontos", "AB", cuts=(1,), seed=str(rng.below(10**9))), script_of({})
            ),
        ).names[0]
        for _ in range(60)
    ]
    assert 15 <= firsts.count("A") <= 45


# --- best of ---------------------------------------------------------------------------------------


def test_best_of_three_for_two_and_for_more() -> None:
    end = finish("best_of", stage("best_of", "AB", games=3), script_of({"AB": "BB"}))
    assert table("best_of", end).names == ("B", "A")
    assert table("best_of", end).rows[0].figures["matches_won"] == 1
    end = finish(
        "best_of", stage("best_of", "ABC", games=3), script_of({"AB": "AA", "BC": "BCB", "AC": "CAC"})
    )
    # one match each; A and C won 3 games; C lost one more
    assert places("best_of", end) == {"A": 1, "C": 2, "B": 3}


def test_a_drawn_match_for_two_is_played_on() -> None:
    keys: list[str] = []
    end = finish("best_of", stage("best_of", "AB", games=1), script_of({"2 || A | B": "B"}), keys=keys)
    assert keys == ["A | B", "1 || A | B", "2 || A | B"]
    assert table("best_of", end).names == ("B", "A")
    assert find_format("best_of").problem(stage("best_of", "AB", games=2)) is not None
