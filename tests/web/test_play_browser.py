"""People play whole games in a real browser: by mouse, touch and keyboard, on a screen and on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import browser as browser
from tests.support.browser_tables import (
    DESK,
    PHONE,
    Hand,
    is_within,
    open_table,
    play_move,
    play_to_end,
    sitting_down,
    turn_of,
    wait_for_turn,
)
from tests.support.pace import until
from tests.support.play_tables import new_tables
from tests.support.server_process import relay
from tests.support.server_thread import serving

MOST_BYTES = 150_000
"""The most that the first load of a table may transfer."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tables=new_tables(tmp_path_factory.mktemp("tables"))) as server:
        yield server.address


CUBOS = ("me", "greedy", "random", "greedy")
GAMES: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "cubos": (CUBOS, {}),
    "havana": (CUBOS, {}),
    "fives": (("me", "greedy"), {"option__target": "10"}),
    "uno": (("me", "random", "greedy"), {"players": "3", "option__hand_size": "3"}),
    "rps": (("me", "random"), {"option__rounds": "5"}),
}


COUNTED = """Object.values(JSON.parse(localStorage['play.stats']))
  .map((one) => one.won + one.lost + one.drew)"""
"""How many results of each game the browser remembers."""
HOLD_BACK = """() => {
  const send = window.fetch;
  window.fetch = (where, how) => how?.method !== "POST" ? send(where, how)
    : new Promise((go) => { window.release = () => go(send(where, how)); });
}"""
"""Delays what the page sends until `window.release()`."""


def start(page: Page, site: str, game: str) -> str:
    seats, fields = GAMES[game]
    return open_table(page, site, game, *seats, **fields)


@pytest.mark.parametrize(
    ("game", "hand", "size"),
    [
        ("cubos", Hand.KEYS, DESK),
        ("havana", Hand.TOUCH, PHONE),
        ("fives", Hand.MOUSE, DESK),
        ("uno", Hand.TOUCH, PHONE),
        ("rps", Hand.KEYS, PHONE),
        pytest.param("cubos", Hand.TOUCH, PHONE, marks=pytest.mark.slow),
        pytest.param("havana", Hand.KEYS, DESK, marks=pytest.mark.slow),
        pytest.param("fives", Hand.TOUCH, PHONE, marks=pytest.mark.slow),
        pytest.param("uno", Hand.KEYS, DESK, marks=pytest.mark.slow),
        pytest.param("rps", Hand.MOUSE, DESK, marks=pytest.mark.slow),
    ],
)
def test_a_whole_game_is_played(
    game: str, hand: Hand, size: dict[str, int], site: str, browser: Browser
) -> None:
    with sitting_down(browser, viewport=size) as page:
        start(page, site, game)
        wait_for_turn(page)
        is_within(page)
        assert "Your turn" in page.title()
        assert play_to_end(page, hand) > 0
        is_within(page)
        assert re.search("You won!|You lost|A draw", turn_of(page))
        assert "Your turn" not in page.title()
        assert page.evaluate(COUNTED) == [1]
        page.reload()
        expect(page.locator("#result")).to_be_visible()
        assert page.evaluate(COUNTED) == [1], "a reload does not count the game again"


def test_play_now_and_play_again(site: str, browser: Browser) -> None:
    with sitting_down(browser, viewport=PHONE) as page:
        page.goto(f"{site}/play")
        page.locator("#name").fill("Ana Terra")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert page.locator("[name=option-forfeit_history], [name=option-strict]").count() == 0, "for bots"
        card = page.locator(".gamecard[data-game=rps]")
        card.locator("summary").click()
        card.get_by_label("rounds in a game").fill("2")
        card.locator("[data-seat='2'] select").select_option("greedy")
        card.get_by_role("button", name="open the table").click()
        wait_for_turn(page)
        expect(page.locator(".seats .you")).to_contain_text("Ana Terra")
        first = page.url
        play_to_end(page)
        page.get_by_role("button", name="play again").click()
        page.wait_for_url(lambda address: address != first)
        wait_for_turn(page)
        page.goto(f"{site}/play")
        expect(page.locator("#games li")).to_have_count(2)
        expect(card.locator(".stats")).to_contain_text(re.compile(r"\d won, \d lost, \d drawn"))
        expect(page.locator("#name")).to_have_value("Ana Terra")
        card.get_by_role("button", name="play now").click()
        expect(page.locator("#seats")).to_contain_text("champion")


def test_after_a_game_the_champion_looks_at_each_move(site: str, browser: Browser) -> None:
    with sitting_down(browser) as page:
        start(page, site, "rps")
        moves = play_to_end(page)
        page.get_by_role("button", name="the champion's view").click()
        expect(page.locator(".review > li")).to_have_count(moves)
        expect(page.locator("#review-text")).to_contain_text(f"of your {moves} moves are as good")
        page.locator("#review").get_by_role("button", name="close").click()
        page.get_by_role("button", name="challenge a friend").click()
        assert "/play/join/" in page.locator("#share-text input").input_value()
        expect(page.locator("#share-text svg")).to_be_visible()
        page.locator("#share").get_by_role("button", name="close").click()
        page.get_by_role("link", name="replay").click()
        expect(page.locator("#stage svg")).to_be_visible()


