"""cubos, rule by rule."""

from __future__ import annotations

import pytest

from botequim.core.errors import Fault, FaultKind, MoveSyntaxError, OptionError
from botequim.core.game import CHANCE, CHANCE_TURN, NOBODY, Remark
from botequim.core.messages import msg
from botequim.core.options import resolve_options
from botequim.core.rng import Rng
from botequim.games.cubos.rules import FORFEIT, GAME, OPEN, PASS, TILES, Lay, Move, Side, State
from botequim.games.dominoes.tiles import Deal, Tile, read_tile

# seat 2 holds 6-6; seat 3 holds no other six and will have to pass
HANDS = (
    "0-6 1-6 2-6 0-0 0-1 0-2 0-3",
    "3-6 4-6 5-6 1-1 1-2 1-3 1-4",
    "6-6 0-4 0-5 2-2 2-3 2-4 2-5",
    "1-5 3-3 3-4 3-5 4-4 4-5 5-5",
)


def tiles(text: str) -> tuple[Tile, ...]:
    return tuple(read_tile(word, 6) for word in text.split())


def begin(*hands: str, blocked: str = "draw") -> State:
    state = GAME.start(resolve_options("cubos", GAME.options, {"blocked": blocked}))
    state = GAME.apply(state, {CHANCE: Deal(tuple(tiles(hand) for hand in hands))})
    return GAME.apply(state, {CHANCE: OPEN})


def go(state: State, *moves: str) -> State:
    """Make moves by whoever is to move, each checked."""
    for text in moves:
        (seat,) = GAME.to_move(state)
        move = GAME.read(text)
        assert GAME.check(state, seat, move) is None, text
        state = GAME.apply(state, {seat: move})
    return state


def menu(state: State) -> list[str]:
    (seat,) = GAME.to_move(state)
    return [GAME.write(move) for move in GAME.legal(state, seat)]


def test_28_tiles_are_dealt_seven_to_each_of_four() -> None:
    state = GAME.start(resolve_options("cubos", GAME.options, {}))
    assert GAME.to_move(state) == CHANCE_TURN
    deal = GAME.chance(state, Rng("any"))
    assert isinstance(deal, Deal)
    assert [len(hand or ()) for hand in deal.hands] == [7, 7, 7, 7]
    assert sorted(tile for hand in deal.hands for tile in hand or ()) == list(TILES)
    assert GAME.teams({}) == ((0, 2), (1, 3))


def test_the_holder_of_the_double_six_opens_without_being_asked() -> None:
    state = GAME.start(resolve_options("cubos", GAME.options, {}))
    state = GAME.apply(state, {CHANCE: Deal(tuple(tiles(hand) for hand in HANDS))})
    assert GAME.to_move(state) == CHANCE_TURN
    assert GAME.chance(state, Rng("any")) == OPEN
    state = GAME.apply(state, {CHANCE: OPEN})
    assert state.line == ((6, 6),)
    assert GAME.to_move(state) == (3,)
    assert Tile(6, 6) not in state.hands[2]


def test_play_goes_clockwise_and_a_pass_is_only_for_those_who_cannot_lay() -> None:
    state = begin(*HANDS)
    assert menu(state) == ["pass"]
    state = go(state, "pass")
    assert GAME.to_move(state) == (0,)
    assert menu(state) == ["0-6 left", "0-6 right", "1-6 left", "1-6 right", "2-6 left", "2-6 right"]
    refused = GAME.check(state, 0, PASS)
    assert str(refused) == "passes, but 0-6 fits"


def test_tiles_are_turned_to_fit_either_end() -> None:
    state = go(begin(*HANDS), "pass", "0-6 left", "3-6 right", "0-4 left", "3-4 left")
    assert state.line == ((3, 4), (4, 0), (0, 6), (6, 6), (6, 3))
    assert menu(state) == ["0-3 left", "0-3 right"]


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        (Lay(Tile(5, 6), Side.LEFT), "5-6 is not in the hand"),
        (Lay(Tile(0, 0), Side.LEFT), "0-0 does not fit the left end, 6"),
        (Lay(Tile(0, 0), Side.RIGHT), "0-0 does not fit the right end, 6"),
        (FORFEIT, "only laying a tile or passing can be chosen"),
        (OPEN, "only laying a tile or passing can be chosen"),
        ("0-6 left", "only laying a tile or passing can be chosen"),
    ],
)
def test_illegal_moves_are_refused_with_a_reason(move: object, reason: str) -> None:
    state = go(begin(*HANDS), "pass")
    assert str(GAME.check(state, 0, move)) == reason


def test_an_empty_hand_wins_for_its_team_at_once() -> None:
    state = next(state for number in range(50) if not all((state := play_out(str(number))).hands))
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.how == "domino"
    (winner,) = (seat for seat in range(4) if not state.hands[seat])
    assert outcome.places == ((1, 2) if winner % 2 == 0 else (2, 1))
    assert GAME.to_move(state) == NOBODY
    assert outcome.points == tuple(sum(map(sum, hand)) for hand in state.hands)


def play_out(seed: str, blocked: str = "draw") -> State:
    rng = Rng(seed)
    state = GAME.start(resolve_options("cubos", GAME.options, {"blocked": blocked}))
    while to_move := GAME.to_move(state):
        (seat,) = to_move
        move = GAME.chance(state, rng) if seat == CHANCE else rng.choice(GAME.legal(state, seat))
        state = GAME.apply(state, {seat: move})
    return state


