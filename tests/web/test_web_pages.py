"""Pages for people: reveal and freeze, replays, entrants, hostile words, two languages, no barriers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image, ImageChops, ImageStat
from playwright.sync_api import Browser, Page, expect

from botequim.records.reader import read_records
from botequim.records.replay import Replay
from botequim.render.drawing import RenderOptions, render_svg
from botequim.render.layout import Shape
from botequim.render.raster import png
from botequim.render.scene import OPEN, Perspective, scene_at
from botequim.render.theme import Theme
from tests.support.browser import browser as browser
from tests.support.cup_commands import cup
from tests.support.pace import PATIENCE, until
from tests.support.server_process import (
    TOKEN,
    Site,
    hurry,
    looking,
    play,
    playing,
    serving_site,
    start_site,
    talker,
)

LEAGUE = '[[stages]]\nname = "liga"\nformat = "round_robin"\ngames = 2\n'
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Two cups that are over: one of them with a bracket, and with somebody who fails."""
    folder = tmp_path_factory.mktemp("pages")
    broken = folder / "broken"
    broken.mkdir()
    (broken / "bot.py").write_text("print('<b>what?</b>', flush=True)\ninput()\n")
    (broken / "botequim.toml").write_text('command = "python3 bot.py"\nwire = "arena-lines"\n')
    entrants = {"Ana": "greedy", "Bento": "random", "Carla": "greedy", "Dora": str(broken)}
    stages = LEAGUE + '[[stages]]\nname = "final"\nformat = "knockout"\nfrom = "liga"\ntop = 2\n'
    one = cup(folder / "copa.toml", entrants, stages=stages)
    other = cup(folder / "uno.toml", {"Ana": "greedy", "Bento": "random"}, game="uno", stages=LEAGUE)
    with playing(one) as process:
        assert process.wait(PATIENCE) == 0
    play(other)
    with start_site(one, other) as running:
        yield running


def game_between(site: Site, *names: str) -> str:
    """The address of the first game between these two. Dora's games end after a few moves."""
    games = httpx.get(f"{site.address}/api/cups/copa/games?limit=100", timeout=PATIENCE).json()["items"]
    found = next(game["page"] for game in games if set(game["entrants"]) == set(names))
    return site.address + str(found)


# --- ratings ------------------------------------------------------------------------------------------


def test_ratings_are_beside_every_table_and_in_a_chart(site: Site, browser: Browser) -> None:
    found = httpx.get(f"{site.address}/api/cups/copa/ratings", timeout=PATIENCE).json()["entrants"]
    with looking(browser) as page:
        page.goto(site.cup())
        chart = page.locator("#part-ratings tbody tr")
        expect(chart).to_have_count(4)
        assert [row["entrant"] for row in found] == chart.locator("bdi").all_text_contents()
        middles = chart.locator("svg circle").evaluate_all(
            "all => all.map((one) => one.getBoundingClientRect().x)"
        )
        assert middles == sorted(middles, reverse=True)
        assert middles[0] > middles[-1]
        for table in page.locator("#part-standings table").all():
            rows = table.locator("tbody tr")
            assert rows.count() == table.locator("td.rating").count() == 4
        page.goto(f"{site.cup()}/entrants/{found[0]['entrant']}")
        expect(page.locator(".whohead")).to_contain_text(f"Rating: {found[0]['rating']:.0f}")


# --- reveal and freeze --------------------------------------------------------------------------------


def log_in(page: Page, site: Site) -> None:
    page.goto(site.address + "/organiser")
    page.get_by_label("token").fill(TOKEN)
    page.get_by_role("button", name="log in").click()
    expect(page.get_by_role("button", name="log out")).to_be_visible()


