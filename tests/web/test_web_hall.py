"""The big screen is read from the back row, also when a screen is a quarter of its size away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from botequim.core import clock
from botequim.cup.config_parser import read
from botequim.cup.live import LiveGame, LiveTurn
from botequim.cup.paths import CupPaths
from botequim.render.layout import Shape
from botequim.web.live.boards import Variant, make_board
from botequim.web.live.public import PublicSnapshot, Table
from botequim.web.live.tables import Hands, Tables
from botequim.web.templating import render_template
from tests.support.browser import browser as browser
from tests.support.cup_commands import cup
from tests.support.golden import FOLDER as RECORDS
from tests.support.pace import PATIENCE
from tests.support.server_process import looking, play, playing, serving_site

READABLE = 40
"""The least size in pixels: ten of them are left at a quarter of the size."""
LEAST = 24
"""The least size in pixels of a long name at one table."""
LEAST_OF_SEVERAL = 20
LONG = "João Guilherme Rodrigues Peçanha de Albuquerque Júnior"
LONGER = "Maximiliano Bartolomeu de Assunção Vasconcelos e Figueiredo"
TILE = re.compile(r"\d-\d")
SCREENS = [(1920, 1080), (1366, 768)]
LEAGUE = '[[stages]]\nname = "league"\nformat = "{format}"\ngames = 3\n'
FORMATS = {"uno": "combinations"}
NAMES = ("Malandro Carioca", "Dona Flor", "Zé do Dominó", "Ana Terra")


def show_game(tmp_path: Path, game: str, names: tuple[str, ...], turns: int, public: int = 1) -> Path:
    """Make a cup of which so many games are public, and the next is shown and stays at this turn."""
    stages = LEAGUE.format(format=FORMATS.get(game, "round_robin"))
    path = cup(tmp_path / "copa.toml", dict.fromkeys(names, "greedy"), game=game, stages=stages)
    play(path, hold=True)
    with CupPaths.of(path).storage.open_visibility() as show:
        show.reveal(public)
        pace = 1e6  # the next turn does not come during a test
        assert show.stage_next(expected=public, began=clock.now() - (turns - 0.5) * pace, pace=pace)
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


CUT_FOOTER = """() => [...document.querySelectorAll("#soon bdi, .strip .unbroken")].filter((one) => {
  const box = one.getBoundingClientRect(), strip = one.closest(".strip").getBoundingClientRect();
  const right = one.parentElement.getBoundingClientRect().right;
  const out = box.right > right + 1 || box.bottom > strip.bottom + 1;
  const broken = one.matches(".unbroken") && one.getClientRects().length > 1;
  return out || broken || one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0;
}).map((one) => one.textContent)"""

CUT_MOVES = """() => [...document.querySelectorAll(".moves li, .table figcaption > small")].filter((one) => {
  const box = one.getBoundingClientRect(), table = one.closest(".table").getBoundingClientRect();
  const list = one.parentElement.getBoundingClientRect();
  const out = box.right > list.right + 1 || box.bottom > list.bottom + 1 || box.bottom > table.bottom;
  return one.offsetHeight && (out || one.scrollHeight > one.clientHeight + 2);
}).map((one) => one.textContent)"""


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
    names = ("Os Invencíveis Campeões do Botequim da Esquina de Santa Teresa"[:60], "W" * 60, LONGER)
    path = show_game(tmp_path, "fives", names, 9)
    with serving_site(path) as site:
        for width, height in SCREENS:
            with looking(browser, viewport={"width": width, "height": height}) as page:
                open_show(page, site.cup())
                assert min(sizes(page, ".sides .who")) >= LEAST
                for one in page.locator(".sides .who, .points").all():
                    assert one.evaluate(WITHIN)
                assert page.evaluate(INSIDE) == []
                assert page.locator("#soon bdi").count() == 2
                assert page.evaluate(CUT_FOOTER) == []


@pytest.mark.parametrize(
    ("game", "names"),
    [
        ("cubos", (LONG, LONGER)),
        pytest.param("cubos", (LONGER, "Ana"), marks=pytest.mark.slow),
        ("uno", (LONG, "Ana", LONGER)),
    ],
)
def test_beside_long_names_the_last_moves_are_whole(
    tmp_path: Path, browser: Browser, game: str, names: tuple[str, ...]
) -> None:
    path = show_game(tmp_path, game, names, 9)
    with serving_site(path) as site:
        for (width, height), motion in zip(SCREENS, ("no-preference", "reduce"), strict=True):
            how = {"viewport": {"width": width, "height": height}, "reduced_motion": motion}
            with looking(browser, **how) as page:
                open_show(page, site.cup())
                expect(page.locator(".moves li")).to_have_count(5)
                assert page.evaluate(CUT_MOVES) == []
                assert page.evaluate(INSIDE) == []
                assert min(sizes(page, ".sides .who")) >= LEAST
                widths = "(all) => all.map((one) => one.getBoundingClientRect().width)"
                assert min(page.locator("#soon bdi").evaluate_all(widths), default=100) >= 40
                assert page.evaluate("document.querySelector('#soon').scrollWidth <= innerWidth / 2")
                if game == "cubos":
                    assert all(TILE.search(text) for text in page.locator(".moves li").all_text_contents())
                    size = dict(
                        zip(page.locator(".who").all_text_contents(), sizes(page, ".who"), strict=True)
                    )
                    assert size.get("Ana", READABLE) >= READABLE, "a short name stays large"


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


def test_the_series_that_is_shown_is_not_announced(tmp_path: Path) -> None:
    path = show_game(tmp_path, "fives", NAMES[:3], 3, public=3)
    with serving_site(path) as site:
        api = f"{site.address}/api/cups/copa"
        (shown,) = httpx.get(f"{api}/tables", timeout=PATIENCE).json()
        (coming,) = httpx.get(f"{api}/next", timeout=PATIENCE).json()
        assert set(coming["entrants"]) != set(shown["names"])


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


def test_a_table_beside_many_others_is_sent_anew_without_its_seats(tmp_path: Path) -> None:
    lines = (RECORDS / "fives-plain.jsonl").read_text(encoding="utf-8").splitlines()
    path = cup(tmp_path / "copa.toml", {"p0": "greedy", "p1": "greedy"}, game="fives")
    turns = [LiveTurn(number, line, 0.0) for number, line in enumerate(lines[1:4], start=1)]
    games = {
        f"live-a-{number}": (
            LiveGame(number, "league", f"p0|p1|{number}", 0, lines[0], 0.0, None, len(turns)),
            turns,
        )
        for number in range(3)
    }
    tables = Tables(Hands.OPEN)
    tables.follow(dict(list(games.items())[:2]), read(path), {})
    assert not tables.crowded
    watched_table = tables.by_id["live-a-0"]
    scene = watched_table.scene()
    assert scene is not None
    hall = Variant("en", Shape.HALL)
    whole = make_board(watched_table, scene, (), hall, crowded=tables.crowded)
    assert set(whole.pieces) == {"felt", "table", "0", "1"}
    tables.follow({name: (game, ()) for name, (game, _) in games.items()}, read(path), {})
    assert tables.crowded
    alone = make_board(watched_table, scene, (), hall, crowded=tables.crowded)
    assert set(alone.event_after(whole)["parts"]) == {"felt", "table"}
    assert set(whole.event_after(alone)["parts"]) == set(whole.pieces)
    wide = make_board(watched_table, scene, (), Variant("en", Shape.WIDE), crowded=True)
    assert set(wide.pieces) == set(whole.pieces), "only the big screen leaves out the seats"


def test_games_that_have_just_ended_leave_the_boards_to_others(tmp_path: Path) -> None:
    read_cup = read(cup(tmp_path / "copa.toml", {"Ana": "greedy", "Bia": "greedy"}))

    def snapshot(ended: str) -> PublicSnapshot:
        tables = (
            Table(f"live-{at}", "league", "Ana|Bia", None, at + 1, ("Ana", "Bia"), 0.0, ended=one == "e")
            for at, one in enumerate(ended)
        )
        return PublicSnapshot("copa", read_cup, tables=tuple(tables))

    def boards(public: PublicSnapshot) -> str:
        return "".join(table.id[-1] for table in public.boards)

    assert boards(snapshot("eeee")) == "0123"
    assert boards(snapshot("eeleeel")) == "2456"
    assert boards(snapshot("llllel")) == "01235", "all that are played have boards"
    html = render_template("parts/tables.html", "en", public=snapshot("eeleeel"))
    assert re.findall('data-table="live-([0-9])"', html) == ["2", "4", "5", "6"]
    lines = html[html.index("lately") :]
    assert re.findall(r"game (\d) ✓", lines) == ["1", "2", "4"]


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


@pytest.mark.parametrize("count", [pytest.param(3, marks=pytest.mark.slow), 4])
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
                assert min(sizes(page, ".sides .who")) >= LEAST_OF_SEVERAL
                assert min(sizes(page, ".points, .acts .toplay")) >= READABLE
                size = zip(page.locator(".who").all_text_contents(), sizes(page, ".who"), strict=True)
                assert all(each >= READABLE for name, each in size if name == "Ana")
                assert page.evaluate(CUT_MOVES) == []
                assert all(TILE.search(text) for text in page.locator(".moves li:visible").all_inner_texts())
                assert page.locator(".stage text.b-name").count() == 0, "names are beside the drawing"
                boxes = "(all) => all.map((one) => one.clientHeight / one.closest('.table').clientHeight)"
                assert min(page.locator(".stage").evaluate_all(boxes)) > 0.9
