"""fives in the browser: what can be done, what cannot and why, and where a tile would lie."""

from __future__ import annotations

import pytest

from botequim.core.options import resolve_options
from botequim.core.turn import PlayedMove, Step
from botequim.games.fives.rules import GAME
from botequim.games.fives.spinner import DIRECTIONS
from botequim.render.layout import Shape
from tests.support.controls_agree import (
    Position,
    check_boxes,
    check_choices,
    check_hand,
    check_places,
    check_refusals,
    check_words,
    random_positions,
)

DEAL = "deal 3-6 4-5 2-6 3-5 0-1 1-1 2-3 | 5-5 5-6 4-4 2-5 3-4 0-2 0-3"
LOCKED = "deal 3-3 2-2 0-1 0-4 0-5 0-6 1-1 | 1-2 1-4 1-5 1-6 2-4 2-5 2-6"


def position(*moves: str, deal: str = DEAL) -> Position:
    """Return the position after the deal and moves."""
    options = resolve_options(GAME.name, GAME.options, {})
    state = GAME.start(options)
    step = Step(0, state, (), state)
    for number, text in enumerate((deal, *moves), start=1):
        (by,) = GAME.to_move(state)
        move = GAME.read(text)
        assert GAME.check(state, by, move) is None, text
        step = Step(number, state, (PlayedMove(by, move),), GAME.apply(state, {by: move}))
        state = step.after
    return Position(GAME, options, step, GAME.to_move(state)[0])


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_controls_agree_with_the_rules_and_the_picture(seed: str) -> None:
    laid = places = 0
    for one in random_positions(GAME, seed, target=40):
        check_choices(one)
        check_words(one)
        check_hand(one)
        check_refusals(one, lambda tile: [f"{tile} {side}" for side in DIRECTIONS])
        laid += check_boxes(one)
        places += check_places(one)
    assert laid > 60
    assert places > 60


def test_a_tile_may_fit_several_arms() -> None:
    now = position("open 5-5", "4-5 left", "5-6 right", "2-6 right", "0-2 right", "0-1 right", "2-5 up")
    # left 4, right 1, up 2, down 5
    targets = {
        (choice.piece, choice.target): str(choice.target_label)
        for choice in now.controls.choices(now.view)
        if choice.piece
    }
    assert targets == {
        ("1-1", "right"): "right end",
        ("2-3", "up"): "upper end",
        ("3-5", "down"): "lower end",
    }
    assert check_boxes(now) == 6


def test_each_choice_says_what_it_scores() -> None:
    now = position("open 5-5")
    labels = {choice.move: str(choice.label) for choice in now.controls.choices(now.view)}
    assert labels == {
        "4-5 left": "lay 4-5 on the left: the ends add up to 14",
        "3-5 left": "lay 3-5 on the left: the ends add up to 13",
    }
    now = position("open 5-5", "4-5 left")
    labels = {choice.move: str(choice.label) for choice in now.controls.choices(now.view)}
    assert labels["5-6 right"] == "lay 5-6 on the right: the ends add up to 10, which you score"


def test_a_tile_that_does_not_fit_is_refused_with_the_open_ends() -> None:
    now = position("open 5-5", "4-5 left", "5-6 right")
    assert str(now.controls.refusal("0-1", now.view)) == (
        "0-1 fits no open end (left: 4, right: 6, up: 5, down: 5)."
    )


def test_who_has_no_tile_that_fits_draws() -> None:
    now = position("open 3-3", deal=LOCKED)
    (only,) = now.controls.choices(now.view)
    assert (only.move, str(only.label), only.piece) == ("draw", "draw a tile", "")
    (why,) = now.controls.situation(now.view)
    assert str(why) == "It is your turn. None of your tiles fits; you must draw."
    assert "fits no open end (left: 3)" in str(now.controls.refusal("1-2", now.view))


def test_places_of_a_cross_are_around_the_spinner() -> None:
    now = position("open 5-5", "4-5 left", "5-6 right")
    for shape in (Shape.WIDE, Shape.TALL):
        boxes = now.controls.target_boxes(now.view, now.scene(), shape)
        up, down = boxes["3-5 up"], boxes["3-5 down"]
        assert up.y + up.height < down.y
        assert up.x == down.x
        assert boxes["2-6 right"].x > up.x
