"""The board of a game with a spinner: a line of tiles until the first double, then arms around it.

The first tile at the spinner is laid on its left, the second on its right, and only then tiles can be laid up
and down. Each arm is stored with its outermost tile first. Before there is a spinner, the whole line is
stored as the left arm, from left to right, and is open at both ends. When the first double is laid, the line
becomes the left arm of this spinner; it is reversed if the double was laid on the left. All functions are
pure: laying a tile returns a new board.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias, final

from botequim.core.messages import Message, msg
from botequim.games.dominoes.tiles import Tile, read_tile, require_tile, tile_set


class Direction(StrEnum):
    """Where a tile is laid: on an arm, or on an end of the line while there is no spinner."""

    LEFT = "left"
    RIGHT = "right"
    UP = "up"
    DOWN = "down"


DIRECTIONS: Final = (Direction.LEFT, Direction.RIGHT, Direction.UP, Direction.DOWN)
CLOSED: Final = -1


@final
@dataclass(frozen=True)
class Lay:
    """A player lays a tile."""

    tile: Tile
    side: Direction
    """It has no meaning on an empty board. If the spinner is the only tile, every direction means left."""

    def __post_init__(self) -> None:
        require_tile(self.tile)
        if type(self.side) is not Direction:
            raise TypeError("a tile is laid in a Direction")


LAYS: Final = {tile: tuple([Lay(tile, side) for side in DIRECTIONS]) for tile in tile_set(9)}
"""All lays with tiles up to double-nine, created once."""

Halves: TypeAlias = tuple[int, int]
"""A tile on the table: (outer number, inner number); in a line without spinner (left, right)."""
Arm: TypeAlias = tuple[Halves, ...]


class Board(NamedTuple):
    """The tiles on the table."""

    spinner: Tile | None
    left: Arm
    right: Arm
    up: Arm
    down: Arm

    def is_empty(self) -> bool:
        return self.spinner is None and not self.left

    def is_lone_spinner(self) -> bool:
        return self.spinner is not None and not self.left

    def ends(self) -> tuple[int, int, int, int]:
        """Return the open numbers on the left, right, up and down, or CLOSED. On an empty board all are
        CLOSED.

        If the spinner is the only tile, only its left is open, and every direction means left.
        """
        spinner, left, right, up, down = self
        if not left:
            return CLOSED if spinner is None else spinner[0], CLOSED, CLOSED, CLOSED
        if spinner is None:
            return left[0][0], left[-1][1], CLOSED, CLOSED
        if not right:
            return left[0][0], spinner[0], CLOSED, CLOSED
        return left[0][0], right[0][0], up[0][0] if up else spinner[0], down[0][0] if down else spinner[0]

    def score(self) -> int:
        """Return the sum of the open ends."""
        spinner, left, right, up, down = self
        if not left:
            return 0 if spinner is None else 2 * spinner[0]
        if spinner is None:
            return left[0][0] + left[-1][1]
        if not right:
            return 2 * spinner[0] + _counts(left)
        return _counts(left) + _counts(right) + _counts(up) + _counts(down)

    def lays(self, hand: tuple[Tile, ...]) -> list[Lay]:
        """Return all ways to lay the tiles of a hand, each tile in the order of directions, without
        equivalent ones."""
        if self.is_empty():
            return [LAYS[tile][0] for tile in hand]
        left, right, up, down = self.ends()
        lays: list[Lay] = []
        for tile in hand:
            low, high = tile
            if low == left or high == left:
                lays.append(LAYS[tile][0])
            if low == right or high == right:
                lays.append(LAYS[tile][1])
            if low == up or high == up:
                lays.append(LAYS[tile][2])
            if low == down or high == down:
                lays.append(LAYS[tile][3])
        return lays

    def refusal(self, lay: Lay) -> Message | None:
        """Return why a tile cannot be laid there, or None."""
        if lay.side not in DIRECTIONS:
            return msg("a tile is laid left, right, up or down")
        if self.is_empty():
            return None
        at = 0 if self.is_lone_spinner() else DIRECTIONS.index(lay.side)
        end = self.ends()[at]
        if end in lay.tile:
            return None
        if end != CLOSED:
            return _misfit(at, str(lay.tile), end)
        if self.spinner is None:
            return msg("up and down open around a spinner, but no double is laid yet")
        return msg("up and down open when left and right hold a tile")

    def with_lay(self, lay: Lay) -> Board:
        """Return the board with one more tile, which must fit."""
        tile, direction = lay.tile, lay.side
        spinner, left, right, up, down = self
        if spinner is None:
            return _laid_on_line(left, tile, direction)
        if direction == Direction.LEFT or not left:
            return Board(spinner, _longer(left, spinner[0], tile), right, up, down)
        if direction == Direction.RIGHT:
            return Board(spinner, left, _longer(right, spinner[0], tile), up, down)
        if direction == Direction.UP:
            return Board(spinner, left, right, _longer(up, spinner[0], tile), down)
        return Board(spinner, left, right, up, _longer(down, spinner[0], tile))

    def tiles(self) -> list[Tile]:
        arms = (*self.left, *self.right, *self.up, *self.down)
        tiles = [Tile(min(halves), max(halves)) for halves in arms]
        return tiles if self.spinner is None else [self.spinner, *tiles]


EMPTY: Final = Board(None, (), (), (), ())


def read_lay(tile: str, side: str, highest: int) -> Lay:
    """Return the move of words such as `3-6` and `left`."""
    return LAYS[read_tile(tile, highest)][DIRECTIONS.index(Direction(side))]


def _misfit(at: int, tile: str, end: int) -> Message:
    if at == 0:
        return msg("{tile} does not fit the left end, {end}", tile=tile, end=end)
    if at == 1:
        return msg("{tile} does not fit the right end, {end}", tile=tile, end=end)
    if at == 2:
        return msg("{tile} does not fit the upper end, {end}", tile=tile, end=end)
    return msg("{tile} does not fit the lower end, {end}", tile=tile, end=end)


def _counts(arm: Arm) -> int:
    """Return the number that the end of an arm adds to the score. A double counts both halves."""
    if not arm:
        return 0
    outer, inner = arm[0]
    return outer + inner if outer == inner else outer


def _laid_on_line(line: Arm, tile: Tile, direction: Direction) -> Board:
    low, high = tile
    on_right = direction == Direction.RIGHT
    if low == high:
        arm = line if on_right else tuple([(right, left) for left, right in line[::-1]])
        return Board(Tile(low, high), arm, (), (), ())
    if not line:
        # the higher number of the first tile is on the left, as in games of the original program
        line = ((high, low),)
    elif on_right:
        line = (*line, (low, high) if low == line[-1][1] else (high, low))
    else:
        line = ((low, high) if high == line[0][0] else (high, low), *line)
    return Board(None, line, (), (), ())


def _longer(arm: Arm, spinner: int, tile: Tile) -> Arm:
    end = arm[0][0] if arm else spinner
    low, high = tile
    return ((low, high) if high == end else (high, low), *arm)
