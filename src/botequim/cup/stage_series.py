"""The series of a stage that are played now, and those that wait."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from botequim.cup.pairing import Pairing


class StageSeries:
    """The series of a stage that are played now, and those that wait."""

    def __init__(self, pairings: Callable[[], Sequence[Pairing]], length: int) -> None:
        """`pairings` returns all series that can be played, those that are played now included; `length` is
        how many the stage has, as far as that is known."""
        self._length: Final = length
        self._pairings: Final = pairings
        self.playing: Final[dict[str, Pairing]] = {}
        self.begun_with: Final[dict[str, int]] = {}
        """The length of the log of changes when a series began."""
        self.waiting: deque[Pairing] = deque()
        self.refill()

    def count(self, finished: int) -> int:
        """Return how many series the stage has, as far as that is known."""
        return max(self._length, finished + len(self.playing) + len(self.waiting))

    def refill(self) -> None:
        """Ask the format again if no series waits but the last one: the newest result may have made more
        series possible."""
        if not self.waiting or self.waiting[0].last:
            self.plan_again()

    def plan_again(self) -> None:
        """Ask the format again, because the cup has changed."""
        self.waiting = deque(one for one in self._pairings() if one.key not in self.playing)

    def take(self, changes: int) -> Pairing | None:
        """Return the next series, None if there is none now; `changes` is the length of the log."""
        if not self.waiting or (self.waiting[0].last and self.playing):
            return None
        pairing = self.waiting.popleft()
        self.playing[pairing.key] = pairing
        self.begun_with[pairing.key] = changes
        return pairing
