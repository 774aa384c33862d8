"""The one clock, and the one that tests move by hand."""

from __future__ import annotations

import asyncio
import doctest
import time

import pytest

from botequim.core import clock
from botequim.testing import ManualClock


def test_the_example_is_true() -> None:
    assert doctest.testmod(clock).failed == 0


def test_the_system_clock_is_the_monotonic_one() -> None:
    before = time.monotonic()
    assert before <= clock.now() <= time.monotonic()
    assert clock.date(clock.now()) == pytest.approx(time.time(), abs=60)


def test_a_limit_expires_when_the_clock_is_moved() -> None:
    async def wait(manual: ManualClock) -> float:
        async with clock.timeout(3):
            manual.advance(2.5)
            await asyncio.sleep(0)
            manual.advance(0.5)
            await asyncio.Event().wait()
        return 0.0

    with clock.use_clock(ManualClock()) as manual, pytest.raises(TimeoutError):
        asyncio.run(wait(manual))
    assert manual.pending == []


def test_a_block_that_ends_in_time_leaves_no_timer() -> None:
    async def wait() -> None:
        async with clock.timeout(3):
            await asyncio.sleep(0)

    with clock.use_clock(ManualClock()) as manual:
        asyncio.run(wait())
        assert manual.pending == []
        manual.advance(10)


def test_sleepers_wake_in_the_order_of_their_times() -> None:
    async def sleep(seconds: float, woken: list[float]) -> None:
        await clock.sleep(seconds)
        woken.append(seconds)

    async def all_of_them(manual: ManualClock) -> list[float]:
        woken: list[float] = []
        sleepers = [asyncio.ensure_future(sleep(seconds, woken)) for seconds in (3, 1, 2, 5)]
        await asyncio.sleep(0)
        assert manual.pending == [1, 2, 3, 5]
        manual.advance(3)
        await asyncio.gather(*sleepers[:3])
        assert manual.pending == [2]
        manual.advance(2)
        await sleepers[3]
        return woken

    with clock.use_clock(ManualClock()) as manual:
        assert asyncio.run(all_of_them(manual)) == [1, 2, 3, 5]


def test_no_time_left_is_no_time() -> None:
    async def wait() -> None:
        async with clock.timeout(-1):
            await asyncio.Event().wait()

    for source in (clock.SystemClock(), ManualClock()):
        with clock.use_clock(source), pytest.raises(TimeoutError):
            asyncio.run(wait())
