"""How long a bot waits for a processor in a game: the part of its time that is not its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from botequim.bots.transports import Transport

LEAST_MICROS: Final = 25_000
"""The microseconds of answers for which it is worth to look: it takes a hundredth of that."""


class WaitMeter:
    """Measures the waits of one seat, game after game.

    It looks when an instance is asked for the first time, so starting up does not count, and when the
    instance or a game ends. To look in every turn would cost more than a quick answer. If the answers of a
    game took hardly any time, it looks after a later game of the same instance, and the wait of all of them
    is that of the last one.

    What it returns is never too much. Threads wait at the same time, so the longest wait counts. A bot whose
    threads wait for each other has only itself to blame, and one that computes while others move waits in
    their time as well: so a wait is limited to the time of its answers in which it did not run.
    """

    def __init__(self) -> None:
        self._instance: Transport | None = None
        self._before: Mapping[int, tuple[int, int]] = {}
        self._answers = 0
        self._waited: int | None = None

    def begin(self, instance: Transport) -> None:
        """Begin with an instance that is going to be asked. Further calls cost nothing."""
        if instance is not self._instance:
            self._instance = instance
            self._before = instance.schedule()
            self._answers = 0

    def add_answer(self, micros: int) -> None:
        self._answers += micros

    def end_game(self) -> None:
        """Count what the instance waited, if that is worth the time. It plays on in the next game."""
        if self._answers >= LEAST_MICROS:
            self._look()
        elif self._before and self._waited is None:
            self._waited = 0

    def end_instance(self) -> None:
        """Count what the instance waited. It must not be closed yet."""
        self._look()
        self._instance, self._before = None, {}

    def _look(self) -> None:
        if self._instance is None:
            return
        before, now = self._before, self._instance.schedule()
        if now:
            ran = sum(ran - before.get(thread, (0, 0))[0] for thread, (ran, _) in now.items())
            longest = max(waited - before.get(thread, (0, 0))[1] for thread, (_, waited) in now.items())
            self._waited = (self._waited or 0) + max(0, min(longest, self._answers * 1000 - ran))
        self._before, self._answers = now, 0

    def take(self) -> float | None:
        """Return the seconds of the game that ended, and begin anew; None if they are not known."""
        waited, self._waited = self._waited, None
        return None if waited is None else round(waited / 1e9, 3)
