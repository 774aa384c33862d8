"""cubos at the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from botequim.games.cubos.rules import PASS, Lay, Move, Side, View
from botequim.games.dominoes.terminal import LineTerminalUI
from botequim.games.dominoes.tiles import Tile
from botequim.terminal.ui import Hands


class CubosTerminalUI(LineTerminalUI):
    """A person at a table of cubos."""

    def lay(self, tile: Tile, *, left: bool) -> Move:
        return Lay(tile, Side.LEFT if left else Side.RIGHT)

    def pass_move(self) -> Move:
        return PASS

    def is_left(self, move: Lay) -> bool:
        return move.side is Side.LEFT

    def line(self, view: View) -> Sequence[tuple[int, int]]:
        return view.line

    def visible_hands(self, view: View) -> Hands:
        return [view.hand if at == view.seat else count for at, count in enumerate(view.counts)]
