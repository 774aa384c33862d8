"""The rules of havana, line by line, through the interface every game has."""

from __future__ import annotations

from typing import Any

import pytest

from botequim.core.errors import Fault, FaultKind
from botequim.core.game import CHANCE, CHANCE_TURN, NOBODY
from botequim.core.messages import msg
from botequim.core.options import resolve_options
from botequim.core.rng import Rng
from botequim.games.dominoes.tiles import Deal, Tile
from botequim.games.havana.moves import PASS, TILES, First, Lay, LostTurn, Pass, move_from_answer
from botequim.games.havana.narration import line_of
from botequim.games.havana.rules import GAME
from tests.support.havana_tables import (
    ASIDE,
    CHAIN,
    Pairs,
    answer,
    deal_hands,
    extremes,
    last_play,
    pass_turns,
)

# --- tiles, seats, start ---------------------------------------------------------------------------


def test_ten_of_55_tiles_each_and_fifteen_stay_unseen() -> None:
    state = deal_hands()
    hands = [GAME.view(state, seat).hand for seat in range(4)]
    assert [len(hand) for hand in hands] == [10, 10, 10, 10]
    pieces = GAME.pieces(state)
    assert len(pieces) == len(set(pieces)) == 55
    assert {"0-0", "9-9", "3-6"} < set(pieces)
    assert len(set(pieces) - {str(tile) for hand in hands for tile in hand}) == 15
    assert GAME.teams({}) == ((0, 2), (1, 3))


@pytest.mark.parametrize(
    ("hands", "why"),
    [
        ((TILES[:10],) * 4, "twice"),
        ((TILES[:10], TILES[10:20], TILES[20:30]), "4 seats"),
        ((TILES[:10], TILES[10:20], TILES[20:30], TILES[30:39]), "10 tiles"),
        ((TILES[:10], TILES[10:20], TILES[20:30], None), "10 tiles"),
        ((TILES[:10], TILES[10:20], TILES[20:30], (*TILES[30:39], Tile(9, 12))), "twice"),
    ],
)
def test_an_impossible_deal_is_refused(hands: Any, why: str) -> None:
    state = GAME.apply(GAME.start(resolve_options("havana", GAME.options, {})), {CHANCE: First(0)})
    assert why in str(GAME.check(state, CHANCE, Deal(hands)))


def test_chance_says_who_starts_then_deals() -> None:
    state = GAME.start(resolve_options("havana", GAME.options, {}))
    assert GAME.to_move(state) == CHANCE_TURN
    rng = Rng("starters")
    assert {GAME.write(GAME.chance(state, rng)) for _ in range(100)} == {f"first {seat}" for seat in range(4)}
    assert GAME.check(state, CHANCE, First(4)) is not None
    assert GAME.check(state, CHANCE, Deal(())) is not None
    named = GAME.apply(state, {CHANCE: First(2)})
    assert GAME.to_move(named) == CHANCE_TURN
    assert GAME.check(named, CHANCE, First(2)) is not None
    drawn = GAME.chance(named, rng)
    assert GAME.check(named, CHANCE, drawn) is None
    assert GAME.to_move(GAME.apply(named, {CHANCE: drawn})) == (2,)


def test_the_series_can_say_who_starts_and_it_is_still_a_turn_of_chance() -> None:
    state = GAME.start(resolve_options("havana", GAME.options, {"first": "3"}))
    assert GAME.to_move(state) == CHANCE_TURN
    assert {GAME.chance(state, Rng(str(seed))) for seed in range(20)} == {First(3)}
    assert GAME.check(state, CHANCE, First(3)) is None
    assert "seat 3" in str(GAME.check(state, CHANCE, First(0)))


def test_the_starter_lays_any_tile_and_the_turn_goes_clockwise() -> None:
    state = deal_hands(first=3)
    assert GAME.legal(state, 3) == (*[Lay(0, tile) for tile in GAME.view(state, 3).hand], PASS)
    for seat in (3, 0, 1, 2):
        assert GAME.to_move(state) == (seat,)
        assert [GAME.view(state, at).legal != () for at in range(4)] == [at == seat for at in range(4)]
        state = GAME.apply(state, {seat: GAME.legal(state, seat)[0]})
    assert GAME.to_move(state) == (3,)


