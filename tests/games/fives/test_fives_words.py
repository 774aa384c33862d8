"""Moves of fives in words, what is hidden, players and telling."""

from __future__ import annotations

import pytest

from botequim import registry
from botequim.core.errors import MoveSyntaxError
from botequim.core.game import Outcome
from botequim.core.rng import Rng
from botequim.core.turn import PlayedMove
from botequim.engine.referee import Step
from botequim.games.dominoes.tiles import Deal, Tile
from botequim.games.fives.boneyard import DRAW, DrawnTile
from botequim.games.fives.narration import FivesNarrator
from botequim.games.fives.players import Greedy
from botequim.games.fives.rules import FORFEIT, GAME, PASS, Move, Open, State
from botequim.games.fives.spinner import Direction, Lay
from tests.support.fives_tables import (
    WITH_DOUBLES,
    WITHOUT_DOUBLES,
    hand,
    is_refused,
    play,
    start,
    table,
)

# --- words ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("3-5 left", Lay(Tile(3, 5), Direction.LEFT)),
        ("5-3 right", Lay(Tile(3, 5), Direction.RIGHT)),
        ("3-5 up", Lay(Tile(3, 5), Direction.UP)),
        ("3-5 down", Lay(Tile(3, 5), Direction.DOWN)),
        ("draw", DRAW),
        ("draw 3-4", DrawnTile(Tile(3, 4))),
        ("draw ?", DrawnTile(None)),
        ("pass", PASS),
        ("open 5-5", Open(Tile(5, 5))),
        ("deal 3-4 | ?", Deal((hand("3-4"), None))),
        ("forfeit", FORFEIT),
    ],
)
def test_moves_in_words(text: str, move: Move) -> None:
    assert GAME.read(text) == move
    assert GAME.read(GAME.write(move)) == move


@pytest.mark.parametrize("text", ["", "3-5", "3-5 sideways", "7-5 left", "draw 3-4 3-5", "deal 3-x", "bark"])
def test_what_is_no_move(text: str) -> None:
    with pytest.raises(MoveSyntaxError):
        GAME.read(text)


def test_a_tile_that_is_not_held_is_refused() -> None:
    assert is_refused(table("1-5", "6-6", "5-5 left"), "3-5 left")


# --- what is not seen can be otherwise ---------------------------------------------------------------------


def test_a_redeal_moves_what_is_hidden_but_keeps_what_the_opening_told() -> None:
    state = play(start(), WITHOUT_DOUBLES, WITH_DOUBLES, "open 5-5", "2-5 left", "0-2 left")
    others = set()
    for number in range(50):
        other = GAME.resample_hidden(state, 0, Rng(str(number)))
        assert GAME.view(other, 0) == GAME.view(state, 0)
        assert Tile(6, 6) in other.boneyard
        deals = [event.move for event in other.events if isinstance(event.move, Deal)]
        assert not any(tile.low == tile.high for held in deals[0].hands for tile in held or ())
        assert set(other.hands[1]) | {Tile(2, 5)} == set(deals[1].hands[1] or ())
        others.add(other.hands[1])
    assert len(others) > 40


# --- players and narrator ---------------------------------------------------------------------------------


def test_greedy_takes_points_then_the_heaviest_tile_then_the_first() -> None:
    greedy = registry.player("fives", "greedy")(Rng("any"))
    assert isinstance(greedy, Greedy)

    def chosen(state: State) -> str:
        return GAME.write(greedy.choose(GAME.view(state, 0)))

    lays = ("6-4 left", "6-5 left")
    assert chosen(table("5-5 5-1", "6-6", *lays)) == "1-5 left"
    assert chosen(table("2-4 3-5", "6-6", *lays)) == "3-5 left"
    assert chosen(table("1-4 0-5", "6-6", *lays)) == "1-4 right"
    assert chosen(table("0-5 1-4", "6-6", *lays)) == "0-5 left"
    assert chosen(table("1-2", "6-6", *lays, boneyard="1-1")) == "draw"


