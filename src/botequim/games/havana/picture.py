"""Draws havana: the line as it lies, double-nine, and the tiles that stay unseen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from botequim.core.messages import Message, msg
from botequim.games.havana import HAND_SIZE
from botequim.games.havana_moves import TILES
from botequim.games.havana_state import SEATS, View, goes_left
from botequim.i18n import say
from botequim.picture.cubos import LinePainter
from botequim.picture.layout import Shape
from botequim.picture.line import TALL_LONG
from botequim.picture.svg import Box, Part
from botequim.picture.tiles import FOOT, stock
from botequim.show.havana import line_of

if TYPE_CHECKING:
    from botequim.picture.scene import Scene

_ASIDE = len(TILES) - SEATS * HAND_SIZE


class HavanaPainter(LinePainter):
    """The line, with whatever tile opened it in its middle."""

    tall = TALL_LONG

    def facts(self, view: View) -> Mapping[str, Any]:
        plays = view.plays
        lays = [play for play in plays if play[3] is not None]
        lefts = [bool(ends) and goes_left(ends, side, tile or ()) for _, ends, side, tile in lays]
        line = line_of(plays)
        last = None
        if plays and plays[-1][3] is not None:  # a pass lays nothing, so nothing is marked
            last = 0 if lefts[-1] else len(line) - 1
        dealt = any(str(event.move).startswith("deal") for event in view.events[:2])
        return {
            "line": [list(tile) for tile in line],
            "first": sum(lefts),
            "last": last,
            "aside": _ASIDE if dealt else 0,
        }

    def counts(self, view: View) -> Sequence[int]:
        if not self.facts(view)["aside"]:
            return (0,) * SEATS
        laid = [play[0] for play in view.plays if play[3] is not None]
        return [HAND_SIZE - laid.count(seat) for seat in range(SEATS)]

    def note(self, view: View, seat: int) -> Message | None:
        for mover, _, _, tile in reversed(view.plays[-SEATS:]):
            if mover == seat:
                return msg("passed") if tile is None else None
        return None

    def table(self, scene: Scene, area: Box, shape: Shape) -> Part:
        room = area._replace(height=area.height - FOOT)
        aside = stock(scene.facts["aside"], say(msg("unseen")), area.x + 4, area.y + area.height)
        return [super().table(scene, room, shape), aside]
