"""Renders positions for viewers, in pieces, once for each language and shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from botequim import i18n
from botequim.core import clock
from botequim.i18n import _, _n, number
from botequim.render.drawing import description, parts, sentences_text, size
from botequim.render.layout import Shape
from botequim.render.scene import Scene
from botequim.render.svg import flat
from botequim.web.live.tables import TableRemark, TableSide, WatchedTable


@dataclass(frozen=True, slots=True)
class Variant:
    """The language and shape for a group of viewers."""

    language: str
    shape: Shape


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
    sides: Sequence[dict[str, Any]]
    """By player: whether it is to move, the time that it has used, and its faults."""
    moves: Sequence[str]
    """The last moves, the newest first."""
    at: int
    """The time of the move, in milliseconds since 1970."""

    def event_after(self, before: Board | None) -> dict[str, Any]:
        """Return the content of the event, with only the pieces that differ from the board before."""
        earlier = before.pieces if before is not None and before.size == self.size else {}
        return {
            "table": self.table,
            "turn": self.turn,
            "size": list(self.size),
            "parts": {name: piece for name, piece in self.pieces.items() if earlier.get(name) != piece},
            "told": self.told,
            "says": [{"seat": remark.seat, "name": remark.name, "text": remark.text} for remark in self.says],
            "sides": list(self.sides),
            "moves": list(self.moves),
            "at": self.at,
        }


def make_board(
    watched_table: WatchedTable,
    scene: Scene,
    says: Sequence[TableRemark],
    variant: Variant,
    *,
    crowded: bool = False,
) -> Board:
    """Render the position of a table for some viewers.

    If the big screen is `crowded`, it shows each table without the seats, so that the pieces are large.
    """
    shape = Shape.TABLE if crowded and variant.shape is Shape.HALL else variant.shape
    with i18n.use_language(variant.language):
        pieces = {name: flat(part) for name, part in parts(scene, shape).items()}
        words = description(scene, said=False)  # remarks are shown in bubbles
        moves = [
            text for turn in watched_table.last_sentences() if (text := sentences_text(turn, said=False))
        ]
        sides = [_side(one) for one in watched_table.sides(scene)]
    return Board(
        watched_table.table.id,
        scene.number,
        size(scene, shape),
        pieces,
        words,
        says,
        sides,
        moves,
        round(clock.date(watched_table.moved_at) * 1000),
    )


def _side(side: TableSide) -> dict[str, Any]:
    faults = _n("{n} fault", "{n} faults", side.faults) if side.faults else ""
    clock = _("time: {time}", time=number(f"{side.micros / 1e6:,.1f}") + " s")
    return {"acts": side.acts, "clock": clock, "faults": faults}