# --- laying a tile ---------------------------------------------------------------------------------


@pytest.mark.parametrize("side", [0, 1, None])
def test_the_first_tile_is_laid_turned(side: Any) -> None:
    state = deal_hands([(2, 7)])
    assert extremes(state) == ()
    assert extremes(answer(state, (side, (2, 7)))) == (7, 2)


@pytest.mark.parametrize("side", [0, 1, "x"])
@pytest.mark.parametrize(
    ("tile", "after", "line"),
    [
        ((3, 7), (3, 2), [(3, 7), (7, 2)]),
        ((7, 8), (8, 2), [(8, 7), (7, 2)]),
        ((7, 7), (7, 2), [(7, 7), (7, 2)]),
        ((2, 3), (7, 3), [(7, 2), (2, 3)]),
        ((1, 2), (7, 1), [(7, 2), (2, 1)]),
        ((2, 2), (7, 2), [(7, 2), (2, 2)]),
    ],
)
def test_a_tile_goes_to_the_end_it_fits_and_the_side_is_kept_as_given(
    side: Any, tile: tuple[int, int], after: tuple[int, int], line: list[tuple[int, int]]
) -> None:
    state = answer(deal_hands([(2, 7)], [tile]), (0, (2, 7)), (side, tile))
    assert extremes(state) == after
    assert line_of(GAME.view(state, None).plays) == line
    assert last_play(state) == (1, (7, 2), side, tile)


@pytest.mark.parametrize(
    ("side", "after"),
    [
        (0, (4, 4)),
        (False, (4, 4)),
        (1, (7, 7)),
        (True, (7, 7)),
        (2, (7, 7)),
        (-1, (7, 7)),
        (10**30, (7, 7)),
        (None, (7, 7)),
        ("", (7, 7)),
        ("0", (7, 7)),
        ("esquerda", (7, 7)),
    ],
)
def test_where_both_ends_fit_0_is_left_and_any_other_value_right(side: Any, after: tuple[int, int]) -> None:
    state = answer(deal_hands([(4, 9)], [(7, 9)], [(4, 7)]), (0, (4, 9)), (0, (7, 9)))
    assert extremes(state) == (7, 4)
    assert move_from_answer(side, (4, 7), strict=False)[1] is None
    state = answer(state, (side, (4, 7)))
    assert extremes(state) == after
    assert repr(last_play(state)) == repr((2, (7, 4), side, (4, 7)))


def test_the_menu_has_each_end_a_tile_fits_and_one_pass() -> None:
    state = answer(
        deal_hands([(4, 9)], [(7, 9)], [(4, 7), (1, 1), (4, 4), (0, 7), *ASIDE]), (0, (4, 9)), (0, (7, 9))
    )
    both, double, left = Tile(4, 7), Tile(4, 4), Tile(0, 7)
    assert GAME.legal(state, 2) == (Lay(0, both), Lay(1, both), Lay(1, double), Lay(0, left), PASS)


def test_a_tile_laid_leaves_the_hand_and_the_other_hands_alone() -> None:
    state = deal_hands([(2, 7)])
    after = answer(state, (0, (2, 7)))
    assert GAME.view(after, 0).hand == GAME.view(state, 0).hand[1:]
    assert [GAME.view(after, seat).hand for seat in (1, 2, 3)] == [
        GAME.view(state, seat).hand for seat in (1, 2, 3)
    ]


# --- what is kept of a side ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given", [1.0, 0.0, [0], (0,), {}, "a message", "123456789", b"left", object(), 1 << 2000]
)
@pytest.mark.parametrize("tile", [(4, 7), None, (0, 0)])
def test_a_side_that_would_be_a_message_is_kept_as_1_with_a_warning(given: object, tile: object) -> None:
    state = answer(deal_hands([(4, 9)], [(7, 9)], [(4, 7)]), (0, (4, 9)), (0, (7, 9)))
    _, warning = move_from_answer(given, tile, strict=False)
    assert "1 is kept" in str(warning)
    after = answer(state, (given, tile))
    assert last_play(after)[2] == 1
    assert extremes(after) == ((7, 7) if tile == (4, 7) else (7, 4))


