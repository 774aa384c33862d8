"""Draws cubos: the line as it lies, double-six."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from botequim.core.game import CHANCE, AnyGame
from botequim.core.messages import Message, msg
from botequim.games.cubos import Forfeit, Lay, Open, Pass, Side, View
from botequim.picture.layout import Shape
from botequim.picture.line import TALL, WIDE, Room, drawn, line
from botequim.picture.painter import Painter
from botequim.picture.svg import Box, Part
from botequim.picture.tiles import HEIGHT, hand_of_tiles, tile_backs

if TYPE_CHECKING:
    from botequim.picture.scene import Scene
    from botequim.show.telling import Teller


class LinePainter(Painter):
    """Draws a line of tiles: what cubos and havana share."""

    hand_height = HEIGHT
    tall: Room = TALL
    """How tiles lie on a phone."""

    def open_facts(self, game: AnyGame, state: Any, teller: Teller) -> Mapping[str, Any]:
        return {}

    def hand(self, view: Any) -> Sequence[str]:
        return [str(tile) for tile in view.hand]

    def table(self, scene: Scene, area: Box, shape: Shape) -> Part:
        facts = scene.facts
        first = facts["first"]
        room = WIDE if shape is Shape.WIDE else self.tall
        tiles = line(facts["line"], first, room)
        marked = tiles[facts["last"]] if facts["last"] is not None else None
        return drawn([tiles[first:], tiles[:first][::-1]], marked, area, room)

    def hand_drawn(self, hand: Sequence[str], area: Box) -> Part:
        return hand_of_tiles(hand, area)

    def backs_drawn(self, count: int, area: Box) -> Part:
        return tile_backs(count, area)


class CubosPainter(LinePainter):
    """The line, with 6-6 in its middle."""

    def facts(self, view: View) -> Mapping[str, Any]:
        sides = [event.move.side for event in view.events if isinstance(event.move, Lay)]
        now = view.events[-1].move if view.events else None
        last = None
        if isinstance(now, Lay):  # a pass lays nothing, so nothing is marked
            last = 0 if now.side is Side.LEFT else len(view.line) - 1
        return {"line": [list(tile) for tile in view.line], "first": sides.count(Side.LEFT), "last": last}

    def counts(self, view: View) -> Sequence[int]:
        return view.counts or (0, 0, 0, 0)

    def note(self, view: View, seat: int) -> Message | None:
        for event in reversed(view.events[-4:]):
            if event.by == seat:
                return said_of(event.move)
            if event.by == CHANCE and isinstance(event.move, Open):
                return None
        return None


def said_of(move: object) -> Message | None:
    """Few words for what the table does not show."""
    if isinstance(move, Pass):
        return msg("passed")
    return msg("forfeits") if isinstance(move, Forfeit) else None
