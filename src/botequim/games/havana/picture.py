"""Draws havana: a line of tiles from the double-nine set, and the tiles that stay unseen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from botequim.core.messages import Message, msg
from botequim.games.dominoes.layout import TALL_LONG
from botequim.games.dominoes.picture import LineRenderer, draw_foot, foot_height, stock
from botequim.games.havana.moves import TILES
from botequim.games.havana.narration import line_of
from botequim.games.havana.rules import HAND_SIZE
from botequim.games.havana.state import SEATS, View, goes_left
from botequim.i18n import translate
from botequim.render.layout import Shape
from botequim.render.svg import Box, Part

if TYPE_CHECKING:
    from botequim.render.scene import Scene

_ASIDE = len(TILES) - SEATS * HAND_SIZE


class HavanaRenderer(LineRenderer):
    """Draws the line of tiles, with the first tile in the middle."""

    tall = TALL_LONG

    def facts(self, view: View) -> Mapping[str, Any]:
        plays = view.plays
        lays = [play for play in plays if play[3] is not None]
        lefts = [bool(ends) and goes_left(ends, side, tile or ()) for _, ends, side, tile in lays]
        line = line_of(plays)
        last = None
        if plays and plays[-1][3] is not None:  # after a pass, no tile is marked
            last = 0 if lefts[-1] else len(line) - 1
        has_deal = any(str(event.move).startswith("deal") for event in view.events[:2])
        return {
            "line": [list(tile) for tile in line],
            "first": sum(lefts),
            "last": last,
            "aside": _ASIDE if has_deal else 0,
        }

    def counts(self, view: View) -> Sequence[int]:
        if not self.facts(view)["aside"]:
            return (0,) * SEATS
        seats = [play[0] for play in view.plays if play[3] is not None]
        return [HAND_SIZE - seats.count(seat) for seat in range(SEATS)]

    def note(self, view: View, seat: int) -> Message | None:
        for mover, _, _, tile in reversed(view.plays[-SEATS:]):
            if mover == seat:
                return msg("passed") if tile is None else None
        return None

    def draw_table(self, scene: Scene, area: Box, shape: Shape) -> Part:
        def aside(box: Box) -> Part:
            return stock(scene.facts["aside"], translate(msg("unseen")), box.x + 4, box.y + box.height)

        return [super().draw_table(scene, area, shape), draw_foot(aside, area, shape)]

    def tiles_area(self, area: Box, shape: Shape) -> Box:
        return area._replace(height=area.height - foot_height(shape))
