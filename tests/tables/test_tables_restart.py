"""Tables after a restart of the server, and with files that are damaged or gone."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from pathlib import Path

import pytest

from botequim.core import clock
from botequim.core.errors import InputError
from botequim.core.rng import Rng
from botequim.tables.folder import TableFiles, TableWriteError
from botequim.tables.table import Table
from botequim.tables.tables import IDLE_SECONDS, WAITING_SECONDS
from botequim.testing import ManualClock
from tests.support.play_tables import (
    AGAINST,
    TWO,
    check_record,
    deal,
    invite,
    move_somehow,
    open_game,
    play_on,
    playing_tables,
    settle,
    shown,
    sitting,
    until_asked,
)


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


@pytest.mark.parametrize("is_stored", [False, True], ids=["before the table is stored", "after it"])
def test_a_server_that_is_killed_at_the_end_of_a_game_deals_no_deal_twice(
    is_stored: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "rps", best_of=3)
            before = table.files.folder / "table.json"
            await play_on(table, moves=4)
            old = before.read_bytes()
            with monkeypatch.context() as killed:
                killed.setattr(TableFiles, "remove_current_game", lambda files: None)
                await play_on(table, moves=1)
                await settle()
            record = moves_of(table, 1)
            secret = table.spec.seats[0].secret
        if not is_stored:
            before.write_bytes(old)
        async with playing_tables(tmp_path) as tables:
            table, _ = tables.seat(secret) or pytest.fail("the table is gone")
            with sitting(table, 0):
                await settle()
                if not is_stored:
                    assert shown(table, 0)["result"] is not None
                    table.start(0)
                await until_asked(table, 0)
                assert table.spec.number == 1
                assert shown(table, 0)["game"] == 2
                assert shown(table, 0)["turn"] == 0
            assert moves_of(table, 1) == record

    asyncio.run(run())


def moves_of(table: Table, game: int) -> list[list[str]]:
    """Return the moves of each turn of a finished game, whose record must verify."""
    lines = [json.loads(line) for line in check_record(table, game)]
    return [[move["move"] for move in line["moves"]] for line in lines if "moves" in line]


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
            assert "cannot be stored" in shown(table, 0)["problem"]
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


def test_after_a_restart_the_first_position_that_a_person_sees_is_the_current_one(tmp_path: Path) -> None:
    async def run() -> None:
        async with playing_tables(tmp_path) as tables:
            table = open_game(tables, "cubos")
            await play_on(table, moves=2)
            await until_asked(table, 0)
            name, turns = table.spec.id, len(table.steps)
        async with playing_tables(tmp_path) as tables:
            table = tables.table(name) or pytest.fail("the table is gone")
            with sitting(table, 0) as (viewer,):
                await until_asked(table, 0)
                assert {moment.turn for moment in await viewer.moments(0)} == {turns}

    asyncio.run(run())


@pytest.mark.parametrize("whole", [False, True], ids=["of the table", "of all tables"])
def test_a_folder_that_was_removed_ends_the_game_with_its_reason(
    whole: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> None:
        folder = tmp_path / "tables"
        async with playing_tables(folder) as tables:
            table = open_game(tables, "cubos")
            await until_asked(table, 0)
            shutil.rmtree(folder if whole else folder / table.spec.id)
            move_somehow(table, 0, Rng("1"))
            await settle()
            problem = shown(table, 0)["problem"]
            assert "cannot be stored" in problem
            assert str(folder) not in problem  # people do not learn where the server keeps its files
            if whole:
                with pytest.raises(TableWriteError):
                    open_game(tables, "rps")
                assert not folder.exists()

    asyncio.run(run())
    assert "playing.jsonl" in caplog.text
