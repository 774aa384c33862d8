"""What the domino games' pictures share: hands of tiles, and tiles that nobody sees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from botequim.picture.svg import Box, Part, measured, moved, text, use
from botequim.picture.symbols import TILE

HEIGHT: Final = 88
FOOT: Final = 44
"""The height of a strip at the table's foot."""
_GAP: Final = 3


def hand_of_tiles(hand: Sequence[str], area: Box) -> Part:
    """Tiles side by side, in order, as large as they fit."""
    tiles = sorted(hand)
    return _rows(len(tiles), area, lambda at: f"v{tiles[at][0]}{tiles[at][2]}")


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
    return moved(round(area.x, 1), round(area.y + (area.height - height) / 2, 1), pieces, scale)


def _scale(count: int, rows: int, area: Box) -> float:
    """How large tiles are in so many rows."""
    each = -(-count // rows)
    return min(area.height / (rows * (2 * TILE + _GAP) - _GAP), area.width / (each * (TILE + _GAP) - _GAP))


def stock(count: int, word: str, x: float, bottom: float) -> Part:
    """Tiles face down at the table's foot, and how many: one stands for all."""
    if not count:
        return ()
    many = f"×{count}"
    return [
        moved(x, bottom - 38, use("tb"), 0.95),
        text(many, x + 28, bottom - 10, 24, "bold onfelt"),
        text(word, x + 38 + measured(many, 26), bottom - 11, 18, "onfelt"),
    ]
