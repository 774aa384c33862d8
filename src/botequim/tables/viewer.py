"""Somebody who looks at a table: a person at a seat, or a spectator."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from botequim.core import clock
from botequim.core.game import Outcome
from botequim.core.turn import Step

MOST_WAITING: Final = 400
"""The most positions that wait for a slow viewer; older ones are left out."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One position of a game at a table."""

    game: int
    """The number of the game, from 1."""
    state: Any
    seats: Sequence[Mapping[str, Any]]
    step: Step | None = None
    """The last turn; None before the first one."""
    outcome: Outcome | None = None
    """The outcome, in the last position of a game."""
    counts_for: tuple[int, ...] = ()
    """The seats for which the finished game counts in statistics."""

    @property
    def turn(self) -> int:
        return 0 if self.step is None else self.step.number


class Viewer:
    """A queue of positions for one browser."""

    def __init__(self, seat: int | None) -> None:
        """`seat` is None for a spectator."""
        self.seat: Final = seat
        self.is_closed = False
        self._waiting: deque[Moment] = deque(maxlen=MOST_WAITING)
        self._ready: Final = asyncio.Event()

    def show(self, moment: Moment) -> None:
        """Add a new position."""
        self._waiting.append(moment)
        self._ready.set()

    def refresh(self, moment: Moment) -> None:
        """Show the current position again, unless it is already the last one that waits."""
        if not self._waiting or self._waiting[-1] is not moment:
            self._waiting.append(moment)
        self._ready.set()

    def close(self) -> None:
        self.is_closed = True
        self._ready.set()

    async def moments(self, seconds: float) -> list[Moment]:
        """Return the positions that wait, the newest last; [] if there is none for so many seconds."""
        if not self._waiting and not self.is_closed:
            self._ready.clear()
            with suppress(TimeoutError):
                async with clock.timeout(seconds):
                    await self._ready.wait()
        moments = list(self._waiting)
        self._waiting.clear()
        return moments