def test_reveal_and_freeze(tmp_path: Path, browser: Browser) -> None:
    path = cup(tmp_path / "copa.toml", {"Ana": "greedy", "Bento": "random"}, stages=LEAGUE)
    play(path, hold=True)
    with (
        serving_site(path) as site,
        looking(browser) as page,
        looking(browser) as organiser,
        looking(browser) as wall,
    ):
        page.goto(site.cup())
        wall.goto(site.cup() + "/show")
        expect(page.locator("#part-tables")).to_contain_text("The organiser will reveal the next game.")
        assert page.locator("#part-games .latest, .podium").count() == 0
        log_in(organiser, site)
        organiser.get_by_label("seconds per move").fill("0.05")
        organiser.get_by_role("button", name="show the next game, move by move").click()
        expect(page.locator(".table .stage svg.bq")).to_be_visible()
        assert page.locator("#part-games .latest").count() == 0
        expect(wall.locator(".reveal.on")).to_contain_text("Ana")
        expect(page.locator("#part-games .latest")).to_be_visible()
        assert page.locator(".podium").count() == 0, "one of two games is not the whole series"
        assert page.locator("#part-ratings tbody tr, #part-standings .rating").count() == 0
        expect(page.locator("#part-games")).to_contain_text("so far")
        organiser.goto(site.address + "/organiser")
        organiser.get_by_role("button", name="open").click()
        expect(organiser.locator("main")).to_contain_text("everybody sees games while they are played")
        organiser.get_by_role("button", name="reveal everything").click()
        expect(organiser.get_by_role("button", name="hold back")).to_be_visible()
        expect(page.locator(".podium")).to_be_visible()
        expect(page.locator("#part-ratings tbody tr")).to_have_count(2)


def test_a_frozen_cup_shows_nothing_more(tmp_path: Path, browser: Browser) -> None:
    bot = talker(tmp_path / "bot", 0.5)
    path = cup(tmp_path / "copa.toml", {"Ana": str(bot), "Bento": "greedy", "Caio": "greedy"}, stages=LEAGUE)
    with serving_site(path) as site, looking(browser) as page, looking(browser) as organiser:
        log_in(organiser, site)
        page.goto(site.cup())
        with playing(path) as play_on:
            expect(page.locator(".table .stage svg.bq").first).to_be_visible()
            organiser.goto(site.address + "/organiser")
            organiser.get_by_role("button", name="hold back").click()
            expect(page.locator(".sign.held")).to_be_visible()
            expect(page.locator(".table")).to_have_count(0)
            frozen = page.locator("#part-games").text_content() or ""
            hurry(bot)
            assert play_on.wait(PATIENCE) == 0
        page.reload()
        assert page.locator("#part-games").text_content() == frozen
        assert page.locator(".podium").count() == 0


def test_a_wrong_token_opens_nothing(site: Site, browser: Browser) -> None:
    with looking(browser) as page:
        page.goto(site.address + "/organiser")
        page.get_by_label("token").fill("not the token")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_be_visible()


# --- replays ------------------------------------------------------------------------------------------


def wait_for_replay(page: Page) -> None:
    """Wait until a replay can be steered: its script is there, and a frame was drawn. Browsers drop keys that
    are pressed before."""
    expect(page.locator("html[data-move] #stage svg.bq")).to_be_visible()
    page.screenshot()


def test_a_replay_is_stepped_by_keyboard(site: Site, browser: Browser) -> None:
    with looking(browser) as page:
        here = game_between(site, "Ana", "Bento")
        page.goto(f"{here}/3")
        wait_for_replay(page)
        told = page.locator("#told").text_content() or ""
        page.keyboard.press("ArrowRight")
        expect(page).to_have_url(f"{here}/4")
        expect(page.locator("#told")).not_to_have_text(told)
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#told")).to_have_text(told)
        page.keyboard.press("Home")
        expect(page).to_have_url(f"{here}/1")
        page.keyboard.press("End")
        expect(page).to_have_url(re.compile(rf"{re.escape(here)}/[1-9]\d+$"))
        last = page.url
        page.reload()
        wait_for_replay(page)
        assert page.url == last
        page.keyboard.press("1")
        assert page.locator("#hands").input_value() == "2"
        page.keyboard.press("o")
        assert page.locator("#hands").input_value() == "1"
        page.keyboard.press("l")
        expect(page.locator("html")).to_have_attribute("lang", "pt-BR")
        assert page.url.startswith(last), "the move is still the same"


