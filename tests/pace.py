"""How long tests wait, on machines of any speed."""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Callable
from typing import Any, Final, TypeVar

T = TypeVar("T")

PATIENCE: Final = 300.0
"""Seconds that something is waited for which must happen, on however busy a machine."""
PATIENCE_MS: Final = PATIENCE * 1000
"""For browsers."""
PACES: Final = (1, 6, 36)
"""How many times longer the limits are at each try."""


def paced(test: Callable[..., None]) -> Callable[..., None]:
    """A test of a limit that the rest of its bot's doings must not reach, as the test itself sets it.

    Its limits are short, so that it is short. Where the machine is so busy that the bot did not come to what
    it was to be late with, the test is tried again with longer ones: it multiplies them, and the sleeps that
    are to outlast them, by the `pace` it is given.
    """
    asked = inspect.signature(test)
    names = [one for one in asked.parameters.values() if one.name != "pace"]

    @functools.wraps(test)
    def with_time(*values: Any, **named: Any) -> None:
        for pace in PACES[:-1]:
            try:
                return test(*values, pace=pace, **named)
            except Exception:  # whatever a bot that was late led to
                continue
        return test(*values, pace=PACES[-1], **named)

    with_time.__signature__ = asked.replace(parameters=names)  # type: ignore[attr-defined]
    return with_time


def until(happened: Callable[[], T | None], what: str = "") -> T:
    """What it gives once that is something."""
    ends = time.monotonic() + PATIENCE
    while not (found := happened()):
        assert time.monotonic() < ends, f"it did not happen {what}"
        time.sleep(0.05)
    return found
