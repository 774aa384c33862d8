"""The controls of a game in the browser: the default for any game, and what all games must do."""

from __future__ import annotations

import nim
import pytest
from highcard.controls import HighCardControls
from highcard.rules import GAME as HIGHCARD

from botequim import registry
from botequim.core.game import AnyGame
from botequim.core.messages import Message, msg
from botequim.i18n import translate, use_language
from botequim.render.drawing import parts, seat_boxes, size, table_box
from botequim.render.layout import Shape
from botequim.render.renderer import renderer_for
from botequim.render.svg import flat
from botequim.tables.controls import TableControls, controls_for
from tests.support.controls_agree import Position, check_choices, check_words, random_positions


@pytest.mark.parametrize("game", [nim.GAME, HIGHCARD], ids=lambda game: game.name)
def test_a_game_without_controls_has_a_button_for_each_legal_move(game: AnyGame) -> None:
    for one in random_positions(game, "1"):
        assert type(one.controls) is TableControls
        check_choices(one)
        check_words(one)
        assert one.controls.hand(one.view) == ()
        buttons = one.controls.choices(one.view)
        assert [button.move for button in buttons] == [game.write(move) for move in one.view.legal]
        assert all(button.piece == button.target == "" and not button.rare for button in buttons)


def test_the_default_explains_in_general_words() -> None:
    ready = [one for one in random_positions(nim.GAME, "1") if one.is_to_move]
    controls, view = ready[0].controls, ready[0].view
    assert str(controls.choices(view)[1].label) == "play take 2"
    assert str(controls.situation(view)[0]) == "It is your turn. Choose one of the possible moves."
    assert str(controls.refusal("a match", view)) == "a match cannot be played now."


class OwnControls(TableControls):
    """Shows how a game explains what its pieces cannot do."""

    def misfit(self, piece: str, view: object) -> Message:
        return msg("{piece} is not yours.", piece=piece)


def test_a_piece_is_refused_by_the_rule_of_the_game() -> None:
    for one in random_positions(HIGHCARD, "1"):
        controls = OwnControls(one.game, one.seats, one.seat)
        expected = "7 is not yours." if one.is_to_move else "It is not your turn."
        assert str(controls.refusal("7", one.view)) == expected


@pytest.mark.parametrize("players", [2, 4])
def test_the_example_with_every_part_plays_cards_from_the_hand(players: int) -> None:
    for one in random_positions(HIGHCARD, "2", players=players):
        controls = HighCardControls(one.game, one.seats, one.seat)
        hand, choices = controls.hand(one.view), controls.choices(one.view)
        assert [piece.name for piece in hand] == [str(card) for card in sorted(one.view.hand)]
        if one.is_to_move:
            assert {choice.piece for choice in choices} == {piece.name for piece in hand}
            assert {choice.move for choice in choices} == {f"show {card}" for card in one.view.hand}
        else:
            assert not choices


def first_positions(game: AnyGame) -> list[Position]:
    """Return the first position in which somebody is to move, for every seat."""
    found: list[Position] = []
    for one in random_positions(game, "1"):
        if one.game.to_move(one.state) != (-1,):
            if found and found[0].state is not one.state:
                break
            found.append(one)
    return found


@pytest.mark.parametrize("name", registry.game_names())
def test_every_game_says_its_aim_in_both_languages(name: str) -> None:
    controls = first_positions(registry.game(name))[0].controls
    assert type(controls) is not TableControls, "built-in games have controls of their own"
    with use_language("en"):
        english = translate(controls.goal())
    with use_language("pt_BR"):
        assert translate(controls.goal()) != english
    assert english.endswith(".")


@pytest.mark.parametrize("name", registry.game_names())
def test_controls_of_another_seat_show_another_hand(name: str) -> None:
    first, second, *_ = first_positions(registry.game(name))
    hands = [[piece.name for piece in one.controls.hand(one.view)] for one in (first, second)]
    assert all(hands)  # in the game without hands, both players have the same three
    assert (hands[0] == hands[1]) == (renderer_for(first.game).hand_height == 0)


@pytest.mark.parametrize("name", registry.game_names())
@pytest.mark.parametrize("shape", list(Shape))
def test_boxes_of_seats_and_table_are_those_of_the_drawing(name: str, shape: Shape) -> None:
    one = first_positions(registry.game(name))[0]
    scene = one.scene()
    width, height = size(scene, shape)
    boxes = seat_boxes(scene, shape)
    drawing = parts(scene, shape)
    assert len(boxes) == (0 if shape is Shape.TABLE else len(scene.places))
    assert len(drawing) == 2 + len(boxes)
    for seat, box in enumerate(boxes):
        assert flat(drawing[str(seat)]).startswith(f'<g transform="translate({box.x:g} {box.y:g})">')
    table = table_box(scene, shape)
    assert flat(drawing["table"]) == flat(renderer_for(one.game).draw_table(scene, table, shape))
    for box in (*boxes, table):
        assert 0 <= box.x < box.x + box.width <= width
        assert 0 <= box.y < box.y + box.height <= height


def test_controls_are_found_by_the_name_of_the_game() -> None:
    game = registry.game("rps")
    own = registry.controls("rps")
    assert type(controls_for(game, [{"name": "Ana"}, {"name": "Bento"}], 0)) is own
    assert registry.controls("nim") is None
