"""havana in the browser: what can be done, what cannot and why, and where a tile would lie."""

from __future__ import annotations

import pytest

from botequim.core.options import resolve_options
from botequim.core.turn import PlayedMove, Step
from botequim.games.havana.rules import GAME
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

DEAL = (
    "deal 3-6 3-8 0-0 0-1 0-2 0-3 0-4 0-5 0-6 0-7 | 6-8 6-6 1-1 1-2 1-3 1-4 1-5 1-6 1-7 1-8 | "
    "2-2 2-3 2-4 2-5 2-6 2-7 2-8 2-9 3-3 3-4 | 4-4 4-5 4-6 4-7 4-8 4-9 5-5 5-6 5-7 5-8"
)


def position(*moves: str) -> Position:
    """Return the position after moves; seat 0 starts."""
    options = resolve_options(GAME.name, GAME.options, {"first": "0"})
    state = GAME.start(options)
    step = Step(0, state, (), state)
    for number, text in enumerate(("first 0", DEAL, *moves), start=1):
        (by,) = GAME.to_move(state)
        move = GAME.read(text)
        assert GAME.check(state, by, move) is None, text
        step = Step(number, state, (PlayedMove(by, move),), GAME.apply(state, {by: move}))
        state = step.after
    return Position(GAME, options, step, GAME.to_move(state)[0])


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_controls_agree_with_the_rules_and_the_picture(seed: str) -> None:
    laid = places = 0
    for one in random_positions(GAME, seed):
        check_choices(one)
        check_words(one)
        check_hand(one)
        check_refusals(one, lambda tile: (f"{tile} 0", f"{tile} 1"))
        laid += check_boxes(one)
        places += check_places(one)
    assert laid > 60
    assert places > 60


def test_the_first_tile_has_one_place_and_passing_is_allowed() -> None:
    now = position()
    choices = now.controls.choices(now.view)
    assert [choice.move for choice in choices if choice.piece == "3-6"] == ["3-6 0"]
    assert [choice.target for choice in choices] == [""] * 11
    assert choices[-1].move == "pass 0"
    assert str(now.controls.situation(now.view)[-1]) == "You may also pass and keep a tile that fits."
    assert check_boxes(now) == 20


def test_a_tile_that_fits_both_ends_can_be_laid_on_either() -> None:
    now = position("3-6 0", "pass 0", "pass 0", "pass 0", "3-8 0")  # the line is 6-3 3-8
    both = [choice for choice in now.controls.choices(now.view) if choice.piece == "6-8"]
    assert [(choice.move, choice.target) for choice in both] == [("6-8 0", "left"), ("6-8 1", "right")]
    (six,) = [choice for choice in now.controls.choices(now.view) if choice.piece == "6-6"]
    assert six.target == "left"
    assert check_boxes(now) > 0


def test_a_tile_that_does_not_fit_is_refused_with_the_ends() -> None:
    now = position("3-6 0", "pass 0", "pass 0", "pass 0", "3-8 0")
    assert str(now.controls.refusal("1-2", now.view)) == "1-2 fits neither end: the ends are 6 and 8."
    assert now.controls.refusal("6-8", now.view) is None
