"""The one-file replay, in a real browser, opened from disk."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from botequim import i18n, registry
from botequim.cli import main
from botequim.picture import OPEN, Shape, Sight, parts
from botequim.picture.replay import page as replay_page
from botequim.picture.svg import flat
from tests.browser import browser, page
from tests.golden import FOLDER
from tests.picture_scenes import played

__all__ = ["browser", "page"]

LIMIT = 300_000


def opened(page: Page, folder: Path, name: str) -> Page:
    file = folder / f"{name}.html"
    file.write_text(replay_page(played(name)), encoding="utf-8")
    page.goto(file.as_uri())
    return page


def move(page: Page) -> int:
    return int(page.evaluate("document.documentElement.dataset.move"))


def test_every_position_of_every_sight_is_the_picture_that_the_renderer_makes(
    page: Page, tmp_path: Path
) -> None:
    game = played("fives-plain")
    opened(page, tmp_path, "fives-plain")
    sights: list[tuple[str, Sight]] = [("0", None), ("o", OPEN), ("2", 1)]
    for key, sight in sights:
        page.keyboard.press("Home")
        page.keyboard.press(key)
        for number in range(1, len(game.steps) + 1):
            expected = flat(list(parts(game.scene(number, sight), Shape.WIDE).values()))
            same = page.evaluate(
                """(expected) => {
                    const drawn = document.querySelector("#stage svg");
                    const made = drawn.cloneNode(false);
                    made.innerHTML = expected;
                    return made.innerHTML === drawn.innerHTML;
                }""",
                expected,
            )
            assert same, (sight, number)
            page.keyboard.press("ArrowRight")


def test_hidden_hands_are_hidden_and_their_words_too(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, "uno-two")
    game = played("uno-two")
    draw = next(step.number for step in game.steps if game.game.write(step.turn[0].move).startswith("draw"))
    page.keyboard.press("0")
    for _ in range(draw - 1):
        page.keyboard.press("ArrowRight")
    assert "draws" not in page.locator("#told").inner_text()
    page.keyboard.press("o")
    assert "draws" in page.locator("#told").inner_text()


def test_keys_step_jump_play_and_pause(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, "cubos-domino")
    turns = len(played("cubos-domino").steps)
    assert move(page) == 1
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert move(page) == 3
    page.keyboard.press("ArrowLeft")
    assert move(page) == 2
    page.keyboard.press("End")
    assert move(page) == turns
    expect(page.locator("#told")).to_contain_text("Winner")
    page.keyboard.press("Home")
    for _ in range(3):
        page.keyboard.press("+")
    page.keyboard.press(" ")
    expect(page.locator("html")).to_have_attribute("data-move", re.compile(r"[4-9]|\d\d"))
    expect(page.get_by_role("button", name="pause")).to_be_visible()
    page.keyboard.press(" ")
    stopped = move(page)
    expect(page.get_by_role("button", name="play", exact=True)).to_be_visible()
    assert move(page) == stopped


def test_it_plays_to_the_end_and_stops(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, "cubos-forfeit")
    page.get_by_label("speed").select_option("8")
    page.get_by_role("button", name="play", exact=True).click()
    last = str(len(played("cubos-forfeit").steps))
    expect(page.locator("html")).to_have_attribute("data-move", last)
    expect(page.get_by_role("button", name="play", exact=True)).to_be_visible()


def test_buttons_sights_and_the_list_of_moves(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, "havana-domino")
    page.get_by_role("button", name="last move").click()
    assert page.get_by_role("button", name="one move on").is_disabled()
    page.get_by_role("button", name="one move back").click()
    backs = page.locator("#stage use[href='#tb']")
    hidden = backs.count()
    page.get_by_label("hands").select_option(label="all open")
    shown = backs.count()
    page.get_by_label("hands").select_option(label="2 p1")
    assert shown < backs.count() < hidden
    page.get_by_text("moves", exact=True).click()
    page.locator("#moves button").nth(6).click()
    assert move(page) == 7
    assert page.locator("#moves [aria-current=step]").count() == 1
    page.locator("#position").fill("9")
    assert move(page) == 9


def test_it_speaks_portuguese_to_who_does_and_changes_when_asked(browser: Browser, tmp_path: Path) -> None:
    context = browser.new_context(locale="pt-BR")
    page = context.new_page()
    opened(page, tmp_path, "cubos-domino")
    assert page.evaluate("document.documentElement.lang") == "pt-BR"
    page.keyboard.press("End")
    expect(page.locator("#told")).to_contain_text("Vencedor")
    page.keyboard.press("l")
    expect(page.locator("#told")).to_contain_text("Winner")
    assert page.evaluate("document.documentElement.lang") == "en"
    context.close()


def test_a_phone_gets_the_tall_picture_and_swipes(browser: Browser, tmp_path: Path) -> None:
    context = browser.new_context(
        locale="en-GB", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    opened(page, tmp_path, "uno-four-empty-pile")
    _, _, width, height = page.locator("#stage svg").get_attribute("viewBox").split()  # type: ignore[union-attr]
    assert float(height) > float(width)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390, "nothing to scroll sideways"
    box = page.locator("#stage").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for across in (-120, -120, 120):
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + across, y)
        page.mouse.up()
    assert move(page) == 2
    page.touchscreen.tap(x, y)
    expect(page.get_by_role("button", name="pause")).to_be_visible()
    context.close()


def test_dark_and_light(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, "rps-plain")
    panel = "getComputedStyle(document.querySelector('#stage .b-felt')).fill"
    before = page.evaluate(panel)
    page.get_by_role("button", name="light or dark").click()
    assert page.evaluate(panel) != before
    page.get_by_role("button", name="light or dark").click()
    assert page.evaluate(panel) == before


def test_symbols_have_their_colours_in_the_page(page: Page, tmp_path: Path) -> None:
    """What a symbol looks like is decided where it is defined, not where it is used: look at the pixels."""
    opened(page, tmp_path, "havana-domino")
    page.keyboard.press("End")
    page.keyboard.press("o")
    shot = Image.open(BytesIO(page.locator("#stage svg").screenshot())).convert("RGB")
    colours = {colour for count, colour in shot.getcolors(1 << 24) or [] if count > 200}
    assert (0xFC, 0xF8, 0xEC) in colours, "ivory tiles"
    assert (0, 0, 0) not in colours, "nothing that lost its colour"


def test_hostile_names_and_art_stay_text(page: Page, tmp_path: Path) -> None:
    text = (FOLDER / "rps-faults-and-art.jsonl").read_text(encoding="utf-8")
    evil = "</script><img src=x onerror=alert(1)>"
    lines = [line.replace('"name":"p0"', f'"name":"{evil}"') for line in text.splitlines()]
    record = tmp_path / "evil.jsonl"
    # an edited record still is a game by the rules; its digests are for `verify`
    record.write_text("\n".join(lines), encoding="utf-8")
    assert main(["replay", str(record), "-o", str(tmp_path / "evil.html")]) == 0
    page.goto((tmp_path / "evil.html").as_uri())
    expect(page.locator("h1")).to_contain_text(evil)
    assert page.locator("img").count() == 0
    page.keyboard.press("End")


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.jsonl")), ids=lambda path: path.stem)
def test_a_usual_game_is_small_and_whole(path: Path) -> None:
    html = replay_page(played(path.stem))
    assert len(html.encode()) < LIMIT
    assert "http://" not in html.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in html
    assert i18n.language() == "en", "the language is as it was"


def test_every_registered_game_can_be_replayed() -> None:
    drawn = {path.stem.split("-")[0] for path in FOLDER.glob("*.jsonl")}
    assert drawn == set(registry.game_names())
