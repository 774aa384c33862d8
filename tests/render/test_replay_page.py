"""The one-file replay, in a real browser, opened from disk."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Browser, FloatRect, Page, expect

from botequim import i18n, registry
from botequim.cli import main
from botequim.records.reader import read_records
from botequim.records.replay import Replay
from botequim.render.drawing import parts, size
from botequim.render.layout import Shape
from botequim.render.replay_page import page as replay_page
from botequim.render.scene import OPEN, Perspective, scene_at
from botequim.render.svg import flat
from tests.support.browser import browser, page
from tests.support.golden import FOLDER
from tests.support.picture_scenes import golden_replay

__all__ = ["browser", "page"]


LIMIT = 300_000


def open_page(page: Page, folder: Path, name: str) -> Page:
    file = folder / f"{name}.html"
    file.write_text(replay_page(golden_replay(name)), encoding="utf-8")
    page.goto(file.as_uri())
    return page


def move(page: Page) -> int:
    return int(page.evaluate("document.documentElement.dataset.move"))


def drawn_by(page: Page) -> str:
    return str(page.evaluate("document.querySelector('#stage svg').innerHTML"))


def html_of(page: Page, svg: str) -> str:
    """As the browser itself would write it."""
    return str(
        page.evaluate(
            """(svg) => {
                const made = document.querySelector("#stage svg").cloneNode(false);
                made.innerHTML = svg;
                return made.innerHTML;
            }""",
            svg,
        )
    )


def test_every_position_is_the_picture_that_the_renderer_makes_from_every_sight(
    page: Page, tmp_path: Path
) -> None:
    game = golden_replay("fives-plain")
    open_page(page, tmp_path, "fives-plain")
    perspectives: list[tuple[str, Perspective, int]] = [("0", None, len(game)), ("o", OPEN, 5), ("2", 1, 5)]
    for key, perspective, positions in perspectives:
        page.keyboard.press("Home")
        page.keyboard.press(key)
        for number in range(1, positions + 1):
            expected = flat(list(parts(scene_at(game, number, perspective), Shape.WIDE).values()))
            same = drawn_by(page) == html_of(page, expected)
            assert same, (perspective, number)
            page.keyboard.press("ArrowRight")


def test_hidden_hands_are_hidden_and_their_words_too(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, "uno-two")
    game = golden_replay("uno-two")
    draw = next(step.number for step in game.steps() if game.game.write(step.turn[0].move).startswith("draw"))
    page.keyboard.press("0")
    for _ in range(draw - 1):
        page.keyboard.press("ArrowRight")
    assert "draws" not in page.locator("#told").inner_text()
    page.keyboard.press("o")
    assert "draws" in page.locator("#told").inner_text()


def test_keys_step_jump_play_and_pause(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, "cubos-domino")
    turns = len(golden_replay("cubos-domino"))
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


def test_speed_goes_up_and_down(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, "cubos-forfeit")
    speed = page.get_by_label("speed")
    for key, expected in [("+", "2"), ("=", "4"), ("-", "2"), ("-", "1"), ("-", "0.5"), ("-", "0.5")]:
        page.keyboard.press(key)
        assert speed.input_value() == expected, key


def test_keys_do_the_same_after_the_mouse_was_used(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, "fives-plain")
    page.get_by_role("button", name="one move forward").click()
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="pause")).to_be_visible()
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="play", exact=True)).to_be_visible()
    stopped = move(page)
    page.get_by_role("button", name="light or dark").click()
    theme = page.evaluate("document.documentElement.dataset.theme")
    page.keyboard.press("ArrowRight")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="pause")).to_be_visible()
    page.keyboard.press(" ")
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    assert move(page) > stopped
    track = box(page, "#position")
    page.mouse.click(track["x"] + 5, track["y"] + track["height"] / 2)
    assert move(page) == 1
    page.keyboard.press("ArrowRight")
    page.keyboard.press("o")
    assert move(page) == 2
    assert page.get_by_label("hands").input_value() == "1"
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="pause")).to_be_visible()


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_steps_never_show_another_hand(page: Page, tmp_path: Path, by: str) -> None:
    open_page(page, tmp_path, "fives-plain")
    hands = page.get_by_label("hands")
    if by == "mouse":
        hands.click()
        page.keyboard.press("Escape")
    else:
        while page.evaluate("document.activeElement.id") != "hands":
            page.keyboard.press("Tab")
    hands.select_option("2")
    for key, expected in [("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("End", 24), ("Home", 1)]:
        page.keyboard.press(key)
        assert (move(page), hands.input_value()) == (expected, "2"), key


def test_who_goes_by_keyboard_can_press_every_control(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, "fives-plain")
    page.get_by_role("button", name="last move").click()
    while page.evaluate("document.activeElement.id") != "theme":
        page.keyboard.press("Tab")
    before = page.evaluate("document.documentElement.dataset.theme")
    page.keyboard.press(" ")
    assert page.evaluate("document.documentElement.dataset.theme") != before
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.documentElement.lang") == "pt-BR"
    while page.evaluate("document.activeElement.id") != "hands":
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowDown")
    assert page.locator("#hands").input_value() == "1"
    assert move(page) == 24


def test_h_shows_one_seat_after_another(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, "uno-ten-faults")
    seen = []
    for _ in range(11):
        page.keyboard.press("h")
        seen.append(int(page.get_by_label("hands").input_value()) - 1)
    assert seen == [*range(1, 11), 1]


def test_it_plays_to_the_end_and_stops(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, "cubos-forfeit")
    page.get_by_label("speed").select_option("8")
    page.get_by_role("button", name="play", exact=True).click()
    last = str(len(golden_replay("cubos-forfeit")))
    expect(page.locator("html")).to_have_attribute("data-move", last)
    expect(page.get_by_role("button", name="play", exact=True)).to_be_visible()


def test_buttons_sights_and_the_list_of_moves(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, "havana-domino")
    page.get_by_role("button", name="last move").click()
    assert page.get_by_role("button", name="one move forward").is_disabled()
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
    open_page(page, tmp_path, "cubos-domino")
    assert page.evaluate("document.documentElement.lang") == "pt-BR"
    page.keyboard.press("End")
    expect(page.locator("#told")).to_contain_text("Vencedor")
    assert page.locator("#speed option").first.inner_text() == "0,5×"
    button = page.locator("#language")
    assert (button.inner_text(), button.get_attribute("title")) == ("English", "idioma: English")
    page.keyboard.press("l")
    assert (button.inner_text(), button.get_attribute("title")) == ("Português", "language: Português")
    expect(page.locator("#told")).to_contain_text("Winner")
    assert page.locator("#speed option").first.inner_text() == "0.5×"
    assert page.evaluate("document.documentElement.lang") == "en"
    context.close()


PHONE = {"width": 390, "height": 844}
SIDEWAYS = {"width": 844, "height": 390}


@contextmanager
def phone(browser: Browser, folder: Path, name: str, size: Any = PHONE) -> Iterator[Page]:
    context = browser.new_context(locale="en-GB", viewport=size, has_touch=True, is_mobile=True)
    yield open_page(context.new_page(), folder, name)
    context.close()


def box(page: Page, selector: str) -> FloatRect:
    found = page.locator(selector).bounding_box()
    assert found is not None
    return found


def swipe(page: Page, across: float, down: float = 0) -> None:
    """A finger on the board, as the browser itself is told of one."""
    stage = box(page, "#stage")
    x, y = stage["x"] + stage["width"] / 2, stage["y"] + stage["height"] / 2
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        places = [{"x": x, "y": y} for x, y in points]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    touch("touchStart", (x, y))
    for step in (0.25, 0.5, 0.75, 1):
        touch("touchMove", (x + step * across, y + step * down))
    touch("touchEnd")
    session.detach()


def test_a_phone_gets_the_tall_picture_and_swipes(browser: Browser, tmp_path: Path) -> None:
    with phone(browser, tmp_path, "uno-four-empty-pile") as page:
        drawn = box(page, "#stage svg")
        assert drawn["height"] > drawn["width"] == 390
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, "nothing to scroll sideways"
        seen = []
        for across, down in ((-120, 0), (-120, 10), (-120, -10), (120, 0), (-20, 0), (-60, 90)):
            swipe(page, across, down)
            seen.append(move(page))
        assert seen == [2, 3, 4, 3, 3, 3], "to the left is on; what is short or steep is no step"
        page.touchscreen.tap(drawn["width"] / 2, drawn["height"] / 2)
        expect(page.get_by_role("button", name="pause")).to_be_visible()


def test_a_phone_that_is_turned_gets_the_other_picture(browser: Browser, tmp_path: Path) -> None:
    scene = scene_at(golden_replay("fives-plain"), 1)
    with phone(browser, tmp_path, "fives-plain") as page:
        for turned, shape in ((SIDEWAYS, Shape.WIDE), (PHONE, Shape.TALL)):
            page.set_viewport_size(turned)  # type: ignore[arg-type]
            wide, high = size(scene, shape)
            expect(page.locator("#stage svg")).to_have_attribute("viewBox", f"0 0 {wide:g} {high:g}")


@pytest.mark.parametrize("name", [pytest.param("fives-plain", marks=pytest.mark.slow), "uno-ten-faults"])
def test_a_phone_held_sideways_is_filled_by_the_board(browser: Browser, tmp_path: Path, name: str) -> None:
    with phone(browser, tmp_path, name, SIDEWAYS) as page:
        drawn = box(page, "#stage svg")
        assert drawn["width"] > 640
        assert drawn["y"] + drawn["height"] <= 390
        for control in ("first", "back", "play", "forward", "last", "position", "hands", "language"):
            place = box(page, f"#{control}")
            assert place["y"] + place["height"] <= 390, control
            assert place["x"] >= drawn["x"] + drawn["width"], control
        assert page.evaluate("document.documentElement.scrollWidth") <= 844


@pytest.mark.parametrize("size", [PHONE, pytest.param(SIDEWAYS, marks=pytest.mark.slow)])
def test_fingers_hit_the_controls_of_a_phone(browser: Browser, tmp_path: Path, size: Any) -> None:
    with phone(browser, tmp_path, "uno-ten-faults", size) as page:
        for control in page.locator("#controls button, #controls select").all():
            place = control.bounding_box()
            assert place is not None
            assert place["width"] >= 44, control
            assert place["height"] >= 43, control


@pytest.mark.parametrize(
    "size",
    [
        (1280, 720),
        pytest.param((1920, 1080), marks=pytest.mark.slow),
        pytest.param((1024, 768), marks=pytest.mark.slow),
        (390, 844),
    ],
)
def test_board_controls_and_words_are_seen_at_once(page: Page, tmp_path: Path, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    open_page(page, tmp_path, "havana-domino")
    told = box(page, "#told")
    assert told["y"] + told["height"] <= size[1]
    assert box(page, "#stage svg")["height"] > 0.6 * size[1]


@pytest.mark.parametrize(
    "size",
    [
        pytest.param((1280, 900), marks=pytest.mark.slow),
        (390, 844),
        pytest.param((844, 390), marks=pytest.mark.slow),
    ],
)
def test_controls_stay_where_they_are_from_move_to_move(
    page: Page, tmp_path: Path, size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    open_page(page, tmp_path, "uno-ten-faults")
    places, heights = page.evaluate(
        """() => {
            const places = new Set(), heights = new Set();
            const rect = (id) => document.getElementById(id).getBoundingClientRect();
            for (let k = 0; k < 200; k++) {
                const controls = ["play", "forward", "position", "hands"].map((id) => rect(id).toJSON());
                places.add(JSON.stringify(controls));
                heights.add(rect("told").height);
                document.getElementById("forward").click();
            }
            return [places.size, heights.size];
        }"""
    )
    assert move(page) == len(golden_replay("uno-ten-faults"))
    assert places == 1
    assert heights > 1 or size[0] > 400, "on a phone what is told does grow"


def test_dark_and_light(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, "rps-plain")
    panel = "getComputedStyle(document.querySelector('#stage .b-felt')).fill"
    before = page.evaluate(panel)
    page.get_by_role("button", name="light or dark").click()
    assert page.evaluate(panel) != before
    page.get_by_role("button", name="light or dark").click()
    assert page.evaluate(panel) == before


def test_symbols_have_their_colours_in_the_page(page: Page, tmp_path: Path) -> None:
    """What a symbol looks like is decided where it is defined, not where it is used: look at the pixels."""
    open_page(page, tmp_path, "havana-domino")
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


def rename_seat(folder: Path, name: str) -> Path:
    """A golden record in which the first seat has another name."""
    header, *rest = (FOLDER / "cubos-domino.jsonl").read_text(encoding="utf-8").splitlines()
    content = json.loads(header)
    content["seats"][0]["name"] = name
    record = folder / "renamed.jsonl"
    record.write_text("\n".join([json.dumps(content), *rest]), encoding="utf-8")
    return record


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("x" * 10_000, marks=pytest.mark.slow),
        "Z" + "\u0301" * 500,
        pytest.param("e\u0301" * 5000, marks=pytest.mark.slow),
        "\ud800" * 300,
    ],
)
def test_no_name_defaces_the_page(browser: Browser, tmp_path: Path, name: str) -> None:
    file = tmp_path / "named.html"
    assert main(["replay", str(rename_seat(tmp_path, name)), "-o", str(file)]) == 0
    plain = len(replay_page(golden_replay("cubos-domino")).encode())
    assert file.stat().st_size < plain + 2000
    with phone(browser, tmp_path, "cubos-domino") as page:
        page.goto(file.as_uri())
        assert len(page.title()) < 150
        for key in ("ArrowRight", "End"):
            page.keyboard.press(key)
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
            assert "\u0301" * 3 not in page.locator("body").inner_html()
        title = box(page, "#title")
        assert title["x"] + title["width"] <= 390
        assert page.evaluate("document.querySelector('#title').scrollWidth") <= title["width"] + 1, "not cut"


def art_of(kind: str, at: int, seat: int) -> list[str]:
    if kind == "signs":
        rng = random.Random(2 * at + seat)
        return ["".join(chr(rng.randrange(33, 127)) for _ in range(20)) for _ in range(10)]
    if kind == "solid":
        return ["█" * 60] * 60
    ball = [
        "".join("@" if (x - at - 4) ** 2 / 4 + (y - 30) ** 2 < 60 else "." for x in range(60))
        for y in range(60)
    ]
    return ball[::-1] if seat else ball


@pytest.mark.parametrize(
    "kind",
    ["signs", pytest.param("ball", marks=pytest.mark.slow), pytest.param("solid", marks=pytest.mark.slow)],
)
def test_art_in_every_round_fits_into_the_page(page: Page, tmp_path: Path, kind: str) -> None:
    header, *lines = (FOLDER / "rps-plain.jsonl").read_text(encoding="utf-8").splitlines()
    rounds = [json.loads(line) for line in lines]
    for at, played_round in enumerate(rounds[:-1]):
        for made in played_round["moves"]:
            if made["by"] >= 0:
                made["remarks"] = [{"art": art_of(kind, at, made["by"])}]
    record, file = tmp_path / "art.jsonl", tmp_path / "art.html"
    record.write_text("\n".join([header, *map(json.dumps, rounds)]), encoding="utf-8")
    assert main(["replay", str(record), "-o", str(file)]) == 0
    assert file.stat().st_size < LIMIT / 2, "of a whole game, with art of both in every round"
    page.goto(file.as_uri())
    page.keyboard.press("ArrowRight")
    game = Replay.load(next(read_records(record)))
    assert drawn_by(page) == html_of(page, flat(list(parts(scene_at(game, 2), Shape.WIDE).values())))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.jsonl")), ids=lambda path: path.stem)
def test_a_usual_game_is_small_and_whole(path: Path) -> None:
    html = replay_page(golden_replay(path.stem))
    assert len(html.encode()) < LIMIT
    assert "http://" not in html.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in html
    assert i18n.language() == "en", "the language is as it was"


def test_every_registered_game_can_be_replayed() -> None:
    drawn = {path.stem.split("-")[0] for path in FOLDER.glob("*.jsonl")}
    assert drawn == set(registry.game_names())
