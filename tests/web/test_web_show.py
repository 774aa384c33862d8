"""The big screen: nothing scrolls, keys do what they say, results are moments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from botequim.web.qr import qr_svg
from tests.support.browser import browser as browser
from tests.support.browser import until
from tests.support.cup_commands import cup
from tests.support.pace import PATIENCE
from tests.support.server_process import Site, looking, play, serving_site

STAGES = (
    '[[stages]]\nname = "liga"\nformat = "round_robin"\ngames = 2\n'
    '[[stages]]\nname = "finais"\nformat = "knockout"\nfrom = "liga"\ntop = 4\n'
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A cup of many, that is over."""
    folder = tmp_path_factory.mktemp("show")
    names = [f"Jogador número {number}" for number in range(1, 19)] + ["W" * 40, "Ana"]
    path = cup(folder / "copa.toml", dict.fromkeys(names, "greedy"), stages=STAGES)
    play(path)
    with serving_site(path) as running:
        yield running


def slide(page: Page) -> str:
    return str(page.evaluate("document.documentElement.dataset.slide"))


@pytest.mark.parametrize(
    ("width", "height", "theme"),
    [
        (1366, 768, "light"),
        pytest.param(1366, 768, "dark", marks=pytest.mark.slow),
        pytest.param(1920, 1080, "light", marks=pytest.mark.slow),
        pytest.param(1920, 1080, "dark", marks=pytest.mark.slow),
    ],
)
def test_no_slide_scrolls_and_all_of_them_come(
    site: Site, browser: Browser, width: int, height: int, theme: str
) -> None:
    how = {"viewport": {"width": width, "height": height}, "color_scheme": theme}
    with looking(browser, **how) as page:
        page.goto(site.cup() + "/show?paused=1")
        expect(page.locator(".table")).to_have_count(0)  # the last game stays a moment
        count = page.locator(".dots li").count()
        seen, rows = set(), 0
        for _ in range(count):
            seen.add(slide(page))
            assert page.locator("[data-slide].current").count() == 1
            assert page.evaluate(FITS) == [], slide(page)
            if slide(page) == "cross":
                assert page.evaluate(CUT_NAMES) == []
            if slide(page) == "standings":
                rows += page.locator(".current .standings tbody tr:visible").count()
            page.keyboard.press("ArrowRight")
        assert seen == {"podium", "standings", "bracket", "cross"}
        assert rows == 20, "every row was on one page"


FITS = """() => {
  const root = document.documentElement, wrong = [];
  if (root.scrollWidth > innerWidth || root.scrollHeight > innerHeight) wrong.push("the page scrolls");
  const slide = document.querySelector("[data-slide].current").getBoundingClientRect();
  for (const row of document.querySelectorAll(".current .standings tbody tr, .current .cross tbody tr")) {
    const box = row.getBoundingClientRect();
    if (box.height && box.bottom > slide.bottom + 1) wrong.push(row.textContent);
  }
  for (const part of document.querySelectorAll("main > div > *:not([data-slide])")) {
    if (part.offsetHeight) wrong.push(part.outerHTML.slice(0, 80));
  }
  const strip = document.querySelector(".strip").getBoundingClientRect();
  if (strip.bottom > innerHeight + 1) wrong.push("the strip");
  return wrong;
}"""


CUT_NAMES = """() => [...document.querySelectorAll(".current .cross th[scope=row]")]
  .filter((cell) => cell.offsetHeight && cell.scrollWidth > cell.clientWidth)
  .map((cell) => cell.textContent)"""


def test_the_keys(site: Site, browser: Browser) -> None:
    with looking(browser) as page:
        page.goto(site.cup() + "/show?seconds=1")
        expect(page.locator("html")).not_to_have_attribute("data-slide", "podium")
        page.keyboard.press("Space")
        expect(page.locator("#paused")).to_be_visible()
        here = page.locator(".dots .here")
        stays = page.evaluate("[...document.querySelectorAll('.dots li')].findIndex((li) => li.className)")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowRight")
        assert stays == page.evaluate(
            "[...document.querySelectorAll('.dots li')].findIndex((li) => li.className)"
        )
        assert here.count() == 1
        page.keyboard.press("t")
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        page.keyboard.press("t")
        expect(page.locator("html")).to_have_attribute("data-theme", "light")
        page.keyboard.press("f")
        until(page, "document.fullscreenElement !== null")
        page.keyboard.press("f")
        until(page, "document.fullscreenElement === null")
        page.keyboard.press("l")
        expect(page.locator("html")).to_have_attribute("lang", "pt-BR")
        expect(page.locator("#part-podium h2")).not_to_have_text("Champion")


def test_phones_find_the_address(site: Site) -> None:
    there = {"Host": "192.168.0.10:8080"}
    shown = httpx.get(site.cup() + "/show", headers=there, timeout=PATIENCE).text
    assert "<bdi>192.168.0.10:8080/cups/copa</bdi>" in shown
    assert "--host" not in shown
    code = httpx.get(site.cup() + "/qr.svg", headers=there, timeout=PATIENCE)
    assert code.text == qr_svg("http://192.168.0.10:8080/cups/copa")


def test_who_wants_no_motion_gets_none(site: Site, browser: Browser) -> None:
    with looking(browser, reduced_motion="reduce") as page:
        page.goto(site.cup() + "/show?paused=1")
        expect(page.locator(".p1-step .there bdi").first).to_be_visible()
        running = "document.getAnimations().filter((one) => one.playState === 'running').length"
        until(page, f"{running} === 0")


def test_few_rows_are_read_from_afar_and_tables_fit_their_pages(tmp_path: Path, browser: Browser) -> None:
    names = ["Ana", "Bento", "Carla", "Davi", "W" * 40]
    path = cup(tmp_path / "copa.toml", dict.fromkeys(names, "greedy"), stages=STAGES)
    play(path)
    with serving_site(path) as running, looking(browser) as page:
        page.goto(running.cup() + "/show?paused=1")
        expect(page.locator(".table")).to_have_count(0)
        expect(page.locator("html")).to_have_attribute("data-slide", "podium")
        page.keyboard.press("ArrowRight")
        expect(page.locator("html")).to_have_attribute("data-slide", "standings")
        assert page.locator(".current .standings tbody tr:visible").count() == len(names)
        assert page.evaluate(FITS) == []
        size = page.locator(".current .standings tbody th").first
        assert size.evaluate("(cell) => parseFloat(getComputedStyle(cell).fontSize)") >= 28
        page.goto(running.cup())
        page.locator("details[id^=older] summary").first.click()
        wide = page.locator("details[id^=older] .wide").first
        expect(wide.locator(".aside").first).to_be_hidden()
        assert wide.evaluate("(box) => box.scrollWidth <= box.clientWidth")
