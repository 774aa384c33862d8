"""Tables at which people play: whole games, moves, what a table may be."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from botequim.core.errors import InputError
from botequim.render.layout import Shape
from botequim.tables.opening import TableWishes, open_table
from botequim.tables.person import OutdatedMove
from botequim.tables.position import TableView
from botequim.tables.tables import MOST_OF_AN_ADDRESS, TooManyTables
from tests.support.play_tables import (
    AGAINST,
    check_record,
    invite,
    open_game,
    play_on,
    playing_tables,
    settle,
    shown,
    sitting,
    until_asked,
)


@pytest.mark.parametrize("game", AGAINST)
def test_a_person_plays_a_whole_game_and_its_record_verifies(game: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, game)
            with sitting(table, 0):
                await play_on(table)
            header = json.loads(check_record(table, 1)[0])
            assert header["seats"][0] == {"name": "Ana", "person": True}
            end = shown(table, 0)
            assert end["phase"] == "over"
            assert end["result"]["counts"]
            assert end["result"]["you"] in ("won", "lost", "drew")

    asyncio.run(run())


def test_a_refused_move_says_why_and_the_person_is_asked_again(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "rps")
            await until_asked(table, 0)
            for wrong in ("stone", "rock paper", ""):
                with pytest.raises(InputError):
                    table.move(0, 1, 0, wrong, "")
            with pytest.raises(OutdatedMove):
                table.move(0, 1, 1, "rock", "")
            with pytest.raises(OutdatedMove):
                table.move(0, 2, 0, "rock", "")
            with pytest.raises(InputError, match="280"):
                table.move(0, 1, 0, "rock", "x" * 281)
            with sitting(table, 0) as (viewer,):
                table.move(0, 1, 0, "rock", "hello")
                with pytest.raises(InputError):  # the same click again
                    table.move(0, 1, 0, "rock", "")
                await settle()
                moments = await viewer.moments(0)
            view = TableView(table)
            events = [view.event(one, None, "en", Shape.WIDE, latest=False) for one in moments]
            says = [remark for event in events for remark in event["says"]]
            assert {"seat": 0, "name": "Ana", "text": "hello"} in says

    asyncio.run(run())


def test_a_match_of_several_games_keeps_its_score(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "rps", best_of=3)
            await play_on(table)
            assert table.spec.number in (2, 3)
            assert sum(table.spec.won) <= table.spec.number
            seeds = {json.loads(check_record(table, at + 1)[0])["seed"] for at in range(table.spec.number)}
            assert len(seeds) == table.spec.number
            assert not any(table.spec.seed in seed for seed in seeds)  # a record reveals no other game
            earlier = [game["replay"] for game in shown(table, 0)["result"]["earlier"]]
            watch = shown(table, 0)["watch"]
            assert earlier == [f"{watch}/games/{number}" for number in range(1, table.spec.number)]

    asyncio.run(run())


def test_an_address_cannot_open_tables_without_end(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            for _ in range(MOST_OF_AN_ADDRESS):
                open_game(tables, "rps", seats=("me", "friend"), address="10.0.0.1")
            other = open_game(tables, "rps", address="10.0.0.2").spec.id
            with pytest.raises(TooManyTables):
                open_game(tables, "rps", address="10.0.0.1")
            assert tables.table(other) is not None

    asyncio.run(run())


@pytest.mark.parametrize(
    ("wishes", "problem"),
    [
        ({"seats": ("greedy", "greedy")}, "exactly one seat"),
        ({"seats": ("me", "me")}, "exactly one seat"),
        ({"seats": ("me",)}, "2 seats"),
        ({"seats": ("me", "champion@99s")}, "not offered"),
        ({"seats": ("me", "cmd:rm")}, "not offered"),
        ({"seats": ("me", "")}, "not offered"),
        ({"name": " \u200b "}, "give a name"),
        ({"best_of": 1000}, "1 to 9"),
        ({"move_seconds": 1}, "not offered"),
        ({"options": {"rounds": 10**9}}, "rounds"),
        ({"options": {"colour": "red"}}, "colour"),
        ({"game": "chess"}, "chess"),
    ],
)
def test_a_wrong_wish_is_refused_with_its_reason(wishes: dict[str, object], problem: str) -> None:
    values = {"game": "rps", "seats": ("me", "greedy"), "name": "Ana", **wishes}
    with pytest.raises(InputError, match=problem):
        open_table(TableWishes(**values))  # type: ignore[arg-type]


def test_a_name_and_remarks_can_be_removed_and_the_record_still_verifies(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "rps", best_of=3)
            await until_asked(table, 0)
            table.move(0, 1, 0, "rock", "rude words")
            await settle()
            await play_on(table, moves=5)
            await until_asked(table, 0)
            view = TableView(table)
            before = view.event(table.moment, None, "en", Shape.WIDE, latest=True)
            assert any("Ana" in sentence for sentence in before["moves"])
            table.redact(0, "person 1")
            after = view.event(table.moment, None, "en", Shape.WIDE, latest=True)
            assert "rude words" not in json.dumps(after)
            assert "Ana" not in json.dumps(after)
            await play_on(table)
            for number in range(1, table.spec.number + 1):
                text = "\n".join(check_record(table, number))
                assert "rude words" not in text
                assert "Ana" not in text

    asyncio.run(run())


def test_remarks_that_were_removed_during_a_game_are_not_in_its_record(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "rps")
            view = TableView(table)
            for remark in ("rude words", "again"):
                await until_asked(table, 0)
                question = table.people[0].question
                assert question is not None
                table.move(0, question.game, question.turn, "rock", remark)
                await settle()
                said = json.dumps(view.event(table.moment, None, "en", Shape.WIDE, latest=True))
                assert remark in said
                table.redact(0, "person 1")
                shown_now = json.dumps(view.event(table.moment, None, "en", Shape.WIDE, latest=True))
                assert remark not in shown_now
            await play_on(table)
            text = "\n".join(check_record(table, 1))
            assert "rude words" not in text
            assert "again" not in text

    asyncio.run(run())


def test_tables_are_listed_only_while_somebody_is_there(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            with_seat = open_game(tables, "rps", seats=("me", "open"))
            to_watch = open_game(tables, "cubos", is_listed=True)
            private = open_game(tables, "cubos")
            assert not tables.open_tables()
            with sitting(with_seat, 0), sitting(to_watch, 0), sitting(private, 0):
                assert {one.id for one in tables.open_tables()} == {with_seat.spec.id, to_watch.spec.id}
            assert not tables.open_tables()

    asyncio.run(run())


@pytest.mark.parametrize("count", [2, 10])
def test_uno_is_played_by_up_to_ten(count: int, tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "uno", seats=("me", *["friend"] * (count - 1)))
            while table.spec.free_seats:
                invite(table)
            assert len(set(table.spec.names)) == count
            await play_on(table)
            check_record(table, 1)

    asyncio.run(run())
