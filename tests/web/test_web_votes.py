"""Voting as people do it: a phone, a keyboard, a printer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, expect
from resvg_py import svg_to_bytes

from botequim.cli import main
from botequim.votes.codes import format_code
from botequim.votes.contest import Choice, Voters
from tests.support.browser import browser, until
from tests.support.contest_cups import HOSTILE, NAMES, TOKEN, ContestServer, finished_cup, hostile, serving
from tests.support.pace import PATIENCE_MS

__all__ = ["browser"]


PHONE = {"width": 390, "height": 844}
LAPTOP = {"width": 1366, "height": 768}
REFUSED = "Failed to load resource"
"""What Chromium says of a page that came with a refusal."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ContestServer]:
    with serving(finished_cup(tmp_path_factory.mktemp("votes"))) as running:
        yield running


@pytest.fixture
def phone(browser: Browser) -> Iterator[BrowserContext]:
    """A phone; pages whose script fails or that break the policy fail the test."""
    context = browser.new_context(locale="en-GB", viewport=PHONE, has_touch=True)  # type: ignore[arg-type]
    yield from _watch(context)


def _watch(context: BrowserContext) -> Iterator[BrowserContext]:
    wrong: list[str] = []
    context.set_default_timeout(PATIENCE_MS)
    context.on("weberror", lambda error: wrong.append(str(error.error)))
    context.on(
        "console",
        lambda line: wrong.append(line.text) if line.type == "error" and REFUSED not in line.text else None,
    )
    yield context
    context.close()
    assert not wrong


def option(page: Page, name: str) -> str:
    """The selector of an entrant's card."""
    return f".option:has(.optionname:text-is({name!r}))"


def test_a_code_is_scanned_and_then_used(served: ContestServer, phone: BrowserContext) -> None:
    contest, (code, *_) = served.contest(title="Scanned")
    page = phone.new_page()
    page.goto(served.at(f"/contests/{contest.id}?code={code}"))
    expect(page.get_by_label("Your code")).to_have_value(code)
    page.tap(option(page, "Caju"))
    page.get_by_role("button", name="Vote").tap()
    expect(page.get_by_role("status")).to_contain_text("Your vote was recorded.")
    page.reload()
    expect(page.get_by_role("status")).to_contain_text("Your vote was recorded.")
    page.get_by_role("link", name="Vote with another code").click()
    page.get_by_label("Your code").fill(format_code(code).lower())
    page.tap(option(page, "Boteco"))
    page.get_by_role("button", name="Vote").tap()
    expect(page.get_by_role("alert")).to_contain_text("omebody has already voted with this code")
    served.close(contest.id)
    page.goto(served.at(f"/contests/{contest.id}"))
    expect(page.locator(".p1-step")).to_contain_text("Caju")
    assert served.ballots(contest.id) == 1


def test_a_ranking_by_keyboard(served: ContestServer, browser: Browser) -> None:
    context = browser.new_context(locale="en-GB", viewport=LAPTOP)  # type: ignore[arg-type]
    for watched in _watch(context):
        contest, (code, *_) = served.contest(choice=Choice.RANKED, title="By keyboard")
        page = watched.new_page()
        page.goto(served.at(f"/contests/{contest.id}"))
        page.get_by_label("Your code").focus()
        page.keyboard.type(code)
        order = page.locator(".optionname").all_text_contents()
        # on to the first of the list, and then back and forth
        page.keyboard.press("Tab")
        while page.evaluate("document.activeElement.className") != "rank":
            page.keyboard.press("Tab")
        page.keyboard.press("Space")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator("#heard")).to_have_text(f"{order[1]}: rank 2")
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Space")  # not the first after all
        expect(page.get_by_role("button", name=f"{order[1]}: rank 1")).to_be_visible()
        page.keyboard.press("Space")
        expect(page.get_by_role("button", name=f"{order[0]}: rank 2")).to_be_focused()
        page.get_by_role("button", name="Vote").press("Enter")
        expect(page.get_by_role("status")).to_contain_text("Your vote was recorded.")
        served.close(contest.id)
        page.goto(served.at(f"/contests/{contest.id}"))
        expect(page.locator(".contest-result tbody tr").nth(0)).to_contain_text(order[1])
        expect(page.locator(".contest-result tbody tr").nth(1)).to_contain_text(order[0])
        expect(page.get_by_role("heading", name="Round 1")).to_be_visible()


