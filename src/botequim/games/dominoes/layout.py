"""Positions of tiles on the table: a line that bends to fit, and the four arms around a spinner.

An arm grows away from its start. If the next tile would cross the edge, it is laid downwards at the end of
the row, and the next row goes back below it. Touching halves are always equal. Doubles lie across the row. A
tile never moves after it was laid. The first tile is in the middle of the table. The scale depends on the
room, and is enough for usual games; a longer line is drawn at one of a few smaller scales. On a big screen
the tiles that lie there fill the table instead, up to a largest scale; where a person plays, these tiles and
the places of the next ones do.

Lengths are in units of the symbols: half a tile is `TILE`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from botequim.games.dominoes.symbols import TILE
from botequim.render.svg import Box, Part, group_at, path, rect, use

HALF: Final = TILE / 2
LONG: Final = 2 * TILE
RING_INSET: Final = 1.2
"""The middle of the stroke of a ring, which is `theme.RING` wide."""

Halves: TypeAlias = Sequence[int]
"""The inner and the outer number; the inner half is nearer to the start of the arm."""


class PlacedTile(NamedTuple):
    """A tile on the table by its centre; `first` is its left or upper number."""

    x: float
    y: float
    lies: bool
    first: int
    second: int

    @property
    def box(self) -> Box:
        width, height = (LONG, TILE) if self.lies else (TILE, LONG)
        return Box(self.x - width / 2, self.y - height / 2, width, height)

    def draw_table(self) -> str:
        box = self.box
        return use(f"{'h' if self.lies else 'v'}{self.first}{self.second}", box.x, box.y)


class Room(NamedTuple):
    """How far a line may go before it bends, and the scale of its tiles."""

    far: float
    """The distance from the middle to the edge."""
    leg: float
    """How far the upper and the lower arm of a spinner go straight."""
    scale: float
    fills: bool = False
    """Whether the tiles fill the table; `scale` is then the largest one."""
    for_play: bool = False
    """Whether there is room for the next tiles, too, so that a person sees where they can be laid."""


WIDE: Final = Room(285, 30, 1.95)
TALL: Final = Room(125, 60, 1.45)
TALL_LONG: Final = Room(145, 80, 1.25)
"""The room for a line of forty tiles, and for four arms."""
HALL: Final = Room(285, 30, 4.2, fills=True)
DESK: Final = Room(285, 30, 4.2, fills=True, for_play=True)
TABLE_SCALE: Final = 3.2
"""The largest scale of tiles on a table without seats."""
NEXT_TILES: Final = ((0, 0), (0, 1))
"""The numbers of a double and of another tile: their places differ."""
_FARTHER: Final = (1, 0.8, 0.64, 0.5, 0.4, 0.3, 0.2)
"""Scales for lines that are longer than usual."""
_QUARTER: Final = 215
"""The least distance from a spinner to the edge that an arm needs."""
_AISLE: Final = 2.5 * TILE
"""How near to the middle an arm may come back, because the next arm is there."""


def line(tiles: Sequence[Halves], first: int, room: Room) -> list[PlacedTile]:
    """Return the positions of a line from left to right; `first` is the index of the first tile that was
    laid."""
    if not tiles:
        return []
    left, right = tiles[first]
    double = left == right
    start = HALF if double else TILE
    middle = PlacedTile(0, 0, not double, left, right)
    after = arm(tiles[first + 1 :], start, room.far, -room.far)
    before = arm([(right, left) for left, right in reversed(tiles[:first])], start, room.far, -room.far)
    return [*(_mirror(tile, -1, -1) for tile in reversed(before)), middle, *after]


def spinner(
    double: int, arms: Sequence[Sequence[Halves]], room: Room, before: int = 0
) -> list[list[PlacedTile]]:
    """Return the positions of the spinner, then of its left, right, upper and lower arm, each outwards.

    The arms turn in the same direction, each within its own quarter of the table. If the spinner was laid on
    a line, it stays where it was laid, `before` tiles to the right of the line's first tile (if negative, to
    the left), unless that is too near to an edge.
    """
    left, right, up, down = arms
    # the first tile is in the centre of the table, and none of these tiles is a double
    x = 0.0 if not before else before * LONG - (HALF if before > 0 else -HALF)
    most = max(room.far - _QUARTER, 0)  # farther out, an arm would have no room
    x = min(max(x, -most), most)
    to_left, to_right = room.far + x, room.far - x
    arms_of_spinner = [
        [PlacedTile(0, 0, False, double, double)],
        [_mirror(tile, -1, -1) for tile in arm(left, HALF, to_left, _AISLE)],
        arm(right, HALF, to_right, _AISLE),
        [_mirror(tile, 1, -1) for tile in arm(up, TILE, to_right, _AISLE, leg=room.leg)],
        [_mirror(tile, -1, 1) for tile in arm(down, TILE, to_left, _AISLE, leg=room.leg)],
    ]
    return (
        [[tile._replace(x=tile.x + x) for tile in arm] for arm in arms_of_spinner] if x else arms_of_spinner
    )


def arm(tiles: Sequence[Halves], start: float, far: float, near: float, leg: float = 0) -> list[PlacedTile]:
    """Return the positions of an arm to the right, between `near` and `far`; with a `leg`, first
    downwards."""
    walk = _Walk(far, near, leg, start)
    return [walk.lay(inner, outer) for inner, outer in tiles]


class _Walk:
    """Lays one tile after another along an arm."""

    def __init__(self, far: float, near: float, leg: float, start: float) -> None:
        self.far, self.near, self.leg = far, near, leg
        self.heading = 1
        self.down = leg > 0
        """Whether the last tile went downwards, or the next one will."""
        self.x = 0.0 if leg else start
        """The x coordinate at which the next tile begins; on the way down, that of its middle."""
        self.y = start if leg else 0.0
        """The y coordinate of the middle of the row; on the way down, that at which the next tile begins."""
        self.below = HALF
        """How far the last tile of the row extends below its middle."""
        self.has_tile = False
        """Whether the row has a tile."""

    def lay(self, inner: int, outer: int) -> PlacedTile:
        double = inner == outer
        if self.down:
            return self._down(inner, outer) if self.leg else self._around(inner, outer, double=double)
        reach = self.x + self.heading * (TILE if double else LONG)
        over = reach > self.far if self.heading > 0 else reach < self.near
        if over and not double and self.has_tile:
            self.x -= self.heading * HALF
            self.y += self.below
            self.down = True
            return self._across(inner, outer)
        return self._along(inner, outer, reach, double=double)

    def _along(self, inner: int, outer: int, reach: float, *, double: bool) -> PlacedTile:
        tile = self._tile((self.x + reach) / 2, self.y, inner, outer, lies=not double)
        self.x, self.has_tile, self.below = reach, True, TILE if double else HALF
        return tile

    def _across(self, inner: int, outer: int) -> PlacedTile:
        """Lay the tile at the corner, downwards from the last tile of the row."""
        tile = PlacedTile(self.x, self.y + TILE, False, inner, outer)
        self.y += LONG
        return tile

    def _around(self, inner: int, outer: int, *, double: bool) -> PlacedTile:
        """Lay the first tile of the next row, in the opposite direction, below the tile at the corner."""
        self.heading, self.down, self.has_tile, self.below = -self.heading, False, True, HALF
        self.y += HALF
        middle = self.x if double else self.x + self.heading * HALF
        self.x = middle + self.heading * TILE
        return self._tile(middle, self.y, inner, outer, lies=True)

    def _down(self, inner: int, outer: int) -> PlacedTile:
        """Lay a tile straight down from a spinner, as far as the leg goes."""
        double = inner == outer
        length = TILE if double else LONG
        tile = PlacedTile(self.x, self.y + length / 2, double, inner, outer)
        self.y += length
        if self.y >= self.leg + TILE:
            self.leg, self.heading = 0, -1  # the next tile turns to the right
            if double:
                # the row continues from the end of the double
                self.down, self.heading, self.has_tile, self.below = False, 1, True, HALF
                self.x, self.y = self.x + TILE, self.y - HALF
        return tile

    def _tile(self, x: float, y: float, inner: int, outer: int, *, lies: bool) -> PlacedTile:
        first, second = (inner, outer) if self.heading > 0 else (outer, inner)
        return PlacedTile(x, y, lies, first, second)


def _mirror(tile: PlacedTile, across: int, down: int) -> PlacedTile:
    """Return the mirrored position: -1 for `across` exchanges left and right, for `down` above and below."""
    x, y, lies, first, second = tile
    if (across if lies else down) < 0:
        first, second = second, first
    return PlacedTile(x * across, y * down, lies, first, second)


# --- drawing -------------------------------------------------------------------------------------------


def draw_table(
    arms: Sequence[Sequence[PlacedTile]],
    last_tile: PlacedTile | None,
    area: Box,
    room: Room,
    next_tiles: Sequence[PlacedTile] = (),
) -> Part:
    """Draw all tiles around the middle of the area, each arm from the inside out, with a ring around the last
    tile. Tiles that fill the table leave room for the `next_tiles`."""
    if not any(arms):
        return ()
    origin = _origin(arms, next_tiles, area, room)
    pieces: list[Part] = [_nest(arm) for arm in arms]
    if last_tile is not None:
        pieces.append(_mark(last_tile))
    return group_at(origin.x, origin.y, pieces, origin.scale)


def box_in_area(
    tile: PlacedTile,
    arms: Sequence[Sequence[PlacedTile]],
    area: Box,
    room: Room,
    next_tiles: Sequence[PlacedTile] = (),
) -> Box:
    """Return where `draw_table` draws one of the tiles or of the next ones, in the units of the area."""
    x, y, scale = _origin(arms, next_tiles, area, room)
    box = tile.box
    return Box(x + box.x * scale, y + box.y * scale, box.width * scale, box.height * scale)


class _Origin(NamedTuple):
    """Where the coordinates of the tiles begin in the area, and their scale."""

    x: float
    y: float
    scale: float


def _origin(
    arms: Sequence[Sequence[PlacedTile]], next_tiles: Sequence[PlacedTile], area: Box, room: Room
) -> _Origin:
    boxes = [tile.box for arm in arms for tile in arm]
    if room.fills:
        return _filling([*boxes, *(tile.box for tile in next_tiles)], area, room.scale)
    across = max(abs(box.x + box.width / 2) + box.width / 2 for box in boxes)
    along = max(abs(box.y + box.height / 2) + box.height / 2 for box in boxes)
    most = min(area.width / 2 / across, area.height / 2 / along)
    scale = next((step for step in (room.scale * by for by in _FARTHER) if step <= most), most)
    x, y = area.centre
    return _Origin(round(x, 1), round(y, 1), scale)


def _filling(boxes: Sequence[Box], area: Box, most: float) -> _Origin:
    """Return the origin at which the tiles are in the middle of the area, as large as they fit, up to the
    scale `most`."""
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    width = max(box.x + box.width for box in boxes) - left
    height = max(box.y + box.height for box in boxes) - top
    scale = round(min(most, area.width / width, area.height / height), 3)
    x, y = area.centre
    return _Origin(round(x - (left + width / 2) * scale, 1), round(y - (top + height / 2) * scale, 1), scale)


def _nest(arm: Sequence[PlacedTile]) -> Part:
    """Nest each tile with all tiles before it, so that these are one piece, which viewers have already."""
    chain: Part = ()
    for tile in arm:
        chain = (chain, tile.draw_table())
    return chain


def _mark(tile: PlacedTile) -> str:
    """Draw a ring around the tile that was laid last, and a flag on its middle line, where there are no
    pips."""
    across, along = (2.6, 6) if tile.lies else (6, 2.6)
    flag = f"M{tile.x - across:g} {tile.y:g}l{across:g}-{along:g} {across:g} {along:g}-{across:g} {along:g}z"
    return ring(tile.box, 2.6) + path("flag", flag)


def ring(box: Box, rounding: float) -> str:
    """Draw a ring on the border of the last tile or card, which covers neither pips nor neighbours."""
    inside = box.inset(RING_INSET)
    return rect("halo", inside, rounding) + rect("mark", inside, rounding)
