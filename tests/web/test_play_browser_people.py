"""Several people at one table, each with a real browser: invitations, spectators, restarts; no barriers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import browser as browser
from tests.support.browser_tables import (
    DESK,
    PHONE,
    READY,
    Hand,
    is_within,
    open_table,
    play_move,
    play_to_end,
    sitting_down,
    wait_for_turn,
)
from tests.support.pace import until
from tests.support.play_tables import new_tables
from tests.support.server_process import start_site
from tests.support.server_thread import serving

WAITING = "body[data-state=waiting]"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tables=new_tables(tmp_path_factory.mktemp("tables"))) as server:
        yield server.address


def invitation_of(page: Page) -> str:
    """Return the link that the creator of a table sends to a friend."""
    page.locator(WAITING).wait_for(state="attached")
    return page.locator("#invite .linkrow input").first.input_value()


def sit_down(page: Page, invitation: str, name: str) -> None:
    page.goto(invitation)
    page.locator("#name").fill(name)
    page.get_by_role("button", name="sit down").click()
    page.locator("#seats .you").wait_for()


def play_together(pages: list[Page], moves: int = 1000) -> int:
    """Let the people move in turn until so many moves are made, or the game is over."""
    hands = (Hand.MOUSE, Hand.TOUCH)
    count = 0
    while count < moves:
        until(lambda: any(page.locator(READY).count() for page in pages))
        for page, hand in zip(pages, hands, strict=True):
            if page.locator("body.ended").count():
                return count
            if page.locator("body[data-state=mine]").count():
                play_move(page, hand)
                count += 1
                break
    return count


def test_two_friends_and_two_champions_with_a_reload_and_a_killed_server(
    browser: Browser, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        site = stack.enter_context(start_site(words=("--tables", str(tmp_path / "tables"))))
        ana = stack.enter_context(sitting_down(browser))
        rui = stack.enter_context(sitting_down(browser, viewport=PHONE))
        champion = "champion@easy"
        open_table(ana, site.address, "cubos", "me", champion, "friend", champion)
        sit_down(rui, invitation_of(ana), "Rui")
        people = [ana, rui]
        play_together(people, 3)
        rui.reload()
        play_together(people, 2)
        site.stop(kill=True)
        for page in people:
            expect(page.locator("#line")).to_be_visible()
        before = ana.locator("#moves li").all_text_contents()
        site.start()
        for page in people:
            expect(page.locator("#line")).to_be_hidden()
        # every move is still there
        until(lambda: ana.locator("#moves li").all_text_contents()[-len(before) :] == before)
        play_together(people)
        for page in people:
            expect(page.locator("#result")).to_be_visible()
        record = ana.request.get(
            site.address + str(ana.get_by_role("link", name="download the record").get_attribute("href"))
        )
        assert record.ok
        assert "Rui" in record.text()


def test_a_friend_and_a_spectator(site: str, browser: Browser) -> None:
    with (
        sitting_down(browser) as ana,
        sitting_down(browser, viewport=PHONE) as rui,
        sitting_down(browser) as guest,
    ):
        address = open_table(ana, site, "rps", "me", "friend", option__rounds="3", watch="on")
        invitation = invitation_of(ana)
        rui.goto(invitation)
        assert rui.evaluate("document.documentElement.scrollWidth") <= 360
        sit_down(rui, invitation, "Rui")
        guest.goto(f"{site}/play")
        guest.locator("section:has(#h-open) a", has_text="watch").first.click()
        expect(guest.locator("#watchers")).to_contain_text("1")
        assert guest.locator("#tray, #hint").count() == 0
        assert address.rpartition("/")[2] not in guest.content()

        rui.locator("#talk").tap()
        rui.locator("#say").fill("boa sorte!")
        rui.keyboard.press("Enter")
        wait_for_turn(rui)
        play_move(rui, Hand.TOUCH)
        expect(rui.locator("#turn")).to_contain_text("Waiting for the others")
        wait_for_turn(ana)
        play_move(ana)
        for page in (ana, guest):
            expect(page.locator("#bubbles")).to_contain_text("boa sorte!")
            expect(page.locator("#moves")).to_contain_text("boa sorte!")
        play_together([ana, rui])
        expect(guest.locator("#result")).to_be_visible()
        expect(guest.locator("#turn")).to_contain_text("over")


def test_who_leaves_is_replaced_and_comes_back(site: str, browser: Browser) -> None:
    with sitting_down(browser) as ana, sitting_down(browser) as rui:
        open_table(ana, site, "uno", "me", "friend", players="2")
        sit_down(rui, invitation_of(ana), "Rui")
        rui.get_by_role("button", name="leave the table").click()
        expect(rui.locator("#turn")).to_contain_text("A champion plays for you")
        expect(ana.locator("#seats li").nth(1)).to_contain_text("a champion plays")
        wait_for_turn(ana)
        play_move(ana)
        rui.locator("#return").click()
        expect(ana.locator("#seats li").nth(1)).not_to_contain_text("a champion plays")
        until(lambda: any(page.locator("body[data-state=mine]").count() for page in (ana, rui)))


def test_who_leaves_a_waiting_table_is_at_the_play_page(site: str, browser: Browser) -> None:
    with sitting_down(browser) as ana, sitting_down(browser) as rui:
        open_table(ana, site, "uno", "me", "friend", "friend", players="3")
        sit_down(rui, invitation_of(ana), "Rui")
        rui.get_by_role("button", name="leave the table").click()
        rui.wait_for_url(f"{site}/play")
        expect(rui.locator("#games li")).to_have_count(0)
        expect(ana.locator("#invite .linkrow")).to_have_count(2)
        ana.get_by_role("button", name="leave the table").click()
        ana.wait_for_url(f"{site}/play")
        expect(ana.locator("#games li")).to_have_count(1)  # who is alone keeps the table


def test_the_others_see_where_a_rematch_is(site: str, browser: Browser) -> None:
    with sitting_down(browser) as ana, sitting_down(browser) as rui:
        open_table(ana, site, "rps", "me", "friend", option__rounds="1")
        sit_down(rui, invitation_of(ana), "Rui")
        play_together([ana, rui])
        expect(ana.locator("#result")).to_be_visible()
        expect(ana.get_by_role("button", name="leave the table")).to_be_hidden()
        ana.get_by_role("button", name="play again").click()
        rui.get_by_role("link", name="the others play again").click()
        play_together([ana, rui])
        expect(rui.locator("#result")).to_be_visible()


def test_a_waiting_table_begins_without_the_friend(site: str, browser: Browser) -> None:
    with sitting_down(browser, viewport=PHONE) as ana:
        open_table(ana, site, "rps", "me", "friend", option__rounds="1")
        invitation_of(ana)
        is_within(ana)
        expect(ana.locator("#invite img.qr")).to_have_js_property("complete", True)
        ana.get_by_role("button", name="start now").tap()
        assert play_to_end(ana, Hand.TOUCH) == 1


def test_a_clock_runs_and_a_match_has_several_games(site: str, browser: Browser) -> None:
    with sitting_down(browser) as page:
        open_table(page, site, "rps", "me", "random", option__rounds="1", best_of="3", clock="60")
        wait_for_turn(page)
        expect(page.locator("#match")).to_contain_text("game 1 of 3")
        left = page.locator("#clock").inner_text()
        until(lambda: page.locator("#clock").inner_text() != left)
        play_to_end(page)
        page.get_by_role("button", name="next game").click()
        expect(page.locator("#match")).to_contain_text("game 2 of 3")
        expect(page.locator("#result")).to_be_hidden()
        wait_for_turn(page)
        play_to_end(page)
        expect(page.locator("#earlier a")).to_have_text("game 1")


def test_everything_is_said_in_portuguese(site: str, browser: Browser) -> None:
    with sitting_down(browser, locale="pt-BR", viewport=PHONE) as page:
        page.goto(f"{site}/play")
        expect(page.locator("h1")).to_have_text("Jogar")
        open_table(page, site, "rps", "me", "greedy", option__rounds="1")
        wait_for_turn(page)
        assert "Sua vez" in page.title()
        is_within(page)
        play_to_end(page, Hand.TOUCH)
        expect(page.get_by_role("button", name="jogar de novo")).to_be_visible()


# --- barriers --------------------------------------------------------------------------------------------


@cache
def axe() -> str:
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def violations(page: Page, within: str = "body", *, dark: bool = True) -> list[Any]:
    """Return what is wrong with a page, or with a part of it; with `dark`, in both themes."""
    page.evaluate(axe())
    # tables of rules have an empty corner
    found = page.evaluate(
        "within => axe.run(within, { rules: { 'empty-table-header': { enabled: false } } })"
        ".then((found) => found.violations)",
        within,
    )
    if dark:  # only the colours are different
        page.emulate_media(color_scheme="dark")
        found += page.evaluate("axe.run({ runOnly: ['color-contrast'] }).then((found) => found.violations)")
        page.emulate_media(color_scheme="light")
    return [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]


def test_no_barrier_around_the_table(site: str, browser: Browser) -> None:
    with sitting_down(browser, reduced_motion="reduce", viewport=PHONE) as page:
        page.goto(f"{site}/play")
        page.locator(".gamecard summary").first.click()
        assert violations(page) == [], "lobby"
        open_table(page, site, "rps", "me", "friend")
        invitation = invitation_of(page)
        assert violations(page) == [], "waiting"
        page.goto(invitation)
        assert violations(page) == [], "invitation"


@pytest.mark.parametrize("size", [PHONE, pytest.param(DESK, marks=pytest.mark.slow)], ids=["phone", "desk"])
def test_no_barrier_at_the_table(size: dict[str, int], site: str, browser: Browser) -> None:
    with sitting_down(browser, reduced_motion="reduce", viewport=size) as page:
        open_table(page, site, "fives", "me", "greedy", option__target="10")
        seen = set()
        while wait_for_turn(page):
            piece = page.locator(".piece.can").first
            if "choice" not in seen and piece.count():
                piece.click()
                if page.locator(".place").count():
                    assert violations(page) == [], "choice"
                    seen.add("choice")
                    page.locator(".place").first.click()
            else:
                play_move(page)
        assert violations(page) == [], "over"
        page.locator("[data-press=settings]").click()
        assert violations(page, "#settings", dark=False) == [], "settings"
        page.keyboard.press("Escape")
        page.keyboard.press("?")
        expect(page.locator("#keys")).to_be_visible()
        assert violations(page, "#keys", dark=False) == [], "keys"
