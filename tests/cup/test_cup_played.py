"""The five competitions with real games between built-in players: a runner needs no more than a cup says."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from botequim import registry
from botequim.bots.entrant import Entrant
from botequim.core.options import Options
from botequim.core.results import GameResult, SeriesResult
from botequim.cup.config import Cup
from botequim.cup.config_parser import parse
from botequim.cup.pairing import Pairing
from botequim.cup.stages import CupState, series_seed
from botequim.cup.templates import cup_file_text, find_template, template_names
from botequim.engine.series import Series, seat_assignments


async def play(cup: Cup, pairing: Pairing, options: Options, seed: str) -> SeriesResult:
    game = registry.game(cup.game)
    teams = game.teams(options)
    games: list[GameResult] = []
    while not pairing.over(games):
        setup = pairing.game_setup(len(games), seed)
        names = [pairing.entrants[at] for at in setup.order]
        seated = seat_assignments(teams, [Entrant(cup.entry(name).bot, name) for name in names], names)
        async with Series(game, seated, games=1) as series:
            record = await series.play(setup.seed, {**options, **setup.options}, rotation=setup.rotation)
        faulty = [made.by for turn in record.turns for made in turn if made.fault is not None]
        faults = [sum(by in team for by in faulty) for team in teams]
        games.append(GameResult.of(record.outcome, setup.order, faults))
    return pairing.result(games)


def run(cup: Cup, seed: str) -> CupState:
    progress = cup.state(seed)
    for plan in progress.plans:
        options = cup.game_options(plan)
        while waiting := progress.pairings(plan.name):
            done = {
                one.key: asyncio.run(play(cup, one, options, series_seed(seed, plan.name, one.key)))
                for one in waiting
            }
            merged = {**progress.results.get(plan.name, {}), **done}
            progress = cup.state(seed, {**progress.results, plan.name: merged})
    return progress


@pytest.mark.parametrize("name", template_names())
def test_a_template_is_played_to_its_final_table(name: str) -> None:
    cup = parse(cup_file_text(find_template(name)))
    short = [replace(plan, terms=replace(plan.terms, games=min(plan.terms.games, 10))) for plan in cup.plans]
    cup = replace(cup, plans=tuple(short))
    end = run(cup, "7")
    assert end.over
    assert sorted(row.entrant for row in end.overall()) == sorted(entry.name for entry in cup.entrants)
    assert run(cup, "7").results == end.results, "built-in players and one seed: the same cup"


def test_the_starter_moves_on_in_a_confronto() -> None:
    cup = parse(cup_file_text(find_template("havana")))
    (first, *_) = cup.state("7").pairings("league")
    options = cup.game_options(cup.plans[0])
    starters = [{**options, **first.game_setup(number, "s").options}["first"] for number in range(4)]
    assert sorted(map(str, starters)) == ["0", "1", "2", "3"]
