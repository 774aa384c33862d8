"""Checks of the controls of a game in the browser: they agree with the rules and with the drawing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest

from botequim.core.game import CHANCE, AnyGame
from botequim.core.options import resolve_options
from botequim.core.rng import Rng
from botequim.core.turn import PlayedMove, Step
from botequim.games.dominoes.symbols import TILE
from botequim.i18n import translate, use_language
from botequim.render.drawing import parts, size, table_box
from botequim.render.layout import PAGE_SHAPES, PLAY_SHAPES, Shape
from botequim.render.renderer import renderer_for
from botequim.render.scene import Scene, scene_of
from botequim.render.svg import Box, flat
from botequim.render.symbols import definitions, used_symbols
from botequim.tables.controls import TableControls, controls_for

NAMES = ("Ana", "Bento", "Caio", "Davi", "Eva", "Fábio", "Gil", "Helena", "Ivo", "Júlia")
_RING = 1.2
"""How far the ring around the last tile or card is inside of it."""


class Position(NamedTuple):
    """A position in which a seat is to move, or has just moved."""

    game: AnyGame
    options: Mapping[str, Any]
    step: Step
    seat: int

    @property
    def state(self) -> Any:
        return self.step.after

    @property
    def view(self) -> Any:
        return self.game.view(self.step.after, self.seat)

    @property
    def controls(self) -> TableControls:
        return controls_for(self.game, self.seats, self.seat)

    @property
    def seats(self) -> list[dict[str, str]]:
        count = sum(map(len, self.game.teams(self.options)))
        return [{"name": name} for name in NAMES[:count]]

    @property
    def is_to_move(self) -> bool:
        return self.seat in self.game.to_move(self.step.after)

    def scene(self, step: Step | None = None) -> Scene:
        return scene_of(self.game, self.options, self.seats, step or self.step, perspective=self.seat)

    def after(self, move: Any) -> Step:
        """Return the turn in which this seat, alone, makes a move."""
        step = self.step
        state = self.game.apply(step.after, {self.seat: move})
        return Step(step.number + 1, step.after, (PlayedMove(self.seat, move),), state)


def random_positions(game: AnyGame, seed: str, **given: object) -> Iterator[Position]:
    """Yield every position of a random game, for each seat."""
    options = resolve_options(game.name, game.options, given)
    count = sum(map(len, game.teams(options)))
    rng = Rng(f"{game.name} {seed}")
    state = game.start(options)
    number = 0
    while to_move := game.to_move(state):
        turn = [
            PlayedMove(by, game.chance(state, rng) if by == CHANCE else rng.choice(game.legal(state, by)))
            for by in to_move
        ]
        after = game.apply(state, {one.by: one.move for one in turn})
        number += 1
        for seat in range(count):
            yield Position(game, options, Step(number, state, tuple(turn), after), seat)
        state = after


def check_choices(position: Position) -> None:
    """Every legal move has one choice, every choice is allowed, and every other piece has a reason."""
    game, view, controls = position.game, position.view, position.controls
    choices = controls.choices(view)
    written = [choice.move for choice in choices]
    assert len(set(written)) == len(written)
    if not position.is_to_move:
        assert not choices
        assert not controls.situation(view)
    else:
        assert {game.write(move) for move in view.legal} <= set(written)
        for choice in choices:
            move = game.read(choice.move)
            assert game.write(move) == choice.move
            assert game.check(position.state, position.seat, move) is None
            assert move in view.legal or choice.rare
    names = [piece.name for piece in controls.hand(view)]
    played = {choice.piece for choice in choices}
    assert played - {""} <= set(names)
    for name in set(names):
        refusal = controls.refusal(name, view)
        assert (refusal is None) == (name in played), name
        targets = [choice.target for choice in choices if choice.piece == name]
        assert len(set(targets)) == len(targets), "a target says which choice is meant"
        assert all(targets) or len(targets) == 1


def check_words(position: Position) -> None:
    """Sentences end with a period, labels do not; both exist in Portuguese too."""
    view, controls = position.view, position.controls
    names = [piece.name for piece in controls.hand(view)]
    refusals = [refusal for name in names if (refusal := controls.refusal(name, view)) is not None]
    sentences = [*controls.situation(view), *refusals, controls.goal()]
    choices = controls.choices(view)
    labels = [choice.label for choice in choices]
    labels += [choice.target_label for choice in choices if choice.target_label is not None]
    labels += [piece.label for piece in controls.hand(view)]
    for language in ("en", "pt_BR"):
        with use_language(language):
            for sentence in map(translate, sentences):
                assert re.fullmatch(r"[^a-zà-ú{}].*[^.:{}]\.", sentence), sentence
            for label in map(translate, labels):
                assert label, "a button without a label"
                assert label[-1] not in ".:", label
                assert "{" not in label, label


def check_refusals(position: Position, ways: Callable[[str], Sequence[str]]) -> None:
    """A piece that is refused cannot be played in any of these ways, given as the game writes moves."""
    game, view, controls = position.game, position.view, position.controls
    if not position.is_to_move:
        return
    for name in {piece.name for piece in controls.hand(view)}:
        possible = [
            way for way in ways(name) if game.check(position.state, position.seat, game.read(way)) is None
        ]
        assert (controls.refusal(name, view) is None) == bool(possible), name


def check_hand(position: Position) -> None:
    """The hand is the one of the picture, and each piece is drawn with the symbols of the game."""
    symbols = renderer_for(position.game).symbols
    hand = position.controls.hand(position.view)
    in_picture = position.scene().places[position.seat].hand
    if in_picture is not None:
        assert sorted(piece.name for piece in hand) == sorted(in_picture)
    for piece in hand:
        ElementTree.fromstring(f"<svg>{definitions(symbols, used_symbols(piece.drawing))}</svg>")
        ElementTree.fromstring(f"<svg>{piece.drawing}</svg>")
        assert used_symbols(piece.drawing) <= set(symbols.names)
        assert piece.width > 0
        assert piece.height > 0


def check_boxes(position: Position, shapes: Sequence[Shape] = PAGE_SHAPES) -> int:
    """The box of each choice that lays a piece is where the drawing has it after the move; return how many
    there are."""
    game, view, controls = position.game, position.view, position.controls
    scene = position.scene()
    laid = 0
    for shape in shapes:
        boxes = controls.target_boxes(view, scene, shape)
        assert boxes.keys() <= {choice.move for choice in controls.choices(view)}
        width, height = size(scene, shape)
        for choice in controls.choices(view):
            box = boxes.get(choice.move)
            if box is None:
                continue
            assert box.x >= 0
            assert box.y >= 0
            assert box.x + box.width <= width
            assert box.y + box.height <= height
            if choice.piece:
                drawn = last_piece_box(position.scene(position.after(game.read(choice.move))), shape)
                assert box == pytest.approx(drawn, abs=0.5), choice.move
                laid += 1
    return laid


def check_places(position: Position) -> int:
    """Where a person plays, each place of a tile is on the table, beside a tile, and covers none; return how
    many there are."""
    view, controls = position.view, position.controls
    scene = position.scene()
    found = 0
    for shape in PLAY_SHAPES:
        tiles = tile_boxes(scene, shape)
        room = table_box(scene, shape).inset(-0.5)
        boxes = controls.target_boxes(view, scene, shape)
        for box in boxes.values():
            check_place(box, tiles, room)
        found += len(boxes)
    return found


def check_place(box: Box, tiles: Sequence[Box], room: Box) -> None:
    """A tile can be laid in this box."""
    assert room.x <= box.x <= box.x + box.width <= room.x + room.width
    assert room.y <= box.y <= box.y + box.height <= room.y + room.height
    assert not any(_overlap(box.inset(0.6), tile.inset(0.6)) for tile in tiles)
    assert not tiles or any(_overlap(box.inset(-0.6), tile.inset(-0.6)) for tile in tiles)
    for tile in tiles:
        assert sorted(tile[2:]) == pytest.approx(sorted(box[2:]), abs=0.5)


def tile_boxes(scene: Scene, shape: Shape) -> list[Box]:
    """Return the boxes of the tiles that a drawing has on the table, without those of a boneyard."""
    table = ElementTree.fromstring(f"<svg>{flat(parts(scene, shape)['table'])}</svg>")
    return list(_tiles(table, (0, 0, 1)))


def _tiles(element: ElementTree.Element, origin: tuple[float, float, float]) -> Iterator[Box]:
    x, y, scale = origin
    for child in element:
        name = child.get("href", "")
        if child.tag == "use" and re.fullmatch(r"#[hv]\d\d", name):
            left, top = (float(child.get(key, 0)) * scale for key in ("x", "y"))
            width, height = (2 * TILE, TILE) if name[1] == "h" else (TILE, 2 * TILE)
            yield Box(x + left, y + top, width * scale, height * scale)
        elif child.tag == "g":
            yield from _tiles(child, _moved(origin, child.get("transform", "")))


def _overlap(one: Box, other: Box) -> bool:
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )


def last_piece_box(scene: Scene, shape: Shape) -> Box:
    """Return where a drawing has the ring around the piece that was played last."""
    table = ElementTree.fromstring(f"<svg>{flat(parts(scene, shape)['table'])}</svg>")
    (found,) = _marked(table, (0, 0, 1))
    return found


def _marked(element: ElementTree.Element, origin: tuple[float, float, float]) -> Iterator[Box]:
    x, y, scale = origin
    for child in element:
        if child.get("class") == "b-mark" and child.tag == "rect":
            left, top, width, height = (float(child.get(name, "")) for name in ("x", "y", "width", "height"))
            box = Box(left, top, width, height).inset(-_RING)
            yield Box(x + box.x * scale, y + box.y * scale, box.width * scale, box.height * scale)
        elif child.tag == "g":
            yield from _marked(child, _moved(origin, child.get("transform", "")))


def _moved(origin: tuple[float, float, float], transform: str) -> tuple[float, float, float]:
    x, y, scale = origin
    found = re.fullmatch(r"translate\((\S+) (\S+)\)(?: scale\((\S+)\))?", transform)
    if found is None:  # something that is turned, and has no ring
        return origin
    across, down, by = float(found[1]), float(found[2]), float(found[3] or 1)
    return x + across * scale, y + down * scale, scale * by
