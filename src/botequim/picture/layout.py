"""Where things are on the paper: seats around a table, clockwise, for a screen and for a phone."""

from __future__ import annotations

from enum import StrEnum
from math import ceil
from typing import Final, NamedTuple

from botequim.picture.svg import Box

MARGIN: Final = 14
HEADER: Final = 64
"""The height of a seat's name and score."""
WIDE_SEAT: Final = 615
"""A seat at least so wide has its hand beside its name, else below, as on every phone."""
TITLE: Final = 42


class Shape(StrEnum):
    """What a picture is for."""

    WIDE = "wide"
    """A screen, a projector, a page."""
    TALL = "tall"
    """A phone."""


SIZES: Final = {Shape.WIDE: (1280, 700), Shape.TALL: (640, 980)}
CAPTION: Final = {Shape.WIDE: 70, Shape.TALL: 104}


class Layout(NamedTuple):
    """Where each seat is, and the table."""

    width: float
    height: float
    seats: tuple[Box, ...]
    table: Box


def layout(count: int, shape: Shape, hand_height: float, *, facing: bool) -> Layout:
    """The room for so many seats."""
    width, height = SIZES[shape]
    above = count if facing else count // 2
    below = count - above
    columns = _columns(max(above, below), shape)
    seat_width = (width - MARGIN * (columns + 1)) / columns
    seat_height: float = HEADER + 8
    if hand_height:
        beside = seat_width >= WIDE_SEAT
        seat_height = max(seat_height, hand_height + 16) if beside else HEADER + hand_height + 8
    top = _rows(above, columns, width, seat_height, MARGIN)
    rows_below = ceil(below / columns) if below else 0
    start = height - rows_below * (seat_height + MARGIN)
    bottom = _rows(below, columns, width, seat_height, start)
    edge = max((box.y + box.height for box in top), default=0) + MARGIN
    table = Box(MARGIN, edge, width - 2 * MARGIN, (start if below else height) - MARGIN - edge)
    # clockwise from below on the left: up, along the top to the right, and back along the bottom
    order = [*bottom[:1], *top, *reversed(bottom[1:])] if below else top
    return Layout(width, height, tuple(order), table)


def _columns(most: int, shape: Shape) -> int:
    if shape is Shape.WIDE:
        return most
    return most if most <= 2 else 3


def _rows(count: int, columns: int, width: float, height: float, y: float) -> list[Box]:
    """So many boxes in rows; a row that is not full is as wide as the others."""
    boxes = []
    rows = ceil(count / columns)
    for row in range(rows):
        in_row = min(columns, count - row * columns)
        each = (width - MARGIN * (in_row + 1)) / in_row
        boxes += [
            Box(MARGIN + at * (each + MARGIN), y + row * (height + MARGIN), each, height)
            for at in range(in_row)
        ]
    return boxes