def test_a_refused_ranking_comes_back_as_it_was(served: ContestServer, phone: BrowserContext) -> None:
    contest, _ = served.contest(choice=Choice.RANKED)
    page = phone.new_page()
    page.goto(served.at(f"/contests/{contest.id}"))
    page.get_by_label("Your code").fill("cccc cccc cccc")
    for name in ("Boteco", "Caju"):
        page.tap(option(page, name))
    page.get_by_role("button", name="Vote").tap()
    expect(page.get_by_role("alert")).to_contain_text("his contest has no such code")
    for rank, name in enumerate(("Boteco", "Caju"), start=1):
        expect(page.get_by_role("button", name=f"{name}: rank {rank}")).to_be_visible()
    page.get_by_role("button", name="Start again").tap()
    expect(page.locator(".option.chosen")).to_have_count(0)


def test_an_open_vote_twice_from_one_browser(served: ContestServer, phone: BrowserContext) -> None:
    contest, _ = served.contest(Voters.OPEN, title="Crowd favourite")
    page, tab = phone.new_page(), phone.new_page()
    for opened in (page, tab):
        opened.goto(served.at(f"/contests/{contest.id}"))
        opened.tap(option(opened, "Caju"))
    page.get_by_role("button", name="Vote").tap()
    expect(page.get_by_role("status")).to_contain_text("Your vote was recorded.")
    tab.get_by_role("button", name="Vote").tap()
    expect(tab.get_by_role("alert")).to_contain_text("his browser has already voted")
    assert served.ballots(contest.id) == 1


@pytest.mark.parametrize("choice", Choice)
def test_all_of_it_without_a_script(served: ContestServer, browser: Browser, choice: Choice) -> None:
    contest, (code, *_) = served.contest(choice=choice, title="No script")
    context = browser.new_context(viewport=PHONE, java_script_enabled=False, locale="en-GB")  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(served.at(f"/contests/{contest.id}?code={code}"))
    if choice is Choice.SINGLE:
        page.get_by_label("Embaúba").check(force=True)
    else:
        page.get_by_label("Embaúba").fill("1")
        page.get_by_label("Caju").fill("2")
    page.get_by_role("button", name="Vote").click()
    expect(page.get_by_role("status")).to_contain_text("Your vote was recorded.")
    context.close()
    served.close(contest.id)


def test_a_shared_first_place_stands_on_one_step(served: ContestServer, phone: BrowserContext) -> None:
    contest, _ = served.contest(Voters.OPEN, title="A tie")
    for mark, name in enumerate(["Caju", "Boteco", "Caju", "Boteco", "Dendê"]):
        served.vote(contest.id, name, browser=str(mark))
    served.close(contest.id)
    page = phone.new_page()
    page.goto(served.at(f"/contests/{contest.id}"))
    expect(page.locator(".p1-step .there li")).to_have_count(2)
    expect(page.locator(".p1-step")).to_contain_text("tied")
    expect(page.locator(".p2-step")).to_have_count(0)
    expect(page.locator(".p3-step")).to_contain_text("Dendê")
    fits = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert fits


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_nothing_keeps_anybody_from_voting(served: ContestServer, browser: Browser, theme: str) -> None:
    """No serious finding of axe on any page of contests, on a phone."""
    axe = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    single, _ = served.contest()
    ranked, _ = served.contest(choice=Choice.RANKED)
    over, codes = served.contest(choice=Choice.RANKED, title="Over")
    for code, name in zip(codes, NAMES, strict=False):
        served.vote(over.id, name, code=code)
    served.close(over.id)
    desk = f"/organiser/contests/{ranked.id}"
    paths = ["/gallery", "/contests", f"/contests/{single.id}", f"/contests/{ranked.id}?code=none"]
    paths += [f"/contests/{over.id}", "/organiser/contests", f"{desk}?early=1", f"{desk}/sheet"]
    context = browser.new_context(viewport=PHONE, color_scheme=theme, bypass_csp=True)  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE_MS)
    context.add_cookies([{"name": "organiser", "value": TOKEN, "url": served.address}])
    page = context.new_page()
    for path in paths:
        page.goto(served.at(path))
        page.evaluate(axe)
        found: list[dict[str, Any]] = page.evaluate("axe.run().then((found) => found.violations)")
        serious = [one["id"] for one in found if one["impact"] in ("serious", "critical")]
        assert not serious, path
    context.close()


# --- the gallery -------------------------------------------------------------------------------------


def test_art_moves_until_it_is_stopped(served: ContestServer, phone: BrowserContext) -> None:
    page = phone.new_page()
    page.goto(served.at("/gallery"))
    images = page.locator(".exhibit .art img")
    expect(images).to_have_count(len(NAMES))
    until(page, "document.querySelector('.art img').naturalWidth > 0")
    expect(images.first).to_have_attribute("src", re.compile(r"/art\.gif"))
    page.get_by_role("link", name="Stop all animations").tap()
    for number in range(len(NAMES)):
        expect(images.nth(number)).to_have_attribute("src", re.compile(r"/still\.gif"))
    one = page.get_by_role("button", name="art of Caju")
    one.press("Enter")
    expect(one.locator("img")).to_have_attribute("src", re.compile(r"/art\.gif"))
    expect(one).to_have_attribute("aria-pressed", "true")


