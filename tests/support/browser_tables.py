"""A person who plays at a table in a real browser: by mouse, by touch, by keyboard."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect

from tests.support.server_process import looking

PHONE = {"width": 360, "height": 740}
DESK = {"width": 1366, "height": 768}
READY = "body[data-state=mine], body.ended"
"""The page when the person has to do something."""
MOST_MOVES = 400


class Hand(StrEnum):
    """How a person plays."""

    MOUSE = "mouse"
    TOUCH = "touch"
    KEYS = "keys"


@contextmanager
def sitting_down(browser: Browser, *, speed: str = "off", **how: Any) -> Iterator[Page]:
    """Open a page whose person wants this speed of animations."""
    with looking(browser, **{"viewport": DESK, "has_touch": True, **how}) as page:
        settings = json.dumps({"speed": speed, "confirm": False, "sound": False, "buzz": False})
        page.add_init_script(
            f"localStorage.getItem('play.settings') ?? localStorage.setItem('play.settings', {settings!r})"
        )
        yield page


def open_table(page: Page, site: str, game: str, *seats: str, **fields: str) -> str:
    """Open a table as the form does, go to the person's seat there, and return its address."""
    form: dict[str, str | float | bool] = {
        "game": game,
        "name": "Ana",
        **{f"seat-{at}": who for at, who in enumerate(seats, start=1)},
    }
    form |= {name.replace("__", "-"): value for name, value in fields.items()}
    answer = page.request.post(f"{site}/play/tables", form=form, max_redirects=0)
    assert answer.status == 303, answer.text()
    address = site + answer.headers["location"]
    page.goto(address)
    return address


def is_ended(page: Page) -> bool:
    return page.locator("body.ended").count() > 0


def wait_for_turn(page: Page) -> bool:
    """Wait until the person has to move, or the game is over. Return whether it goes on."""
    page.locator(READY).wait_for(state="attached")
    return not is_ended(page)


def play_move(page: Page, hand: Hand = Hand.MOUSE) -> None:
    """Make the first move that the page offers."""
    if hand is Hand.KEYS:
        _play_with_keys(page)
        return
    playable = page.locator(".piece.can")
    if not playable.count():
        _press(page.locator(".act-button").first, hand)
        return
    _press(playable.first, hand)
    places = page.locator(".target") if page.locator(".target").count() else page.locator(".place")
    if places.count():
        _press(places.last, hand)


def _press(button: Locator, hand: Hand) -> None:
    if hand is Hand.TOUCH:
        button.tap()
    else:
        button.click()


def _play_with_keys(page: Page) -> None:
    """Go to a piece with arrows and press Enter; if there is a choice of places, press Enter there, too."""
    marks = page.locator(".piece").evaluate_all("all => all.map((one) => one.classList.contains('can'))")
    if not any(marks):
        page.keyboard.press("p")
        return
    if not page.locator(".piece:focus").count():
        page.keyboard.press("ArrowRight")  # the first arrow leads to the hand
    now = page.evaluate("Number(document.activeElement.dataset.at ?? 0)")
    steps = marks.index(True) - now
    for _ in range(abs(steps)):
        page.keyboard.press("ArrowRight" if steps > 0 else "ArrowLeft")
    page.keyboard.press("Enter")
    if page.locator(".place:focus").count():
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")


def play_to_end(page: Page, hand: Hand = Hand.MOUSE) -> int:
    """Play until the game is over. Return the number of moves."""
    for moves in range(MOST_MOVES):
        if not wait_for_turn(page):
            return moves
        play_move(page, hand)
    raise AssertionError("the game does not end")


def is_within(page: Page) -> None:
    """Fail if the page can be scrolled sideways, or the table upwards."""
    root = "document.documentElement"
    assert page.evaluate(f"{root}.scrollWidth <= innerWidth"), page.evaluate(WIDE)
    assert page.evaluate(f"{root}.scrollHeight <= innerHeight"), "the table does not fit the screen"


WIDE = """[...document.querySelectorAll("body *")]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
  .map((one) => `${one.tagName} ${one.id} ${one.className}`).slice(0, 9)"""
"""The elements that stand out of the page."""


def turn_of(page: Page) -> str:
    """Return what the banner says."""
    expect(page.locator("#turn")).not_to_be_empty()
    return page.locator("#turn").inner_text()
