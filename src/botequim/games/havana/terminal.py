"""havana at the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from botequim.core.messages import Message, msg
from botequim.games.dominoes.terminal import LineTerminalUI
from botequim.games.dominoes.tiles import Tile
from botequim.games.havana.moves import LAY_LEFT, LAY_RIGHT, PASS, Lay, Move
from botequim.games.havana.narration import line_of
from botequim.games.havana.rules import HAND_SIZE
from botequim.games.havana.state import SEATS, View
from botequim.terminal.ui import Hands


class HavanaTerminalUI(LineTerminalUI):
    """A person at a table of havana."""

    def passing(self) -> Message:
        return msg("lose the turn; this is allowed even when a tile fits")

    def lay(self, tile: Tile, *, left: bool) -> Move:
        return LAY_LEFT[tile] if left else LAY_RIGHT[tile]

    def pass_move(self) -> Move:
        return PASS

    def is_left(self, move: Lay) -> bool:
        return move.side == 0

    def line(self, view: View) -> Sequence[tuple[int, int]]:
        return line_of(view.plays)

    def visible_hands(self, view: View) -> Hands:
        counts = [HAND_SIZE] * SEATS
        for seat, _ends, _side, tile in view.plays:
            counts[seat] -= tile is not None
        return [view.hand if at == view.seat else count for at, count in enumerate(counts)]
