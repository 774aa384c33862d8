"""The time for a check: a given limit, or one that depends on the speed of the bot."""

from __future__ import annotations

from typing import Final

from botequim.core import clock

FEWEST: Final = 30
"""The number of awkward positions that even a slow bot must answer."""
MOST_QUESTIONS: Final = 4
"""The most questions, as a multiple of the awkward positions wanted."""
SOME: Final = 5
"""The number of questions after which the speed of a bot is known well enough."""


class Patience:
    """The positions wanted and the time for them, both scaled to the speed of the bot."""

    def __init__(self, wanted: int, seconds: float, *, strict: bool) -> None:
        """`seconds` is what a check usually takes at most; if `strict`, it never takes more."""
        self.wanted = wanted
        self.usual_wanted: Final = wanted
        self.limit = seconds
        self._seconds: Final = seconds
        self._strict: Final = strict
        self._began: Final = clock.now()
        self._asked = 0

    def count(self) -> None:
        """Count one more answered question."""
        self._asked += 1
        if self._strict or self._asked < SOME:
            return
        each = self._elapsed / self._asked
        slow = each * self.usual_wanted > self._seconds
        self.wanted = min(self.usual_wanted, FEWEST) if slow else self.usual_wanted
        self.limit = max(self._seconds, MOST_QUESTIONS * self.wanted * each)

    @property
    def _elapsed(self) -> float:
        return clock.now() - self._began

    @property
    def is_over(self) -> bool:
        """Whether nothing more can be asked."""
        return self._elapsed > self.limit

    @property
    def usual_is_over(self) -> bool:
        """Whether the check no longer waits for rare positions."""
        return self._elapsed > self._seconds
