"""A browser presses every button of the organiser's pages. The templates say which buttons there are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from jinja2 import BaseLoader, Environment
from playwright.sync_api import Browser, Locator, Page, expect

from botequim.cup.change_requests import requests
from botequim.cup.paths import CupPaths
from botequim.web.templating import TEMPLATES
from tests.support.browser import browser as browser
from tests.support.cup_commands import cup
from tests.support.pace import PATIENCE, until
from tests.support.play_tables import new_tables
from tests.support.server_process import TOKEN, Site, looking, play, serving_site
from tests.support.server_thread import NO_TLS, serving

BUTTON = re.compile(r'<(button|a class="button)')
STAGES = """
[options]
rounds = 2
[[stages]]
name = "league"
format = "round_robin"
games = 2
[[stages]]
name = "final"
format = "knockout"
from = "league"
top = 2
"""


class NumberedButtons(BaseLoader):
    """Loads the same templates; every button has an attribute with its template and its number there."""

    def __init__(self, original: BaseLoader) -> None:
        self._original = original

    def get_source(
        self, environment: Environment, template: str
    ) -> tuple[str, str | None, Callable[[], bool] | None]:
        text, path, current = self._original.get_source(environment, template)
        numbers = iter(range(1, 1000))
        return (
            BUTTON.sub(lambda found: f"{_tag(found[1], f'{template}#{next(numbers)}')}", text),
            path,
            current,
        )


def _tag(tag: str, name: str) -> str:
    return f'<{tag.split()[0]} data-button="{name}"{tag[1:] if tag.startswith("a ") else ""}'


@pytest.fixture
def buttons() -> Iterator[set[str]]:
    """The buttons of all templates that lead to pages of the organiser."""
    loader = TEMPLATES.loader
    assert loader is not None
    found = set()
    for template in TEMPLATES.list_templates(["html"]):
        text = loader.get_source(TEMPLATES, template)[0]
        if "/organiser" in text and template != "base.html":
            found |= {f"{template}#{number}" for number, _ in enumerate(BUTTON.finditer(text), start=1)}
    assert len(found) > 15, "where are the templates?"
    assert TEMPLATES.cache is not None
    TEMPLATES.loader = NumberedButtons(loader)
    TEMPLATES.cache.clear()
    yield found
    TEMPLATES.loader = loader
    TEMPLATES.cache.clear()


class Hand:
    """Presses buttons, and remembers which."""

    def __init__(self, page: Page, site: Site) -> None:
        self.page = page
        self.site = site
        self.pressed: set[str] = set()

    def press(self, name: str, *, inside: Locator | None = None) -> None:
        """Press the button or link with this name, and wait for the page that it leads to."""
        here = inside or self.page.locator("main")
        button = here.locator("[data-button]").filter(has_text=name).first
        self.pressed.add(str(button.get_attribute("data-button")))
        button.click()

    def go(self, path: str) -> None:
        self.page.goto(self.site.address + path)

    def sees(self, text: str) -> None:
        expect(self.page.locator("main")).to_contain_text(text)


def manage_tables(hand: Hand) -> None:
    form = {"game": "rps", "name": "rude name", "seat-1": "me", "seat-2": "greedy"}
    answer = httpx.post(f"{hand.site.address}/play/tables", data=form, timeout=PATIENCE, verify=NO_TLS)
    assert answer.status_code == 303
    hand.go("/organiser")
    hand.press("tables at which people play")
    hand.sees("rude name")
    hand.press("remove name and remarks")
    expect(hand.page.locator("main")).not_to_contain_text("rude name")
    hand.press("remove this table")
    hand.sees("There are no tables yet")


def test_every_button_is_pressed(tmp_path: Path, browser: Browser, buttons: set[str]) -> None:
    names = {"Ana": "greedy", "Bento": "random", "Caio": "random"}
    path = cup(tmp_path / "copa.toml", names, game="rps", stages=STAGES)
    play(path)
    with serving_site(path, tables=new_tables(tmp_path / "tables")) as site, looking(browser) as page:
        hand = Hand(page, site)
        log_in(hand)
        manage_tables(hand)
        reveal_everything(hand, path)
        hold_a_vote(hand)
        change_the_cup(hand, path)
        hand.go("/organiser")
        hand.press("log out")
        hand.sees("printed the token")
    assert sorted(buttons - hand.pressed) == [], "press these too"


def test_cups_with_the_same_title_are_told_apart_by_their_addresses(tmp_path: Path) -> None:
    paths = [
        cup(tmp_path / f"{stem}.toml", {"Ana": "greedy", "Bia": "greedy"}) for stem in ("rinha", "ensaio")
    ]
    organiser = {"Authorization": f"Bearer {TOKEN}"}
    with serving(*paths, token=TOKEN) as served:
        desk = served.get("/organiser", headers=organiser).text
        for stem in ("rinha", "ensaio"):
            assert f"<code>/cups/{stem}</code>" in desk
            for page in ("reveal/all", "contests", "changes"):
                text = served.get(f"/cups/{stem}/organiser/{page}", headers=organiser).text
                assert f"<code>/cups/{stem}</code>" in text


def log_in(hand: Hand) -> None:
    hand.go("/organiser")
    hand.page.get_by_label("token").fill(TOKEN)
    hand.press("log in")
    hand.sees("Everybody sees everything live.")


def shown(path: Path) -> int | None:
    return CupPaths.of(path).storage.shown_games()


def reveal_everything(hand: Hand, path: Path) -> None:
    """Hold a cup back that was played, and reveal it in every way."""
    with CupPaths.of(path).storage.open_visibility() as show:
        show.hold(at=0)
    hand.go("/organiser")
    hand.page.get_by_label("seconds per move").fill("0.05")
    hand.press("show the next game, move by move")
    hand.sees("For organisers")
    expect(hand.page.locator(".sign.live")).to_have_count(1)
    until(lambda: shown(path) == 1, "that the game was revealed")
    hand.go("/organiser")
    hand.press("reveal the rest of the series")
    hand.sees("This reveals 1 game and the result of 1 series.")
    hand.press("cancel")
    assert shown(path) == 1
    hand.press("reveal the rest of the series")
    hand.press("reveal the rest of the series")
    hand.sees("Everybody sees only what was revealed.")
    assert shown(path) == 2
    hand.press("reveal the next game at once")
    hand.sees("Everybody sees only what was revealed.")
    assert shown(path) == 3
    hand.press("reveal the rest of the stage")
    hand.sees("the winners of these stages: league.")
    hand.press("reveal the rest of the stage")
    hand.sees("Everybody sees only what was revealed.")
    hand.press("open: reveal everything")
    hand.sees("Hidden until then: the winner of the cup.")
    hand.press("reveal everything")
    hand.sees("Everybody sees everything live.")
    assert shown(path) is None
    hand.press("hold back")
    hand.sees("Everybody sees only what was revealed.")
    hand.press("big screen")
    expect(hand.page.locator("body.show")).to_be_visible()


def hold_a_vote(hand: Hand) -> None:
    hand.go("/organiser")
    hand.press("contests and votes")
    hand.page.get_by_label("Title").fill("Best art")
    hand.press("Create the contest")
    hand.press("Create codes")
    hand.sees("batch 1: 60 codes, 0 used")
    with hand.page.expect_popup() as opened:
        hand.press("Print unused codes")
    expect(opened.value.locator("body")).to_contain_text("Best art")
    with hand.page.expect_popup() as opened:
        hand.press("CSV")
    opened.value.close()
    hand.press("Open voting")
    hand.sees("voting is open")
    hand.press("Close voting and publish the result")
    hand.sees("this counts 0 ballots and shows everybody the result.")
    hand.press("Close voting and publish the result")
    hand.sees("result available")
    hand.page.get_by_text("Delete this contest").click()
    hand.page.get_by_label("To confirm, enter its title").fill("Best art")
    hand.press("Delete permanently")
    hand.sees("New contest")


def change_the_cup(hand: Hand, path: Path) -> None:
    """Ask for a change of every kind, and revoke one."""
    with CupPaths.of(path).storage.open_visibility() as show:
        show.release()
    with CupPaths.of(path).storage.open_results() as store:
        last = store.series()[-1].number
    hand.go("/organiser")
    hand.press("change the cup")
    for heading, fields, button, told in (
        (
            "A series is played again",
            {"Stage": "final", "Series": str(last)},
            "Play it again",
            "is played again",
        ),
        ("An entrant withdraws", {"Entrant": "Caio"}, "Withdraw", "Caio withdraws"),
        ("An entrant is disqualified", {"Entrant": "Bento"}, "Disqualify", "Bento is disqualified"),
    ):
        ask_for_change(hand, heading, fields, button, told)
        hand.press("change the cup")
        newest = hand.page.locator("[data-request]").first
        expect(newest).to_contain_text(told)
        expect(newest.locator(".sign")).to_have_text("applied")
    hand.page.get_by_text("Revoke this change").first.click()
    form = hand.page.locator("details[open]")
    form.get_by_label("Reason").fill("a mistake")
    hand.press("Revoke", inside=form)
    hand.press("change the cup")
    hand.sees("revoked by change 4")
    for heading, fields, button, told in (
        (
            "A late entrant joins",
            {"Name": "Rui", "Bot": "greedy"},
            "Add the entrant",
            "o stage is left that a late entrant could join",
        ),
        (
            "An entrant plays with corrected files",
            {"Entrant": "Ana", "From this stage": "final", "Bot": "greedy"},
            "Take the new files",
            "begun",
        ),
    ):
        ask_for_change(hand, heading, fields, button, told)  # both are too late, and the page says so
    assert [one.entry for one in requests(CupPaths.of(path).storage)] == [1, 2, 3, 4]


def ask_for_change(hand: Hand, heading: str, fields: dict[str, str], button: str, told: str) -> None:
    form = hand.page.locator("section").filter(has=hand.page.get_by_role("heading", name=heading))
    for label, value in {**fields, "Reason": "they asked for it"}.items():
        box = form.get_by_label(label)
        if box.evaluate("one => one.tagName") == "SELECT":
            box.select_option(value)
        else:
            box.fill(value)
    hand.press(button, inside=form)
    hand.sees(told)
