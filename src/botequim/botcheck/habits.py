"""Finds behaviour that no rule forbids, but with which a bot cannot win."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from botequim.botcheck.findings import Finding, Problem, State
from botequim.botcheck.game_checks import Habit
from botequim.botcheck.table import BotTurn


@dataclass(slots=True)
class Count:
    """The occasions for a habit, how often it was followed, and the first time."""

    habit: Habit
    occasions: int = 0
    times: int = 0
    first: BotTurn | None = None

    def take(self, answered: BotTurn) -> None:
        """Count one turn."""
        followed = self.habit.followed(answered.view, answered.made.move)
        if followed is None:
            return
        self.occasions += 1
        self.times += followed
        if followed and self.first is None:
            self.first = answered

    @property
    def holds(self) -> bool:
        """Whether it was followed on every occasion, of which there were enough."""
        return self.occasions == self.times >= self.habit.least


class Habits:
    """Examines every answer that is not a fault."""

    def __init__(self, habits: Sequence[Habit]) -> None:
        self._counts = [Count(habit) for habit in habits]

    def hear(self, answered: BotTurn) -> None:
        if answered.made.fault is not None or answered.question is None:
            return
        for count in self._counts:
            count.take(answered)

    def finding(self) -> Finding | None:
        """Return the worst habit, if there is one."""
        return next((_finding(count) for count in self._counts if count.holds), None)


def _finding(count: Count) -> Finding:
    first = count.first
    assert first is not None
    assert first.question is not None
    problem = Problem(
        count.habit.diagnosis(first.view, count.times),
        None,
        question=first.question.text(),
        answer=b"\n".join(first.heard).decode("utf-8", "backslashreplace"),
        count=count.times,
        turn=first.turn,
        seat=first.made.by,
    )
    return Finding("habits", State.FAILED, count.habit.told, new=[problem], counted={"times": count.times})
