"""A clock that stands still until a test moves it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final


class ManualClock:
    """Time that passes only when `advance` is called, from any thread.

    Timers that are due then are called in their order, each in the event loop that set it.
    """

    def __init__(self, start: float = 1000.0) -> None:
        self._now = start
        self._timers: Final[list[_Timer]] = []
        self._lock: Final = threading.Lock()

    def now(self) -> float:
        return self._now

    def call_later(self, seconds: float, callback: Callable[[], None]) -> _Timer:
        loop = asyncio.get_running_loop()
        with self._lock:
            timer = _Timer(self._now + max(0.0, seconds), loop, callback)
            self._timers.append(timer)
        if seconds <= 0:
            self.advance(0)
        return timer

    def advance(self, seconds: float) -> None:
        """Let this much time pass."""
        with self._lock:
            self._now += seconds
            due = sorted([timer for timer in self._timers if timer.due <= self._now], key=lambda one: one.due)
            self._timers[:] = [
                timer for timer in self._timers if timer.due > self._now and not timer.cancelled
            ]
        for timer in due:
            if not timer.cancelled and not timer.loop.is_closed():
                timer.loop.call_soon_threadsafe(timer.call)

    @property
    def pending(self) -> list[float]:
        """Seconds until each timer that is set, the next one first."""
        with self._lock:
            return sorted(timer.due - self._now for timer in self._timers if not timer.cancelled)


@dataclass(slots=True)
class _Timer:
    due: float
    loop: asyncio.AbstractEventLoop
    callback: Callable[[], None]
    cancelled: bool = field(default=False)

    def cancel(self) -> None:
        self.cancelled = True

    def call(self) -> None:
        if not self.cancelled:
            self.callback()
