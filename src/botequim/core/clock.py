"""The clock for all code that measures time, waits, or sets a time limit.

No other module reads a clock or sets a timer of the event loop (a test checks that). So a test can install
its own clock and let limits expire without waiting:

>>> from botequim.core import clock
>>> from botequim.testing import ManualClock
>>> with clock.use_clock(ManualClock()) as manual:
...     began = clock.now()
...     manual.advance(5)
...     clock.now() - began
5.0

Times are monotonic seconds on which all processes of one machine agree. The wall clock may be set at any
time; it is only used for dates that people read.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import Protocol, TypeVar


class Timer(Protocol):
    """A callback that will be called later."""

    def cancel(self) -> None: ...


class Clock(Protocol):
    """A source of time. `SystemClock` is the real one; tests install a `botequim.testing.ManualClock`."""

    def now(self) -> float:
        """Monotonic seconds; the epoch is arbitrary."""
        ...

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call back from the running event loop after this time."""
        ...


class SystemClock:
    """The machine's own clock and the event loop's own timers."""

    def now(self) -> float:
        return time.monotonic()

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        return asyncio.get_running_loop().call_later(seconds, callback)


_SYSTEM = SystemClock()
_current: Clock = _SYSTEM
C = TypeVar("C", bound=Clock)


@contextmanager
def use_clock(clock: C) -> Iterator[C]:
    """Use this clock in the whole process until the block ends."""
    global _current
    before, _current = _current, clock
    try:
        yield clock
    finally:
        _current = before


def now() -> float:
    """Monotonic seconds; the epoch is arbitrary."""
    return time.monotonic() if _current is _SYSTEM else _current.now()


def date(moment: float) -> float:
    """Return the Unix time of a moment of this clock, by the current setting of the wall clock."""
    return time.time() - (now() - moment)


def call_later(seconds: float, callback: Callable[[], None]) -> Timer:
    """Call back from the running event loop after this time, unless it is cancelled before."""
    return _current.call_later(seconds, callback)


def nanosecond_counter() -> Callable[[], int]:
    """Return a function that counts nanoseconds by the current clock, for code that measures every move."""
    current = _current
    return time.perf_counter_ns if current is _SYSTEM else lambda: round(current.now() * 1e9)


async def pause(seconds: float) -> None:
    """Suspend the running task before it polls something outside of this process again, such as a port.

    This always takes real time, because other processes do not use the clock that is installed here.
    """
    await asyncio.sleep(seconds)


async def sleep(seconds: float) -> None:
    """Suspend the running task."""
    if _current is _SYSTEM or seconds <= 0:
        await asyncio.sleep(max(0.0, seconds))
        return
    wake = asyncio.get_running_loop().create_future()
    timer = _current.call_later(seconds, lambda: None if wake.done() else wake.set_result(None))
    try:
        await wake
    finally:
        timer.cancel()


def timeout(seconds: float) -> AbstractAsyncContextManager[object]:
    """Raise TimeoutError if the block takes longer. A limit below 0 counts as 0."""
    if _current is _SYSTEM:
        return asyncio.timeout(max(0.0, seconds))
    return _timeout_by(_current, seconds)


@asynccontextmanager
async def _timeout_by(clock: Clock, seconds: float) -> AsyncIterator[None]:
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(None) as limit:
        timer = clock.call_later(seconds, lambda: limit.reschedule(loop.time()))
        try:
            yield
        finally:
            timer.cancel()