def sentences(state: State, text: str) -> list[str]:
    """What the narrator says of one move."""
    (seat,) = GAME.to_move(state)
    move = GAME.read(text)
    step = Step(1, state, (PlayedMove(seat, move),), GAME.apply(state, {seat: move}))
    narrator = FivesNarrator(GAME)
    names = ("Ana", "Rui")
    said = (narrator.move(step, step.turn[0], names[seat] if seat >= 0 else ""), narrator.after(step, names))
    return [str(sentence) for sentence in said if sentence is not None]


def test_the_teller_says_where_a_tile_is_laid_and_what_it_scores() -> None:
    arms = ("3-3 left", "1-3 left", "2-3 right")
    assert sentences(table("3-4 0-0", "6-6", *arms), "3-4 up") == ["Ana lays 3-4 above the spinner."]
    assert sentences(table("3-4 0-0", "6-6", *arms), "3-4 down") == ["Ana lays 3-4 below the spinner."]
    assert sentences(table("2-4 0-0", "6-6", *arms), "2-4 right") == [
        "Ana lays 2-4 on the right.",
        "Ana scores 5. 5:0",
    ]
    assert sentences(table("3-4 0-0", "6-6", "3-3 left"), "3-4 up") == [
        "Ana lays 3-4 on the left.",
        "Ana scores 10. 10:0",
    ]
    assert sentences(table("3-4 0-0", "6-6"), "3-4 up") == ["Ana opens with 3-4."]


def test_the_teller_follows_a_round() -> None:
    state = start()
    assert sentences(state, WITHOUT_DOUBLES) == ["Round 1 is dealt."]
    state = play(state, WITHOUT_DOUBLES)
    assert sentences(state, WITH_DOUBLES) == ["Nobody holds a double: round 1 is dealt again."]
    state = play(state, WITH_DOUBLES)
    assert sentences(state, "open 5-5") == ["Ana opens with the highest double, 5-5. Ana scores 10. 10:0"]
    drawing = table("1-2", "6-6", "5-5 left", boneyard="1-1")
    assert sentences(drawing, "draw") == ["Ana draws."]
    assert sentences(play(drawing, "draw"), "draw 1-1") == ["The tile drawn is 1-1."]
    assert sentences(drawing, "forfeit") == ["Ana forfeits the game."]
    assert sentences(table("6-2", "4-4", "6-4 left"), "6-2 left")[1:] == [
        "Dominoes! Ana gets 10 for the last tile and the tiles that Rui still holds. 10:0"
    ]


def test_the_teller_tells_a_locked_round() -> None:
    state = table("1-2", "4-6", "5-5 left")
    assert sentences(state, "pass") == ["Ana passes."]
    assert sentences(play(state, "pass"), "pass")[1:] == [
        "The round is locked; Ana has the lighter hand and gets 5. 5:0"
    ]
    equal = play(table("1-2", "0-3", "5-5 left"), "pass")
    assert sentences(equal, "pass")[1:] == ["The round is locked and nobody gets a point. 0:0"]


def test_the_teller_tells_the_ending() -> None:
    narrator = FivesNarrator(GAME)
    assert str(narrator.ending(Outcome("target", (1, 2), (155, 0)))) == "The target score is reached."
    assert str(narrator.ending(Outcome("forfeit", (1, 2), (155, 0)))) == "The game is forfeited."


def test_the_board_is_written_arm_by_arm_as_in_the_document() -> None:
    narrator = FivesNarrator(GAME)
    state = table("1-2", "6-6", "5-5 left", "5-1 left", "2-5 right", "1-1 left", "5-3 up")
    assert narrator.board(state) == [
        "spinner: 5-5",
        "left: 1-1 1-5",
        "right: 2-5",
        "up: 3-5",
        "down:",
        "board score: 7",
    ]
    assert narrator.board(table("1-2 5-5", "6-6")) == ["1(0): 1-2 5-5", "2(0): 6-6"]
