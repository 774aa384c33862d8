"""A pytest plugin for `scripts/measure_coverage.py` and `scripts/mutate.py`.

It tells coverage.py which test is running. Processes that a test starts need no plugin for that: the
configuration takes their context from PYTEST_CURRENT_TEST. And it gives up tests that take too long.
"""

from __future__ import annotations

import signal
from collections.abc import Generator

import coverage
import pytest


class TooLongError(BaseException):
    """Raised in a test that takes too long; not an Exception, which a test may catch."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that limits each test."""
    parser.addoption(
        "--give-up", type=float, default=0, metavar="SECONDS", help="fail a test that takes longer"
    )


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Record what runs during one test, its fixtures included, under the test's name."""
    current = coverage.Coverage.current()
    if current is None:
        return (yield)
    current.switch_context(item.nodeid)
    try:
        return (yield)
    finally:
        current.switch_context("")


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that takes too long, by a signal. The suite may have such a timer of its own."""
    seconds = item.config.getoption("give_up")
    if not seconds:
        return (yield)

    def give_up(*_: object) -> None:
        raise TooLongError

    handler = signal.signal(signal.SIGALRM, give_up)
    timer = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return (yield)
    except TooLongError:
        # without its traceback: pytest fails to print one that begins where the code has no line number
        raise pytest.fail.Exception(f"took longer than {seconds:.0f} s", pytrace=False) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, *timer)
