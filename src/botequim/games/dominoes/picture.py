"""Shared drawings of domino games: lines and hands of tiles, and tiles face down."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, assert_never

from botequim.core.game import AnyGame
from botequim.games.dominoes.layout import (
    DESK,
    HALL,
    NEXT_TILES,
    TABLE_SCALE,
    TALL,
    WIDE,
    PlacedTile,
    Room,
    box_in_area,
    draw_table,
    line,
)
from botequim.games.dominoes.symbols import TILE, TILES
from botequim.render.layout import Shape
from botequim.render.renderer import Renderer
from botequim.render.svg import Box, Part, group_at, text, text_width, use

if TYPE_CHECKING:
    from botequim.narration.narrator import Narrator
    from botequim.render.scene import Scene

HEIGHT: Final = 88
FOOT: Final = 44
"""The height of a strip at the bottom of the table."""
_GAP: Final = 3
_FAR_FOOT: Final = 1.6
"""How much larger that strip is on a big screen."""


def room_of(shape: Shape, tall: Room) -> Room:
    """Return the layout for a shape; `tall` is the one for a phone."""
    match shape:
        case Shape.WIDE:
            return WIDE
        case Shape.TALL:
            return tall
        case Shape.HALL:
            return HALL
        case Shape.DESK:
            return DESK
        case Shape.TABLE:
            return tall._replace(scale=TABLE_SCALE, fills=True, for_play=True)
    assert_never(shape)


def foot_height(shape: Shape) -> float:
    """Return the height of the strip at the bottom of the table."""
    return FOOT * _FAR_FOOT if shape is Shape.HALL else FOOT


def draw_foot(draw: Callable[[Box], Part], area: Box, shape: Shape) -> Part:
    """Return the strip at the bottom of the area; `draw` draws it at the bottom of the box that it gets."""
    if shape is not Shape.HALL:
        return draw(area)
    inside = Box(0, -FOOT, area.width / _FAR_FOOT, FOOT)
    return group_at(area.x, area.y + area.height, draw(inside), _FAR_FOOT)


class LineRenderer(Renderer):
    """Draws a game in which all tiles lie in one line."""

    hand_height = HEIGHT
    symbols = TILES
    tall: Room = TALL
    """The layout on a phone."""

    def open_facts(self, game: AnyGame, state: Any, narrator: Narrator) -> Mapping[str, Any]:
        return {}

    def hand(self, view: Any) -> Sequence[str]:
        return [str(tile) for tile in view.hand]

    def draw_table(self, scene: Scene, area: Box, shape: Shape) -> Part:
        room = room_of(shape, self.tall)
        arms, last_tile = self._place_tiles(scene.facts, room)
        return draw_table(
            arms, last_tile, self.tiles_area(area, shape), room, self._next_tiles(scene.facts, room)
        )

    def tiles_area(self, area: Box, shape: Shape) -> Box:
        """Return the part of the table on which tiles lie."""
        return area

    def next_tile_box(
        self, facts: Mapping[str, Any], halves: tuple[int, int], area: Box, shape: Shape, *, left: bool
    ) -> Box:
        """Return where one more tile would lie.

        `halves` are its left and right numbers, `area` is the table. In a shape for play, the box is that in
        the drawing of the line as it is. Otherwise it is that in the drawing of the longer line: one that
        gets too long is drawn at a smaller scale, so the tiles that lie there now may be larger.
        """
        room = room_of(shape, self.tall)
        arms, tile = self._with_tile(facts, halves, room, left=left)
        if room.for_play and facts["line"]:
            arms, _ = self._place_tiles(facts, room)
        next_tiles = self._next_tiles(facts, room)
        return box_in_area(tile, arms, self.tiles_area(area, shape), room, next_tiles)

    def _with_tile(
        self, facts: Mapping[str, Any], halves: tuple[int, int], room: Room, *, left: bool
    ) -> tuple[list[list[PlacedTile]], PlacedTile]:
        """Return the positions of the tiles with one more, and that of this one."""
        before = facts["line"]
        at_start = left and bool(before)
        after = {
            "line": [halves, *before] if at_start else [*before, halves],
            "first": facts["first"] + at_start,
            "last": 0 if at_start else len(before),
        }
        arms, tile = self._place_tiles(after, room)
        assert tile is not None
        return arms, tile

    def _next_tiles(self, facts: Mapping[str, Any], room: Room) -> list[PlacedTile]:
        """Return the places of the next tile for which there is room in a shape for play."""
        if not room.for_play or not facts["line"]:
            return []
        ends = [(halves, left) for halves in NEXT_TILES for left in (True, False)]
        return [self._with_tile(facts, halves, room, left=left)[1] for halves, left in ends]

    def _place_tiles(
        self, facts: Mapping[str, Any], room: Room
    ) -> tuple[list[list[PlacedTile]], PlacedTile | None]:
        """Return the positions of the tiles, outwards from the first one, and the tile that was laid last."""
        first = facts["first"]
        tiles = line(facts["line"], first, room)
        last_tile = tiles[facts["last"]] if facts["last"] is not None else None
        return [tiles[first:], tiles[:first][::-1]], last_tile

    def draw_hand(self, hand: Sequence[str], area: Box) -> Part:
        return hand_of_tiles(hand, area)

    def draw_backs(self, count: int, area: Box) -> Part:
        return tile_backs(count, area)


def sorted_tiles(hand: Iterable[str]) -> list[str]:
    """Return tiles in the order in which a hand is drawn."""
    return sorted(hand)


def tile_symbol(tile: str) -> str:
    """Return the symbol of a standing tile such as `3-6`."""
    return f"v{tile[0]}{tile[2]}"


def hand_of_tiles(hand: Sequence[str], area: Box) -> Part:
    """Draw tiles side by side, in order, as large as possible."""
    tiles = sorted_tiles(hand)
    return _rows(len(tiles), area, lambda at: tile_symbol(tiles[at]))


def tile_backs(count: int, area: Box) -> Part:
    return _rows(count, area, lambda at: "tb")


def _rows(count: int, area: Box, name: Callable[[int], str]) -> Part:
    if not count:
        return ()
    scale, fewer = max((_scale(count, rows, area), -rows) for rows in (1, 2, 3))
    rows = -fewer
    each = -(-count // rows)
    across, down = TILE + _GAP, 2 * TILE + _GAP
    pieces = "".join(use(name(at), at % each * across, at // each * down) for at in range(count))
    height = (rows * down - _GAP) * scale
    return group_at(round(area.x, 1), round(area.y + (area.height - height) / 2, 1), pieces, scale)


def _scale(count: int, rows: int, area: Box) -> float:
    """Return the scale at which the tiles fit into this number of rows."""
    each = -(-count // rows)
    return min(area.height / (rows * (2 * TILE + _GAP) - _GAP), area.width / (each * (TILE + _GAP) - _GAP))


def stock(count: int, word: str, x: float, bottom: float) -> Part:
    """Draw one tile face down at the bottom of the table, with the number of tiles in the stock."""
    if not count:
        return ()
    many = f"×{count}"
    return [
        group_at(x, bottom - 38, use("tb"), 0.95),
        text(many, x + 28, bottom - 10, 24, "bold onfelt"),
        text(word, x + 38 + text_width(many, 26), bottom - 11, 18, "onfelt"),
    ]
