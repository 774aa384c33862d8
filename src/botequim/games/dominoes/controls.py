"""The controls in the browser that domino games share: hands of tiles, and a line with two ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from botequim.core.messages import Message, msg, plain
from botequim.games.dominoes.picture import LineRenderer, sorted_tiles, tile_symbol
from botequim.games.dominoes.symbols import TILE
from botequim.games.dominoes.terminal import LineTerminalUI
from botequim.games.dominoes.tiles import Tile
from botequim.render.drawing import table_box
from botequim.render.layout import Shape
from botequim.render.renderer import renderer_for
from botequim.render.scene import Scene
from botequim.render.svg import Box, use
from botequim.tables.controls import Choice, HandPiece, TableControls

SIDES: Mapping[str, Message] = {
    "left": msg("left end"),
    "right": msg("right end"),
    "up": msg("upper end"),
    "down": msg("lower end"),
}
"""The ends on which a tile can be laid, by the name of the target."""


def pieces_of_tiles(hand: Iterable[Tile]) -> list[HandPiece]:
    """Return a hand of tiles in the order in which it is drawn."""
    return [
        HandPiece(tile, use(tile_symbol(tile)), TILE, 2 * TILE, plain(tile))
        for tile in sorted_tiles(map(str, hand))
    ]


class LineControls(TableControls):
    """Tiles are laid on the two ends of a line."""

    ui: LineTerminalUI

    def hand(self, view: Any) -> Sequence[HandPiece]:
        return pieces_of_tiles(view.hand)

    def choices(self, view: Any) -> Sequence[Choice]:
        return [self._choice(move, view) for move in view.legal]

    def _choice(self, move: Any, view: Any) -> Choice:
        tile: Tile | None = getattr(move, "tile", None)
        written, label = self.game.write(move), self.ui.action(move, view)
        if tile is None:
            return Choice(written, label)
        if not self.ui.line(view):
            return Choice(written, label, str(tile))
        target = "left" if self.ui.is_left(move) else "right"
        return Choice(written, label, str(tile), target, SIDES[target])

    def misfit(self, piece: str, view: Any) -> Message:
        line = self.ui.line(view)
        left, right = line[0][0], line[-1][1]
        if left == right:
            return msg("{tile} does not fit: both ends are {end}.", tile=piece, end=left)
        return msg(
            "{tile} fits neither end: the ends are {left} and {right}.", tile=piece, left=left, right=right
        )

    def target_boxes(self, view: Any, scene: Scene, shape: Shape) -> Mapping[str, Box]:
        table = table_box(scene, shape)
        return {
            self.game.write(move): self._renderer.next_tile_box(
                scene.facts, self._halves(move, view), table, shape, left=self.ui.is_left(move)
            )
            for move in view.legal
            if hasattr(move, "tile")
        }

    def _halves(self, move: Any, view: Any) -> tuple[int, int]:
        """Return the left and the right number of a tile when it lies on the table."""
        low, high = move.tile
        line = self.ui.line(view)
        if not line:  # the first tile of a hand lies with the higher number on the left
            return high, low
        if self.ui.is_left(move):
            return (low, high) if high == line[0][0] else (high, low)
        return (low, high) if low == line[-1][1] else (high, low)

    @cached_property
    def _renderer(self) -> LineRenderer:
        renderer = renderer_for(self.game)
        assert isinstance(renderer, LineRenderer)
        return renderer
