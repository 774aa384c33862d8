"""Finds habits: behaviour that no rule forbids, but with which a bot cannot win.

A game lists its habits in `GameChecks.habits`. Every legal answer of the bot is counted for each habit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from botequim.botcheck.findings import Finding, Problem, State
from botequim.botcheck.game_checks import Habit
from botequim.botcheck.table import BotTurn


@dataclass(slots=True)
class Count:
    """How often a bot had an occasion for a habit, how often it showed the habit, and when first."""

    habit: Habit
    occasions: int = 0
    times: int = 0
    first: BotTurn | None = None

    def take(self, bot_turn: BotTurn) -> None:
        """Count one turn, if it is an occasion for the habit."""
        is_habit = self.habit.follows(bot_turn.view, bot_turn.played_move.move)
        if is_habit is None:
            return
        self.occasions += 1
        self.times += is_habit
        if is_habit and self.first is None:
            self.first = bot_turn

    @property
    def holds(self) -> bool:
        """Whether there were enough occasions, and the bot showed the habit on all of them."""
        return self.occasions == self.times >= self.habit.least


class Habits:
    """Counts the habits in all answers that are not faults."""

    def __init__(self, habits: Sequence[Habit]) -> None:
        self._counts = [Count(habit) for habit in habits]

    def count_turn(self, bot_turn: BotTurn) -> None:
        if bot_turn.played_move.fault is not None or bot_turn.question is None:
            return
        for count in self._counts:
            count.take(bot_turn)

    def finding(self) -> Finding | None:
        """Return the finding about the worst habit of the bot, or None."""
        return next((_finding(count) for count in self._counts if count.holds), None)


def _finding(count: Count) -> Finding:
    first = count.first
    assert first is not None
    assert first.question is not None
    problem = Problem(
        count.habit.diagnosis(first.view, count.times),
        None,
        question=first.question.text(),
        answer=b"\n".join(first.codec_input).decode("utf-8", "backslashreplace"),
        count=count.times,
        turn=first.turn,
        seat=first.played_move.by,
    )
    return Finding("habits", State.FAILED, count.habit.message, new=[problem], numbers={"times": count.times})
