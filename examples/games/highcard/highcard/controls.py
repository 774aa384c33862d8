"""highcard in the browser: a hand of cards, each of which can be shown."""

from __future__ import annotations

from collections.abc import Sequence

from botequim import Box, Message, msg
from botequim.render.svg import rect, text
from botequim.tables.controls import Choice, HandPiece, TableControls
from highcard.rules import View

WIDTH, HEIGHT = 60, 84


class HighCardControls(TableControls):
    """A card is shown by playing it from the hand."""

    def hand(self, view: View) -> Sequence[HandPiece]:
        return [
            HandPiece(str(card), _drawing(card), WIDTH, HEIGHT, msg("card {card}", card=card))
            for card in sorted(view.hand)
        ]

    def choices(self, view: View) -> Sequence[Choice]:
        return [
            Choice(self.game.write(move), msg("show {card}", card=move.card), piece=str(move.card))
            for move in view.legal
        ]

    def situation(self, view: View) -> Sequence[Message]:
        return [msg("Show a card; all players show one at the same time.")] if view.legal else []

    def goal(self) -> Message:
        return msg("Win more rounds than the others: the highest card wins the round.")


def _drawing(card: int) -> str:
    number = text(str(card), WIDTH / 2, HEIGHT / 2 + 10, 28, "bold black", anchor="middle")
    return rect("card", Box(1, 1, WIDTH - 2, HEIGHT - 2), 6) + number
