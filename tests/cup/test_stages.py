"""Stages that follow from each other, and the five competitions played to the end with made-up games."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from botequim.core.results import GameResult, SeriesResult
from botequim.core.rng import Rng
from botequim.cup.config import Cup, Entry
from botequim.cup.config_parser import parse
from botequim.cup.cross import scores
from botequim.cup.pairing import Pairing, Sides
from botequim.cup.stages import CupState, commitment, series_seed, stage_seed
from botequim.cup.templates import cup_file_text, find_template, template_names

Play = Callable[[str, Pairing], str | None]
"""Stage and pairing: who wins every game; None: all are drawn."""


def field(template: str, count: int = 9) -> Cup:
    names = [f"bot{number}" for number in range(1, count + 1)]
    return parse(cup_file_text(find_template(template), entrants=[Entry(name, "random") for name in names]))


def series_result(pairing: Pairing, winner: str | None) -> SeriesResult:
    places = tuple(1 if winner in (None, name) else 2 for name in pairing.entrants)
    games: list[GameResult] = []
    while not pairing.over(games):
        games.append(GameResult(places, "made up"))
    return pairing.result(games)


def run(progress: CupState, play: Play, *, only: str | None = None) -> CupState:
    """Play every stage, or only one, as far as that goes."""
    for plan in progress.plans:
        while (only is None or plan.name == only) and (waiting := progress.pairings(plan.name)):
            done = {one.key: series_result(one, play(plan.name, one)) for one in waiting}
            merged = {**progress.results.get(plan.name, {}), **done}
            progress = replace(progress, results={**progress.results, plan.name: merged})
    return progress


def lower_number(stage: str, pairing: Pairing) -> str:
    return min(pairing.entrants)


def test_cubos_league_then_first_against_fourth_weeks_later() -> None:
    cup = field("cubos")
    before = cup.state("7")
    assert before.pairings("finals") == []
    assert before.standings("finals") is None
    assert before.entrants("finals") is None
    assert not before.is_finished("finals")
    league = run(before, lower_number, only="league")
    assert len(league.results["league"]) == 36
    assert {len(one.games) for one in league.results["league"].values()} == {3}
    assert league.is_finished("league")
    assert not league.over
    assert [one.entrants for one in league.pairings("finals")] == [("bot1", "bot4"), ("bot2", "bot3")]
    later = cup.state("7", league.results)
    end = run(later, lambda stage, one: max(one.entrants), only="finals")
    assert end.over
    assert [row.entrant for row in end.overall()] == [
        "bot4",
        "bot3",
        "bot2",
        "bot1",
        "bot5",
        "bot6",
        "bot7",
        "bot8",
        "bot9",
    ]
    assert [row.place for row in end.overall()] == list(range(1, 10))
    assert end.overall()[0].figures["matches_won"] == 2
    assert end.overall()[4].figures["points"] == 4 * 9
    assert str(end.overall()[4].why) == "league: place 5"


def test_cubos_a_drawn_final_goes_to_the_better_placed_after_ten_replays() -> None:
    league = run(field("cubos").state("7"), lower_number, only="league")
    end = run(league, lambda stage, one: None, only="finals")
    # 1 v 4, 2 v 3, final and third place, each 1 + 10 games
    assert len(end.results["finals"]) == 4 * 11
    assert [row.entrant for row in end.overall()[:4]] == ["bot1", "bot2", "bot3", "bot4"]


def test_havana_the_best_four_are_drawn_into_semi_finals() -> None:
    cup = field("havana", 6)
    draws = set()
    for seed in range(8):
        league = run(cup.state(str(seed)), lower_number, only="league")
        semi = league.pairings("finals")
        assert {name for one in semi for name in one.entrants} == {"bot1", "bot2", "bot3", "bot4"}
        assert {one.terms.games for one in semi} == {1000}
        draws.add(frozenset(frozenset(one.entrants) for one in semi))
    assert len(draws) == 3
    end = run(cup.state("1"), lower_number)
    assert [row.entrant for row in end.overall()][:1] == ["bot1"]
    assert sorted(row.place for row in end.overall()) == [1, 2, 3, 4, 5, 6]


def test_havana_all_ties_end_with_coins() -> None:
    end = run(field("havana", 5).state("1"), lambda stage, one: None)
    assert end.over
    further = [key for key in end.results["league"] if "||" in key]
    assert len(further) == 3 * 10, "all five share the first place, so they play on three times"
    assert len(end.results["finals"]) == 4 * 4
    assert end.decided_by_lot("league") == ()


def test_rps_byes_and_three_further_games() -> None:
    cup = field("rps", 11)
    end = run(cup.state("x"), lower_number)
    assert len(end.results["bracket"]) == 10
    assert end.overall()[0].entrant == "bot1"
    level = run(cup.state("x"), lambda stage, one: None)
    assert len(level.results["bracket"]) == 10 * 4


def test_uno_combinations_of_three() -> None:
    end = run(field("uno", 8).state("x"), lower_number)
    assert len(end.results["tables"]) == 56
    assert end.overall()[0].figures["wins"] == 21
    check = run(parse(cup_file_text(find_template("uno-check"))).state("x"), lower_number)
    (ten,) = check.results["check"].values()
    assert (len(ten.games), set(ten.entrants)) == (10, {"candidate", "greedy", "random"})


def test_fives_best_of_three() -> None:
    end = run(parse(cup_file_text(find_template("fives"))).state("x"), lambda stage, one: "Bento")
    (match,) = end.results["match"].values()
    assert len(match.games) == 2
    assert [row.entrant for row in end.overall()] == ["Bento", "Ana"]


@pytest.mark.parametrize("name", template_names())
@pytest.mark.parametrize("count", [8, 13])
def test_every_template_ends_whatever_happens(name: str, count: int) -> None:
    cup = field(name, count)
    if name == "havana":  # made-up confrontos need not be long
        short = [replace(plan, terms=replace(plan.terms, games=3)) for plan in cup.plans]
        cup = replace(cup, plans=tuple(short))
    rng = Rng(name)
    end = run(cup.state("s"), lambda stage, one: rng.choice([*one.entrants, None]))
    assert end.over
    assert sorted(row.entrant for row in end.overall()) == sorted(entry.name for entry in cup.entrants)


# --- the join --------------------------------------------------------------------------------------

TWO_STAGES = """
name = "x"
game = "rps"
[[stages]]
name = "first"
format = "knockout"
third_place = false
[[stages]]
name = "second"
format = "round_robin"
playoff = "none"
top = 3
"""


def test_a_shared_place_at_a_cut_is_parted_by_lot_and_that_is_said() -> None:
    entrants = "".join(f'[[entrants]]\nname = "bot{number}"\nbot = "random"\n' for number in range(1, 5))
    cup = parse(TWO_STAGES + entrants)
    thirds = set()
    for seed in range(20):
        end = run(cup.state(str(seed)), lower_number, only="first")
        assert set(end.decided_by_lot("first")) == {"bot3", "bot4"}
        found = end.entrants("second")
        assert found is not None
        assert found[:2] == ("bot1", "bot2")
        assert end.entrants("second") == found
        thirds.add(found[2])
    assert thirds == {"bot3", "bot4"}


def test_seeds_are_one_way_and_apart() -> None:
    made = [stage_seed("secret", "a"), series_seed("secret", "a", "x"), series_seed("secret", "b", "x")]
    made += [series_seed("secret", "a", "y"), series_seed("other", "a", "x")]
    assert len(set(made)) == 5
    assert not any("secret" in seed for seed in made)
    assert commitment("7") == "sha256:7902699be42c8a8e46fbbb4501726517e86b22c56a189f7625a6da49081b2451"


def test_the_null_entrant_plays_beside_the_cup_and_changes_nothing() -> None:
    cup = field("cubos", 5)
    plain = run(cup.state("7"), lower_number)
    text = cup_file_text(find_template("cubos"), entrants=cup.entrants)
    with_null = parse(text.replace('# null = "..."', 'null = "bot2"'))
    assert [entry.name for entry in with_null.entrants][-1] == "bot2 (null)"
    assert with_null.entry("bot2 (null)").null
    end = run(with_null.state("7"), lower_number)
    assert end.results["league"] == plain.results["league"]
    assert end.results["finals"] == plain.results["finals"]
    assert [row.entrant for row in end.overall()] == [row.entrant for row in plain.overall()]
    assert len(end.results["null"]) == 5
    twin = scores(["bot2 (null)"], end.results["null"].values())["bot2 (null)"]
    assert twin.games == 15


def test_the_null_entrant_of_larger_tables() -> None:
    text = cup_file_text(find_template("uno")).replace('# null = "..."', 'null = "Ana"')
    end = run(parse(text).state("7"), lower_number)
    assert len(end.results["null"]) == 6, "with every two of the four others"
    assert all("Ana (null)" in one.entrants for one in end.results["null"].values())


# --- exactly as in the rules -----------------------------------------------------------------------


def test_the_templates_say_what_the_rules_say() -> None:
    cubos, havana, rps, uno, fives = (
        parse(cup_file_text(find_template(name))) for name in ("cubos", "havana", "rps", "uno", "fives")
    )
    assert cubos.game_options(cubos.plans[0]) == {"blocked": "draw"}
    assert (cubos.limits["move"], cubos.limits["start"], cubos.limits["memory"], cubos.limits["cpus"]) == (
        5,
        30,
        1 << 30,
        1,
    )
    assert str(cubos.restart) == "game"
    league, finals = cubos.plans
    assert (league.terms.games, league.terms.sides) == (3, Sides.DRAWN)
    assert [league.options[name] for name in ("win", "draw", "loss", "playoff", "playoff_games")] == [
        3,
        1,
        0,
        "all",
        3,
    ]
    assert (
        finals.top,
        finals.options["replays"],
        finals.options["replay_games"],
        finals.options["level"],
    ) == (4, 10, 1, "seed")
    assert (finals.options["bracket"], finals.options["third_place"]) == ("seeded", "yes")

    assert (havana.limits["move"], havana.limits["timeouts"], havana.limits["thinking"]) == (1, 5, 300)
    assert str(havana.restart) == "series"
    league, finals = havana.plans
    for plan in havana.plans:
        assert (plan.terms.games, plan.terms.sides) == (1000, Sides.FIXED)
        assert plan.terms.starter is not None
        assert plan.terms.starter.values == ("0", "1", "2", "3")
    assert league.options["further"] == 3
    assert (finals.top, finals.options["bracket"], finals.options["replays"], finals.options["level"]) == (
        4,
        "drawn",
        3,
        "coin",
    )
    assert (finals.options["third_place"], finals.options["replay_games"]) == ("yes", 0)

    (bracket,) = rps.plans
    assert rps.game_options(bracket)["rounds"] == 50
    assert (rps.limits["move"], bracket.terms.games) == (5, 1)
    assert (bracket.options["replays"], bracket.options["replay_games"], bracket.options["level"]) == (
        3,
        1,
        "seed",
    )

    (tables,) = uno.plans
    assert uno.game_options(tables)["players"] == 3
    assert (tables.format, tables.options["size"], tables.terms.games, uno.limits["move"]) == (
        "combinations",
        3,
        1,
        3,
    )

    (match,) = fives.plans
    assert (match.terms.games, match.terms.early) == (3, True)
    assert fives.game_options(match) == {"target": 150, "target_rule": "over"}
