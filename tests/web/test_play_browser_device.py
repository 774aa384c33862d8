"""What a table does with the device of a person: sounds, vibration, a screen that was locked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import browser as browser
from tests.support.browser_tables import PHONE, open_table, play_move, sitting_down, wait_for_turn
from tests.support.play_tables import new_tables
from tests.support.server_thread import serving

DEVICE = """
window.notes = []; window.buzzes = [];
const ramps = { setValueAtTime() {}, exponentialRampToValueAtTime() {} };
window.AudioContext = class { currentTime = 0; state = "running"; destination = {}; };
window.OscillatorNode = class {
  constructor(audio, { frequency }) { this.pitch = frequency; this.frequency = ramps; }
  connect(next) { return next; } start() { window.notes.push(this.pitch); } stop() {}
};
window.GainNode = class { gain = ramps; connect(next) { return next; } };
Navigator.prototype.vibrate = (milliseconds) => window.buzzes.push(milliseconds);
"""
"""Loudspeaker and motor of a device that writes down what they are asked to do."""
KNOCK = [320, 1150]
CHIME = [660, 880]
UNLOCK = """() => {
  const now = Date.now;
  let hidden = true;
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event("visibilitychange"));
  Date.now = () => now() + 60000;
  hidden = false;
  document.dispatchEvent(new Event("visibilitychange"));
}"""
"""The screen is locked for a minute."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tables=new_tables(tmp_path_factory.mktemp("tables"))) as server:
        yield server.address


def play_round(page: Page) -> None:
    """Play a round of rps. A coin decides some rounds, which is a move more."""
    moves = page.locator("#moves li")
    before = moves.count()
    play_move(page)
    expect(moves).not_to_have_count(before)
    wait_for_turn(page)


def choose_setting(page: Page, label: str) -> None:
    page.locator("[data-press=settings]").click()
    page.get_by_label(label).check()
    page.keyboard.press("Escape")


def test_sounds_are_played_only_if_they_are_wanted(site: str, browser: Browser) -> None:
    with sitting_down(browser) as page:
        page.add_init_script(DEVICE)
        open_table(page, site, "rps", "me", "greedy")
        wait_for_turn(page)
        play_round(page)
        assert page.evaluate("window.notes") == []
        choose_setting(page, "sound")
        assert page.evaluate("window.notes") == KNOCK, "the choice can be heard"
        play_round(page)
        notes = page.evaluate("window.notes")
        assert set(notes) == {*KNOCK, *CHIME}
        assert notes.count(CHIME[0]) == 1, "one chime, when it is the person's turn"
        page.reload()
        wait_for_turn(page)
        expect(page.locator("input[name=sound]")).to_be_checked()


def test_a_phone_vibrates_when_it_is_the_turn_of_its_owner(site: str, browser: Browser) -> None:
    with sitting_down(browser, viewport=PHONE) as page:
        page.add_init_script(DEVICE)
        open_table(page, site, "rps", "me", "greedy")
        wait_for_turn(page)
        play_round(page)
        assert page.evaluate("window.buzzes") == []
        choose_setting(page, "vibrate when it is my turn")
        play_round(page)
        assert len(page.evaluate("window.buzzes")) == 1


def test_after_a_screen_lock_the_page_asks_for_the_position_again(site: str, browser: Browser) -> None:
    with sitting_down(browser, viewport=PHONE) as page:
        open_table(page, site, "rps", "me", "greedy")
        wait_for_turn(page)
        with page.expect_request(lambda request: "/events" in request.url):
            page.evaluate(UNLOCK)
        expect(page.locator("#line")).to_be_hidden()
        play_round(page)
