"""rps in the browser: the three hands can be shown in every round."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from botequim.core.options import resolve_options
from botequim.games.rps.rules import GAME
from botequim.i18n import translate, use_language
from botequim.tables.controls import controls_for
from tests.support.controls_agree import (
    check_choices,
    check_hand,
    check_refusals,
    check_words,
    random_positions,
)


@pytest.mark.parametrize("seed", ["1", "2"])
def test_controls_agree_with_the_rules(seed: str) -> None:
    for one in random_positions(GAME, seed, rounds=12):
        check_choices(one)
        check_words(one)
        check_hand(one)
        check_refusals(one, lambda hand: (hand,))


def test_both_players_have_the_three_hands_at_the_same_time() -> None:
    for one in random_positions(GAME, "3", rounds=2):
        hand = one.controls.hand(one.view)
        assert [piece.name for piece in hand] == ["rock", "paper", "scissors"]
        assert [piece.drawing for piece in hand] == [
            '<use href="#rock"/>',
            '<use href="#paper"/>',
            '<use href="#scissors"/>',
        ]
        if not one.is_to_move:
            continue
        choices = one.controls.choices(one.view)
        assert [(choice.move, choice.piece, str(choice.label)) for choice in choices] == [
            ("rock", "rock", "show rock"),
            ("paper", "paper", "show paper"),
            ("scissors", "scissors", "show scissors"),
        ]
        with use_language("pt_BR"):
            assert translate(hand[0].label) == "pedra"


def test_the_situation_says_who_wins_with_equal_hands() -> None:
    ready = [one for one in random_positions(GAME, "3", rounds=3) if one.is_to_move]
    assert ready
    for one in ready:
        first, *equal = [str(sentence) for sentence in one.controls.situation(one.view)]
        assert first == "It is your turn. The other player chooses at the same time."
        hands = [sentence.removeprefix("If both show ").split(",")[0] for sentence in equal]
        assert sorted(hand for some in hands for hand in some.split(" or ")) in (
            ["paper", "rock", "scissors"],
            ["the same hand"],
        )


@pytest.mark.parametrize(
    ("rounds", "said"),
    [
        ([], ["If both show the same hand, a coin decides."]),
        (
            [("rock", "scissors")],
            [
                "If both show rock, Ana wins.",
                "If both show paper or scissors, Bia wins.",
            ],
        ),
    ],
)
def test_the_hands_with_which_a_player_wins_are_in_one_sentence(
    rounds: Sequence[tuple[str, str]], said: Sequence[str]
) -> None:
    state = GAME.start(resolve_options(GAME.name, GAME.options, {}))
    for hands in rounds:
        state = GAME.apply(state, dict(enumerate(map(GAME.read, hands))))
    controls = controls_for(GAME, [{"name": "Ana"}, {"name": "Bia"}], 0)
    assert [str(sentence) for sentence in controls.situation(GAME.view(state, 0))][1:] == said