def test_what_can_be_taken_along(site: Site, browser: Browser) -> None:
    with looking(browser) as page:
        here = game_between(site, "Ana", "Dora")
        page.goto(here)
        found = [link.get_attribute("href") for link in page.locator("a[download]").all()]
        taken = [page.request.get(site.address + str(link), timeout=300_000) for link in found]
        kinds = [answer.headers["content-type"] for answer in taken]
        assert [kind.split(";")[0] for kind in kinds] == ["application/x-ndjson", "text/html", "image/gif"]
        page.get_by_role("link", name="next game").click()
        assert here.removesuffix("1") + "2" in page.url


SIGHTS: dict[str, Perspective] = {"open": OPEN, "hidden": None, "2": 1}


def first_frame_shows(gif: bytes, game: Replay) -> str:
    """Of these sights, the one whose picture is most like the first frame."""
    frame = Image.open(BytesIO(gif)).convert("RGB")

    def distance(perspective: Perspective) -> float:
        drawn = render_svg(scene_at(game, 1, perspective), RenderOptions(Shape.WIDE, Theme.LIGHT))
        same = Image.open(BytesIO(png(drawn, frame.width))).convert("RGB")
        return sum(ImageStat.Stat(ImageChops.difference(frame, same)).mean)

    return min(SIGHTS, key=lambda hands: distance(SIGHTS[hands]))


def drawn_in(page: Page) -> str:
    return str(page.locator("#stage svg.bq").inner_html())


@pytest.mark.parametrize(
    ("key", "hands"),
    [
        pytest.param("", "open", marks=pytest.mark.slow),
        pytest.param("0", "hidden", marks=pytest.mark.slow),
        ("2", "2"),
    ],
)
def test_what_is_taken_along_shows_the_hands_that_the_page_shows(
    site: Site, browser: Browser, tmp_path: Path, key: str, hands: str
) -> None:
    with looking(browser) as page:
        here = game_between(site, "Ana", "Dora")
        page.goto(here)
        wait_for_replay(page)
        assert "hands=" not in page.url
        assert page.locator("#hands option:checked").inner_text() == "all open", "as nothing else is said"
        if key:
            page.keyboard.press(key)
            expect(page).to_have_url(f"{here}/1?hands={hands}")
        links = page.evaluate("[...document.querySelectorAll('a[download]')].map((link) => link.href)")
        record, whole, gif = [page.request.get(link, timeout=300_000) for link in links]
        (tmp_path / "game.jsonl").write_bytes(record.body())
        game = Replay.load(next(read_records(tmp_path / "game.jsonl")))
        assert first_frame_shows(gif.body(), game) == hands
        chosen, shown = page.locator("#hands option:checked").inner_text(), drawn_in(page)
        (tmp_path / "game.html").write_bytes(whole.body())
        alone = page.context.new_page()
        alone.goto((tmp_path / "game.html").as_uri())
        assert alone.locator("#hands option:checked").inner_text() == chosen
        assert drawn_in(alone) == shown
        page.reload()
        wait_for_replay(page)
        assert drawn_in(page) == shown, "what is seen stands in the address"


def test_a_replay_speaks_the_language_of_the_page_that_it_was_taken_from(
    site: Site, browser: Browser, tmp_path: Path
) -> None:
    """The browser's own language is English."""
    with looking(browser) as page:
        page.goto(game_between(site, "Ana", "Dora") + "?lang=pt_BR")
        wait_for_replay(page)
        link = page.locator("a[download]", has_text="página").get_attribute("href")
        whole = page.request.get(site.address + str(link), timeout=300_000)
        (tmp_path / "game.html").write_bytes(whole.body())
        alone = page.context.new_page()
        alone.goto((tmp_path / "game.html").as_uri())
        expect(alone.locator("html")).to_have_attribute("lang", "pt-BR")


