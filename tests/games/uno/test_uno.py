"""The rules of uno, line by line."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from botequim.core.errors import FaultKind, MoveSyntaxError, OptionError
from botequim.core.game import CHANCE, CHANCE_TURN, Remark
from botequim.core.options import IntOption
from botequim.core.rng import Rng
from botequim.games.cards.cards import CARDS, Suit, read_card, read_suit
from botequim.games.uno.moves import Buy, Deal, Discard, Draw, Starter, discard
from botequim.games.uno.rules import GAME
from botequim.games.uno.state import State
from botequim.testing import check_game
from tests.support.uno_tables import (
    deal_hands,
    hand,
    is_refused,
    menu,
    options,
    outcome_of,
    play,
    random_game,
    to_move,
)

NUMBERS = [str(number) for number in range(2, 11)]


class UnoWithOptions:
    """uno with other defaults: the contract is checked around the defaults of a game."""

    def __init__(self, **defaults: int) -> None:
        self.options = tuple(
            replace(option, default=defaults.get(option.name, option.default))
            if isinstance(option, IntOption)
            else option
            for option in GAME.options
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(GAME, name)


@pytest.mark.slow
def test_keeps_the_contract_of_a_game_with_four_too() -> None:
    check_game(UnoWithOptions(players=4), games=1)


# --- deck, players, deal -----------------------------------------------------------------------------


@pytest.mark.parametrize("decks", [1, 2])
def test_a_deck_has_54_cards_with_two_jokers(decks: int) -> None:
    state = random_game(options(decks=decks), "1")[1]
    suited = [rank + suit for rank in [*NUMBERS, *"AVDR"] for suit in "♥♦♣♠"]
    assert sorted(GAME.pieces(state)) == sorted([*suited, "C♥", "C♣"] * decks)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"players": 7}, "needs decks = 2"),
        ({"players": 6, "hand_size": 9}, "leave none of the 54 cards"),
        ({"players": 10, "decks": 2, "hand_size": 11}, "leave none of the 108 cards"),
    ],
)
def test_tables_that_cannot_be_are_refused(given: dict[str, int], reason: str) -> None:
    for refusing in (GAME.teams, GAME.start):
        with pytest.raises(OptionError, match=reason):
            refusing(options(**given))


def test_up_to_six_sit_with_one_deck_and_ten_with_two() -> None:
    assert GAME.teams(options(players=6)) == ((0,), (1,), (2,), (3,), (4,), (5,))
    assert len(GAME.teams(options(players=10, decks=2))) == 10


def test_seven_cards_each_and_a_number_card_on_the_table() -> None:
    start = GAME.start(options(players=4))
    put_back = 0
    for seed in range(60):
        deal = GAME.chance(start, Rng(str(seed)))
        assert isinstance(deal, Deal)
        assert [len(held or ()) for held in deal.hands] == [7, 7, 7, 7]
        assert deal.table.rank in NUMBERS
        assert deal.under is not None
        assert all(card.rank not in NUMBERS for card in deal.under)
        put_back += len(deal.under)
    assert put_back > 0


def test_hand_size_is_an_option() -> None:
    assert GAME.view(random_game(options(hand_size=3), "1")[1], 0).counts == (3, 3)


def test_without_a_number_card_to_turn_the_deal_is_made_again() -> None:
    start = GAME.start(options(players=4, hand_size=13))
    for seed in range(200):  # of the two cards left, both are actions once in nine deals
        assert GAME.check(start, CHANCE, GAME.chance(start, Rng(str(seed)))) is None


@pytest.mark.parametrize(
    "text",
    [
        "deal 2♥ 3♥ | 4♥ 5♥ | table V♦",
        "deal 2♥ 3♥ | 4♥ 5♥ | table 8♦ | under 9♦",
        "deal 2♥ 3♥ | 4♥ 5♥ | table 8♦ | under ?",
        "deal 2♥ 3♥ | 4♥ 2♥ | table 8♦",
        "deal 2♥ 3♥ | 4♥ | table 8♦",
        "deal 2♥ 3♥ | ? | table 8♦",
        "deal 2♥ 3♥ | 4♥ 5♥ | 6♥ 7♥ | table 8♦",
        "starter 0",
    ],
)
def test_deals_that_cannot_have_been_are_refused(text: str) -> None:
    start = GAME.start(options(hand_size=2))
    assert not is_refused(start, "deal 2♥ 3♥ | 4♥ 5♥ | table 8♦ | under V♦")
    assert is_refused(start, text)


def test_cards_turned_before_lie_under_the_pile() -> None:
    rest = " ".join(str(card) for card in CARDS if str(card) not in ("2♥", "3♥", "8♦", "V♦", "C♣"))
    state = play(deal_hands("2♥ | 3♥", "8♦", under="C♣ V♦"), "buy 50")
    assert not is_refused(state, f"draw {rest} C♣")
    assert is_refused(state, f"draw {rest} V♦")
    assert is_refused(state, f"draw C♣ {rest}")
    for seed in range(20):
        drawn = GAME.chance(state, Rng(str(seed)))
        assert isinstance(drawn, Draw)
        assert str(drawn.cards[-1]) == "C♣"


def test_any_card_of_the_pile_may_come_next_but_what_lies_under_it() -> None:
    state = play(deal_hands("2♥ | 3♥", "8♦", under="C♣"), "buy 1")
    came = {GAME.write(GAME.chance(state, Rng(str(seed)))) for seed in range(900)}
    assert came == {f"draw {card}" for card in CARDS if str(card) not in ("2♥", "3♥", "8♦", "C♣")}


def test_any_seat_may_start_and_the_others_follow_in_order() -> None:
    undecided = random_game(options(players=3), "1")[1]
    starters = {GAME.chance(undecided, Rng(str(seed))) for seed in range(40)}
    assert starters == {Starter(0), Starter(1), Starter(2)}
    assert is_refused(undecided, "starter 3")
    state = deal_hands("2♥ 3♦ | 2♦ 4♥ | 2♣ 5♥", "8♥", starter=1)
    assert GAME.view(state, 0).starter == 1
    assert GAME.view(state, 0).order == (1, 2, 0)
    seats = []
    for text in ("discard 4♥", "discard 5♥", "discard 2♥"):
        seats.append(to_move(state))
        state = play(state, text)
    assert [*seats, to_move(state)] == [1, 2, 0, 1]


# --- discarding --------------------------------------------------------------------------------------


def test_a_discard_has_the_value_or_the_suit_and_a_and_c_always_fit() -> None:
    state = deal_hands("8♠ 3♦ 7♣ A♠ C♥ V♠ | 2♥ 3♥ 4♥ 5♥ 6♥ 7♥", "8♦")
    asking = [f"discard {card} {suit}" for card in ("A♠", "C♥") for suit in "♥♦♣♠"]
    assert menu(state) == ["discard 8♠", "discard 3♦", *asking, "buy 1"]
    assert is_refused(state, "discard 7♣")
    assert is_refused(state, "discard V♠")
    assert is_refused(state, "discard 2♥")


def test_the_suit_asked_with_an_a_is_followed() -> None:
    state = play(deal_hands("A♠ 3♦ | 7♠ 9♥ | 2♣ 3♣", "8♦"), "discard A♠ ♥")
    assert menu(state) == ["discard 9♥", "buy 1"]


def test_a_paid_c_is_matched_by_the_suit_asked() -> None:
    state = deal_hands("C♥ 3♦ | 4♥ 4♠ | 7♥ 9♠", "8♦")
    state = play(state, "discard C♥ ♠", "buy 4", "draw 2♥ 2♦ 2♣ 2♠")
    assert menu(state) == ["discard 9♠", "buy 1"]


def test_a_paid_v_is_matched_by_value_or_suit() -> None:
    state = deal_hands("V♦ 3♦ 3♣ | 4♥ 4♠ 5♥ | V♥ 9♦ 9♠", "8♦")
    state = play(state, "discard V♦", "buy 2", "draw 2♥ 2♦")
    assert menu(state) == ["discard V♥", "discard 9♦", "buy 1"]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (GAME.read("discard A♠"), "discard A♠ ♠"),
        (Discard(read_card("A♠")), "discard A♠ ♠"),
        (discard(read_card("A♠"), Suit.CLUBS), "discard A♠ ♣"),
        (GAME.read("discard 3♦ ♣"), "discard 3♦"),
        (Discard(read_card("3♦"), Suit.CLUBS), "discard 3♦"),
    ],
)
def test_a_and_c_alone_carry_a_suit_their_own_if_none_is_said(said: Discard, told: str) -> None:
    state = deal_hands("A♠ 3♦ | 4♦ 4♠", "8♦")
    assert GAME.check(state, 0, said) is None
    view = GAME.view(GAME.apply(state, {0: said}), 1)
    assert GAME.write(view.events[-1].move) == told
    assert view.suit == read_suit(told[-1])


@pytest.mark.parametrize("kind", [FaultKind.ILLEGAL, FaultKind.MALFORMED])
def test_a_refused_move_loses_the_turn_and_nothing_else(kind: FaultKind) -> None:
    state = play(deal_hands("7♣ 3♦ | 5♠ 4♠", "8♦"), kind)
    assert hand(state, 0) == "7♣ 3♦"
    assert GAME.view(state, 0).pile == 49
    assert to_move(state) == 1
    assert GAME.write(GAME.view(state, 1).events[-1].move) == "lost"


def test_equal_cards_of_two_decks_stand_in_the_menu_once() -> None:
    state = deal_hands("7♦ 7♦ A♠ A♠ | 3♦ 3♥ 3♣ 3♠", "8♦", decks=2)
    assert menu(state) == ["discard 7♦", *(f"discard A♠ {suit}" for suit in "♥♦♣♠"), "buy 1"]
    assert hand(play(state, "discard 7♦"), 0) == "7♦ A♠ A♠"


# --- V, C, D, R --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("card", "debt", "draw"), [("V♦", 2, "9♥ 9♦"), ("C♣ ♦", 4, "9♥ 9♦ 9♣ 9♠")])
def test_a_debt_is_paid_exactly_and_ends_the_turn(card: str, debt: int, draw: str) -> None:
    state = play(deal_hands("V♦ C♣ 3♦ | V♥ 4♦ C♥ | 5♦ 6♦ 7♦", "8♦"), f"discard {card}")
    assert menu(state) == [f"buy {debt}"]
    for wrong in ("buy 1", "buy 3", f"buy {6 - debt}", "discard V♥", "discard 4♦", "discard C♥ ♦"):
        assert is_refused(state, wrong)
    state = play(state, f"buy {debt}")
    assert GAME.to_move(state) == CHANCE_TURN
    state = play(state, f"draw {draw}")
    assert to_move(state) == 2
    assert GAME.view(state, 2).debt == 0
    assert GAME.view(state, 2).counts == (2, 3 + debt, 3)


@pytest.mark.parametrize("kind", list(FaultKind))
def test_any_fault_before_a_debt_is_out_and_the_debt_is_gone(kind: FaultKind) -> None:
    state = play(deal_hands("V♦ 3♦ | 4♥ 4♠ | 5♦ 6♦", "8♦"), "discard V♦", kind)
    view = GAME.view(state, 2)
    assert view.out == (1,)
    assert view.debt == 0
    assert GAME.write(view.events[-1].move) == "out owing 2"
    assert menu(state) == ["discard 5♦", "discard 6♦", "buy 1"]


def test_d_turns_the_direction() -> None:
    state = play(deal_hands("D♦ 3♦ | 4♦ 4♠ | 5♦ 6♦ | 7♦ D♠", "8♦"), "discard D♦")
    assert GAME.view(state, 0).order == (3, 2, 1, 0)
    assert GAME.view(state, 0).direction == -1
    assert to_move(state) == 3
    assert to_move(play(state, "discard 7♦")) == 2
    state = play(state, "discard D♠")
    assert GAME.view(state, 0).order == (0, 1, 2, 3)
    assert to_move(state) == 0


@pytest.mark.parametrize(("reverse", "after"), [("nothing", 1), ("skip", 0)])
def test_d_with_two_players(reverse: str, after: int) -> None:
    state = deal_hands("D♦ 3♦ | 4♦ 4♠", "8♦", two_player_reverse=reverse)
    assert GAME.view(state, 0).two_player_reverse == reverse
    assert to_move(play(state, "discard D♦")) == after


@pytest.mark.parametrize(("reverse", "after"), [("nothing", 2), ("skip", 0)])
def test_two_players_means_two_still_in_the_game(reverse: str, after: int) -> None:
    state = deal_hands("D♦ 3♦ | 4♦ 4♠ | 5♦ 5♥", "8♦", starter=1, two_player_reverse=reverse)
    state = play(state, FaultKind.TIMEOUT, "discard 5♦", "discard D♦")
    assert to_move(state) == after


def test_r_skips_the_next_player() -> None:
    assert to_move(play(deal_hands("R♦ 3♦ | 4♦ 4♠ | 5♦ 5♥", "8♦"), "discard R♦")) == 2


def test_r_with_two_lets_the_same_player_play_again() -> None:
    assert to_move(play(deal_hands("R♦ 3♦ | 4♦ 4♠", "8♦"), "discard R♦")) == 0


# --- buying ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("decks", "most"), [(1, 54), (2, 108)])
def test_any_number_up_to_all_cards_can_be_bought(decks: int, most: int) -> None:
    state = deal_hands("7♦ 3♣ | 4♦ 4♠", "8♦", decks=decks)
    accepted = [count for count in range(-2, 120) if not is_refused(state, f"buy {count}")]
    assert accepted == list(range(1, most + 1))
    assert menu(state) == ["discard 7♦", "buy 1"]


def test_the_turn_ends_with_buying_also_with_a_card_that_fits() -> None:
    state = play(deal_hands("7♦ 3♣ | 4♦ 4♠", "8♦"), "buy 3")
    for wrong in ("2♥ 2♦", "2♥ 2♦ 4♦", "2♥ 2♦ 2♦", "2♥ 2♦ ?", "2♥ 2♦ 2♣ 2♠"):
        assert is_refused(state, f"draw {wrong}")
    state = play(state, "draw 2♥ 2♦ 2♣")
    assert to_move(state) == 1
    assert hand(state, 0) == "7♦ 3♣ 2♥ 2♦ 2♣"


@pytest.mark.parametrize("count", [True, "2", 1.0, None])
def test_buying_takes_nothing_but_a_whole_number(count: object) -> None:
    try:
        move = Buy(count)  # type: ignore[arg-type]
    except TypeError:  # compiled, it cannot even be made
        return
    refusal = GAME.check(deal_hands("7♦ 3♣ | 4♦ 4♠", "8♦"), 0, move)
    assert refusal is not None or GAME.write(move) == "buy 1"  # compiled, True is made 1


# --- endings -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("last", ["3♣", "A♥ ♦", "V♣", "C♣ ♥", "D♣", "R♣"])
def test_the_last_card_wins_at_once_and_the_rest_rank_by_cards(last: str) -> None:
    state = play(deal_hands(f"{last.split()[0]} 4♣ | 5♦ 5♠ | 6♦ 6♠ | 7♦ 7♠", "8♣"), "discard 4♣")
    state = play(state, "buy 2", "draw 2♥ 2♦", "buy 1", "draw 2♣", "buy 1", "draw 2♠")
    outcome = outcome_of(play(state, f"discard {last}"))
    assert outcome.how == "empty hand"
    assert outcome.points == (0, 4, 3, 3)
    assert outcome.places == (1, 4, 2, 2)


def nearly_all_dealt(pile: str = "end") -> State:
    """Three hands of 17; 8♦ lies on the table, 2♥ and 3♥ are the pile."""
    rest = [str(card) for card in CARDS if str(card) not in ("8♦", "2♥", "3♥")]
    hands = " | ".join(" ".join(rest[at : at + 17]) for at in (0, 17, 34))
    return deal_hands(hands, "8♦", pile=pile)


def test_the_first_card_that_cannot_be_drawn_ends_the_game() -> None:
    state = play(nearly_all_dealt(), "buy 2", "draw 3♥ 2♥")
    assert to_move(state) == 1
    outcome = outcome_of(play(state, "buy 1"))
    assert outcome.how == "empty pile"
    assert outcome.points == (19, 17, 17)
    assert outcome.places == (3, 1, 1)
    assert outcome.shares() == (Fraction(0), Fraction(1, 2), Fraction(1, 2))


def test_cards_drawn_before_the_pile_was_empty_count() -> None:
    state = play(nearly_all_dealt(), "buy 5")
    assert is_refused(state, "draw 3♥")
    outcome = outcome_of(play(state, "draw 3♥ 2♥"))
    assert outcome.how == "empty pile"
    assert outcome.points == (19, 17, 17)


def test_discards_can_be_shuffled_back() -> None:
    state = play(nearly_all_dealt(pile="reshuffle"), "discard 8♥", "discard 8♣", "buy 3")
    assert is_refused(state, "draw 2♥ 8♥ 3♥")  # the pile comes first
    assert is_refused(state, "draw 2♥ 3♥ 8♣")  # the top card stays
    drawn = {GAME.write(GAME.chance(state, Rng(str(seed))))[-2:] for seed in range(30)}
    assert drawn == {"8♦", "8♥"}
    state = play(state, "draw 2♥ 3♥ 8♥")
    assert GAME.view(state, 0).pile == 1
    assert str(GAME.view(state, 0).table) == "8♣"
    state = play(state, "buy 1", "draw 8♦")
    outcome = outcome_of(play(state, "buy 1"))  # nothing but the top card is left to shuffle
    assert outcome.how == "empty pile"
    assert outcome.places == (2, 1, 3)


def test_three_rounds_without_a_valid_action_end_the_game() -> None:
    state = deal_hands("2♥ 3♥ | 4♥ 5♥ | 6♥ 7♥", "8♦")
    state = play(state, *[FaultKind.ILLEGAL] * 8, "buy 1", "draw 2♣", *[FaultKind.MALFORMED] * 8)
    outcome = outcome_of(play(state, FaultKind.ILLEGAL))
    assert outcome.how == "stalled"
    assert outcome.places == (1, 1, 3)


@pytest.mark.parametrize(("before", "after"), [(0, 6), (4, 3), (6, 2), (8, 0)])
def test_rounds_are_of_those_still_in(before: int, after: int) -> None:
    state = deal_hands("2♥ 3♥ | 4♥ 5♥ | 6♥ 7♥", "8♦")
    state = play(state, *[FaultKind.ILLEGAL] * before, FaultKind.TIMEOUT)
    for _ in range(after):
        assert GAME.outcome(state) is None
        state = play(state, FaultKind.ILLEGAL)
    assert outcome_of(state).how == "stalled"


def test_two_thousand_turns_end_the_game() -> None:
    rng = Rng("long")
    state = GAME.start(options(pile="reshuffle"))
    turns = 0
    while movers := GAME.to_move(state):
        (by,) = movers
        if by == CHANCE:
            state = GAME.apply(state, {by: GAME.chance(state, rng)})
            continue
        turns += 1
        legal = GAME.legal(state, by)
        state = GAME.apply(state, {by: legal[0] if len(state.hands[by]) > 4 else legal[-1]})
    assert turns == 2000
    assert outcome_of(state).how == "stalled"


# --- out ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [FaultKind.TIMEOUT, FaultKind.CRASH, FaultKind.LIMIT])
def test_no_answer_is_out_and_the_cards_stay_out(kind: FaultKind) -> None:
    state = play(deal_hands("2♦ 3♥ | 4♦ 5♥ | 6♥ 7♦", "8♦"), kind)
    view = GAME.view(state, 1)
    assert view.out == (0,)
    assert view.order == (1, 2)
    assert GAME.write(view.events[-1].move) == "out"
    state = play(state, "discard 4♦", "discard 7♦")
    assert to_move(state) == 1
    assert is_refused(play(state, "buy 1"), "draw 2♦")


def test_those_out_rank_behind_the_rest_the_latest_first() -> None:
    state = deal_hands("2♦ 9♥ | 4♦ 5♥ | 6♦ 2♠ | 7♦ 7♠", "8♦", starter=1)
    state = play(state, FaultKind.TIMEOUT, "discard 6♦", FaultKind.CRASH, "discard 2♦", "discard 2♠")
    outcome = outcome_of(state)
    assert outcome.how == "empty hand"
    assert outcome.points == (1, 2, 0, 2)
    assert outcome.places == (2, 4, 1, 3)


def test_the_last_one_left_wins_whatever_its_cards() -> None:
    state = deal_hands("2♦ 9♥ | 4♦ 5♥ | 6♦ 2♠", "8♦", starter=2)
    state = play(state, "buy 3", "draw 3♥ 3♦ 3♣", FaultKind.LIMIT, FaultKind.CRASH)
    outcome = outcome_of(state)
    assert outcome.how == "last one in"
    assert outcome.places == (3, 2, 1)


@pytest.mark.parametrize("pile", ["end", "reshuffle"])
@pytest.mark.parametrize("players", range(2, 11))
def test_games_of_two_to_ten_always_end_with_all_their_cards(players: int, pile: str) -> None:
    given = options(players=players, decks=1 if players <= 6 else 2, pile=pile)
    for seed in range(6):
        states = random_game(given, str(seed), faults=seed % 2 == 1)
        outcome = outcome_of(states[-1])
        assert len(outcome.places) == players
        assert Counter(GAME.pieces(states[-1])) == Counter(GAME.pieces(states[1]))


# --- texts and remarks -------------------------------------------------------------------------------


def test_an_emoji_mark_behind_a_suit_is_nothing() -> None:
    assert GAME.read("discard A♣\ufe0f ♥\ufe0f") == GAME.read("discard A♣ ♥")


MOVES_OF_NOBODY = """
discard / discard 1♥ / discard 7 / discard A♣ x / buy / buy two / buy 1.5 / buy 1 2 / draw / starter 10 / 7♣
out owing 3 / deal / deal | under / deal 2♥ | table 8♦ 9♦ / deal 2♥ | 3♥
"""


@pytest.mark.parametrize("text", ["", *MOVES_OF_NOBODY.replace("\n", "/").split("/")])
def test_other_texts_are_no_moves(text: str) -> None:
    with pytest.raises(MoveSyntaxError):
        GAME.read(text)


def test_what_is_said_is_bounded() -> None:
    assert GAME.check_remark(Remark("say", "Tu tá lascado!!!")) is None
    assert GAME.check_remark(Remark("say", "a" * 10_000)) is not None
