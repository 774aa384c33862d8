"""cubos in the browser: what can be done, what cannot and why, and where a tile would lie."""

from __future__ import annotations

from dataclasses import replace

import pytest

from botequim.core.game import CHANCE
from botequim.core.options import resolve_options
from botequim.core.turn import PlayedMove, Step
from botequim.games.cubos.rules import GAME
from botequim.games.dominoes.picture import LineRenderer
from botequim.render.drawing import table_box
from botequim.render.layout import PAGE_SHAPES, PLAY_SHAPES, Shape
from botequim.render.renderer import renderer_for
from tests.support.controls_agree import (
    Position,
    check_boxes,
    check_choices,
    check_hand,
    check_place,
    check_places,
    check_refusals,
    check_words,
    last_piece_box,
    random_positions,
    tile_boxes,
)
from tests.support.picture_scenes import line_of_28

DEAL = "deal 6-6 4-4 4-5 0-6 0-1 5-6 1-1 | 0-0 0-2 0-3 0-4 0-5 1-2 1-3 | 1-4 1-5 1-6 2-2 2-3 2-4 2-5 | "
DEAL += "2-6 3-3 3-4 3-5 3-6 4-6 5-5"


def position(*moves: str) -> Position:
    """Return the position after moves, for the seat that is to move."""
    options = resolve_options(GAME.name, GAME.options, {})
    state = GAME.start(options)
    step = Step(0, state, (), state)
    for number, text in enumerate((DEAL, "open 6-6", *moves), start=1):
        (by,) = GAME.to_move(state)
        move = GAME.read(text)
        assert GAME.check(state, by, move) is None, text
        step = Step(number, state, (PlayedMove(by, move),), GAME.apply(state, {by: move}))
        state = step.after
    (seat,) = GAME.to_move(state)
    assert seat != CHANCE
    return Position(GAME, options, step, seat)


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_controls_agree_with_the_rules_and_the_picture(seed: str) -> None:
    laid = places = 0
    for one in random_positions(GAME, seed):
        check_choices(one)
        check_words(one)
        check_hand(one)
        check_refusals(one, lambda tile: (f"{tile} left", f"{tile} right"))
        laid += check_boxes(one)
        places += check_places(one)
    assert laid > 60
    assert places > 60


def test_a_tile_can_have_two_places() -> None:
    now = position("pass", "1-6 left", "2-6 right")  # the line is 1-6 6-6 6-2
    choices = {choice.move: choice for choice in now.controls.choices(now.view)}
    assert set(choices) == {"0-1 left", "1-1 left"}
    assert str(choices["0-1 left"].label) == "lay 0-1 on the left"
    assert choices["0-1 left"].piece == "0-1"
    assert str(choices["0-1 left"].target_label) == "left end"
    now = position("pass", "1-6 left", "2-6 right", "1-1 left")
    both = [choice for choice in now.controls.choices(now.view) if choice.piece == "1-2"]
    assert [choice.target for choice in both] == ["left", "right"]


def test_a_tile_that_does_not_fit_is_refused_with_the_ends() -> None:
    now = position("pass", "1-6 left", "2-6 right")
    assert str(now.controls.refusal("4-5", now.view)) == "4-5 fits neither end: the ends are 1 and 2."
    now = position("pass", "1-6 left", "2-6 right", "1-1 left", "1-2 left")
    assert str(now.controls.refusal("1-5", now.view)) == "1-5 does not fit: both ends are 2."
    waiting = now._replace(seat=0)
    assert str(waiting.controls.refusal("4-5", waiting.view)) == "It is not your turn."


def test_who_must_pass_has_one_button_and_learns_why() -> None:
    now = position()  # nobody but the first and the last seat can follow 6-6
    (only,) = now.controls.choices(now.view)
    assert (only.move, str(only.label), only.piece) == ("pass", "pass", "")
    (why,) = now.controls.situation(now.view)
    assert str(why).endswith("none of your tiles has one of these numbers, so you must pass.")
    free = position("pass")
    assert str(free.controls.situation(free.view)[-1]) == "You may pass only if none of your tiles fits."


@pytest.mark.parametrize("shape", [Shape.WIDE, Shape.TALL])
def test_places_at_both_ends_are_on_their_sides_of_the_line(shape: Shape) -> None:
    now = position("pass", "1-6 left", "2-6 right", "1-1 left")
    boxes = now.controls.target_boxes(now.view, now.scene(), shape)
    middle = table_box(now.scene(), shape).centre[0]
    assert boxes["1-2 left"].x < middle < boxes["1-2 right"].x
    assert boxes["1-2 left"].width == 2 * boxes["1-2 left"].height


@pytest.mark.parametrize("shape", PAGE_SHAPES)
@pytest.mark.parametrize("first", [0, 5, 14, 27])
def test_a_place_is_right_however_long_the_line_is(first: int, shape: Shape) -> None:
    whole = line_of_28(first)
    line = whole.facts["line"]
    renderer = renderer_for(GAME)
    assert isinstance(renderer, LineRenderer)
    table = table_box(whole, shape)
    room = table.inset(-0.5)
    for reach in range(28):
        left, right = max(0, first - reach), min(27, first + reach)
        before = {"line": line[left : right + 1], "first": first - left, "last": None}
        for side, start, end in (("left", left - 1, right), ("right", left, right + 1)):
            if start < 0 or end > 27:
                continue
            new = tuple(line[start] if side == "left" else line[end])
            box = renderer.next_tile_box(before, new, table, shape, left=side == "left")
            last = 0 if side == "left" else end - start
            after = {"line": line[start : end + 1], "first": first - start, "last": last}
            drawn = last_piece_box(replace(whole, facts=after), shape)
            assert box == pytest.approx(drawn, abs=0.5)
            assert room.x <= box.x <= box.x + box.width <= room.x + room.width
            assert room.y <= box.y <= box.y + box.height <= room.y + room.height


@pytest.mark.parametrize("shape", PLAY_SHAPES)
@pytest.mark.parametrize("first", [0, 5, 14, 27])
def test_where_a_person_plays_a_place_is_beside_the_line_however_long_it_is(first: int, shape: Shape) -> None:
    whole = line_of_28(first)
    renderer = renderer_for(GAME)
    assert isinstance(renderer, LineRenderer)
    table = table_box(whole, shape)
    line = whole.facts["line"]
    for start, end in ((max(0, first - reach), min(27, first + reach)) for reach in range(27)):
        now = replace(whole, facts={"line": line[start : end + 1], "first": first - start, "last": None})
        for left in (True, False):
            for halves in ((3, 3), (3, 4)):
                box = renderer.next_tile_box(now.facts, halves, table, shape, left=left)
                check_place(box, tile_boxes(now, shape), table.inset(-0.5))
