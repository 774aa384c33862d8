"""What the domino games' pictures share: hands of tiles, and tiles that nobody sees."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from botequim.picture.svg import Box, Part, moved, text, use
from botequim.picture.symbols import TILE

HEIGHT = 64
_STEP = TILE + 3


def hand_of_tiles(hand: Sequence[str], area: Box) -> Part:
    """Tiles side by side, in order, as large as they fit."""
    tiles = sorted(hand)
    return _row(len(tiles), area, lambda at: f"v{tiles[at][0]}{tiles[at][2]}")


def tile_backs(count: int, area: Box) -> Part:
    return _row(count, area, lambda at: "tb")


def _row(count: int, area: Box, name: Callable[[int], str]) -> Part:
    if not count:
        return ()
    scale = min(area.height / (2 * TILE), HEIGHT / (2 * TILE), area.width / (count * _STEP))
    pieces = "".join(use(name(at), at * _STEP) for at in range(count))
    return moved(round(area.x, 1), round(area.y + (area.height - 2 * TILE * scale) / 2, 1), pieces, scale)


def stock(count: int, word: str, x: float, y: float) -> Part:
    """Tiles face down at the side of the table, and how many: three stand for all."""
    if not count:
        return ()
    shown = "".join(use("tb", at * 9, at * 2) for at in range(min(count, 3)))
    return [
        moved(x, y, shown, 1.2),
        text(f"×{count}", x + 60, y + 30, 24, "bold onfelt"),
        text(word, x, y + 80, 17, "onfelt"),
    ]
