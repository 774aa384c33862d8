"""The big screen is read from the back row, also when a screen is a quarter of its size away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from botequim.core import clock
from botequim.cup.config_parser import read
from botequim.cup.live import LiveGame, LiveTurn
from botequim.cup.paths import CupPaths
from botequim.web.live.tables import Hands, Tables
from tests.support.browser import browser as browser
from tests.support.cup_commands import cup
from tests.support.golden import FOLDER as RECORDS
from tests.support.server_process import looking, play, playing, serving_site

READABLE = 40
"""The least size in pixels: ten of them are left at a quarter of the size."""
SCREENS = [(1920, 1080), (1366, 768)]
LEAGUE = '[[stages]]\nname = "league"\nformat = "{format}"\ngames = 3\n'
FORMATS = {"uno": "combinations"}
NAMES = ("Malandro Carioca", "Dona Flor", "Zé do Dominó", "Ana Terra")


def show_game(tmp_path: Path, game: str, names: tuple[str, ...], turns: int) -> Path:
    """Make a cup of which one game is public, and the next is shown and stays at this turn."""
    stages = LEAGUE.format(format=FORMATS.get(game, "round_robin"))
    path = cup(tmp_path / "copa.toml", dict.fromkeys(names, "greedy"), game=game, stages=stages)
    play(path, hold=True)
    with CupPaths.of(path).storage.open_visibility() as show:
        show.reveal(1)
        pace = 1e6  # the next turn does not come during a test
        assert show.stage_next(expected=1, began=clock.now() - (turns - 0.5) * pace, pace=pace)
    return path


def open_show(page: Page, address: str, *, tables: int = 1) -> None:
    page.goto(address + "/show?paused=1")
    expect(page.locator("html")).to_have_attribute("data-slide", "tables")
    expect(page.locator(".table .stage svg.bq")).to_have_count(tables)


def sizes(page: Page, selector: str) -> list[float]:
    """The sizes of texts in pixels of the screen, also inside of pictures."""
    measured: list[float] = page.evaluate(SIZES, selector)
    return measured


SIZES = """(selector) => [...document.querySelectorAll(selector)].map((one) => {
  const size = parseFloat(one.getAttribute("font-size") ?? getComputedStyle(one).fontSize);
  const grown = one.getScreenCTM?.();
  return size * (grown ? Math.hypot(grown.a, grown.b) : 1);
})"""

WITHIN = """(one) => {
  const right = (box) => box.getBoundingClientRect().right;
  return right(one) <= right(one.closest(".table"));
}"""

INSIDE = """() => {
  const wrong = [];
  for (const one of document.querySelectorAll(".current :is(.sides .who, .points, .moves li:first-child)")) {
    const box = one.getBoundingClientRect(), table = one.closest(".table").getBoundingClientRect();
    if (box.right > table.right + 1 || box.bottom > table.bottom + 1) wrong.push(one.textContent);
    if (one.scrollHeight > one.clientHeight + 2 && one.matches(".who")) wrong.push(`cut: ${one.textContent}`);
  }
  return wrong;
}"""


@pytest.mark.parametrize(
    "game", ["cubos", *(pytest.param(one, marks=pytest.mark.slow) for one in ("fives", "uno"))]
)
def test_names_score_and_turn_are_read_at_a_quarter_of_the_size(
    tmp_path: Path, browser: Browser, game: str
) -> None:
    path = show_game(tmp_path, game, NAMES[:3], 9)
    with serving_site(path) as site:
        for width, height in SCREENS:
            with looking(browser, viewport={"width": width, "height": height}) as page:
                open_show(page, site.cup())
                expect(page.locator(".moves li")).to_have_count(5)
                assert min(sizes(page, ".sides .who")) >= READABLE
                assert len(sizes(page, ".points")) == page.locator(".sides li").count() >= 2
                assert min(sizes(page, ".points")) >= READABLE
                assert sizes(page, ".acts .toplay")
                assert min(sizes(page, ".acts .toplay")) >= READABLE
                assert page.evaluate(INSIDE) == []
                seats = sizes(page, ".stage text.b-name")
                assert min(seats) >= READABLE * (height / 1080) * 0.75  # a long name is smaller
                assert max(seats) >= READABLE * (height / 1080)
                expect(page.locator(".clock").first).to_have_text(re.compile(r"time: \d+\.\d s"))


def test_a_long_name_stays_inside_its_column(tmp_path: Path, browser: Browser) -> None:
    names = ("Os Invencíveis Campeões do Botequim da Esquina de Santa Teresa"[:60], "W" * 60)
    path = show_game(tmp_path, "fives", names, 9)
    with serving_site(path) as site:
        for width, height in SCREENS:
            with looking(browser, viewport={"width": width, "height": height}) as page:
                open_show(page, site.cup())
                assert min(sizes(page, ".sides .who")) >= READABLE
                for one in page.locator(".sides .who, .points").all():
                    assert one.evaluate(WITHIN)


def test_buttons_pause_skip_and_go_back_and_reveal_nothing(tmp_path: Path, browser: Browser) -> None:
    path = show_game(tmp_path, "cubos", NAMES[:3], 9)
    with serving_site(path) as site, looking(browser) as page:
        open_show(page, site.cup())
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.method))
        pause = page.locator("[data-press=pause]")
        expect(pause).to_have_attribute("aria-pressed", "true")
        pause.click()
        expect(pause).to_have_attribute("aria-pressed", "false")
        pause.click()
        page.locator("[data-press=skip]").click()
        expect(page.locator("html")).not_to_have_attribute("data-slide", "tables")
        page.locator("[data-press=back]").click()
        expect(page.locator("html")).to_have_attribute("data-slide", "tables")
        page.keyboard.press("ArrowRight")  # keys work after a button was pressed
        expect(page.locator("html")).not_to_have_attribute("data-slide", "tables")
        page.keyboard.press("Space")
        expect(pause).to_have_attribute("aria-pressed", "false")
        assert "POST" not in asked
        with CupPaths.of(path).storage.open_visibility() as show:
            assert show.shown == 1
        expect(page.locator("#soon")).to_contain_text("×")


def test_the_score_of_a_live_series_counts_the_games_that_were_followed(tmp_path: Path) -> None:
    lines = (RECORDS / "fives-plain.jsonl").read_text(encoding="utf-8").splitlines()
    path = cup(tmp_path / "copa.toml", {"p0": "greedy", "p1": "greedy"}, game="fives")
    turns = [LiveTurn(number, line, 0.0) for number, line in enumerate(lines[1:-1], start=1)]

    def game(number: int, ended: float | None) -> LiveGame:
        return LiveGame(number, "league", "p0|p1", number, lines[0], 0.0, ended, len(turns))

    def follow(tables: Tables, number: int, ended: float | None, new: list[LiveTurn]) -> Any:
        tables.follow({f"live-a-{number}": (game(number, ended), new)}, read(path), {})
        (table,) = tables.public_tables
        return table.score

    tables = Tables(Hands.OPEN)
    assert follow(tables, 0, None, turns[:5]) == (0, 0)
    tables.finish({"live-a-0": (game(0, 1.0), turns[5:])})
    first = follow(tables, 1, None, turns[:5])
    assert sorted(first) == [0, 1]
    doubled = follow(tables, 1, 1.0, turns[5:])
    assert doubled == tuple(2 * wins for wins in first)
    assert follow(tables, 3, None, turns[:5]) == (), "game 3 was never seen"


TWICE = '[[stages]]\nname = "league"\nformat = "round_robin"\ngames = 1\n' + (
    '[[stages]]\nname = "again"\nformat = "round_robin"\ngames = 1\n'
)


@contextmanager
def live_tables(tmp_path: Path, names: tuple[str, ...], count: int, game: str = "cubos") -> Iterator[Path]:
    """A cup in which so many games are in progress. They have the turns of games of its first stage."""
    path = cup(tmp_path / "copa.toml", dict.fromkeys(names, "greedy"), game=game, stages=TWICE)
    with playing(path, "--stage", "league") as process:
        assert process.wait() == 0
    storage = CupPaths.of_cup(read(path)).storage
    with storage.open_results() as store:
        keys = [one.result.key for one in store.series()][:count]
        records = [(key, (store.record("league", key, 0) or "")) for key in keys]
    done = Event()

    def publish() -> None:
        with storage.open_live_writer() as writer:
            with writer.transaction():
                for key, record in records:
                    number = writer.begin_game("again", key, 0, record[0], clock.now())
                    turns = [LiveTurn(at, line, clock.now()) for at, line in enumerate(record[1:9], start=1)]
                    writer.add_turns(number, turns)
                writer.mark_alive(clock.now())
            while not done.wait(1):
                with writer.transaction():
                    writer.mark_alive(clock.now())

    with ThreadPoolExecutor(1) as apart:
        publishing = apart.submit(publish)
        try:
            yield path
        finally:
            done.set()
            publishing.result()


@pytest.mark.parametrize("count", [3, 4])
def test_at_several_tables_names_score_and_turn_are_read_as_well(
    tmp_path: Path, browser: Browser, count: int
) -> None:
    with live_tables(tmp_path, NAMES, count) as path, serving_site(path) as site:
        for width, height in SCREENS:
            with looking(browser, viewport={"width": width, "height": height}) as page:
                open_show(page, site.cup(), tables=count)
                assert min(sizes(page, ".sides .who")) >= READABLE
                assert min(sizes(page, ".points")) >= READABLE
                assert len(sizes(page, ".acts .toplay")) == count
                assert min(sizes(page, ".acts .toplay")) >= READABLE
                assert page.evaluate(INSIDE) == []


def test_a_long_name_at_several_tables_is_written_smaller_and_not_cut(
    tmp_path: Path, browser: Browser
) -> None:
    names = (
        "Os Invencíveis Campeões do Botequim da Esquina de Santa Teresa"[:60],
        "Ana",
        "W" * 40,
        "Dona Flor",
    )
    with live_tables(tmp_path, names, 3) as path, serving_site(path) as site:
        for width, height in SCREENS:
            with looking(browser, viewport={"width": width, "height": height}) as page:
                open_show(page, site.cup(), tables=3)
                assert page.evaluate(INSIDE) == []
                assert min(sizes(page, ".sides .who")) >= READABLE / 2
                assert min(sizes(page, ".points, .acts .toplay")) >= READABLE
