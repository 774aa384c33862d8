"""Where tiles lie: a line that bends to fit, and the four arms around a spinner.

An arm grows away from its start. Where the next tile would pass the edge, it is laid across the end,
downwards, and the line goes back the other way below: half touches equal half all along. Doubles lie across.
A tile never moves once it is laid: a picture shows more of the table instead.

Lengths are in units of the symbols: half a tile is `TILE`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

from botequim.picture.svg import Box, Part, moved, path, rect, use
from botequim.picture.symbols import TILE

HALF: Final = TILE / 2
LONG: Final = 2 * TILE

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
    """How far tiles may go before the line bends."""

    far: float
    """From the middle to the edge."""
    leg: float
    """How far the arms above and below a spinner go straight."""


WIDE: Final = Room(230, 50)
TALL: Final = Room(170, 150)
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


def spinner(double: int, arms: Sequence[Sequence[Halves]], room: Room) -> list[list[Laid]]:
    """The spinner, then its left, right, upper and lower arm; each of them from the spinner outwards.

    They turn like a windmill, each within its own quarter of the table.
    """
    left, right, up, down = arms
    far = room.far
    return [
        [Laid(0, 0, False, double, double)],
        [_turned(tile, -1, -1) for tile in arm(left, HALF, far, _AISLE)],
        arm(right, HALF, far, _AISLE),
        [_turned(tile, 1, -1) for tile in arm(up, TILE, far, _AISLE, leg=room.leg)],
        [_turned(tile, -1, 1) for tile in arm(down, TILE, far, _AISLE, leg=room.leg)],
    ]


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


def drawn(arms: Sequence[Sequence[Laid]], marked: Laid | None, area: Box, largest: float = 2.6) -> Part:
    """All tiles, each arm from the inside out, as large as the area allows; the marked one has a ring."""
    tiles = [tile for arm in arms for tile in arm]
    if not tiles:
        return ()
    around = bounds(tile.box for tile in tiles).inset(-HALF)
    scale = min(largest, area.width / around.width, area.height / around.height)
    (x, y), (to_x, to_y) = around.centre, area.centre
    pieces: list[Part] = [_chained(arm) for arm in arms]
    if marked is not None:
        pieces.append(mark(marked.box, 4))
    return moved(round(to_x - x * scale, 1), round(to_y - y * scale, 1), pieces, scale)


def _chained(arm: Sequence[Laid]) -> Part:
    """Each tile with all before it: what lay there before is then a piece that is known already."""
    chain: Part = ()
    for tile in arm:
        chain = (chain, tile.drawn())
    return chain


def mark(box: Box, rounding: float) -> str:
    """What was played last: a ring around it, and a flag at its corner."""
    ring = box.inset(-0.6)
    x, y = box.x + box.width, box.y
    return (
        rect("halo", ring, rounding)
        + rect("mark", ring, rounding)
        + path("flag", f"M{x - 3:g} {y + 3:g}l1.5-9.5 8 8z")
    )


def bounds(boxes: Iterable[Box]) -> Box:
    """The smallest box around them all."""
    every = list(boxes)
    x, y = min(box.x for box in every), min(box.y for box in every)
    right, bottom = max(box.x + box.width for box in every), max(box.y + box.height for box in every)
    return Box(x, y, right - x, bottom - y)
