"""uno in the browser: what can be done, what cannot and why, and where a card would lie."""

from __future__ import annotations

from typing import Any

import pytest

from botequim.core.turn import PlayedMove, Step
from botequim.games.uno.rules import GAME
from botequim.games.uno.state import State
from botequim.i18n import translate, use_language
from botequim.render.layout import Shape
from tests.support.controls_agree import (
    Position,
    check_boxes,
    check_choices,
    check_hand,
    check_refusals,
    check_words,
    random_positions,
)
from tests.support.uno_tables import deal_hands, options, play


def position(state: State, **given: object) -> Position:
    (seat,) = GAME.to_move(state)
    players = len(state.hands)
    step = Step(1, state, (PlayedMove(seat, None),), state)
    return Position(GAME, options(players=players, **given), step, seat)


def moves_of(one: Position) -> dict[str, list[Any]]:
    """Return the choices by the piece that they play."""
    found: dict[str, list[Any]] = {}
    for choice in one.controls.choices(one.view):
        found.setdefault(choice.piece, []).append(choice)
    return found


@pytest.mark.parametrize(
    ("seed", "given"),
    [
        ("1", {}),
        ("2", {"players": 4, "pile": "reshuffle"}),
        ("3", {"players": 7, "decks": 2}),
    ],
)
def test_controls_agree_with_the_rules_and_the_picture(seed: str, given: dict[str, object]) -> None:
    laid = 0
    for number, one in enumerate(random_positions(GAME, seed, **given)):
        if number > 400:
            break
        check_choices(one)
        check_words(one)
        check_hand(one)
        check_refusals(one, lambda card: (f"discard {card}", f"discard {card} ♥"))
        laid += check_boxes(one)
    assert laid > 20


def test_an_ace_goes_with_each_suit() -> None:
    now = position(deal_hands("A♠ C♥ 7♣ 2♥ | V♦ 3♣ 4♣ 5♣", "8♥"))
    ace = moves_of(now)["A♠"]
    assert [choice.target for choice in ace] == ["♥", "♦", "♣", "♠"]
    assert [choice.move for choice in ace] == [f"discard A♠ {suit}" for suit in "♥♦♣♠"]
    assert [str(choice.target_label) for choice in ace] == ["hearts", "diamonds", "clubs", "spades"]
    assert str(ace[1].label) == "discard A♠ and ask for ♦"
    assert len(moves_of(now)["C♥"]) == 4
    (plain,) = moves_of(now)["2♥"]
    assert (plain.target, str(plain.label)) == ("", "discard 2♥")


def test_up_to_five_cards_can_be_bought_and_more_than_one_only_on_request() -> None:
    now = position(deal_hands("A♠ 7♣ | V♦ 3♣", "8♥"))
    bought = [(choice.move, str(choice.label), choice.rare) for choice in moves_of(now)[""]]
    assert bought[:2] == [("buy 1", "buy a card", False), ("buy 2", "buy 2 cards", True)]
    assert [move for move, _, rare in bought if rare] == ["buy 2", "buy 3", "buy 4", "buy 5"]


def test_a_card_that_does_not_fit_is_refused_with_the_suit_and_the_value() -> None:
    now = position(deal_hands("7♣ 9♥ | V♦ 3♣", "5♥"))
    assert str(now.controls.refusal("7♣", now.view)) == (
        "7♣ has neither the suit ♥ nor the value 5 of the card on the table."
    )
    assert now.controls.refusal("9♥", now.view) is None
    asked = position(play(deal_hands("A♠ 9♥ | V♦ 3♠", "5♥"), "discard A♠ ♦"))
    assert str(asked.controls.refusal("3♠", asked.view)) == "3♠ does not fit: ♦ was asked for with A♠."
    assert asked.controls.refusal("V♦", asked.view) is None


def test_who_owes_cards_can_only_buy_them() -> None:
    now = position(play(deal_hands("V♥ 9♥ | V♦ 3♠", "5♥"), "discard V♥"))
    (only,) = now.controls.choices(now.view)
    assert (only.move, str(only.label), only.rare) == ("buy 2", "buy 2 cards", False)
    assert str(now.controls.refusal("V♦", now.view)) == "You owe 2 cards: buy them first."
    (why,) = now.controls.situation(now.view)
    assert str(why) == "It is your turn. You owe 2 cards: buy them, and your turn is over."


def test_the_hand_is_sorted_by_suit_and_named_for_a_screen_reader() -> None:
    now = position(deal_hands("7♣ 10♥ V♠ C♥ | V♦ 3♣ 4♣ 5♣", "5♥"))
    hand = now.controls.hand(now.view)
    assert [piece.name for piece in hand] == ["10♥", "C♥", "V♠", "7♣"]
    names = [translate(piece.label) for piece in hand]
    assert names == ["10 of hearts", "joker of hearts", "jack of spades", "7 of clubs"]
    with use_language("pt_BR"):
        assert translate(hand[2].label) == "valete de espadas"
    assert [piece.drawing for piece in hand][2] == '<use href="#cVs"/>'


@pytest.mark.parametrize("shape", [Shape.WIDE, Shape.TALL])
def test_cards_go_to_the_discards_and_bought_cards_come_from_the_pile(shape: Shape) -> None:
    now = position(deal_hands("A♠ 2♥ | V♦ 3♣", "8♥"))
    boxes = now.controls.target_boxes(now.view, now.scene(), shape)
    assert set(boxes) == {"discard 2♥", "buy 1"}, "the suit of an ace is chosen without a place"
    pile, discards = boxes["buy 1"], boxes["discard 2♥"]
    assert pile.x + pile.width < discards.x
    assert (pile.y, pile.width, pile.height) == (discards.y, discards.width, discards.height)