# seat 0 opens; 6-0, 0-6... close both ends on zero once all zeros are out
BLOCKING = (
    "6-6 0-1 0-2 1-1 1-2 1-3 2-2",
    "0-6 0-3 2-3 1-4 1-5 2-4 2-5",
    "0-0 0-4 3-3 3-4 3-5 4-4 4-5",
    "0-5 1-6 2-6 3-6 4-6 5-6 5-5",
)


def block(*hands: str, blocked: str) -> State:
    """Random play until a game of these hands ends blocked."""
    for number in range(5000):
        rng = Rng(f"block {number}")
        state = begin(*hands, blocked=blocked)
        while to_move := GAME.to_move(state):
            state = GAME.apply(state, {to_move[0]: rng.choice(GAME.legal(state, to_move[0]))})
        outcome = GAME.outcome(state)
        if outcome is not None and outcome.how == "blocked":
            return state
    raise AssertionError("never blocked")


def test_four_passes_in_a_row_block_the_game_which_is_a_draw() -> None:
    state = block(*BLOCKING, blocked="draw")
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.places == (1, 1)
    assert [event.move for event in state.events[-4:]] == [PASS] * 4
    assert state.events[-5].move != PASS


def test_with_points_the_smaller_sum_of_both_hands_wins_a_blocked_game() -> None:
    state = block(*BLOCKING, blocked="points")
    outcome = GAME.outcome(state)
    assert outcome is not None
    even, odd = outcome.points[0] + outcome.points[2], outcome.points[1] + outcome.points[3]
    assert even != odd
    assert outcome.places == ((1, 2) if even < odd else (2, 1))


@pytest.mark.parametrize("last", [0, 1, 2, 3])
def test_with_points_and_equal_sums_the_team_that_laid_last_loses(last: int) -> None:
    hand = tiles("1-2")
    passed = State(True, (hand,) * 4, ((6, 6),), (last + 1) % 4, 4, -1, ())
    outcome = GAME.outcome(passed)
    assert outcome is not None
    assert outcome.how == "blocked"
    assert outcome.places == ((2, 1) if last % 2 == 0 else (1, 2))


@pytest.mark.parametrize("kind", list(FaultKind))
@pytest.mark.parametrize("seat", [0, 3])
def test_any_fault_forfeits_the_game_for_the_team(kind: FaultKind, seat: int) -> None:
    state = begin(*HANDS)
    if seat == 0:
        state = go(state, "pass")
    move = GAME.on_fault(state, seat, Fault(kind, msg("whatever")))
    assert move == FORFEIT
    state = GAME.apply(state, {seat: move})
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.how, outcome.places) == ("forfeit", (2, 1) if seat == 0 else (1, 2))
    assert GAME.to_move(state) == NOBODY


@pytest.mark.parametrize(
    ("deal", "reason"),
    [
        (OPEN, "the tiles must be dealt first"),
        (Deal((tiles(HANDS[0]),) * 3), "7 tiles to each of 4 seats"),
        (Deal((*(tiles(hand) for hand in HANDS[:3]), None)), "7 tiles to each of 4 seats"),
        (Deal((tiles(HANDS[0]),) * 4), "a deal holds no tile twice"),
    ],
)
def test_impossible_deals_are_refused(deal: Move, reason: str) -> None:
    state = GAME.start(resolve_options("cubos", GAME.options, {}))
    assert reason in str(GAME.check(state, CHANCE, deal))


def test_a_view_holds_only_what_its_seat_has_seen() -> None:
    state = go(begin(*HANDS), "pass", "0-6 left")
    view = GAME.view(state, 1)
    assert view.hand == tiles(HANDS[1])
    assert view.counts == (6, 7, 6, 7)
    assert [GAME.write(event.move) for event in view.events] == [
        f"deal ? | {HANDS[1]} | ? | ?",
        "open 6-6",
        "pass",
        "0-6 left",
    ]
    assert [GAME.write(move) for move in view.legal] == ["3-6 right", "4-6 right", "5-6 right"]
    assert GAME.view(state, 0).legal == ()
    spectator = GAME.view(state, None)
    assert spectator.hand == ()
    assert GAME.write(spectator.events[0].move) == "deal ? | ? | ? | ?"


def test_tiles_are_read_in_either_orientation() -> None:
    assert GAME.read("6-3 left") == GAME.read("3-6 left") == Lay(Tile(3, 6), Side.LEFT)


@pytest.mark.parametrize(
    "text", ["", "3-7 left", "3-6", "3-6 up", "36 left", "pass me", "٣-٦ left", "deal x"]
)
def test_what_is_no_move_is_not_read(text: str) -> None:
    with pytest.raises(MoveSyntaxError):
        GAME.read(text)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"blokked": "draw"}, 'unknown option "blokked" of cubos; known: blocked; did you mean blocked?'),
        ({"blocked": "maybe"}, "option \"blocked\" of cubos cannot be 'maybe'; allowed: draw, points"),
        ({"blocked": 3}, 'option "blocked" of cubos cannot be 3; allowed: draw, points'),
    ],
)
def test_unknown_options_list_what_is_known(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        resolve_options("cubos", GAME.options, options)
    assert str(caught.value) == message


def test_only_a_short_say_is_carried() -> None:
    assert GAME.check_remark(Remark("say", "Tu tá lascado!")) is None
    assert GAME.check_remark(Remark("say", "x" * 281)) is not None
    assert GAME.check_remark(Remark("say", 7)) is not None
    assert GAME.check_remark(Remark("art", ["*"])) is not None