def test_a_piece_that_cannot_be_played_is_explained(site: str, browser: Browser) -> None:
    with sitting_down(browser, viewport=PHONE) as page:
        start(page, site, "cubos")
        while wait_for_turn(page) and not page.locator(".piece.cannot").count():
            play_move(page)
        piece = page.locator(".piece.cannot").first
        expect(piece).to_have_attribute("aria-disabled", "true")
        turns = page.locator("#moves li").count()
        piece.tap(force=True)  # Playwright takes aria-disabled for unpressable
        expect(page.locator("#status")).to_contain_text(str(piece.get_attribute("data-name")))
        assert page.locator("#moves li").count() == turns


def with_two_places(page: Page) -> str:
    """Play until a piece has several places on the table, and return the name of that piece."""
    while wait_for_turn(page):
        for piece in page.locator(".piece.can").all():
            name = str(piece.get_attribute("data-name"))
            piece.click()
            if page.locator(".target").count() > 1:
                page.keyboard.press("Escape")
                return name
            break
        else:
            page.locator(".act-button").first.click()
    raise AssertionError("no piece had a choice of places")


def find_places(page: Page, site: str) -> str:
    """Open tables until a piece has several places."""
    while True:
        start(page, site, "fives")
        try:
            return with_two_places(page)
        except AssertionError:
            continue


def test_a_piece_is_dragged_to_its_place(site: str, browser: Browser) -> None:
    with sitting_down(browser) as page:
        name = find_places(page, site)
        piece = page.locator(f".piece[data-name='{name}']")
        start_box = piece.bounding_box()
        assert start_box is not None
        page.mouse.move(start_box["x"] + 20, start_box["y"] + 20)
        page.mouse.down()
        page.mouse.move(start_box["x"] + 40, start_box["y"] - 60, steps=3)
        target = page.locator(".target").last
        label = str(target.get_attribute("aria-label"))
        end_box = target.bounding_box()
        assert end_box is not None
        page.mouse.move(end_box["x"] + end_box["width"] / 2, end_box["y"] + end_box["height"] / 2, steps=3)
        expect(target).to_have_class(re.compile("lit"))
        before = page.locator("#moves li").count()
        page.mouse.up()
        until(lambda: page.locator("#moves li").count() != before or page.locator("body.ended").count())
        assert name in label
        assert any(
            name in line and line.startswith("Ana") for line in page.locator("#moves li").all_text_contents()
        )


def test_a_piece_is_dragged_with_a_finger(site: str, browser: Browser) -> None:
    with sitting_down(browser, viewport=PHONE) as page:
        open_table(page, site, "rps", "me", "random", option__rounds="2")
        wait_for_turn(page)
        box = page.locator(".piece[data-name=paper]").bounding_box()
        assert box is not None
        finger = page.context.new_cdp_session(page)

        def touch(kind: str, *points: tuple[float, float]) -> None:
            places = [{"x": x, "y": y} for x, y in points]
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

        x, y = box["x"] + 30, box["y"] + 30
        touch("touchStart", (x, y))
        touch("touchMove", (x, y - 40))
        expect(page.locator(".piece.dragged")).to_have_count(1)
        touch("touchMove", (x, y + 20))
        touch("touchEnd")  # it was let go over the hand: nothing is played
        expect(page.locator(".piece.dragged")).to_have_count(0)
        assert page.locator("#moves li").count() == 0
        touch("touchStart", (x, y))
        touch("touchMove", (x, y - 60))
        touch("touchMove", (x, 300))
        touch("touchEnd")
        expect(page.locator("#moves")).to_contain_text("Ana: paper")


def test_a_form_that_is_refused_is_shown_again(site: str, browser: Browser) -> None:
    with sitting_down(browser) as page:
        page.goto(f"{site}/play")
        card = page.locator(".gamecard[data-game=uno]")
        card.locator("summary").click()
        card.get_by_label("players", exact=True).select_option("8")
        expect(card.locator("[data-seat]:visible")).to_have_count(8)
        card.get_by_role("button", name="only friends").click()
        mine = card.locator("[data-seat='1'] select")
        mine.select_option("greedy")
        card.get_by_role("button", name="open the table").click()
        expect(page.locator("p[role=alert]")).to_contain_text("exactly one seat for yourself")
        expect(card.locator("[data-seat]:visible")).to_have_count(8)
        expect(card.locator("[data-seat='8'] select")).to_have_value("friend")
        mine.select_option("me")
        card.get_by_role("button", name="open the table").click()
        expect(page.locator("#invite .linkrow").last).to_be_visible()
        assert page.locator("#invite .linkrow").count() == 7


