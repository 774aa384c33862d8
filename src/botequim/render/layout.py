"""The layout of a picture: seats around a table, clockwise, for each kind of display."""

from __future__ import annotations

from enum import StrEnum
from math import ceil
from typing import Final, NamedTuple

from botequim.render.svg import Box

MARGIN: Final = 14
HEADER: Final = 64
"""The height of a seat's name and score."""
LOW_HEADER: Final = 50
"""The same height at a table with many seats."""
WIDE_SEAT: Final = 500
"""A seat of at least this width has its hand beside its name; otherwise, as on a phone, the hand is below."""
FAR_HEADER: Final = 88
"""The height of a seat's name and score on a big screen."""
WIDE_FAR_SEAT: Final = 900
"""The width from which a seat has its hand beside its name, on a big screen."""
LEAST_TABLE: Final = 190
TITLE: Final = 42


class Shape(StrEnum):
    """The kind of display of a picture."""

    WIDE = "wide"
    """A screen, a projector, a page."""
    TALL = "tall"
    """A phone."""
    HALL = "hall"
    """A big screen that is read from far away: names are large, and few pieces fill the table."""
    DESK = "desk"
    """A screen at which a person plays: as `WIDE`, but few pieces fill the table."""
    TABLE = "table"
    """The table without the seats, on a phone whose page says in text who sits there."""


PAGE_SHAPES: Final = (Shape.WIDE, Shape.TALL)
"""The shapes of a replay, which is read from near."""
PLAY_SHAPES: Final = (Shape.DESK, Shape.TABLE)
"""The shapes of a table at which a person plays."""
ROOMS: Final = {
    Shape.WIDE: (1280, 700),
    Shape.TALL: (480, 850),
    Shape.HALL: (1280, 768),
    Shape.DESK: (1280, 700),
    Shape.TABLE: (480, 480),
}
"""The width and height in units of the picture. A phone has fewer units, so that letters are larger."""
SIZES: Final = {
    Shape.WIDE: (1280, 700),
    Shape.TALL: (640, 1133),
    Shape.HALL: (1280, 768),
    Shape.DESK: (1280, 700),
    Shape.TABLE: (640, 640),
}
"""The default size in pixels of a picture without words."""
CAPTION: Final = {Shape.WIDE: 70, Shape.TALL: 104, Shape.HALL: 70, Shape.DESK: 70, Shape.TABLE: 104}


class Layout(NamedTuple):
    """The boxes of the seats and of the table."""

    width: float
    height: float
    seats: tuple[Box, ...]
    table: Box


def layout(count: int, shape: Shape, hand_height: float, *, facing: bool) -> Layout:
    """Return the layout for so many seats."""
    width, height = ROOMS[shape]
    if shape is Shape.TABLE:
        return Layout(width, height, (), Box(0, 0, width, height))
    margin = 10 if shape is Shape.TALL else MARGIN
    above = count if facing else count // 2
    below = count - above
    columns = _columns(max(above, below), shape)
    rows_below = ceil(below / columns) if below else 0
    rows = ceil(above / columns) + rows_below
    header = FAR_HEADER if shape is Shape.HALL else HEADER
    seat_height: float = header + 8
    if hand_height:
        beside = has_hand_beside((width - margin * (columns + 1)) / columns, shape)
        seat_height = hand_height + 16 if beside else header + hand_height + 8
        seat_height = min(seat_height, (height - LEAST_TABLE - 2 * margin) // rows - margin)
    top = _rows(above, columns, width, seat_height, margin, margin)
    start = height - rows_below * (seat_height + margin)
    bottom = _rows(below, columns, width, seat_height, start, margin)
    edge = max((box.y + box.height for box in top), default=0) + margin
    table = Box(margin, edge, width - 2 * margin, (start if below else height) - margin - edge)
    # clockwise: bottom left, then the top from left to right, then the bottom from right to left
    order = [*bottom[:1], *top, *reversed(bottom[1:])] if below else top
    return Layout(width, height, tuple(order), table)


def has_hand_beside(width: float, shape: Shape) -> bool:
    """Return whether a seat of this width has its hand beside its name."""
    return width >= (WIDE_FAR_SEAT if shape is Shape.HALL else WIDE_SEAT)


def _columns(most: int, shape: Shape) -> int:
    return min(most, 2) if shape is Shape.TALL else most


def _rows(count: int, columns: int, width: float, height: float, y: float, margin: float) -> list[Box]:
    """Return `count` boxes in rows. The boxes of a row share its whole width."""
    boxes = []
    rows = ceil(count / columns)
    for row in range(rows):
        in_row = min(columns, count - row * columns)
        each = (width - margin * (in_row + 1)) / in_row
        boxes += [
            Box(margin + at * (each + margin), y + row * (height + margin), each, height)
            for at in range(in_row)
        ]
    return boxes
