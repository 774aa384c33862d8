"""Tells a game of highcard in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from botequim import CHANCE, Message, Narrator, PlayedMove, Step, msg


class HighCardNarrator(Narrator):
    """Who showed which card, and the score."""

    def move(self, step: Step, made: PlayedMove, who: str) -> Message | None:
        if made.by == CHANCE:
            return msg("Everybody gets three cards.")
        return msg("{who} plays the card {move}", who=who, move=self.game.write(made.move))

    def board(self, state: Any) -> Sequence[str]:
        return ["rounds won: " + " ".join(map(str, state.wins))] if state.rounds else []