def test_hidden_hands_stay_hidden_from_game_to_game(site: Site, browser: Browser) -> None:
    with looking(browser) as page:
        page.goto(site.cup() + "/games/1/1?hands=2")
        wait_for_replay(page)
        following = page.get_by_role("link", name="next game")
        assert "hands" not in str(following.get_attribute("href")), "somebody else may sit there"
        page.keyboard.press("0")
        following.click()
        expect(page).to_have_url(re.compile("/games/1/2.*hands=hidden"))
        wait_for_replay(page)
        assert page.locator("#hands").input_value() == "0"
        page.get_by_role("link", name="Português").click()
        expect(page.locator("html")).to_have_attribute("lang", "pt-BR")
        wait_for_replay(page)
        assert page.locator("#hands").input_value() == "0", "in every language"


def test_another_language_is_at_the_same_move_whatever_hands_were_chosen(
    site: Site, browser: Browser
) -> None:
    with looking(browser) as page:
        here = game_between(site, "Ana", "Bento")
        page.goto(f"{here}/3")
        wait_for_replay(page)
        page.keyboard.press("0")
        expect(page).to_have_url(f"{here}/3?hands=hidden")
        page.keyboard.press("ArrowRight")
        expect(page).to_have_url(f"{here}/4?hands=hidden")
        page.get_by_role("link", name="Português").click()
        expect(page.locator("html")).to_have_attribute("lang", "pt-BR")
        wait_for_replay(page)
        assert page.url.startswith(f"{here}/4?")
        assert page.locator("#hands").input_value() == "0"


# --- entrants and faults --------------------------------------------------------------------------------


def test_faults_in_plain_words_lead_to_the_move(site: Site, browser: Browser) -> None:
    with looking(browser) as page:
        page.goto(site.cup())
        page.locator("#part-faults a.entrant", has_text="Dora").first.click()
        expect(page.locator("h1")).to_have_text("Dora")
        page.locator(".fault summary").first.click()
        expect(page.locator(".evidence pre").first).to_contain_text('"game":"cubos"')
        page.locator(".fault a").first.click()
        wait_for_replay(page)


def test_faults_are_told_to_programs_in_their_language(site: Site) -> None:
    asked = f"{site.address}/api/cups/copa/faults"
    english = httpx.get(asked, timeout=PATIENCE).json()["items"]
    portuguese = httpx.get(asked, params={"lang": "pt"}, timeout=PATIENCE).json()["items"]
    assert english
    assert [one["kind"] for one in english] == [one["kind"] for one in portuguese]
    assert all(one["why"] != other["why"] for one, other in zip(english, portuguese, strict=True))


# --- what strangers write -------------------------------------------------------------------------------


EVIL = [
    "<script>window.broken.push(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "Za\u0301\u0302\u0303\u0304lgo",
]
"""Names; a cup file refuses longer ones, and those with marks that turn others around."""


