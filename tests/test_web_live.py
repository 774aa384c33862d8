"""A cup on screens while it is played: to its podium, through reloads and lost connections."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import browser as browser
from tests.cup_commands import cup
from tests.pace import PATIENCE
from tests.served import Site, looking, play, playing, relay, served, talker, until

LEAGUE = '[[stages]]\nname = "liga"\nformat = "round_robin"\ngames = {games}\n'


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    """Three entrants who take their time."""
    bot = talker(tmp_path / "bot", 0.04)
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
    with served(slow) as site, looking(browser) as page, looking(browser) as wall:
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
    with served(slow) as site, looking(browser) as page, playing(slow):
        page.goto(site.cup())
        moves(page)
        page.reload()
        moves(page)


@pytest.mark.parametrize("kill", [False, True], ids=["ended", "killed"])
def test_a_server_that_comes_again_is_followed_again(slow: Path, browser: Browser, kill: bool) -> None:
    with served(slow) as site, looking(browser) as page:
        page.goto(site.cup())
        page.evaluate("window.same = true")
        with playing(slow) as play_on:
            moves(page)
            site.stop(kill=kill)
            expect(page.locator("#line")).to_contain_text("The connection is lost")
            if kill:
                play_on.wait(PATIENCE)  # all that is missed is told then
            site.start()
            names = podium(page)
        assert names
        assert page.evaluate("window.same"), "it was never loaded again"
        _is_as_if_loaded_now(site, page)


def test_a_line_that_was_cut_misses_nothing(slow: Path, browser: Browser) -> None:
    with served(slow) as site, relay(site.port) as line, looking(browser) as page:
        page.goto(f"http://127.0.0.1:{line.port}/cups/copa")
        page.evaluate("window.same = true")
        with playing(slow) as play_on:
            moves(page)
            line.cut()
            expect(page.locator("#line")).to_contain_text("The connection is lost")
            play_on.wait(PATIENCE)
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
    with served(path) as site, looking(browser, java_script_enabled=False) as page:
        page.goto(site.cup())
        expect(page.locator(".podium")).to_be_visible()
        expect(page.locator(".standings tbody tr")).to_have_count(2)
        page.locator(".replays a").first.click()
        expect(page.locator("#stage img")).to_be_visible()
