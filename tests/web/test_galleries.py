"""Galleries: what entrants showed, as far as it is public."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import httpx
import pytest

from botequim import registry
from botequim.bots.entrant import Entrant
from botequim.core import clock
from botequim.core.process import Program
from botequim.cup.config import Entry
from botequim.cup.paths import CupPaths
from botequim.storage.visibility import Visibility
from botequim.testing import ManualClock
from botequim.votes.gallery import MOST_FRAMES, MOST_GAMES, Exhibit, exhibits, exhibits_of, film
from botequim.web.jobs.galleries import FRESH_SECONDS
from botequim.web.jobs.worker import RenderError, RenderWorker
from tests import ROOT
from tests.support.bots import BARE
from tests.support.contest_cups import NAMES, finished_cup, hostile, serving
from tests.support.cup_files import results_file
from tests.support.gifs import read_gif
from tests.support.pace import PATIENCE, until
from tests.support.played_cups import cup_file, play_cup

EXAMPLE = ROOT / "examples" / "rps"


def test_what_bots_showed_and_said(tmp_path: Path) -> None:
    cup = finished_cup(tmp_path)
    found = exhibits_of(cup.path, NAMES)
    for name in NAMES:
        # a frame for each of the 50 rounds
        assert len(found[name].frames) == min(MOST_FRAMES, 50 * found[name].games)
        assert found[name].sayings[0] == f"{name}: round 0!"
    assert len({one.digest for one in found.values()}) == len(NAMES)


def test_only_public_games_hang_there(tmp_path: Path) -> None:
    cup = finished_cup(tmp_path)
    home = CupPaths.of(cup.path)
    with home.storage.open_visibility() as show:
        show.hold(at=0)
    assert all(not one.frames and not one.sayings for one in exhibits_of(cup.path, NAMES).values())
    with home.storage.open_visibility() as show:
        show.reveal(to=1)
    with home.storage.open_results() as store:
        curtain = Visibility.of(store, home.storage)
        playing = set(next(iter(curtain.games())).series.result.entrants)
        found = exhibits(store, curtain, NAMES)
    assert {name for name, one in found.items() if one.frames} == playing


def test_a_gallery_that_is_full_stays_as_it_is(tmp_path: Path) -> None:
    cup = finished_cup(tmp_path)
    digests = set()
    with CupPaths.of(cup.path).storage.open_results() as store:
        finalist = store.series()[-1].result.entrants[0]
        for shown in (3, 4):  # in the final it plays its third game
            found = exhibits(store, Visibility(store.series(), shown), [finalist])[finalist]
            assert len(found.frames) == MOST_FRAMES
            digests.add(found.digest)
    assert len(digests) == 1


def test_no_more_games_are_looked_at_than_needed() -> None:
    one = Exhibit(games=MOST_GAMES)
    assert one.full
    assert not Exhibit(frames=[("x",)] * MOST_FRAMES).full
    assert Exhibit().digest == ""


def test_nothing_was_played_yet(tmp_path: Path) -> None:
    cup = cup_file(tmp_path, "rps", entrants=[Entry("a", "random"), Entry("b", "random")])
    assert exhibits_of(cup.path, ["a", "b"]) == {"a": Exhibit(), "b": Exhibit()}
    assert not CupPaths.of(cup.path).folder.exists()


def test_art_of_a_bot_that_really_played(tmp_path: Path) -> None:
    cup = cup_file(tmp_path, "rps", entrants=[Entry("waver", "waver"), Entry("other", "random")], games=1)
    program = Program((sys.executable, str(EXAMPLE / "bot.py")), EXAMPLE)
    bots = {"waver": Entrant.bot("waver", "waver", registry.wire("rps", "rps"), program)}
    play_cup(cup, results_file(cup.path), bots=bots, sandbox=BARE)[0].close()
    found = exhibits_of(cup.path, ["waver", "other"])
    assert found["waver"].frames[:2] == [("  o  ", " /|\\ ", " / \\ "), (" \\o/ ", "  |  ", " / \\ ")]
    assert not found["other"].frames
    path = tmp_path / "waver.gif"
    path.write_bytes(film(found["waver"].frames[:2]))
    assert len(read_gif(path).frames) == 2


def test_hostile_remarks_hang_there_harmlessly(tmp_path: Path) -> None:
    cup = finished_cup(tmp_path, NAMES[:2], remarks=hostile)
    for one in exhibits_of(cup.path, NAMES[:2]).values():
        assert len(one.frames) == 1
        assert film(one.frames).startswith(b"GIF89a")


# --- as it is served ---------------------------------------------------------------------------------


def test_gifs_are_served_with_their_digest(tmp_path: Path) -> None:
    with (
        serving(finished_cup(tmp_path)) as served,
        httpx.Client(base_url=served.at(), timeout=PATIENCE) as client,
    ):
        exhibit = client.get(f"{served.address}/api/cups/cup/gallery").json()[0]
        assert exhibit["entrant"] == NAMES[0]
        moving = client.get(served.address + exhibit["art"])
        still = client.get(served.address + exhibit["still"])
        assert moving.headers["content-type"] == still.headers["content-type"] == "image/gif"
        assert "immutable" in moving.headers["cache-control"]
        for name, content, frames in (("m", moving.content, 50), ("s", still.content, 1)):
            path = tmp_path / f"{name}.gif"
            path.write_bytes(content)
            assert len(read_gif(path).frames) == frames
        plain = client.get("/gallery/1/art.gif")
        assert plain.headers["cache-control"] == "no-cache"
        tag = {"If-None-Match": plain.headers["etag"]}
        assert client.get("/gallery/1/art.gif", headers=tag).status_code == 304


def test_what_is_held_back_hangs_nowhere(tmp_path: Path) -> None:
    cup = finished_cup(tmp_path)
    with CupPaths.of(cup.path).storage.open_visibility() as show:
        show.hold(at=0)
    with (
        clock.use_clock(ManualClock()) as manual,
        serving(cup) as served,
        httpx.Client(base_url=served.at(), timeout=PATIENCE) as client,
    ):
        assert ".gif" not in client.get("/gallery").text
        assert "round" not in client.get("/gallery").text
        assert client.get("/gallery/1/art.gif").status_code == 404
        exhibits = client.get(f"{served.address}/api/cups/cup/gallery").json()
        assert all(one["art"] is None and one["says"] == [] for one in exhibits)
        with CupPaths.of(cup.path).storage.open_visibility() as show:
            show.reveal(to=1)
        assert ".gif" not in client.get("/gallery").text, "it was looked through a moment ago"

        def is_fresh() -> bool:
            manual.advance(FRESH_SECONDS)
            return ".gif" in client.get("/gallery").text

        until(is_fresh)


# --- the process that makes them ---------------------------------------------------------------------


def spin() -> bytes:
    while True:
        pass


def wait_and_see(seconds: float) -> bytes:
    time.sleep(seconds)
    return b"seen"


def test_what_takes_too_much_processor_time_is_given_up_and_the_next_thing_is_made() -> None:
    async def make() -> bytes:
        workshop = RenderWorker(1)
        try:
            with pytest.raises(RenderError, match="rendering takes too long"):
                await workshop.make("spin", spin)
            return await workshop.make("wait", wait_and_see, 0.0)
        finally:
            workshop.close()

    assert asyncio.run(make()) == b"seen"


def test_who_waits_for_the_processor_is_not_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("botequim.web.jobs.worker.MOST_WAITING_TIME", PATIENCE)

    async def make() -> bytes:
        workshop = RenderWorker(1)
        try:
            return await workshop.make("wait", wait_and_see, 2.5)
        finally:
            workshop.close()

    assert asyncio.run(make()) == b"seen"


def test_a_cup_of_another_game_has_a_gallery_too(tmp_path: Path) -> None:
    cup = finished_cup(
        tmp_path, game="uno", bot="random", remarks=lambda name, turn: [{"say": f"uno {name}"}]
    )
    with serving(cup) as served:
        page = httpx.get(served.at("/gallery"), timeout=PATIENCE).text
        assert all(f"uno {name}" in page for name in NAMES)
        assert ".gif" not in page