@pytest.mark.parametrize(
    ("given", "kept", "warned"),
    [
        (0, 0, False),
        (1, 1, False),
        (False, 0, False),
        (True, 1, False),
        (2, 1, True),
        (-1, 1, True),
        (None, 1, True),
        ("x", 1, True),
        ([], 1, True),
    ],
)
@pytest.mark.parametrize("tile", [(4, 7), None, [4, 7]])
def test_strict_keeps_only_0_and_1(given: object, kept: int, warned: bool, tile: object) -> None:
    state = deal_hands([(4, 9)], [(7, 9)], [(4, 7)], strict="yes")
    state = answer(state, (0, (4, 9)), (0, (7, 9)))
    assert (move_from_answer(given, tile, strict=True)[1] is not None) is warned
    side = last_play(answer(state, (given, tile)))[2]
    assert (type(side), side) == (int, kept)


class Loud(int):
    """An int that could carry a whole hand to the partner."""


def test_only_the_plain_value_of_a_side_is_kept() -> None:
    move, warning = move_from_answer(Loud(5), (4, 7), strict=False)
    assert move == Lay(1, Tile(4, 7))
    assert warning is not None


@pytest.mark.parametrize("tile", [(4, 7), Tile(4.0, 7), [4, 7], None])  # type: ignore[arg-type]
def test_a_lay_is_made_with_a_real_tile(tile: object) -> None:
    with pytest.raises(TypeError):
        Lay(0, tile)  # type: ignore[arg-type]


def test_a_side_that_cannot_be_kept_is_refused_where_nothing_has_made_it_1() -> None:
    state, strict = deal_hands([(4, 7)]), deal_hands([(4, 7)], strict="yes")
    for side in (2, None, "x", True):
        assert GAME.check(state, 0, Lay(side, Tile(4, 7))) is None
        assert GAME.check(state, 0, Pass(side)) is None
        assert GAME.check(strict, 0, Lay(side, Tile(4, 7))) is not None
        assert GAME.check(strict, 0, Pass(side)) is not None
    for other in ("a message", 1.5, (0,), Loud(5), 10**5000):
        with pytest.raises(TypeError):
            Pass(other)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            Lay(other, Tile(4, 7))  # type: ignore[arg-type]
    refused = Fault(FaultKind.ILLEGAL, msg("no"), move=Lay("x", Tile(4, 7)))
    assert GAME.on_fault(strict, 0, refused) == LostTurn(1)


# --- a lost turn -----------------------------------------------------------------------------------


@pytest.mark.parametrize("side", [0, 1, None, "esquerda", 7])
def test_a_voluntary_pass_is_legal_and_keeps_its_side(side: Any) -> None:
    state = answer(deal_hands([(2, 7)], [(3, 7)]), (0, (2, 7)))
    assert len(GAME.legal(state, 1)) > 1
    assert GAME.check(state, 1, Pass(side)) is None
    after = answer(state, (side, None))
    assert last_play(after) == (1, (7, 2), side, None)
    assert GAME.view(after, 1).hand == GAME.view(state, 1).hand
    assert GAME.to_move(after) == (2,)


@pytest.mark.parametrize(
    "tile",
    [
        (7, 3),  # turned
        [3, 7],
        (5, 7),  # held by another
        (0, 0),  # fits no end
        (3, 7, 7),
        (3,),
        ([3], 7),
        "3-7",
        37,
        (7, 12),
    ],
)
@pytest.mark.parametrize("side", [0, 1, None, "esquerda"])
def test_an_invalid_tile_loses_the_turn_and_its_side_is_kept(tile: object, side: Any) -> None:
    state = answer(deal_hands([(2, 7)], [(3, 7), (0, 0)], [(5, 7)]), (0, (2, 7)))
    move, _ = move_from_answer(side, tile, strict=False)
    refused = GAME.check(state, 1, move)
    assert refused is not None
    assert GAME.on_fault(state, 1, Fault(FaultKind.ILLEGAL, refused, move=move)) == LostTurn(side)
    after = answer(state, (side, tile))
    assert last_play(after) == (1, (7, 2), side, None)
    assert GAME.view(after, 1).hand == GAME.view(state, 1).hand
    assert extremes(after) == (7, 2)
    assert GAME.to_move(after) == (2,)


