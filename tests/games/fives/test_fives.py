"""fives, line by line of its rules."""

from __future__ import annotations

from collections import Counter

import pytest

from botequim.core.errors import Fault, FaultKind
from botequim.core.game import CHANCE, CHANCE_TURN, NOBODY
from botequim.core.messages import msg
from botequim.core.rng import Rng
from botequim.games.dominoes.tiles import Deal, Tile
from botequim.games.fives.boneyard import DRAW, DrawnTile
from botequim.games.fives.rules import FORFEIT, GAME, TILES, Open, score_after
from botequim.games.fives.spinner import Board, Direction
from tests.support.fives_tables import (
    WITH_DOUBLES,
    WITHOUT_DOUBLES,
    board,
    hand,
    is_refused,
    menu,
    play,
    start,
    table,
)

# --- deal and opening ------------------------------------------------------------------------------


def test_seven_tiles_each_and_fourteen_in_the_boneyard() -> None:
    state = start()
    assert GAME.to_move(state) == CHANCE_TURN
    state = GAME.apply(state, {CHANCE: GAME.chance(state, Rng("deal"))})
    view = GAME.view(state, 0)
    assert (view.counts, view.boneyard, view.round) == ((7, 7), 14, 1)
    assert sorted(GAME.pieces(state)) == [str(tile) for tile in TILES]


@pytest.mark.parametrize(
    "deal",
    [
        "deal 0-1 0-2 | 1-2 1-3",
        "deal 0-1 0-2 0-3 0-4 0-5 3-3 5-5 | ?",
        "deal 0-1 0-2 0-3 0-4 0-5 3-3 | 5-5 1-2 1-3 1-4 1-5 2-5 2-2 4-4",
        "deal 0-1 0-2 0-3 0-4 0-5 3-3 5-5 | 0-1 1-3 1-4 1-5 2-5 2-2 4-4",
        "open 5-5",
        "draw 5-5",
    ],
)
def test_what_is_no_deal(deal: str) -> None:
    assert GAME.check(start(), CHANCE, GAME.read(deal)) is not None


def test_the_highest_double_is_laid_for_its_holder_and_scores() -> None:
    state = play(start(), WITH_DOUBLES)
    assert GAME.to_move(state) == CHANCE_TURN
    assert GAME.chance(state, Rng("any")) == Open(Tile(5, 5))
    assert GAME.check(state, CHANCE, Open(Tile(4, 4))) is not None
    state = play(state, "open 5-5")
    assert state.board == board("5-5 left")
    assert state.scores == (10, 0)
    assert Tile(5, 5) not in state.hands[0]
    assert GAME.to_move(state) == (1,)


def test_without_a_double_the_round_is_dealt_again() -> None:
    state = play(table("1-2", "1-3", "6-6 left", scores=(20, 35)), "pass", "pass", WITHOUT_DOUBLES)
    assert GAME.to_move(state) == CHANCE_TURN
    assert isinstance(GAME.chance(state, Rng("again")), Deal)
    assert GAME.check(state, CHANCE, Open(Tile(6, 6))) is not None
    state = play(state, WITHOUT_DOUBLES, WITH_DOUBLES)
    assert (state.round, state.scores, len(state.boneyard)) == (2, (20, 35), 14)
    assert play(state, "open 5-5").scores == (30, 35)


def test_the_winner_of_a_round_opens_the_next_with_any_tile_anywhere() -> None:
    won = play(table("1-2", "6-6", "1-1 left"), "1-2 left")
    assert GAME.to_move(won) == CHANCE_TURN
    state = play(won, WITHOUT_DOUBLES)
    assert GAME.to_move(state) == (0,)
    assert menu(state) == [f"{tile} left" for tile in state.hands[0]]
    for side in Direction:
        assert play(state, f"0-5 {side}").board == Board(None, ((5, 0),), (), (), ())
        doubles = play(won, WITH_DOUBLES)
        assert play(doubles, f"3-3 {side}").board == Board(Tile(3, 3), (), (), (), ())