def test_a_piece_is_taken_back_and_a_move_is_confirmed(site: str, browser: Browser) -> None:
    with sitting_down(browser) as page:
        name = find_places(page, site)
        piece = page.locator(f".piece[data-name='{name}']")
        piece.click()
        expect(piece).to_have_attribute("aria-pressed", "true")
        page.get_by_role("button", name="take back").click()
        expect(page.locator(".target")).to_have_count(0)
        expect(piece).to_have_attribute("aria-pressed", "false")
        page.locator("[data-press=settings]").click()
        page.get_by_label("ask before a move is played").check()
        page.keyboard.press("Escape")
        piece.click()
        page.locator(".target").first.click()
        question = page.locator(".doing .main")
        expect(question).to_contain_text(name)
        expect(page.locator(".target.lit")).to_have_count(1)
        expect(page.locator("#status")).not_to_contain_text("Where does")
        assert piece.count() == 1, "nothing is played before the answer"
        question.click()
        expect(page.locator("#moves")).to_contain_text(f"Ana lays {name}")


def test_a_hint_marks_the_piece_that_the_champion_would_play(site: str, browser: Browser) -> None:
    with sitting_down(browser) as page:
        start(page, site, "rps")
        wait_for_turn(page)
        page.keyboard.press("h")
        expect(page.locator("#advice")).to_contain_text("champion")
        expect(page.locator(".piece.hinted")).to_have_count(1)
        page.keyboard.press("Escape")
        expect(page.locator("#advice")).to_be_hidden()
        page.keyboard.press("r")
        expect(page.locator("#rules-text")).to_contain_text("scissors")
        play_move(page)
        expect(page.locator(".piece.hinted")).to_have_count(0)


def test_pieces_fly_to_their_place_unless_motion_is_reduced(site: str, browser: Browser) -> None:
    count = """() => {
      window.flights = 0;
      new MutationObserver((all) => { window.flights += all.flatMap((one) => [...one.addedNodes]).length; })
        .observe(document.getElementById("flight"), { childList: true });
      const { animate } = Element.prototype;
      window.zooms = 0;
      Element.prototype.animate = function (...how) {
        window.zooms += Number(this.matches(".zooming"));
        return animate.apply(this, how);
      };
    }"""
    for reduced in (False, True):
        motion = {"reduced_motion": "reduce"} if reduced else {}
        with sitting_down(browser, speed="fast", **motion) as page:
            start(page, site, "cubos")
            wait_for_turn(page)
            page.evaluate(count)
            play_move(page)
            wait_for_turn(page)
            assert (page.evaluate("window.flights") > 0) is not reduced
            assert (page.evaluate("window.zooms") > 0) is not reduced, "the line makes room"
            expect(page.locator("#flight svg")).to_have_count(0)


def test_a_lost_connection_is_shown_and_the_game_goes_on_afterwards(site: str, browser: Browser) -> None:
    with relay(int(site.rpartition(":")[2])) as line, sitting_down(browser) as page:
        open_table(page, f"http://127.0.0.1:{line.port}", "cubos", *CUBOS)
        wait_for_turn(page)
        line.cut()
        expect(page.locator("#line")).to_be_visible()
        assert page.locator(".piece.can, .act-button").count() == 0, "nothing can be played meanwhile"
        line.mend()
        expect(page.locator("#line")).to_be_hidden()
        assert play_to_end(page) > 0


def test_a_page_that_missed_something_is_told_and_catches_up(site: str, browser: Browser) -> None:
    with sitting_down(browser) as page, sitting_down(browser) as other:
        address = start(page, site, "cubos")
        other.goto(address)
        wait_for_turn(page)
        wait_for_turn(other)
        other.evaluate(HOLD_BACK)
        play_move(other)
        play_move(page)
        wait_for_turn(page)
        other.evaluate("window.release()")
        expect(other.locator("#status")).to_contain_text("changed meanwhile")
        expect(other.locator("#moves li").first).to_have_text(page.locator("#moves li").first.inner_text())


@pytest.mark.parametrize(
    "game",
    ["cubos", "uno", *(pytest.param(one, marks=pytest.mark.slow) for one in ("havana", "fives", "rps"))],
)
def test_the_first_load_is_small(game: str, site: str, browser: Browser) -> None:
    with relay(int(site.rpartition(":")[2])) as line, sitting_down(browser) as page:
        start(page, f"http://127.0.0.1:{line.port}", game)
        wait_for_turn(page)
        assert 10_000 < line.carried < MOST_BYTES


def test_the_record_of_a_game_is_downloaded(site: str, browser: Browser, tmp_path: Path) -> None:
    with sitting_down(browser) as page:
        start(page, site, "rps")
        play_to_end(page)
        with page.expect_download() as download:
            page.get_by_role("link", name="download the record").click()
        download.value.save_as(tmp_path / "game.jsonl")
        assert '"rps"' in (tmp_path / "game.jsonl").read_text("utf-8").splitlines()[0]
