"""fives in the browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from botequim.core.messages import Message, comma_list, msg
from botequim.games.dominoes.controls import SIDES, pieces_of_tiles
from botequim.games.fives.picture import next_tile_box
from botequim.games.fives.rules import Move, View
from botequim.games.fives.spinner import Lay
from botequim.games.fives.terminal import FivesTerminalUI, open_ends
from botequim.render.drawing import table_box
from botequim.render.layout import Shape
from botequim.render.scene import Scene
from botequim.render.svg import Box
from botequim.tables.controls import Choice, HandPiece, TableControls


class FivesControls(TableControls):
    """Tiles are laid on the ends of a line, or of up to four arms; says what each move scores."""

    ui: FivesTerminalUI

    def hand(self, view: View) -> Sequence[HandPiece]:
        return pieces_of_tiles(view.hand)

    def choices(self, view: View) -> Sequence[Choice]:
        return [self._choice(move, view) for move in view.legal]

    def _choice(self, move: Move, view: View) -> Choice:
        written, label = self.game.write(move), self.ui.effect(move, view)
        if not isinstance(move, Lay):
            return Choice(written, label)
        if view.board.is_empty():
            return Choice(written, label, str(move.tile))
        target = move.side.value
        return Choice(written, label, str(move.tile), target, SIDES[target])

    def misfit(self, piece: str, view: View) -> Message:
        return msg("{tile} fits no open end ({ends}).", tile=piece, ends=comma_list(open_ends(view.board)))

    def target_boxes(self, view: View, scene: Scene, shape: Shape) -> Mapping[str, Box]:
        table = table_box(scene, shape)
        return {
            self.game.write(move): next_tile_box(view, move, table, shape)
            for move in view.legal
            if isinstance(move, Lay)
        }

    def goal(self) -> Message:
        return msg(
            "Score more points than the other player: you score the sum of the open ends when it is a "
            "multiple of five."
        )
