"""rps in the browser."""

from __future__ import annotations

from collections.abc import Sequence

from botequim.core.messages import Message, msg
from botequim.games.rps.narration import WORDS
from botequim.games.rps.rules import HANDS, Hand, View
from botequim.games.rps.symbols import HAND_SIZE
from botequim.render.svg import use
from botequim.tables.controls import Choice, HandPiece, TableControls


class RpsControls(TableControls):
    """The hand has the three hands that can be shown, in every round."""

    def hand(self, view: View) -> Sequence[HandPiece]:
        return [HandPiece(hand.value, use(hand.value), HAND_SIZE, HAND_SIZE, WORDS[hand]) for hand in HANDS]

    def choices(self, view: View) -> Sequence[Choice]:
        return [
            Choice(self.game.write(move), self.ui.action(move, view), move.value)
            for move in view.legal
            if isinstance(move, Hand)
        ]

    def goal(self) -> Message:
        return msg(
            "Win more rounds than the other player; if both show the same hand, the rounds before it decide."
        )
