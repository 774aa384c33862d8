"""What a table says in moments that are not usual, and whether it can be read on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from botequim.tables.tables import Tables
from tests.support.browser import browser as browser
from tests.support.browser_tables import (
    PHONE,
    is_within,
    open_table,
    play_move,
    play_to_end,
    sitting_down,
    turn_of,
    wait_for_turn,
)
from tests.support.play_tables import new_tables
from tests.support.server_process import relay
from tests.support.server_thread import ServerThread, serving

SIDEWAYS = {"width": 740, "height": 360}
CUT = """(all) => all
  .filter((one) => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1)
  .map((one) => one.textContent)"""
"""The texts of the elements that do not show all of it."""
BROKEN = """(all) => all.flatMap((one) => one.textContent.split(" ").filter((word) => {
  const range = document.createRange();
  const start = one.textContent.indexOf(word);
  range.setStart(one.firstChild, start);
  range.setEnd(one.firstChild, start + word.length);
  return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1;
}))"""
"""The words that continue on the next line."""


@dataclass
class Site:
    """A server with tables at which people play."""

    server: ServerThread
    tables: Tables

    @property
    def address(self) -> str:
        return self.server.address


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    tables = new_tables(tmp_path_factory.mktemp("tables"))
    with serving(tables=tables) as server:
        yield Site(server, tables)


def cut(texts: Locator) -> list[str]:
    found: list[str] = texts.evaluate_all(CUT)
    return found


def test_a_table_that_was_removed_says_so(site: Site, browser: Browser) -> None:
    with sitting_down(browser) as page:
        address = open_table(page, site.address, "rps", "me", "greedy")
        wait_for_turn(page)
        table, _ = site.tables.seat(address.rpartition("/")[2]) or pytest.fail("no table")
        site.server.soon(lambda: site.tables.remove(table.spec.id))
        expect(page.locator("#line")).to_contain_text("does not exist any more.")
        expect(page.locator("#line a")).to_have_attribute("href", "/play")


@pytest.mark.parametrize("players", [4, 10])
def test_a_phone_tells_champions_apart(players: int, site: Site, browser: Browser) -> None:
    champions = ["champion@easy"] * (players - 1)
    with sitting_down(browser, viewport=PHONE) as page:
        open_table(page, site.address, "uno", "me", *champions, players=str(players))
        names = page.locator("#seats .name")
        expect(names).to_have_text(
            ["Ana", "champion easy", *(f"champion easy {number}" for number in range(2, players))]
        )
        assert cut(page.locator("#seats .who")) == []
        assert names.evaluate_all(BROKEN) == []
        is_within(page)


def test_a_phone_shows_names_and_the_score_of_the_match(site: Site, browser: Browser) -> None:
    seats = ("me", "champion@easy", "champion@easy", "champion@easy")
    with sitting_down(browser, viewport=PHONE) as page:
        open_table(page, site.address, "cubos", *seats, name="Ana Beatriz", best_of="3")
        wait_for_turn(page)
        assert cut(page.locator("#seats .who, #wins, .top h1")) == []
        expect(page.locator("#seats .who").nth(2)).to_contain_text("(partner)")
        expect(page.locator("#wins")).to_contain_text("0 : 0")
        is_within(page)


@pytest.mark.parametrize("game", ["rps", "cubos", "uno"])
def test_a_phone_that_is_held_sideways_shows_the_table(game: str, site: Site, browser: Browser) -> None:
    with sitting_down(browser, viewport=SIDEWAYS) as page:
        open_table(page, site.address, game, "me", *["greedy"] * {"rps": 1, "uno": 2}.get(game, 3))
        wait_for_turn(page)
        is_within(page)
        assert cut(page.locator("#banner, #told, #status")) == []
        for shown in (*page.locator(".piece").all(), *page.locator(".moverow button:visible").all()):
            expect(shown).to_be_in_viewport(ratio=0.9)


def test_a_phone_that_is_held_sideways_shows_what_comes_after_a_game(site: Site, browser: Browser) -> None:
    with sitting_down(browser, viewport=SIDEWAYS) as page:
        open_table(page, site.address, "rps", "me", "greedy", option__rounds="1")
        play_to_end(page)
        expect(page.locator("#after > *")).to_have_count(7)
        for shown in page.locator("#after > *").all():
            expect(shown).to_be_in_viewport(ratio=0.9)


def test_rules_that_stand_beside_the_table_are_read_in_a_narrow_window(site: Site, browser: Browser) -> None:
    with sitting_down(browser) as page:
        open_table(page, site.address, "rps", "me", "greedy")
        wait_for_turn(page)
        page.keyboard.press("r")
        expect(page.locator("#rules")).to_be_visible()
        left, right = (page.locator(one).bounding_box() for one in ("#board", "#rules"))
        assert left is not None
        assert right is not None
        assert left["x"] + left["width"] <= right["x"], "the rules cover nothing of the table"
        page.set_viewport_size({"width": 360, "height": 740})
        assert page.locator("#rules").evaluate("(one) => one.clientWidth") > 300


def test_how_a_round_was_decided_is_shown_whole(site: Site, browser: Browser) -> None:
    with sitting_down(browser, viewport=PHONE) as page:
        open_table(page, site.address, "rps", "me", "random", option__rounds="12")
        while wait_for_turn(page):
            assert cut(page.locator("#told")) == []
            play_move(page)


def choose_wild_card(page: Page) -> None:
    """Play until an ace or a joker can be played, and choose it."""
    while wait_for_turn(page):
        wild = page.locator(".piece.can[data-name^=A], .piece.can[data-name^=C]")
        if wild.count():
            wild.first.click()
            return
        play_move(page)
    raise AssertionError("there was no ace and no joker")


def test_a_wild_card_asks_for_a_suit(site: Site, browser: Browser) -> None:
    with sitting_down(browser) as page:
        for _ in range(20):
            open_table(page, site.address, "uno", "me", "greedy", players="2", option__hand_size="9")
            try:
                choose_wild_card(page)
            except AssertionError:
                continue
            break
        expect(page.locator("#status")).to_contain_text("which suit do you ask for?")
        assert page.locator(".place").count() == 4


def test_choices_that_are_rare_are_shown_and_hidden(site: Site, browser: Browser) -> None:
    with sitting_down(browser, viewport=PHONE) as page:
        open_table(page, site.address, "uno", "me", "greedy", players="2")
        while wait_for_turn(page) and not page.get_by_role("button", name="more…").count():
            play_move(page)  # somebody who owes cards buys just these
        usual = page.locator("#doing button").count()
        page.get_by_role("button", name="more…").tap()
        expect(page.get_by_role("button", name="fewer")).to_have_attribute("aria-expanded", "true")
        assert page.locator("#doing button").count() > usual
        is_within(page)
        page.get_by_role("button", name="fewer").tap()
        expect(page.locator("#doing button")).to_have_count(usual)


def test_a_seat_that_nobody_is_at_is_away_and_not_to_move(site: Site, browser: Browser) -> None:
    with sitting_down(browser) as page, sitting_down(browser) as guest:
        open_table(page, site.address, "rps", "me", "greedy", watch="on")
        wait_for_turn(page)
        guest.goto(site.address + str(page.locator("body").get_attribute("data-watch")))
        expect(guest.locator("#seats li").first).to_contain_text("to move")
        page.get_by_role("button", name="leave the table").click()
        expect(page.locator("#turn")).to_contain_text("You have left")
        for other in (page, guest):
            expect(other.locator("#seats li").first).to_contain_text("away")
            expect(other.locator("#seats li").first).not_to_contain_text("to move")


def test_a_lost_connection_does_not_say_that_somebody_thinks(site: Site, browser: Browser) -> None:
    with relay(site.server.port) as line, sitting_down(browser) as page:
        open_table(page, f"http://127.0.0.1:{line.port}", "rps", "me", "greedy")
        wait_for_turn(page)
        line.cut()
        expect(page.locator("#line")).to_be_visible()
        expect(page.locator("#banner")).to_be_hidden()
        line.mend()
        expect(page.locator("#banner")).to_be_visible()
        assert "Your turn" in turn_of(page)


def test_the_link_of_a_seat_has_a_code_for_another_device(site: Site, browser: Browser) -> None:
    with sitting_down(browser) as page:
        open_table(page, site.address, "rps", "me", "greedy")
        wait_for_turn(page)
        page.get_by_role("button", name="links", exact=True).click()
        expect(page.locator("#share-text .link", has_text="another device").locator("img")).to_be_visible()


def test_a_deal_that_was_played_before_is_marked_from_the_beginning(site: Site, browser: Browser) -> None:
    with sitting_down(browser) as page:
        open_table(page, site.address, "rps", "me", "random", option__rounds="1")
        play_to_end(page)
        page.get_by_role("button", name="same deal").click()
        page.wait_for_url(lambda address: "/play/seat/" in address)
        expect(page.locator("#watchers")).to_contain_text("played before")
        page.set_viewport_size({"width": 360, "height": 740})
        expect(page.locator("#told")).to_contain_text("played before")
        expect(page.locator("#known")).to_contain_text("known deal")