@pytest.mark.parametrize("game", [pytest.param("cubos", marks=pytest.mark.slow), "rps"])
def test_hostile_words_are_shown_harmlessly(tmp_path: Path, browser: Browser, game: str) -> None:
    say = "<script>alert(1)</script>\u202e abc \ud800 \u0301\u0301<img src=x onerror=alert(2)>"
    bot = talker(tmp_path / "bot", 0.5, say)
    texts = [name.replace("\\", "\\\\").replace('"', '\\"') for name in EVIL]
    path = cup(
        tmp_path / "copa.toml", dict.fromkeys(texts, str(bot)), game=game, stages=LEAGUE.replace("2", "1")
    )
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('name = "Copa"', 'name = "<b>Copa</b> & \\"<script>\\""'), encoding="utf-8")
    with serving_site(path) as site, looking(browser) as page, looking(browser, **PHONE) as phone:
        phone.goto(site.cup())
        page.goto(site.cup() + "/show?seconds=1")
        with playing(path) as play_on:
            for screen in (page, phone):
                expect(screen.locator(".table .stage svg.bq").first).to_be_visible()
                expect(screen.locator(".bubbles li").first).to_contain_text("<script>alert(1)</script>")
            hurry(bot)
            assert play_on.wait(PATIENCE) == 0
        expect(phone.locator(".podium")).to_be_visible()
        expect(phone.locator("h1")).to_have_text('<b>Copa</b> & "<script>"')
        _no_sideways(phone)
        names = set(phone.locator(".standings th bdi").all_text_contents())
        assert set(EVIL[:2]) <= names
        for address in ("/games", "/games/1", "/games/1/1/2"):
            phone.goto(site.cup() + address)
            phone.wait_for_load_state("networkidle")
            _no_sideways(phone)
        phone.goto(site.cup())
        phone.locator(".standings a.entrant").first.click()
        phone.wait_for_url("**/entrants/*")
        title = phone.locator("h1").text_content() or ""
        assert title in EVIL or title.startswith("Z")
        assert "hacked" not in phone.title()


def _no_sideways(page: Page) -> None:
    """The page itself never scrolls sideways; wide tables do, in boxes of their own."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url


# --- phones, languages, barriers ------------------------------------------------------------------------

PAGES = (
    *("/", "/cups/copa", "/cups/copa/games", "/cups/copa/games/1", "/cups/copa/games/1/1/2"),
    *("/cups/copa/entrants/Dora", "/cups/uno", "/organiser", "/api", "/nothing"),
)


def test_on_a_phone_nothing_scrolls_sideways(site: Site, browser: Browser) -> None:
    with looking(browser, **PHONE) as page:
        for address in PAGES:
            page.goto(site.address + address)
            _no_sideways(page)
        page.goto(site.cup())
        small = page.evaluate(
            "[...document.querySelectorAll('.tabs a, .replays a, button, .button')]"
            ".filter((one) => one.offsetHeight && one.offsetHeight < 40).map((one) => one.outerHTML)"
        )
        assert small == []


def test_everything_in_portuguese_too(site: Site, browser: Browser) -> None:
    with looking(browser, locale="pt-BR") as page:
        page.goto(site.cup())
        expect(page.locator("html")).to_have_attribute("lang", "pt-BR")
        expect(page.locator("#h-now, #part-podium h2").first).not_to_contain_text("Champion")
        for address in (one for one in PAGES if one != "/api"):  # the names of its schemas are English
            page.goto(site.address + address)
            english = page.locator("text=/\\b(Standings|Finished games|Faults|Games|the cups)\\b/")
            assert english.count() == 0, address
        page.goto(site.cup() + "?lang=en")
        expect(page.locator("html")).to_have_attribute("lang", "en")


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_no_serious_barrier(site: Site, browser: Browser, theme: str) -> None:
    axe = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    with looking(browser, color_scheme=theme, reduced_motion="reduce") as page:
        for address in (*PAGES, "/cups/copa/show?paused=1"):
            page.goto(site.address + address)
            page.wait_for_load_state("load")
            page.evaluate(axe)
            found: list[dict[str, Any]] = page.evaluate("axe.run().then((found) => found.violations)")
            serious = [
                (one["id"], [node["html"] for node in one["nodes"][:3]])
                for one in found
                if one["impact"] in ("serious", "critical")
            ]
            assert serious == [], address


def test_the_way_around_by_keyboard(site: Site, browser: Browser) -> None:
    with looking(browser) as page:
        page.goto(site.cup())
        page.keyboard.press("Tab")
        expect(page.locator(".skip")).to_be_focused()
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
        page.keyboard.press("Tab")
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        assert until(lambda: page.evaluate(outline)) == "solid"