def test_after_a_locked_round_the_highest_double_opens_again() -> None:
    state = play(table("1-2", "1-3", "6-6 left"), "pass", "pass", WITH_DOUBLES)
    assert GAME.chance(state, Rng("any")) == Open(Tile(5, 5))
    assert GAME.view(state, None).round == 2


# --- the board ---------------------------------------------------------------------------------------


def test_a_line_without_spinner_is_open_left_and_right_only() -> None:
    state = table("4-5 3-4", "6-6", "2-5 left", "2-3 right")
    assert state.board.left == ((5, 2), (2, 3))
    assert menu(state) == ["4-5 left", "3-4 right"]
    assert all(is_refused(state, f"{tile} {side}") for tile in ("4-5", "3-4") for side in ("up", "down"))
    assert is_refused(state, "4-5 right")


def test_the_first_double_becomes_the_spinner_and_the_line_its_left_arm() -> None:
    line = ("4-5 left", "4-3 right", "6-5 left")
    assert board(*line).left == ((6, 5), (5, 4), (4, 3))
    assert board(*line, "3-3 right") == Board(Tile(3, 3), ((6, 5), (5, 4), (4, 3)), (), (), ())
    turned = Board(Tile(6, 6), ((3, 4), (4, 5), (5, 6)), (), (), ())
    assert board(*line, "6-6 left") == turned
    assert board(*line, "6-6 left", "0-6 right").right == ((0, 6),)


def test_a_second_double_is_no_spinner() -> None:
    lying = board("6-6 left", "5-6 left", "5-5 left")
    assert (lying.spinner, lying.left) == (Tile(6, 6), ((5, 5), (5, 6)))


def test_on_a_lone_spinner_every_direction_means_left() -> None:
    state = table("1-3 3-4 0-0", "6-6", "3-3 left")
    assert menu(state) == ["1-3 left", "3-4 left"]
    for side in Direction:
        assert play(state, f"1-3 {side}").board == board("3-3 left", "1-3 left")
        assert is_refused(state, f"0-0 {side}")


def test_up_and_down_open_when_left_and_right_hold_a_tile() -> None:
    one_arm = table("3-4 2-3", "6-6", "3-3 left", "1-3 left")
    assert menu(one_arm) == ["3-4 right", "2-3 right"]
    assert is_refused(one_arm, "3-4 up")
    assert is_refused(one_arm, "3-4 down")
    two_arms = table("3-4", "6-6", "3-3 left", "1-3 left", "2-3 right")
    assert menu(two_arms) == ["3-4 up", "3-4 down"]
    assert play(two_arms, "3-4 down").board.down == ((4, 3),)
    assert play(two_arms, "3-4 up").board.up == ((4, 3),)


def test_with_four_arms_the_spinner_is_closed() -> None:
    arms = ("3-3 left", "1-3 left", "2-3 right", "3-4 up", "0-3 down")
    state = table("3-6 1-5 2-5 4-5 0-5", "6-6", *arms)
    assert menu(state) == ["1-5 left", "2-5 right", "4-5 up", "0-5 down"]
    assert all(is_refused(state, f"3-6 {side}") for side in Direction)


@pytest.mark.parametrize(
    ("lays", "score"),
    [
        (["6-4 left"], 10),
        (["6-4 left", "6-1 left"], 5),
        (["5-5 left"], 10),
        (["5-5 left", "5-1 left"], 11),
        (["0-5 left", "5-5 left"], 10),
        (["5-5 left", "5-1 left", "5-2 right"], 3),
        (["5-5 left", "5-1 left", "5-2 right", "1-1 left"], 4),
        (["5-5 left", "5-1 left", "5-2 right", "5-3 up"], 6),
        (["5-5 left", "5-1 left", "5-2 right", "5-3 up", "5-4 down"], 10),
        (["5-5 left", "5-1 left", "1-1 left"], 12),
    ],
)
def test_board_score(lays: list[str], score: int) -> None:
    state = table("0-0", "6-6", *lays)
    assert GAME.view(state, None).board_score == score