def test_who_wants_less_motion_sees_stills(served: ContestServer, browser: Browser) -> None:
    context = browser.new_context(reduced_motion="reduce", java_script_enabled=False)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(served.at("/gallery"))
    page.wait_for_load_state("networkidle")
    used = page.locator(".art img").first
    assert "still.gif" in str(used.evaluate("image => image.currentSrc"))
    context.close()


@pytest.mark.parametrize("size", [PHONE, pytest.param(LAPTOP, marks=pytest.mark.slow)])
def test_strangers_names_do_no_harm(tmp_path: Path, browser: Browser, size: dict[str, int]) -> None:
    cup = finished_cup(tmp_path, HOSTILE, remarks=hostile, title="<b>Cup</b> " + "w" * 40)
    context = browser.new_context(viewport=size)  # type: ignore[arg-type]
    for watched in _watch(context):
        page = watched.new_page()
        page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
        context.add_cookies([{"name": "organiser", "value": TOKEN, "url": "http://127.0.0.1"}])
        with serving(cup) as other:
            contest, (code, *_) = other.contest(
                choice=Choice.RANKED, title="<script>alert(2)</script>" + "w" * 70
            )
            over, codes = other.contest(choice=Choice.RANKED, title="W" * 100, codes=6)
            for name, one in zip(HOSTILE, codes, strict=True):
                other.vote(over.id, name, code=one)
            other.close(over.id)
            desk = f"/organiser/contests/{contest.id}"
            for path in (
                "/gallery",
                "/contests",
                f"/contests/{contest.id}?code={code}",
                f"/contests/{over.id}",
                "/organiser/contests",
                desk,
            ):
                page.goto(other.at(path))
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
                assert page.locator("main script, main h1 b").count() == 0


# --- on paper ----------------------------------------------------------------------------------------


def codes_on(page: Page) -> set[str]:
    """What an independent reader makes of what is printed."""
    page.emulate_media(media="print")
    codes = page.locator("svg.qr")
    for code in codes.all():
        expect(code).to_be_visible()
    drawings = codes.evaluate_all("all => all.map((one) => new XMLSerializer().serializeToString(one))")
    # drawn here and not by a screenshot: that of a long page sometimes fails in the browser
    pictures = [svg_to_bytes(svg_string=one, width=400, background="white") for one in drawings]
    return {found.text for one in pictures for found in zxingcpp.read_barcodes(Image.open(BytesIO(one)))}


@pytest.mark.parametrize(
    ("count", "pages"),
    [
        pytest.param(15, 1, marks=pytest.mark.slow),
        (16, 2),
        pytest.param(40, 3, marks=pytest.mark.slow),
    ],
)
def test_a_sheet_of_codes_on_paper(served: ContestServer, browser: Browser, count: int, pages: int) -> None:
    contest, codes = served.contest(title="Printed & <cut>", codes=count)
    context = browser.new_context(viewport={"width": 794, "height": 1123}, device_scale_factor=2)
    context.set_default_timeout(PATIENCE_MS)
    context.add_cookies([{"name": "organiser", "value": TOKEN, "url": served.address}])
    page = context.new_page()
    server = "http://192.168.0.10:8080"
    page.goto(served.at(f"/organiser/contests/{contest.id}/sheet?address={server}"))
    assert codes_on(page) == {f"{server}/cups/cup/contests/{contest.id}?code={code}" for code in codes}
    assert set(page.locator(".code").all_text_contents()) == {format_code(code) for code in codes}
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == pages
    context.close()


def test_a_sheet_from_the_command_line(served: ContestServer, browser: Browser, tmp_path: Path) -> None:
    contest, _ = served.contest(codes=1)
    sheet, table = tmp_path / "codes.html", tmp_path / "codes.csv"
    words = ["contest", "codes", str(served.cup.path), str(contest.id), "3"]
    address = "https://botequim.example"
    assert main([*words, "--sheet", str(sheet), "--csv", str(table), "--address", address]) == 0
    codes = table.read_text().split()[1:]
    page = browser.new_page(viewport={"width": 794, "height": 1123}, device_scale_factor=2)
    page.set_default_timeout(PATIENCE_MS)
    page.goto(sheet.as_uri())
    ballot = f"{address}/cups/cup/contests/{contest.id}"
    assert codes_on(page) == {f"{ballot}?code={code.replace('-', '')}" for code in codes}
    page.close()
