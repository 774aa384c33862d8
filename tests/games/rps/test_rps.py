"""rps, rule by rule."""

from __future__ import annotations

import pytest

from botequim.core.errors import Fault, FaultKind, MoveSyntaxError, OptionError
from botequim.core.game import CHANCE, CHANCE_TURN, NOBODY, Remark
from botequim.core.messages import msg
from botequim.core.options import resolve_options
from botequim.core.rng import Rng
from botequim.games.rps.rules import COINS, GAME, HANDS, MISSING, Coin, DecidingStep, Hand, Missing, State
from botequim.i18n import translate, use_language

R, P, S = HANDS


def begin(**options: object) -> State:
    return GAME.start(resolve_options("rps", GAME.options, options))


def go(state: State, *rounds: tuple[Hand | Missing, Hand | Missing]) -> State:
    for first, second in rounds:
        state = GAME.apply(state, {0: first, 1: second})
    return state


@pytest.mark.parametrize(("winner", "loser"), [(R, S), (S, P), (P, R)])
def test_the_ordinary_rule_comes_first(winner: Hand, loser: Hand) -> None:
    assert go(begin(), (winner, loser)).rounds[-1].winner == 0
    last = go(begin(), (loser, winner)).rounds[-1]
    assert (last.winner, last.by) == (1, DecidingStep.NATURAL)


def test_the_example_of_the_document() -> None:
    state = go(begin(), (R, P))
    assert state.rounds[-1].winner == 1
    state = go(state, (R, R))
    assert (state.rounds[-1].winner, state.rounds[-1].by) == (0, DecidingStep.SAME_HAND)
    state = go(state, (P, R))
    assert state.rounds[-1].winner == 0
    state = go(state, (R, R))
    assert GAME.to_move(state) == CHANCE_TURN
    state = GAME.apply(state, {CHANCE: Coin(1)})
    assert (state.rounds[-1].winner, state.rounds[-1].by) == (1, DecidingStep.COIN)
    assert GAME.view(state, 0).history == "rp2;rr1;pr1;rr2"


def test_then_who_has_shown_the_beating_hand_more_often() -> None:
    state = go(begin(), (P, S), (R, R))
    assert (state.rounds[-1].winner, state.rounds[-1].by) == (0, DecidingStep.BEATING_HAND)


def test_the_current_round_does_not_count_for_its_own_tie() -> None:
    assert GAME.to_move(go(begin(), (R, R))) == CHANCE_TURN


def test_the_coin_is_fair() -> None:
    rng = Rng("coin")
    state = go(begin(), (R, R))
    heads = sum(GAME.chance(state, rng) == COINS[0] for _ in range(1000))
    assert 440 < heads < 560


@pytest.mark.parametrize("kind", list(FaultKind))
def test_a_fault_gives_the_round_to_the_other(kind: FaultKind) -> None:
    state = begin()
    move = GAME.on_fault(state, 0, Fault(kind, msg("whatever")))
    state = go(state, (move, R))  # type: ignore[arg-type]
    assert (state.rounds[-1].winner, state.wins) == (1, (0, 1))


def test_if_both_are_at_fault_nobody_wins_the_round() -> None:
    state = go(begin(rounds=1), (MISSING, MISSING))
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.points, outcome.places) == ((0, 0), (1, 1))


def test_a_forfeited_round_adds_nothing_to_the_counts() -> None:
    state = go(begin(), (MISSING, R), (R, R))
    assert GAME.to_move(state) == CHANCE_TURN, "the rock of the forfeited round must not decide"


def test_fifty_rounds_and_most_rounds_win() -> None:
    state = begin()
    for _ in range(50):
        assert GAME.to_move(state) == (0, 1)
        state = go(state, (R, P))
    assert GAME.to_move(state) == NOBODY
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.how, outcome.places, outcome.points) == ("rounds", (2, 1), (0, 50))


def test_equal_rounds_are_a_draw() -> None:
    outcome = GAME.outcome(go(begin(rounds=2), (R, P), (P, R)))
    assert outcome is not None
    assert outcome.places == (1, 1)
    assert [float(share) for share in outcome.shares()] == [0.5, 0.5]


def test_forfeited_rounds_are_left_out_of_the_history_or_dashed() -> None:
    rounds = ((R, P), (MISSING, R), (P, MISSING), (MISSING, MISSING), (S, P))
    assert GAME.view(go(begin(), *rounds), 1).history == "rp2;sp1"
    dashed = go(begin(forfeit_history="dash"), *rounds)
    assert GAME.view(dashed, 1).history == "rp2;-r2;p-1;--0;sp1"
    assert GAME.view(begin(), 0).history == ""


def test_only_the_three_hands_can_be_chosen() -> None:
    state = begin()
    assert GAME.check(state, 0, R) is None
    for nonsense in (MISSING, COINS[0], "rock", None):
        assert GAME.check(state, 0, nonsense) is not None
    assert GAME.check(go(state, (R, R)), CHANCE, R) is not None


@pytest.mark.parametrize("text", ["ROCK", "r", "", "coin", "coin 2", "rock "])
def test_what_is_no_move_is_not_read(text: str) -> None:
    with pytest.raises(MoveSyntaxError):
        GAME.read(text)


@pytest.mark.parametrize(
    ("art", "reason"),
    [
        ([], None),
        (["*" * 60] * 60, None),
        (["*"] * 61, "art has 61 lines; at most 60"),
        (["", "*" * 61], "line 2 of the art has 61 characters; at most 60"),
        ("***", "art must be a list of texts"),
        ([1, 2], "art must be a list of texts"),
        (None, "art must be a list of texts"),
    ],
)
def test_art_has_limits(art: object, reason: str | None) -> None:
    refused = GAME.check_remark(Remark("art", art))
    assert (refused and str(refused)) == reason


@pytest.mark.parametrize("value", [0, 1001, "many", "1.5", True, None])
def test_rounds_must_be_a_whole_number_in_bounds(value: object) -> None:
    with pytest.raises(OptionError, match="allowed: 1 to 1000") as caught:
        resolve_options("rps", GAME.options, {"rounds": value})
    with use_language("pt_BR"):
        assert translate(caught.value.message).endswith("valores permitidos: de 1 a 1000")
    assert resolve_options("rps", GAME.options, {"rounds": "7"})["rounds"] == 7