@pytest.mark.parametrize("kind", [kind for kind in FaultKind if kind is not FaultKind.ILLEGAL])
def test_no_answer_or_a_wrong_shape_loses_the_turn_with_side_0(kind: FaultKind) -> None:
    state = answer(deal_hands([(2, 7)]), (1, (2, 7)))
    lost = GAME.on_fault(state, 1, Fault(kind, msg("no"), move=Pass(1)))
    assert lost == LostTurn(0)
    after = GAME.apply(state, {1: lost})
    assert last_play(after) == (1, (7, 2), 0, None)
    assert GAME.to_move(after) == (2,)


def test_a_lost_turn_cannot_be_chosen() -> None:
    state = deal_hands()
    assert GAME.check(state, 0, LostTurn(0)) is not None
    assert GAME.check(state, 0, First(1)) is not None
    assert not any(isinstance(move, LostTurn) for move in GAME.legal(state, 0))


# --- the history players are given -----------------------------------------------------------------


def test_the_history_is_a_list_of_plain_tuples_of_the_players_own() -> None:
    state = answer(deal_hands([(2, 7)], [(3, 7)]), (1, (2, 7)), ("x", (3, 7)), (None, None), (5, (9, 3)))
    history = GAME.view(state, 0).play_hist
    assert repr(history) == (
        "[(0, (), 1, (2, 7)), (1, (7, 2), 'x', (3, 7)), (2, (3, 2), None, None), (3, (3, 2), 5, None)]"
    )
    history.clear()
    assert len(GAME.view(state, 0).play_hist) == 4
    assert repr(GAME.view(state, 0).board_extremes) == "(3, 2)"


def test_two_ways_on_from_one_state_do_not_know_of_each_other() -> None:
    before = answer(deal_hands([(2, 7)], [(3, 7), (2, 5)]), (0, (2, 7)))
    seen_before = GAME.view(before, 1)
    one = answer(before, (0, (3, 7)), (0, None))
    other = answer(before, (1, (2, 5)))
    again = answer(one, (0, None))
    assert repr(seen_before.plays) == repr(before.plays) == "((0, (), 0, (2, 7)),)"
    assert seen_before == GAME.view(before, 1)
    assert [play[2:] for play in one.plays] == [(0, (2, 7)), (0, (3, 7)), (0, None)]
    assert [play[2:] for play in other.plays] == [(0, (2, 7)), (1, (2, 5))]
    assert again.plays[:3] == one.plays
    assert GAME.view(one, 1) != GAME.view(other, 1)


def test_a_seat_sees_its_own_hand_and_a_spectator_none() -> None:
    state = answer(deal_hands([(2, 7)]), (0, (2, 7)), (0, None))
    whole = state.hands
    for seat in (*range(4), None):
        view = GAME.view(state, seat)
        assert view.hand == (() if seat is None else whole[seat])
        first, deal, *turns = view.events
        assert (first.by, first.move) == (CHANCE, First(0))
        assert isinstance(deal.move, Deal)
        assert [hand is not None for hand in deal.move.hands] == [at == seat for at in range(4)]
        assert [(turn.by, turn.move) for turn in turns] == [(0, Lay(0, Tile(2, 7))), (1, PASS)]


# --- the end ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", range(4))
def test_an_empty_hand_wins_for_its_pair(seat: int) -> None:
    hands: list[Pairs] = [[], [], [], []]
    hands[seat] = CHAIN
    state = deal_hands(*hands, first=seat)
    for tile in CHAIN[:-1]:
        state = pass_turns(answer(state, (1, tile)), 3)
        assert GAME.outcome(state) is None
    state = answer(state, (1, CHAIN[-1]))
    assert GAME.to_move(state) == NOBODY
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.how, outcome.places) == ("domino", (1, 2) if seat % 2 == 0 else (2, 1))
    assert outcome.points[seat] == 0
    assert sum(outcome.points) == sum(sum(tile) for hand in state.hands for tile in hand) > 0


