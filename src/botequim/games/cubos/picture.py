"""Draws cubos: a line of tiles from the double-six set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from botequim.core.game import CHANCE
from botequim.core.messages import Message, msg
from botequim.games.cubos.rules import Forfeit, Lay, Open, Pass, Side, View
from botequim.games.dominoes.picture import LineRenderer


class CubosRenderer(LineRenderer):
    """Draws the line of tiles, with 6-6 in the middle."""

    def facts(self, view: View) -> Mapping[str, Any]:
        sides = [event.move.side for event in view.events if isinstance(event.move, Lay)]
        now = view.events[-1].move if view.events else None
        last = None
        if isinstance(now, Lay):  # after a pass, no tile is marked
            last = 0 if now.side is Side.LEFT else len(view.line) - 1
        return {"line": [list(tile) for tile in view.line], "first": sides.count(Side.LEFT), "last": last}

    def counts(self, view: View) -> Sequence[int]:
        return view.counts or (0, 0, 0, 0)

    def note(self, view: View, seat: int) -> Message | None:
        for event in reversed(view.events[-4:]):
            if event.by == seat:
                return pass_text(event.move)
            if event.by == CHANCE and isinstance(event.move, Open):
                return None
        return None


def pass_text(move: object) -> Message | None:
    """Return the note for a move that the table does not show, or None."""
    if isinstance(move, Pass):
        return msg("passed")
    return msg("forfeits") if isinstance(move, Forfeit) else None
