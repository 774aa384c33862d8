"""Several people at a table: who sits down, who leaves, who is away."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from botequim.core import clock
from botequim.core.errors import InputError
from botequim.core.rng import Rng
from botequim.tables.person import AWAY_SECONDS
from botequim.tables.spec import Phase, SeatKind
from botequim.testing import ManualClock
from tests.support.play_tables import (
    AGAINST,
    TWO,
    check_record,
    invite,
    move_somehow,
    open_game,
    play_on,
    playing_tables,
    settle,
    shown,
    sitting,
)


def test_a_game_begins_when_every_seat_is_taken(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "cubos", seats=TWO)
            await settle()
            assert shown(table, 0)["phase"] == "waiting"
            assert shown(table, 0)["you"]["can_start"]
            invitation = table.spec.seats[1].invitation
            assert tables.invitation(invitation) == (table, 1)
            assert invite(table, " ana ") == 1
            assert table.spec.names[:2] == ["Ana", "ana 2"]
            assert tables.invitation(invitation) is None
            await settle()
            assert table.spec.phase is Phase.PLAYING

    asyncio.run(run())


@pytest.mark.parametrize("game", AGAINST)
def test_a_table_that_waits_for_a_person_is_shown_before_the_deal(game: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, game, seats=("me", "friend", *AGAINST[game][2:]))
            for seat in (0, 1, None):
                content = shown(table, seat)
                assert content["phase"] == "waiting"
                assert (content["turn"], content["told"], content["moves"]) == (0, "", [])
                assert {"felt", "table", "0", "1"} <= set(content["parts"])

    asyncio.run(run())


def test_the_creator_can_begin_with_champions_on_free_seats(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "cubos", seats=("me", "friend", "open", "greedy"))
            table.take_seat(1, "Rui")
            with pytest.raises(InputError, match="only the person who opened"):
                table.start(1)
            table.start(0)
            assert [seat.kind for seat in table.spec.seats][2] is SeatKind.PLAYER
            assert table.spec.phase is Phase.PLAYING

    asyncio.run(run())


def test_when_the_creator_leaves_a_waiting_table_another_person_may_start(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "uno", seats=("me", "friend", "friend"))
            invite(table)
            table.leave(0)
            assert table.spec.free_seats == [0, 2]
            assert shown(table, 1)["you"]["can_start"]
            table.leave(1)  # who is alone keeps the seat
            assert table.spec.free_seats == [0, 2]
            table.start(1)
            await settle()
            assert table.spec.phase is Phase.PLAYING

    asyncio.run(run())


def test_who_leaves_a_waiting_table_frees_the_seat(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "cubos", seats=("me", "friend", "friend", "greedy"))
            invite(table)
            secret = table.spec.seats[1].secret
            table.leave(1)
            assert table.spec.free_seats == [1, 2]
            assert table.seat_of(secret) is None
            assert tables.seat(secret) is None
            invitation = shown(table, 0)["seats"][1]["invitation"].rpartition("/")[2]
            assert tables.invitation(invitation) == (table, 1)

    asyncio.run(run())


def test_an_open_seat_that_somebody_left_is_open_again(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "uno", seats=("me", "open", "friend"))
            with sitting(table, 0):
                table.take_seat(1, "Rui")
                assert not tables.open_tables()
                table.leave(1)
                assert [one.id for one in tables.open_tables()] == [table.spec.id]
                assert [one["open"] for one in shown(table, 0)["seats"]] == [False, True, False]

    asyncio.run(run())


@pytest.mark.parametrize("leaver", [0, 1], ids=["creator", "friend"])
def test_who_left_a_seat_is_sent_nothing_of_whoever_sits_there_next(leaver: int, tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "cubos", seats=("me", "friend", "friend", "greedy"))
            invite(table, "Eva")
            with sitting(table, leaver) as [old]:
                table.leave(leaver)
                assert old.is_closed
                await old.moments(0)  # what it was sent before
                invite(table, "Rui")
                invite(table, "Zé")
                with sitting(table, leaver):
                    await settle()
                    assert table.spec.phase is Phase.PLAYING
                    assert table.steps
                    assert await old.moments(0) == []
                    assert old not in table.viewers
                    table.disconnect(old)
                    assert table.people[leaver].is_here
                assert not table.people[leaver].is_here

    asyncio.run(run())


def test_a_table_that_begins_with_champions_forgets_the_pages_of_free_seats(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "cubos", seats=("me", "friend", "friend", "greedy"))
            invite(table)
            with sitting(table, 1) as [page]:
                table.leave(1)
                table.start(0)
                await settle()
                assert page.is_closed
                assert list(table.people) == [0]
                table.disconnect(page)

    asyncio.run(run())


def test_after_the_last_game_nobody_leaves_and_a_rematch_begins_with_everybody(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            first = open_game(tables, "rps", seats=("me", "friend"))
            invite(first)
            with sitting(first, 1):
                await settle()
                first.leave(0)
                await play_on(first)
            assert first.spec.seats[0].has_left
            first.leave(1)
            assert not first.spec.seats[1].has_left
            second, _ = tables.seat(tables.play_again(first, 0, same_deal=False)) or pytest.fail("no seat")
            assert not any(seat.has_left for seat in second.spec.seats)

    asyncio.run(run())


def test_a_stand_in_moves_for_a_person_who_is_away_while_another_waits(tmp_path: Path) -> None:
    async def run(manual: ManualClock) -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "rps", seats=("me", "friend"))
            invite(table)
            with sitting(table, 0), sitting(table, 1):
                await settle()
                move_somehow(table, 0, Rng("1"))
                await settle()
                assert table.people[1].question is not None
            with sitting(table, 0):
                await settle()
                manual.advance(AWAY_SECONDS - 1)
                await settle()
                assert len(table.steps) == 0
                manual.advance(2)
                while not table.steps:  # a champion thinks in its process
                    await asyncio.sleep(0.01)
                assert shown(table, 0)["seats"][1]["substitute"]
                with sitting(table, 1):  # the person is back, and is asked again
                    while shown(table, 0)["seats"][1]["substitute"]:  # the champion may still be thinking
                        await asyncio.sleep(0.01)
                    await play_on(table)
            header = json.loads(check_record(table, 1)[0])
            assert header["seats"][1]["stand_in"]["player"] == "champion"
            assert header["seats"][1]["stand_in"]["moves"] in (1, 2)  # the next question may come before Rui
            assert "stand_in" not in header["seats"][0]
            assert shown(table, 0)["result"]["counts"]
            assert not shown(table, 1)["result"]["counts"]

    with clock.use_clock(ManualClock()) as manual:
        asyncio.run(run(manual))


def test_a_game_with_one_person_waits_for_ever(tmp_path: Path) -> None:
    async def run(manual: ManualClock) -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "rps")
            with sitting(table, 0):
                await settle()
            manual.advance(10 * AWAY_SECONDS)
            table.leave(0)
            await settle()
            assert table.people[0].question is not None
            assert not table.steps

    with clock.use_clock(ManualClock()) as manual:
        asyncio.run(run(manual))


def test_a_champion_moves_when_the_time_of_a_person_is_over(tmp_path: Path) -> None:
    async def run(manual: ManualClock) -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "rps", move_seconds=15)
            with sitting(table, 0):
                await settle()
                manual.advance(14)
                await settle()
                assert shown(table, 0)["you"]["seconds"] == 1.0
                manual.advance(2)
                await settle()
                assert table.steps or shown(table, 0)["you"]["replaced"], "a champion thinks for the person"
                while not table.steps:
                    await asyncio.sleep(0.01)
            manual.advance(100)  # nobody is there, so the clock stands still
            await settle()
            assert table.spec.seats[0].stand_in_moves == 1
            with sitting(table, 0):  # and starts again when the person is back
                await settle()
                assert shown(table, 0)["you"]["seconds"] == 15.0

    with clock.use_clock(ManualClock()) as manual:
        asyncio.run(run(manual))