def test_an_empty_hand_wins_also_against_a_hand_without_pips() -> None:
    doubles = [(number, number) for number in range(1, 10)]
    state = deal_hands([*doubles, (0, 1)], [*CHAIN[1:9], (1, 9), (0, 0)])
    for double, link in zip(doubles, [*CHAIN[1:9], (1, 9)], strict=True):
        state = pass_turns(answer(state, (1, double), (1, link)), 2)
    assert GAME.view(state, 1).hand == ((0, 0),)
    outcome = GAME.outcome(answer(state, (1, (0, 1))))
    assert outcome is not None
    assert outcome.points[:2] == (0, 0)
    assert outcome.places == (1, 2)


def test_four_lost_turns_in_a_row_close_the_game_passes_and_faults_alike() -> None:
    state = pass_turns(answer(deal_hands([(2, 7)]), (0, (2, 7))), 1)
    state = GAME.apply(state, {2: GAME.on_fault(state, 2, Fault(FaultKind.TIMEOUT, msg("slow")))})
    state = answer(state, (0, (7, 2)))
    assert GAME.to_move(state) == (0,)
    state = pass_turns(state, 1)
    assert GAME.to_move(state) == NOBODY
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.how == "closed"
    assert outcome.points == tuple(sum(sum(tile) for tile in hand) for hand in state.hands)


def test_a_tile_between_lost_turns_starts_the_count_anew() -> None:
    state = answer(pass_turns(deal_hands([(2, 7)], first=1), 3), (1, (2, 7)))
    assert GAME.to_move(pass_turns(state, 3)) == (0,)
    assert GAME.to_move(pass_turns(state, 4)) == NOBODY


LIGHT = [(0, number) for number in range(10)]
"""45 pips: no hand has fewer."""
HEAVY = [(9, 9), (8, 9), (8, 8), (7, 9), (7, 8), (6, 9), (7, 7), (6, 8), (5, 9), (6, 7)]
FORTY_SEVEN = [(0, number) for number in range(1, 10)] + [(1, 1)]
FORTY_SEVEN_TOO = [(0, 0), (1, 2), (1, 3), (2, 2), (1, 4), (2, 3), (1, 5), (2, 4), (3, 3), (1, 7)]
MIDDLE = [(4, 4), (3, 5), (2, 6), (1, 8), (4, 5), (3, 6), (2, 7), (1, 9), (5, 5), (4, 6)]


@pytest.mark.parametrize(
    ("hands", "places"),
    [
        ([LIGHT, MIDDLE, HEAVY, []], (1, 2)),
        ([MIDDLE, LIGHT, [], HEAVY], (2, 1)),
        ([FORTY_SEVEN, FORTY_SEVEN_TOO, HEAVY, MIDDLE], (1, 1)),
        ([MIDDLE, FORTY_SEVEN, FORTY_SEVEN_TOO, HEAVY], (1, 1)),
        ([FORTY_SEVEN, MIDDLE, FORTY_SEVEN_TOO, HEAVY], (1, 2)),
        ([MIDDLE, FORTY_SEVEN, HEAVY, FORTY_SEVEN_TOO], (2, 1)),
    ],
)
def test_the_single_lowest_hand_wins_a_closed_game_also_before_the_first_tile(
    hands: list[Pairs], places: tuple[int, int]
) -> None:
    state = pass_turns(deal_hands(*hands), 4)
    assert GAME.to_move(state) == NOBODY
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.places == places


def test_partners_pips_do_not_add_up() -> None:
    outcome = GAME.outcome(pass_turns(deal_hands(LIGHT, MIDDLE, HEAVY), 4))
    assert outcome is not None
    assert outcome.points[0] + outcome.points[2] > outcome.points[1] + outcome.points[3]
    assert outcome.places == (1, 2)
