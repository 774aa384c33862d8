"""Looking on at a cup that is really played: moves arrive, nothing is missed, and nobody holds up anybody."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from botequim.core import clock
from botequim.cup.paths import CupPaths
from botequim.render.layout import Shape
from botequim.testing import ManualClock
from botequim.web.live import feed, files
from botequim.web.live.boards import Variant
from botequim.web.live.feed import ALIVE_SECONDS, FORGOTTEN_SECONDS, SLOW_SECONDS, Feed, Listener, Stream
from botequim.web.live.public import State
from botequim.web.live.tables import Hands
from botequim.web.pages import events
from tests.support.cup_runs import cup_runs
from tests.support.pace import PATIENCE, until
from tests.support.server_thread import Page, serving

BOT = """
import json, os, sys, time
for line in sys.stdin:
    question = json.loads(line)
    if "legal" in question:
        if not os.path.exists(HURRY):
            time.sleep(SECONDS)
        said = "<script>alert(1)</script>\\ud800\\u202e" + "x" * 200
        print(json.dumps({"move": question["legal"][0], "say": said}), flush=True)
"""


def cup_of_slow_bots(folder: Path, seconds: float, *, game: str = "cubos", games: int = 1) -> Path:
    text = f'name = "Copa"\ngame = "{game}"\nseed = "01234567890123456789"\nworkers = 1\n'
    for name in ("lento", "<script>alert(2)</script>"):
        bot = folder / f"bot{len(name)}"
        bot.mkdir()
        source = BOT.replace("SECONDS", str(seconds)).replace("HURRY", repr(str(folder / "hurry")))
        (bot / "bot.py").write_text(source, encoding="utf-8")
        (bot / "botequim.toml").write_text('command = "python3 bot.py"\nwire = "arena-lines"\n')
        text += f'[[entrants]]\nname = "{name}"\nbot = "{bot}"\n'
    text += f'[[stages]]\nname = "league"\nformat = "round_robin"\ngames = {games}\n'
    path = folder / "copa.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def play() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    with cup_runs() as begin:
        yield begin


def test_moves_arrive_as_they_are_made_and_who_comes_back_has_missed_nothing(
    tmp_path: Path, play: Callable[..., subprocess.Popen[bytes]]
) -> None:
    path = cup_of_slow_bots(tmp_path, 0.04)
    with serving(path) as served:
        steady = Page(served.address, "pt_BR", "tall", packed=True)
        lost = Page(served.address, "pt_BR", "tall")
        steady.listen("copa", until=lambda page: page.last)
        lost.listen("copa", until=lambda page: page.last)
        play(path)
        lost.listen("copa", until=lambda page: page.boards)
        first = len(lost.heard)
        for _ in range(3):  # again and again it is cut off
            count = len(lost.heard)
            lost.listen("copa", until=lambda page, count=count: len(page.heard) >= count + 2)
        assert "hello" not in lost.kinds()[first:]
        steady.listen("copa", until=lambda page: page.parts["podium"].strip())
        (served_cup,) = served.served_cups.cups.values()
        # until all is told: of a game that has ended, the table is taken away some seconds later
        until(lambda: served_cup.public.pace.state is State.OVER and not served_cup.tables.by_id)
        stream = next(one for one in served_cup.feed.streams if one.variant.language == "pt_BR")
        for page in (lost, steady):
            page.listen("copa", until=lambda page: page.last == f"{stream.epoch}-{stream.number}")
    assert lost.parts == steady.parts
    assert lost.boards == steady.boards
    ids = [event.id for event in lost.heard if event.id]
    assert len(ids) == len(set(ids))
    boards = [event.content for event in steady.heard if event.kind == "board"]
    assert len(boards) > 5
    for table in {board["table"] for board in boards}:
        turns = [board["turn"] for board in boards if board["table"] == table]
        assert turns == sorted(set(turns))
    assert {said["text"][:7] for board in boards for said in board["says"]} == {"<script"}
    assert all(len(said["text"]) <= 401 for board in boards for said in board["says"])
    assert not any("diz:" in board["told"] for board in boards)  # it stands in bubbles
    assert any("joga" in board["told"] or ":" in board["told"] for board in boards)
    drawn = json.dumps([steady.parts, [board["parts"] for board in boards]])
    assert "<script>" not in drawn
    assert "&lt;script&gt;" in drawn


def test_holding_hides_what_is_under_way_at_once(
    tmp_path: Path, play: Callable[..., subprocess.Popen[bytes]]
) -> None:
    path = cup_of_slow_bots(tmp_path, 0.5)
    with serving(path) as served:
        page = Page(served.address).listen("copa", until=lambda page: page.last)
        running = play(path)
        page.listen("copa", until=lambda page: page.boards)
        assert served.json("/api/cups/copa/tables")
        assert served.change("copa", action="hold").json()["shown"] == 0
        page.listen("copa", until=lambda page: not page.boards)
        assert served.json("/api/cups/copa/tables") == []
        held = {"state": "held", "games": 0, "stage": "league", "finished": 0, "known": 1}
        until(lambda: served.json("/api/cups/copa/pace") == held)
        (served_cup,) = served.served_cups.cups.values()
        (stream,) = served_cup.feed.streams
        asyncio.run_coroutine_threadsafe(served_cup.wait_until_current(), served.loop).result(PATIENCE)
        quiet, counted = stream.number, served_cup.counts
        assert running.poll() is None
        (tmp_path / "hurry").touch()
        assert running.wait(PATIENCE) == 0
        until(lambda: served_cup.counts > counted, "until what was played has been counted")
        assert stream.number == quiet  # it was played to its end, and nothing was told
        assert served.json("/api/cups/copa/pace") == held
        served.change("copa", action="open")
        page.listen("copa", until=lambda page: page.parts["podium"].strip())


def test_hands_are_open_only_where_no_bot_can_look_on(tmp_path: Path) -> None:
    from botequim.cup.config_parser import read
    from botequim.web.live.tables import Tables

    path = cup_of_slow_bots(tmp_path, 0.1)
    cup = read(path)
    built_in: list[dict[str, Any]] = [{"name": "a"}, {"name": "b"}]
    cut_off: list[dict[str, Any]] = [
        {"name": "a"},
        {"name": "b", "wire": "arena-lines", "enforced": ["memory", "network"]},
    ]
    free: list[dict[str, Any]] = [{"name": "a"}, {"name": "b", "wire": "arena-lines", "enforced": ["memory"]}]
    by_address: list[dict[str, Any]] = [{"name": "a"}, {"name": "b", "wire": "arena-http"}]
    auto = Tables(Hands.AUTO)
    assert [auto.opens(cup, seats) for seats in (built_in, cut_off, free, by_address)] == [
        True,
        True,
        False,
        False,
    ]
    assert Tables(Hands.OPEN).opens(cup, free)
    assert not Tables(Hands.HIDDEN).opens(cup, built_in)


def test_only_so_many_look_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "MOST_OF_AN_ADDRESS", 2)
    path = cup_of_slow_bots(tmp_path, 0.1)
    with serving(path) as served:
        open_ones = [listening(served.port) for _ in range(2)]
        refused = served.get("/cups/copa/events")
        assert refused.status_code == 503
        assert int(refused.headers["retry-after"]) > 0
        for one in open_ones:
            one.close()
        until(lambda: is_let_in(served.port))


def listening(port: int) -> socket.socket:
    opened = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    opened.sendall(b"GET /cups/copa/events HTTP/1.1\r\nHost: x\r\n\r\n")
    assert opened.recv(15).startswith(b"HTTP/1.1 ")
    return opened


def is_let_in(port: int) -> bool:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as opened:
        opened.sendall(b"GET /cups/copa/events HTTP/1.1\r\nHost: x\r\n\r\n")
        return opened.recv(12) == b"HTTP/1.1 200"


def test_who_reads_nothing_is_cut_off_and_others_are_not_held_up(tmp_path: Path) -> None:
    path = cup_of_slow_bots(tmp_path, 0.1)
    home = CupPaths.of(path)
    with clock.use_clock(ManualClock()) as manual, serving(path) as served:
        reads_nothing = listening(served.port)
        page = Page(served.address).listen("copa", until=lambda page: page.last)
        (served_cup,) = served.served_cups.cups.values()
        stream = served_cup.feed.streams[0]

        def shout() -> None:
            stream.put([("part", {"id": "noise", "html": "x" * 200_000})])

        served.soon(shout)
        page.listen("copa", until=lambda page: "noise" in page.parts)

        def is_cut_off() -> bool:
            served.soon(shout)
            manual.advance(SLOW_SECONDS)
            return served_cup.feed.listeners == 0

        until(is_cut_off, "until there is no more room")
        with pytest.raises(OSError):  # noqa: PT011
            read_to_the_end(reads_nothing)
        reads_nothing.close()
        page.listen("copa", until=lambda page: page.last == f"{stream.epoch}-{stream.number}")
    with home.storage.open_visibility() as show:
        assert show.shown is None


def read_to_the_end(opened: socket.socket) -> None:
    while opened.recv(1_000_000):
        pass
    raise ConnectionResetError  # it ended without an end


def test_a_connection_on_which_nothing_happens_is_kept_alive(tmp_path: Path) -> None:
    path = cup_of_slow_bots(tmp_path, 0.1)
    with clock.use_clock(ManualClock()) as manual, serving(path) as served:
        opened = listening(served.port)
        heard = b""
        while not heard.endswith(b"\n\n\r\n"):
            heard += opened.recv(100_000)
        for _ in range(2):
            until(lambda: ALIVE_SECONDS in manual.pending, "until the server waits")
            manual.advance(ALIVE_SECONDS)
            assert b":\n\n" in opened.recv(100)
        opened.close()


# --- streams by themselves ---------------------------------------------------------------------------


def test_a_stream_remembers_only_so_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "MOST_REMEMBERED", 1000)
    stream = Stream(Variant("en", Shape.WIDE))
    for number in range(30):
        stream.put([("part", {"id": "a", "html": str(number) * 20})])
    recent = stream.beginning(f"{stream.epoch}-28", packs=False)
    assert b"hello" not in recent
    assert recent.count(b"event: part") == 2
    assert stream.beginning(f"{stream.epoch}-30", packs=False) == b""
    for last in (f"{stream.epoch}-2", f"{stream.epoch}-31", "other-30", "nonsense", "", f"{stream.epoch}-²"):
        assert stream.beginning(last, packs=False).startswith(b"event: hello"), last


def test_a_listener_is_told_when_it_is_over() -> None:
    async def told() -> list[Any]:
        listener = Listener(packs=False)
        listener.push(b"a")
        listener.push(b"b")
        heard = [await listener.pieces()]
        listener.push(b"c")
        listener.close()
        return [*heard, await listener.pieces(), await listener.pieces()]

    assert asyncio.run(told()) == [b"ab", b"c", None]


def test_a_stream_that_nobody_came_back_to_is_forgotten() -> None:
    variant = Variant("en", Shape.WIDE)

    async def streams(manual: ManualClock) -> list[int]:
        told = Feed()
        listener = told.listen(variant, "", packs=False, show=lambda stream: None)
        counts = []
        for seconds in (FORGOTTEN_SECONDS + 1, FORGOTTEN_SECONDS, 1):
            manual.advance(seconds)
            told.forget()
            counts.append(len(told.streams))
            if listener in told.streams[0].listeners if told.streams else False:
                told.leave(variant, listener)
        return counts

    with clock.use_clock(ManualClock()) as manual:
        assert asyncio.run(streams(manual)) == [1, 1, 0]


def test_who_does_not_keep_up_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "MOST_WAITING", 100)
    listener = Listener(packs=False)
    listener.push(b"x" * 100)
    assert not listener.over
    listener.push(b"x")
    assert listener.slow
    assert asyncio.run(listener.pieces()) is None


def test_a_locked_file_keeps_no_reader_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = cup_of_slow_bots(tmp_path, 0)
    waiting, released = threading.Event(), threading.Event()

    def wait_for_lock(storage: object) -> bool:
        waiting.set()
        released.wait(PATIENCE)
        return True

    with serving(path) as served:
        monkeypatch.setattr(files, "is_held", wait_for_lock)
        try:
            with CupPaths.of(path).storage.open_visibility() as show:
                show.hold(at=0)
            assert waiting.wait(PATIENCE)
            assert served.get("/").status_code == 200
        finally:
            released.set()
