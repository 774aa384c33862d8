"""What a viewer is sent follows from what its seat has seen, and from nothing else."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from botequim.core.game import CHANCE
from botequim.core.rng import Rng
from botequim.core.turn import Step
from botequim.render.layout import Shape
from botequim.tables.position import TableView
from botequim.tables.viewer import Moment
from tests.support.play_tables import AGAINST, open_game, play_on, playing_tables, shown, until_asked


def with_other_hands(moment: Moment, table_game: object, seat: int | None, rng: Rng) -> Moment:
    """Return another position that looks the same from one seat."""
    step = moment.step
    assert step is not None
    game: object = table_game
    resample = game.resample_hidden  # type: ignore[attr-defined]
    state = resample(moment.state, seat, rng)
    return replace(moment, state=state, step=Step(step.number, step.before, step.turn, state))


@pytest.mark.parametrize("game", [game for game in AGAINST if game != "rps"])
@pytest.mark.parametrize("seat", [0, None])
def test_a_viewer_is_sent_nothing_that_its_seat_has_not_seen(
    game: str, seat: int | None, tmp_path: Path
) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, game)
            rng = Rng("hidden")
            compared = 0
            while compared < 3:  # after some moves chance follows, so they are not compared
                await play_on(table, moves=1, rng=rng)
                moment = table.moment
                if moment.outcome is not None or moment.step is None:
                    break
                if any(played.by == CHANCE for played in moment.step.turn):
                    continue
                other = with_other_hands(moment, table.game, seat, rng)
                sent = [
                    json.dumps(TableView(table).event(one, seat, "en", Shape.WIDE, latest=True))
                    for one in (moment, other)
                ]
                assert sent[0] == sent[1]
                compared += 1
            assert compared >= 2

    asyncio.run(run())


def test_a_hand_of_rps_is_sent_to_nobody_before_both_are_chosen(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "rps", seats=("me", "friend"))
            table.take_seat(1, "Rui")
            await until_asked(table, 1)
            before = [shown(table, 1), shown(table, None)]
            table.move(0, 1, 0, "rock", "I show a rock")
            await asyncio.sleep(0)
            assert [one["movers"] for one in before] == [[0, 1], [0, 1]]
            after = [shown(table, 1), shown(table, None)]
            assert [one["movers"] for one in after] == [[1], [1]], "everybody sees who has chosen"
            assert after == [{**one, "movers": [1]} for one in before]
            table.move(1, 1, 0, "paper", "")
            while not table.steps:
                await asyncio.sleep(0)
            assert "I show a rock" in json.dumps(shown(table, 1))

    asyncio.run(run())


@pytest.mark.parametrize("game", AGAINST)
def test_all_hands_are_shown_when_the_game_is_over(game: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, game)
            await play_on(table)
            view = TableView(table)
            spectator = view.event(table.moment, None, "en", Shape.WIDE, latest=True)
            person = view.event(table.moment, 0, "en", Shape.WIDE, latest=True)
            assert spectator["parts"] == person["parts"]
            assert spectator["you"] is None

    asyncio.run(run())
