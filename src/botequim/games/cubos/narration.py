"""Describes a game of cubos in words."""

from __future__ import annotations

from collections.abc import Sequence

from botequim.core.game import Outcome
from botequim.core.messages import Message, msg
from botequim.core.turn import PlayedMove
from botequim.engine.referee import Step
from botequim.games.cubos.rules import Ending, Forfeit, Lay, Pass, Side, State
from botequim.games.dominoes.narration import hands_as_text, line_as_text
from botequim.games.dominoes.tiles import Deal
from botequim.narration.narrator import Narrator


class CubosNarrator(Narrator):
    """Describes which tile was laid on which end, and shows the line."""

    def move(self, step: Step, played_move: PlayedMove, who: str) -> Message | None:
        match played_move.move:
            case Lay(tile, Side.LEFT):
                return msg("{who} lays {tile} on the left.", who=who, tile=str(tile))
            case Lay(tile, _):
                return msg("{who} lays {tile} on the right.", who=who, tile=str(tile))
            case Pass():
                return msg("{who} passes.", who=who)
            case Forfeit():
                return msg("{who} forfeits the game.", who=who)
            case Deal():
                return msg("The tiles are dealt.")
        return None

    def after(self, step: Step, names: Sequence[str]) -> Message | None:
        if len(step.after.line) == 1 and not step.before.line:
            opener = (step.after.seat + 3) % 4
            return msg("{who} holds 6-6 and opens with it.", who=names[opener])
        return None

    def board(self, state: State) -> Sequence[str]:
        return line_as_text(state.line) if state.line else hands_as_text(state.hands)

    def ending(self, outcome: Outcome) -> Message:
        match Ending(outcome.how):
            case Ending.DOMINO:
                return msg("Domino! A hand is empty.")
            case Ending.BLOCKED:
                return msg("Blocked: nobody can lay a tile.")
            case Ending.FORFEIT:
                return msg("The game is forfeited.")

    def points(self, points: str) -> Message:
        return msg("Pips left: {points}", points=points)
