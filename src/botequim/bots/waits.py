"""How long a bot waits for a processor in a game: the part of its time that is not its own."""

from __future__ import annotations

from collections.abc import Mapping

from botequim.bots.transports import Transport


class WaitMeter:
    """Measures the waits of one seat, game after game.

    It reads them when an instance is asked for the first time in a game, so starting up does not count, and
    when the instance or the game ends. Reading them in every turn would cost more than a quick answer.

    What it returns is never too much. Threads wait at the same time, so the longest wait counts. A bot whose
    threads wait for each other has only itself to blame, and one that computes while others move waits in
    their time as well: so a wait is limited to the time of its answers in which it did not run.
    """

    def __init__(self) -> None:
        self._instance: Transport | None = None
        self._before: Mapping[int, tuple[int, int]] = {}
        self._known = False
        self._ran = 0
        self._waited = 0

    def begin(self, instance: Transport) -> None:
        """Begin with an instance that is going to be asked. Further calls in the same game cost nothing."""
        if instance is not self._instance:
            self._instance = instance
            self._before = instance.schedule()

    def end(self) -> None:
        """Count what the instance waited. It must not be closed yet."""
        if self._instance is None:
            return
        before, now = self._before, self._instance.schedule()
        self._instance = None
        if now:
            self._known = True
            self._ran += sum(ran - before.get(thread, (0, 0))[0] for thread, (ran, _) in now.items())
            self._waited += max(waited - before.get(thread, (0, 0))[1] for thread, (_, waited) in now.items())

    def take(self, answers: int) -> float | None:
        """Return the seconds of the game that ended, and begin anew; None if they are not known.

        `answers` are the microseconds that the answers took together.
        """
        seconds = max(0, min(self._waited, answers * 1000 - self._ran)) / 1e9 if self._known else None
        self._known, self._ran, self._waited = False, 0, 0
        return None if seconds is None else round(seconds, 3)
