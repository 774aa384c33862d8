"""Games that are played again: a rematch, the same deal with sides swapped, a challenge."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.support.play_tables import (
    TWO,
    check_record,
    deal,
    invite,
    open_game,
    play_on,
    playing_tables,
    shown,
)


def test_the_same_deal_with_sides_swapped_is_marked_and_does_not_count(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            first = open_game(tables, "cubos")
            await play_on(first)
            secret = tables.play_again(first, 0, same_deal=True)
            second, seat = tables.seat(secret) or pytest.fail("no seat")
            assert seat == 1
            assert tables.play_again(first, 0, same_deal=True) == secret  # pressed twice
            await play_on(second)
            assert deal(second) == deal(first)
            header = json.loads(check_record(second, 1)[0])
            assert header["seats"][1]["repeats_deal"]
            result = shown(second, 1)["result"]
            assert not result["counts"]
            assert "played before" in result["why_not"]

    asyncio.run(run())


def test_a_rematch_has_another_deal_and_counts(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            first = open_game(tables, "cubos", seats=TWO)
            invite(first)
            await play_on(first)
            secret = tables.play_again(first, 1, same_deal=False)
            second, seat = tables.seat(secret) or pytest.fail("no seat")
            assert second.spec.names[seat] == "Rui"
            friend = shown(first, 0)["you"]["next"]  # the other person is told where it goes on
            assert tables.seat(friend.rpartition("/")[2]) == (second, 1)
            await play_on(second)
            assert deal(second) != deal(first)
            assert shown(second, seat)["result"]["counts"]
        async with playing_tables(tmp_path) as tables:  # after a restart
            first, _ = tables.seat(first.spec.seats[0].secret) or pytest.fail("no seat")
            assert shown(first, 0)["you"]["next"] == friend

    asyncio.run(run())


def test_a_challenge_is_the_same_deal_for_a_friend(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            first = open_game(tables, "fives")
            await play_on(first)
            table, seat = tables.invitation(tables.challenge(first, 0)) or pytest.fail("no invitation")
            secret = table.take_seat(seat, "Bia")
            assert tables.seat(secret) == (table, 0)
            await play_on(table)
            assert deal(table) == deal(first)
            assert not shown(table, 0)["result"]["counts"]

    asyncio.run(run())


def test_a_challenge_that_nobody_accepted_is_offered_again(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            first = open_game(tables, "fives")
            await play_on(first)
            invitation = tables.challenge(first, 0)
            count = len(tables.all())
            assert tables.challenge(first, 0) == invitation
            assert len(tables.all()) == count
            table, seat = tables.invitation(invitation) or pytest.fail("no invitation")
            assert shown(table, None)["repeats"]
            table.take_seat(seat, "Bia")
            assert tables.challenge(first, 0) != invitation  # another friend plays at another table

    asyncio.run(run())
