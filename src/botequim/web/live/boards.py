"""Renders positions for viewers, in pieces, once for each language and shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from botequim import i18n
from botequim.core import clock
from botequim.render.drawing import description, parts, size
from botequim.render.layout import Shape
from botequim.render.scene import Scene
from botequim.render.svg import flat
from botequim.web.live.tables import TableRemark, WatchedTable


@dataclass(frozen=True, slots=True)
class Variant:
    """The language and shape for a group of viewers."""

    language: str
    shape: Shape


VARIANTS: Final = tuple(Variant(language, shape) for language in i18n.LANGUAGES for shape in Shape)


@dataclass(frozen=True, slots=True)
class Board:
    """A rendered position."""

    table: str
    turn: int
    size: tuple[float, float]
    pieces: dict[str, str]
    """`felt`, `table`, then the seats by number, from bottom to top."""
    told: str
    says: Sequence[TableRemark]
    at: int
    """The time of the move, in milliseconds since 1970."""

    def event_after(self, before: Board | None) -> dict[str, Any]:
        """Return the content of the event, with only the pieces that differ from the board before."""
        earlier = before.pieces if before is not None else {}
        return {
            "table": self.table,
            "turn": self.turn,
            "size": list(self.size),
            "parts": {name: piece for name, piece in self.pieces.items() if earlier.get(name) != piece},
            "told": self.told,
            "says": [{"seat": remark.seat, "name": remark.name, "text": remark.text} for remark in self.says],
            "at": self.at,
        }


def make_board(
    watched_table: WatchedTable, scene: Scene, says: Sequence[TableRemark], variant: Variant
) -> Board:
    """Render the position of a table for some viewers."""
    with i18n.use_language(variant.language):
        pieces = {name: flat(part) for name, part in parts(scene, variant.shape).items()}
        words = description(scene, said=False)  # remarks are shown in bubbles
    return Board(
        watched_table.table.id,
        scene.number,
        size(scene, variant.shape),
        pieces,
        words,
        says,
        round(clock.date(watched_table.moved_at) * 1000),
    )