def test_a_lay_scores_a_board_score_that_is_a_multiple_of_five() -> None:
    state = table("5-1 5-5 2-2", "6-6 3-3", "6-4 left", "6-5 left")
    assert play(state, "5-5 left").scores == (0, 0)
    assert play(state, "5-1 left").scores == (5, 0)
    assert score_after(state.board, GAME.read("5-1 left")) == 5
    assert score_after(state.board, GAME.read("5-5 left")) == 0
    assert score_after(state.board, DRAW) == 0


# --- draw and pass -------------------------------------------------------------------------------------


def test_draws_only_with_no_tile_that_fits_until_one_does() -> None:
    state = table("1-2", "6-6", "5-5 left", boneyard="1-1 3-5")
    assert menu(state) == ["draw"]
    assert is_refused(state, "pass")
    assert is_refused(state, "1-2 left")
    state = play(state, "draw")
    assert GAME.to_move(state) == CHANCE_TURN
    assert GAME.check(state, CHANCE, DrawnTile(Tile(4, 4))) is not None
    assert GAME.check(state, CHANCE, DrawnTile(None)) is not None
    state = play(state, "draw 1-1")
    assert state.boneyard == hand("3-5")
    assert menu(state) == ["draw"]
    state = play(state, "draw", "draw 3-5")
    assert menu(state) == ["3-5 left"]
    assert is_refused(state, "draw")
    assert is_refused(state, "pass")
    assert GAME.to_move(state) == (0,)


def test_passes_only_when_the_boneyard_is_empty_too() -> None:
    state = table("1-2", "5-6 0-0", "5-5 left", boneyard="1-1")
    assert is_refused(state, "pass")
    state = play(state, "draw", "draw 1-1")
    assert menu(state) == ["pass"]
    assert is_refused(state, "draw")
    state = play(state, "pass")
    assert GAME.to_move(state) == (1,)
    assert menu(state) == ["5-6 left"]


def test_passes_that_are_not_in_a_row_lock_nothing() -> None:
    state = table("1-2 1-1", "5-6 0-0", "5-5 left")
    state = play(state, "pass", "5-6 left", "pass")
    assert GAME.to_move(state) == (1,)


def test_each_tile_of_the_boneyard_is_as_likely_whatever_its_order() -> None:
    state = play(table("1-2", "6-6", "5-5 left", boneyard="0-0 1-1 2-2 3-3"), "draw")
    drawn = Counter(GAME.chance(state, Rng(str(number))) for number in range(2000))
    assert set(drawn) == {DrawnTile(tile) for tile in state.boneyard}
    assert all(400 < times < 600 for times in drawn.values())


def test_only_the_drawer_sees_the_tile() -> None:
    state = play(table("1-2", "6-6", "5-5 left", boneyard="1-1 3-5"), "draw", "draw 1-1")
    told = [GAME.write(GAME.view(state, seat).events[-1].move) for seat in (0, 1, None)]
    assert told == ["draw 1-1", "draw ?", "draw ?"]
    assert GAME.view(state, 1).counts == (2, 1)
    assert GAME.view(state, 1).boneyard == 1


def test_a_seat_sees_its_own_deal_only_in_every_round() -> None:
    state = play(table("1-2", "6-6", "1-1 left"), "1-2 left", WITHOUT_DOUBLES)
    first, second = (text.strip() for text in WITHOUT_DOUBLES.removeprefix("deal").split("|"))
    told = [GAME.write(GAME.view(state, seat).events[-1].move) for seat in (0, 1, None)]
    assert told == [f"deal {first} | ?", f"deal ? | {second}", "deal ? | ?"]
    assert GAME.write(GAME.view(state, 1).events[0].move).startswith("deal ? | 1-2")


