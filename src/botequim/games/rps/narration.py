"""Describes a game of rps in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from botequim.core.game import Outcome
from botequim.core.messages import Message, msg
from botequim.core.turn import PlayedMove
from botequim.engine.referee import Step
from botequim.games.rps.rules import DecidingStep, Hand, Missing
from botequim.narration.narrator import Narrator

WORDS: Mapping[Hand, Message] = {
    Hand.ROCK: msg("rock"),
    Hand.PAPER: msg("paper"),
    Hand.SCISSORS: msg("scissors"),
}
REASONS: Mapping[DecidingStep, Message] = {
    DecidingStep.NATURAL: msg("the hand beats the other"),
    DecidingStep.SAME_HAND: msg("has shown this hand more often"),
    DecidingStep.BEATING_HAND: msg("has shown more often the hand that beats this one"),
    DecidingStep.COIN: msg("a coin decided"),
    DecidingStep.FORFEIT: msg("the other made no move"),
}


class RpsNarrator(Narrator):
    """Describes both hands, who won the round, and by which rule."""

    def move(self, step: Step, played_move: PlayedMove, who: str) -> Message | None:
        if isinstance(played_move.move, Hand):
            return msg("{who}: {hand}", who=who, hand=WORDS[played_move.move])
        if isinstance(played_move.move, Missing):
            return msg("{who} made no move in this round.", who=who)
        return None

    def after(self, step: Step, names: Sequence[str]) -> Message | None:
        if len(step.after.rounds) == len(step.before.rounds):
            return msg("The round is still tied: a coin decides.")
        last_round = step.after.rounds[-1]
        score = "{}:{}".format(*step.after.wins)
        if last_round.winner is None:
            return msg("Nobody wins the round. {score}", score=score)
        return msg(
            "The round goes to {who}: {why}. {score}",
            who=names[last_round.winner],
            why=REASONS[last_round.by],
            score=score,
        )

    def ending(self, outcome: Outcome) -> Message:
        first, second = outcome.points
        return msg("All rounds are played: {first} to {second}.", first=first, second=second)

    def points(self, points: str) -> Message:
        return msg("Rounds won: {points}", points=points)
