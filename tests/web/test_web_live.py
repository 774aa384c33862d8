"""A cup on screens while it is played: to its podium, through reloads and lost connections."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import browser as browser
from tests.support.cup_commands import cup
from tests.support.pace import PATIENCE, until
from tests.support.server_process import (
    Site,
    hurry,
    looking,
    play,
    playing,
    relay,
    serving_site,
    start_site,
    talker,
)

LEAGUE = '[[stages]]\nname = "liga"\nformat = "round_robin"\ngames = {games}\n'


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    """Three entrants who take their time, two of them until `hurry(tmp_path / "bot")`."""
    bot = talker(tmp_path / "bot", 0.5)
    entrants = {"Ana": str(bot), "Bento": "greedy", "Carla": str(bot)}
    return cup(tmp_path / "copa.toml", entrants, stages=LEAGUE.format(games=2))


def turn(page: Page) -> int:
    """How far the first table is."""
    told = page.evaluate("document.querySelector('[data-table]')?.dataset.turn ?? 0")
    return int(told)


def moves(page: Page) -> None:
    """A board is there, and goes on."""
    expect(page.locator(".table .stage svg.bq").first).to_be_visible()
    seen = turn(page)
    until(lambda: turn(page) != seen)


def podium(page: Page) -> list[str]:
    """Who stands there, from the first step on; nobody touched the page."""
    expect(page.locator(".podium .p1-step")).to_be_visible()
    return page.locator(".podium .step .there bdi").all_text_contents()


def test_a_cup_is_followed_live_to_its_podium(slow: Path, browser: Browser) -> None:
    with serving_site(slow) as site, looking(browser) as page, looking(browser) as wall:
        page.goto(site.cup())
        wall.goto(site.cup() + "/show?seconds=1")
        expect(page.locator("#now")).to_contain_text("Nothing has been played yet.")
        page.evaluate("window.same = true")
        with playing(slow):
            moves(page)
            moves(wall)
            expect(page.locator(".sign.live")).to_be_visible()
            for slide in ("standings", "tables"):  # it turns over while everything moves
                expect(wall.locator("html")).to_have_attribute("data-slide", slide)
            expect(page.locator(".bubbles li").first).to_contain_text("Bate logo!")
            hurry(slow.parent / "bot")
            expect(page.locator("#part-games .latest")).to_be_visible()
            names = podium(page)
            expect(wall.locator(".podium.current")).to_be_visible()
        assert set(names) <= {"Ana", "Bento", "Carla"}
        assert names
        assert page.evaluate("window.same"), "it was never loaded again"
        rows = page.locator("#part-standings .standings tbody tr").all_text_contents()
        page.reload()
        assert page.locator("#part-standings .standings tbody tr").all_text_contents() == rows
        assert podium(page) == names


def test_a_reload_in_the_middle_shows_the_same(slow: Path, browser: Browser) -> None:
    with serving_site(slow) as site, looking(browser) as page, playing(slow):
        page.goto(site.cup())
        moves(page)
        page.reload()
        moves(page)


@pytest.mark.parametrize("kill", [pytest.param(False, marks=pytest.mark.slow), True], ids=["ended", "killed"])
def test_a_server_that_comes_again_is_followed_again(slow: Path, browser: Browser, kill: bool) -> None:
    with start_site(slow) as site, looking(browser) as page:
        page.goto(site.cup())
        page.evaluate("window.same = true")
        with playing(slow) as play_on:
            moves(page)
            site.stop(kill=kill)
            expect(page.locator("#line")).to_contain_text("Connection lost")
            hurry(slow.parent / "bot")
            if kill:
                assert play_on.wait(PATIENCE) == 0  # all that is missed is told then
            site.start()
            names = podium(page)
        assert names
        assert page.evaluate("window.same"), "it was never loaded again"
        _is_as_if_loaded_now(site, page)


def test_a_line_that_was_cut_misses_nothing(slow: Path, browser: Browser) -> None:
    with serving_site(slow) as site, relay(site.port) as line, looking(browser) as page:
        page.goto(f"http://127.0.0.1:{line.port}/cups/copa")
        page.evaluate("window.same = true")
        with playing(slow) as play_on:
            moves(page)
            line.cut()
            expect(page.locator("#line")).to_contain_text("Connection lost")
            hurry(slow.parent / "bot")
            assert play_on.wait(PATIENCE) == 0
            assert page.locator(".podium").count() == 0
            line.mend()
            assert podium(page)
            expect(page.locator("#line")).to_be_hidden()
        assert page.evaluate("window.same"), "it was never loaded again"
        _is_as_if_loaded_now(site, page)


def _is_as_if_loaded_now(site: Site, page: Page) -> None:
    parts = ("standings", "cross", "games", "faults", "podium", "pace")
    text = "id => document.getElementById('part-' + id).textContent.replace(/\\s+/g, ' ')"
    fresh = page.request.get(site.cup()).text()
    read = (
        "([html, id]) => new DOMParser().parseFromString(html, 'text/html').getElementById('part-' + id)"
        ".textContent.replace(/\\s+/g, ' ')"
    )
    for part in parts:
        expected = page.evaluate(read, [fresh, part])
        until(partial(_same, page, text, part, expected))


def _same(page: Page, text: str, part: str, expected: str) -> bool:
    return str(page.evaluate(text, part)).strip() == expected.strip()


def test_without_a_script_everything_is_there(tmp_path: Path, browser: Browser) -> None:
    path = cup(tmp_path / "copa.toml", {"Ana": "greedy", "Bento": "random"}, stages=LEAGUE.format(games=2))
    play(path)
    with serving_site(path) as site, looking(browser, java_script_enabled=False) as page:
        page.goto(site.cup())
        expect(page.locator(".podium")).to_be_visible()
        expect(page.locator(".standings tbody tr")).to_have_count(2)
        page.locator(".replays a").first.click()
        expect(page.locator("#stage img")).to_be_visible()


def with_portraits(path: Path, portraits: dict[str, str]) -> Path:
    """The same cup, whose file names a picture of each of these."""
    text = path.read_text("utf-8")
    for name, picture in portraits.items():
        text = text.replace(f'name = "{name}"\n', f'name = "{name}"\nportrait = "{picture}"\n')
    path.write_text(text, "utf-8")
    return path


LOADED = """async (image) => {
  const same = new Image();
  same.src = image.href.baseVal;
  await same.decode();
  return [same.naturalWidth, same.naturalHeight];
}"""

STAYS = """() => {
  const figure = document.querySelector(".table:has(.stage image)");
  if (figure === null) return "";
  const { table, turn } = figure.dataset;
  const image = figure.querySelector(".stage image"), grid = figure.parentElement;
  const now = { table, turn: Number(turn), image, grid };
  if (window.kept?.table !== table) window.kept = now;
  if (!window.kept.image.isConnected) return "another";
  // moves were played here, and another table started or ended a game
  return now.turn >= window.kept.turn + 3 && now.grid !== window.kept.grid ? "the same" : "";
}"""
"""Whether the portrait of a game stays on the screen while the game and the games beside it go on."""


def test_who_has_a_portrait_is_seen_in_replays(tmp_path: Path, browser: Browser) -> None:
    path = cup(tmp_path / "copa.toml", {"Ana": "greedy", "Bento": "random"}, stages=LEAGUE.format(games=1))
    with_portraits(path, {"Ana": "ana.jpeg", "Bento": "odd.png"})
    Image.new("RGB", (640, 480), "tomato").save(path.parent / "ana.jpeg")
    (path.parent / "odd.png").write_text("<svg onload=alert(1)>")
    play(path)
    with serving_site(path) as site, looking(browser) as page:
        page.goto(site.cup() + "/games/1/1")
        image = page.locator("#stage image").first
        expect(image).to_be_attached()
        assert page.locator("#stage image").count() == 2, "each of its seats"
        expect(image).to_have_attribute("href", "/cups/copa/entrants/Ana/portrait")
        assert image.evaluate(LOADED) == [640, 480]
        taken = {kind: page.request.get(site.cup() + f"/games/1/1{kind}") for kind in (".html", "/1.svg")}
        assert all(answer.ok for answer in taken.values())
        (tmp_path / "game.html").write_bytes(taken[".html"].body())
        page.goto((tmp_path / "game.html").as_uri())
        expect(image).to_have_attribute("href", re.compile("^data:image/png;base64,"))
        assert image.evaluate(LOADED) == [96, 72], "a small picture that was made here"
        drawing = taken["/1.svg"].text()
        assert drawing.count("<image ") == drawing.count("data:image/png;base64,") == 2


def test_who_has_a_portrait_is_seen_on_the_boards(tmp_path: Path, browser: Browser) -> None:
    bot = str(talker(tmp_path / "bot", 0.3))
    entrants = {"Ana": bot, "Bento": bot, "Carla": bot}
    slow = cup(tmp_path / "copa.toml", entrants, stages=LEAGUE.format(games=40))
    with_portraits(slow, {"Ana": "ana.png", "Bento": "none.png", "Carla": "odd.png"})
    Image.new("RGB", (64, 48), "tomato").save(slow.parent / "ana.png")
    (slow.parent / "odd.png").write_text("<svg onload=alert(1)>")
    with (
        serving_site(slow) as site,
        looking(browser) as page,
        looking(browser) as wall,
        playing(slow, "--workers", "2"),
    ):
        page.goto(site.cup())
        wall.goto(site.cup() + "/show?seconds=2")
        for screen in (page, wall):
            image = screen.locator(".table:has-text('Ana') .stage image").first
            expect(image).to_be_attached()
            assert image.evaluate(LOADED) == [64, 48]
            known = screen.evaluate(
                "[...document.querySelectorAll('.stage image')].map((one) => one.href.baseVal)"
            )
            assert set(known) == {"/cups/copa/entrants/Ana/portrait"}, (
                "what is no picture is not shown as one"
            )
        assert until(lambda: wall.evaluate(STAYS)) == "the same", "another one would blink"
