"""Tables at which people play: whole games, interruptions, people who leave, games that are played again."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from botequim.core import clock
from botequim.core.errors import InputError
from botequim.core.rng import Rng
from botequim.render.layout import Shape
from botequim.tables.opening import TableWishes, open_table
from botequim.tables.person import AWAY_SECONDS
from botequim.tables.position import TableView
from botequim.tables.spec import Phase, SeatKind
from botequim.tables.table import OutdatedMove, Table
from botequim.tables.tables import IDLE_SECONDS, MOST_OF_AN_ADDRESS, WAITING_SECONDS, TooManyTables
from botequim.testing import ManualClock
from tests.support.play_tables import (
    AGAINST,
    check_record,
    move_somehow,
    open_game,
    play_on,
    playing_tables,
    shown,
    sitting,
    until_asked,
)

TWO = ("me", "friend", "greedy", "greedy")


async def settle() -> None:
    """Let all tasks run that do not wait for time."""
    for _ in range(200):
        await asyncio.sleep(0)


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


@pytest.mark.parametrize("game", AGAINST)
def test_a_game_continues_after_the_server_has_ended(game: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, game)
            secret = table.spec.seats[0].secret
            await play_on(table, moves=2)
            await until_asked(table, 0)
            before, turns = shown(table, 0), list(table.steps)
        assert turns
        async with playing_tables(tmp_path) as tables:
            found = tables.seat(secret)
            assert found is not None
            table, seat = found
            await until_asked(table, seat)
            assert [step.number for step in table.steps] == [step.number for step in turns]
            assert shown(table, seat) == before
            await play_on(table)
            check_record(table, 1)
        async with playing_tables(tmp_path) as tables:  # the result is still there
            table, _ = tables.seat(secret) or pytest.fail("the table is gone")
            assert shown(table, 0)["result"]["you"] in ("won", "lost", "drew")

    asyncio.run(run())


def test_half_a_line_of_a_killed_server_is_left_out(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "cubos")
            await play_on(table, moves=2)
            await until_asked(table, 0)
            name, count = table.spec.id, len(table.steps)
        with (tmp_path / name / "playing.jsonl").open("a") as file:
            file.write('{"turn": 99, "mov')
        async with playing_tables(tmp_path) as tables:
            table = tables.table(name) or pytest.fail("the table is gone")
            await until_asked(table, 0)
            assert len(table.steps) == count
            await play_on(table)
            check_record(table, 1)

    asyncio.run(run())


@pytest.mark.parametrize(
    "damage",
    ["\0\xff garbage\n", '{"turn": 3, "moves": [{"by": 0, "move": "9-9"}]}\n'],
    ids=["garbage", "illegal"],
)
def test_a_game_with_a_damaged_file_continues_before_the_damage(damage: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "cubos")
            await play_on(table, moves=2)
            await until_asked(table, 0)
            name, playing = table.spec.id, tmp_path / table.spec.id / "playing.jsonl"
        lines = playing.read_text().splitlines(keepends=True)
        playing.write_text("".join([*lines[:3], damage, *lines[4:]]), encoding="utf-8")
        async with playing_tables(tmp_path) as tables:
            table = tables.table(name) or pytest.fail("the table is gone")
            await until_asked(table, 0)
            assert not shown(table, 0)["problem"]
            await play_on(table)
            assert deal(table) == json.loads(lines[1])["moves"]

    asyncio.run(run())


def test_a_game_whose_first_line_is_damaged_begins_again_with_the_same_deal(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "cubos")
            await until_asked(table, 0)
            name, playing = table.spec.id, tmp_path / table.spec.id / "playing.jsonl"
        first = playing.read_text().splitlines()[1]
        playing.write_text("no header\n" + first + "\n")
        async with playing_tables(tmp_path) as tables:
            table = tables.table(name) or pytest.fail("the table is gone")
            await play_on(table)
            assert deal(table) == json.loads(first)["moves"]

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


def test_a_file_that_cannot_be_read_loses_no_other_table(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            broken, whole = open_game(tables, "rps").spec.id, open_game(tables, "rps").spec.id
        (tmp_path / broken / "table.json").write_text('{"table": 1, "seats": 3}')
        async with playing_tables(tmp_path) as tables:
            assert tables.table(broken) is None
            assert tables.table(whole) is not None

    asyncio.run(run())
    assert "table.json" in caplog.text or "not valid" in caplog.text


def test_two_servers_do_not_share_a_folder(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path):
            with pytest.raises(InputError, match="another server"):
                async with playing_tables(tmp_path):
                    pass

    asyncio.run(run())


# --- moves -------------------------------------------------------------------------------------------------


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

    asyncio.run(run())


# --- several people ----------------------------------------------------------------------------------------


def invite(table: Table, name: str = "Rui") -> int:
    """Let somebody take the first free seat, and return it."""
    seat = table.spec.free_seats[0]
    table.take_seat(seat, name)
    return seat


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
                    await settle()
                    assert not shown(table, 0)["seats"][1]["substitute"]
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


# --- playing again -----------------------------------------------------------------------------------------


def deal(table: Table) -> object:
    """Return the first turn of the first game."""
    return json.loads(check_record(table, 1)[1])["moves"]


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


# --- limits ------------------------------------------------------------------------------------------------


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


def test_a_table_that_nobody_uses_leaves_the_memory_and_comes_back(tmp_path: Path) -> None:
    async def run(manual: ManualClock) -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "cubos")
            await play_on(table, moves=2)
            await until_asked(table, 0)
            position = shown(table, 0)
            manual.advance(IDLE_SECONDS + 1)
            await tables.sweep()
            again = tables.table(table.spec.id) or pytest.fail("the table is gone")
            assert again is not table
            await until_asked(again, 0)
            assert shown(again, 0) == position

    with clock.use_clock(ManualClock()) as manual:
        asyncio.run(run(manual))


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


def test_a_game_that_could_not_go_on_is_tried_again_when_somebody_comes_back(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "cubos")
            await until_asked(table, 0)
            playing = tmp_path / table.spec.id / "playing.jsonl"
            content = playing.read_bytes()
            playing.unlink()
            playing.mkdir()  # as if the disk were full
            move_somehow(table, 0, Rng("1"))
            await settle()
            assert "cannot be written" in shown(table, 0)["problem"]
            playing.rmdir()
            playing.write_bytes(content)
            with sitting(table, 0):
                await until_asked(table, 0)
                assert shown(table, 0)["problem"] == ""
                await play_on(table)
            check_record(table, 1)

    asyncio.run(run())


def test_help_that_was_noted_survives_a_restart(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "rps", seats=("me", "friend"), has_hints=True)
            invite(table)
            name = table.spec.id
            with sitting(table, 0):
                await until_asked(table, 0)
                await table.advice(0)
                table.leave(1)
                while not table.spec.seats[1].stand_in_moves:
                    await asyncio.sleep(0.01)
        async with playing_tables(tmp_path) as tables:
            table = tables.table(name) or pytest.fail("the table is gone")
            assert table.people[1].has_left
            table.come_back(1)
            await play_on(table)
            seats = json.loads(check_record(table, 1)[0])["seats"]
            assert seats[0]["advice"] == 1
            assert seats[1]["stand_in"]["player"] == "champion"
            assert not shown(table, 1)["result"]["counts"]

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


def test_old_tables_are_removed_with_their_files(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            waiting = open_game(tables, "cubos", seats=TWO).spec.id
            begun = open_game(tables, "cubos")
            await play_on(begun, moves=1)
            begun_id = begun.spec.id
        for name in (waiting, begun_id):
            for path in (tmp_path / name).iterdir():
                os.utime(path, (path.stat().st_atime, path.stat().st_mtime - WAITING_SECONDS - 60))
        async with playing_tables(tmp_path) as tables:
            assert tables.table(waiting) is None
            assert not (tmp_path / waiting).exists()
            assert tables.table(begun_id) is not None

    asyncio.run(run())
