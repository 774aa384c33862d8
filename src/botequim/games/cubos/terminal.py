"""cubos at the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from botequim.games.cubos import PASS, Lay, Move, Side, View
from botequim.games.tiles import Tile
from botequim.terminal.face import Hands
from botequim.terminal.line import LineFace


class CubosFace(LineFace):
    """A person at a table of cubos."""

    def lay(self, tile: Tile, *, left: bool) -> Move:
        return Lay(tile, Side.LEFT if left else Side.RIGHT)

    def pass_move(self) -> Move:
        return PASS

    def is_left(self, move: Lay) -> bool:
        return move.side is Side.LEFT

    def line(self, view: View) -> Sequence[tuple[int, int]]:
        return view.line

    def seen(self, view: View) -> Hands:
        return [view.hand if at == view.seat else count for at, count in enumerate(view.counts)]
