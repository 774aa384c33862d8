"""The time limit of a check, which may depend on the speed of the bot."""

from __future__ import annotations

from typing import Final

from botequim.core import clock

FEWEST: Final = 30
"""The number of awkward positions that even a slow bot must answer."""
MOST_QUESTIONS: Final = 4
"""The most questions, as a multiple of the number of awkward positions."""
SOME: Final = 5
"""The number of questions after which the speed of a bot can be estimated."""


class Patience:
    """The number of positions to try and the time for them, both adapted to the speed of the bot."""

    def __init__(self, wanted: int, seconds: float, *, strict: bool) -> None:
        """`seconds` is the time limit of a check; if not `strict`, a slow bot gets more."""
        self.wanted = wanted
        self.usual_wanted: Final = wanted
        self.limit = seconds
        self._seconds: Final = seconds
        self._strict: Final = strict
        self._began: Final = clock.now()
        self._questions = 0

    def count(self) -> None:
        """Count one more answered question."""
        self._questions += 1
        if self._strict or self._questions < SOME:
            return
        each = self._elapsed / self._questions
        slow = each * self.usual_wanted > self._seconds
        self.wanted = min(self.usual_wanted, FEWEST) if slow else self.usual_wanted
        self.limit = max(self._seconds, MOST_QUESTIONS * self.wanted * each)

    @property
    def _elapsed(self) -> float:
        return clock.now() - self._began

    @property
    def is_over(self) -> bool:
        """Whether the time is over, so that nothing more is asked."""
        return self._elapsed > self.limit

    @property
    def usual_is_over(self) -> bool:
        """Whether the usual time is over, so that the check stops looking for rare positions."""
        return self._elapsed > self._seconds