# --- the end of a round -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "bonus"),
    [("0-1", 0), ("0-2", 0), ("0-3", 5), ("0-4", 5), ("1-4", 5), ("3-4", 5), ("4-4", 10), ("6-6 0-0", 10)],
)
def test_dominoes_gives_the_other_hand_rounded_to_the_nearest_five(left: str, bonus: int) -> None:
    state = play(table("6-2", left, "6-4 left"), "6-2 left")
    assert state.scores == (bonus, 0)
    assert GAME.to_move(state) == CHANCE_TURN


def test_the_last_tile_scores_the_board_first() -> None:
    state = play(table("6-1", "4-4", "6-4 left"), "6-1 left")
    assert state.scores == (5 + 10, 0)


def test_two_passes_lock_the_round_and_the_lighter_hand_gets_the_difference() -> None:
    assert play(table("1-2", "4-6", "5-5 left"), "pass", "pass").scores == (5, 0)
    assert play(table("4-6 4-4", "1-2", "5-5 left"), "pass", "pass").scores == (0, 15)
    assert play(table("1-2", "1-4", "6-6 left"), "pass", "pass").scores == (0, 0)
    equal = play(table("1-2", "0-3", "6-6 left", scores=(5, 10)), "pass", "pass")
    assert equal.scores == (5, 10)
    assert GAME.to_move(equal) == CHANCE_TURN


# --- the end of the game ----------------------------------------------------------------------------------


def test_the_game_ends_only_when_a_round_does() -> None:
    state = play(table("6-1 0-0", "4-4", "6-4 left", scores=(150, 0)), "6-1 left")
    assert state.scores == (155, 0)
    assert GAME.to_move(state) == (1,)
    assert GAME.outcome(state) is None


@pytest.mark.parametrize(
    ("scores", "rule", "places"),
    [
        ((145, 0), "over", (1, 2)),
        ((140, 0), "over", None),
        ((140, 0), "reach", (1, 2)),
        ((135, 0), "reach", None),
        ((0, 155), "over", (2, 1)),
        ((0, 150), "over", None),
        ((0, 150), "reach", (2, 1)),
        ((145, 155), "over", None),
        ((140, 150), "reach", None),
    ],
)
def test_target(scores: tuple[int, int], rule: str, places: tuple[int, int] | None) -> None:
    state = play(table("6-2", "4-4", "6-4 left", scores=scores, target_rule=rule), "6-2 left")
    outcome = GAME.outcome(state)
    if places is None:
        assert outcome is None
        assert GAME.to_move(state) == CHANCE_TURN
    else:
        assert GAME.to_move(state) == NOBODY
        assert outcome is not None
        assert (outcome.how, outcome.places) == ("target", places)
        assert outcome.points == (scores[0] + 10, scores[1])


def test_another_target() -> None:
    assert GAME.outcome(play(table("6-2", "4-4", "6-4 left", target=10), "6-2 left")) is None
    ended = play(table("6-2", "4-4", "6-4 left", target=5), "6-2 left")
    assert GAME.outcome(ended) is not None
    assert GAME.view(ended, None).target == 5


@pytest.mark.parametrize("seat", [0, 1])
def test_a_fault_forfeits_the_game(seat: int) -> None:
    state = table("5-6 0-0", "4-6 1-1", "5-5 left", scores=(10, 20))
    if seat == 1:
        state = play(state, "5-6 left")
    move = GAME.on_fault(state, seat, Fault(FaultKind.TIMEOUT, msg("no answer in time")))
    assert move == FORFEIT
    assert GAME.check(state, seat, move) is not None
    outcome = GAME.outcome(GAME.apply(state, {seat: move}))
    assert outcome is not None
    assert (outcome.how, outcome.points) == ("forfeit", (10, 20))
    assert outcome.places[seat] == 2
