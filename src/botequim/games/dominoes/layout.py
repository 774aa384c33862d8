"""Where tiles lie: a line that bends to fit, and the four arms around a spinner.

An arm grows away from its start. Where the next tile would pass the edge, it is laid across the end,
downwards, and the line goes back the other way below: half touches equal half all along. Doubles lie across.
A tile never moves once it is laid. The first one lies in the middle of the table, and the scale is the room's
own, which is enough for usual games; a line beyond that is seen from farther away, in few steps.

Lengths are in units of the symbols: half a tile is `TILE`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from botequim.picture.svg import Box, Part, moved, path, rect, use
from botequim.picture.symbols import TILE

HALF: Final = TILE / 2
LONG: Final = 2 * TILE
RING_INSET: Final = 1.2
"""The middle of a ring, which is `theme.RING` wide."""

Halves: TypeAlias = Sequence[int]
"""(inner number, outer number), as seen from the start of the arm."""


class Laid(NamedTuple):
    """A tile on the table, by its centre; `first` is left or above."""

    x: float
    y: float
    lies: bool
    first: int
    second: int

    @property
    def box(self) -> Box:
        width, height = (LONG, TILE) if self.lies else (TILE, LONG)
        return Box(self.x - width / 2, self.y - height / 2, width, height)

    def drawn(self) -> str:
        box = self.box
        return use(f"{'h' if self.lies else 'v'}{self.first}{self.second}", box.x, box.y)


class Room(NamedTuple):
    """How far tiles may go before the line bends, and how large they are."""

    far: float
    """From the middle to the edge."""
    leg: float
    """How far the arms above and below a spinner go straight."""
    scale: float


WIDE: Final = Room(285, 30, 1.95)
TALL: Final = Room(125, 60, 1.45)
TALL_LONG: Final = Room(145, 80, 1.25)
"""For a line of forty tiles, and for four arms."""
_FARTHER: Final = (1, 0.8, 0.64, 0.5, 0.4, 0.3, 0.2)
"""Steps back from the table, for lines that are longer than usual."""
_QUARTER: Final = 215
"""How far from a spinner an arm can at least go, where there is so much room."""
_AISLE: Final = 2.5 * TILE
"""How near an arm comes back to the middle, where its neighbour is."""


def line(tiles: Sequence[Halves], first: int, room: Room) -> list[Laid]:
    """A line from left to right, of which `first` is the tile that was laid first."""
    if not tiles:
        return []
    left, right = tiles[first]
    double = left == right
    start = HALF if double else TILE
    middle = Laid(0, 0, not double, left, right)
    after = arm(tiles[first + 1 :], start, room.far, -room.far)
    before = arm([(right, left) for left, right in reversed(tiles[:first])], start, room.far, -room.far)
    return [*(_turned(tile, -1, -1) for tile in reversed(before)), middle, *after]


def spinner(double: int, arms: Sequence[Sequence[Halves]], room: Room, before: int = 0) -> list[list[Laid]]:
    """The spinner, then its left, right, upper and lower arm; each of them from the spinner outwards.

    They turn like a windmill, each within its own quarter of the table. A spinner that came to a
    line lies where it was put, `before` tiles to the right of the line's first one (negative: to the left),
    unless that is too near an edge.
    """
    left, right, up, down = arms
    # the first tile lies with its middle in the middle, and none so far is a double
    x = 0.0 if not before else before * LONG - (HALF if before > 0 else -HALF)
    most = max(room.far - _QUARTER, 0)  # farther out, an arm would have no room beside it
    x = min(max(x, -most), most)
    to_left, to_right = room.far + x, room.far - x
    laid = [
        [Laid(0, 0, False, double, double)],
        [_turned(tile, -1, -1) for tile in arm(left, HALF, to_left, _AISLE)],
        arm(right, HALF, to_right, _AISLE),
        [_turned(tile, 1, -1) for tile in arm(up, TILE, to_right, _AISLE, leg=room.leg)],
        [_turned(tile, -1, 1) for tile in arm(down, TILE, to_left, _AISLE, leg=room.leg)],
    ]
    return [[tile._replace(x=tile.x + x) for tile in arm] for arm in laid] if x else laid


def arm(tiles: Sequence[Halves], start: float, far: float, near: float, leg: float = 0) -> list[Laid]:
    """An arm to the right, between `near` and `far`; with a `leg`, downwards until there."""
    walk = _Walk(far, near, leg, start)
    return [walk.lay(inner, outer) for inner, outer in tiles]


class _Walk:
    """One step after another along an arm."""

    def __init__(self, far: float, near: float, leg: float, start: float) -> None:
        self.far, self.near, self.leg = far, near, leg
        self.heading = 1
        self.down = leg > 0
        """Whether the last tile went downwards, or the next does."""
        self.x = 0.0 if leg else start
        """Where the next tile begins; of a way down its middle."""
        self.y = start if leg else 0.0
        """The middle of the row; of a way down where the next tile begins."""
        self.below = HALF
        """How far the last tile of a row reaches down."""
        self.begun = False
        """Whether the row holds a tile."""

    def lay(self, inner: int, outer: int) -> Laid:
        double = inner == outer
        if self.down:
            return self._down(inner, outer) if self.leg else self._around(inner, outer, double=double)
        reach = self.x + self.heading * (TILE if double else LONG)
        over = reach > self.far if self.heading > 0 else reach < self.near
        if over and not double and self.begun:
            self.x -= self.heading * HALF
            self.y += self.below
            self.down = True
            return self._across(inner, outer)
        return self._along(inner, outer, reach, double=double)

    def _along(self, inner: int, outer: int, reach: float, *, double: bool) -> Laid:
        laid = self._tile((self.x + reach) / 2, self.y, inner, outer, lies=not double)
        self.x, self.begun, self.below = reach, True, TILE if double else HALF
        return laid

    def _across(self, inner: int, outer: int) -> Laid:
        """The tile at the corner, which hangs from the last one of its row."""
        laid = Laid(self.x, self.y + TILE, False, inner, outer)
        self.y += LONG
        return laid

    def _around(self, inner: int, outer: int, *, double: bool) -> Laid:
        """The first tile of the row back, under the one at the corner."""
        self.heading, self.down, self.begun, self.below = -self.heading, False, True, HALF
        self.y += HALF
        middle = self.x if double else self.x + self.heading * HALF
        self.x = middle + self.heading * TILE
        return self._tile(middle, self.y, inner, outer, lies=True)

    def _down(self, inner: int, outer: int) -> Laid:
        """Straight down from a spinner, as far as the leg goes."""
        double = inner == outer
        length = TILE if double else LONG
        laid = Laid(self.x, self.y + length / 2, double, inner, outer)
        self.y += length
        if self.y >= self.leg + TILE:
            self.leg, self.heading = 0, -1  # the next goes around, to the right
            if double:
                # the row goes on from the double's own end
                self.down, self.heading, self.begun, self.below = False, 1, True, HALF
                self.x, self.y = self.x + TILE, self.y - HALF
        return laid

    def _tile(self, x: float, y: float, inner: int, outer: int, *, lies: bool) -> Laid:
        first, second = (inner, outer) if self.heading > 0 else (outer, inner)
        return Laid(x, y, lies, first, second)


def _turned(tile: Laid, across: int, down: int) -> Laid:
    """The tile in the mirror: -1 changes left and right, or above and below."""
    x, y, lies, first, second = tile
    if (across if lies else down) < 0:
        first, second = second, first
    return Laid(x * across, y * down, lies, first, second)


# --- on the table --------------------------------------------------------------------------------------


def drawn(arms: Sequence[Sequence[Laid]], marked: Laid | None, area: Box, room: Room) -> Part:
    """All tiles, each arm from the inside out, around the middle of the area; the marked one has a ring."""
    boxes = [tile.box for arm in arms for tile in arm]
    if not boxes:
        return ()
    across = max(abs(box.x + box.width / 2) + box.width / 2 for box in boxes)
    along = max(abs(box.y + box.height / 2) + box.height / 2 for box in boxes)
    most = min(area.width / 2 / across, area.height / 2 / along)
    scale = next((step for step in (room.scale * by for by in _FARTHER) if step <= most), most)
    x, y = area.centre
    pieces: list[Part] = [_chained(arm) for arm in arms]
    if marked is not None:
        pieces.append(_mark(marked))
    return moved(round(x, 1), round(y, 1), pieces, scale)


def _chained(arm: Sequence[Laid]) -> Part:
    """Each tile with all before it: what lay there before is then a piece that is known already."""
    chain: Part = ()
    for tile in arm:
        chain = (chain, tile.drawn())
    return chain


def _mark(tile: Laid) -> str:
    """On the tile that was laid last: a ring, and a flag over its groove, where no pips are."""
    across, along = (2.6, 6) if tile.lies else (6, 2.6)
    flag = f"M{tile.x - across:g} {tile.y:g}l{across:g}-{along:g} {across:g} {along:g}-{across:g} {along:g}z"
    return ring(tile.box, 2.6) + path("flag", flag)


def ring(box: Box, rounding: float) -> str:
    """Around what was played last: on its own border, so that it hides no signs, nor a neighbour's."""
    inside = box.inset(RING_INSET)
    return rect("halo", inside, rounding) + rect("mark", inside, rounding)
