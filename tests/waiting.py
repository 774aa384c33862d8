"""Waiting for what is to happen: long enough for a machine that has other things to do, and no longer."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 120.0
"""Seconds until something that should happen has not."""


def until(happened: Callable[[], T], what: str = "", seconds: float = PATIENCE) -> T:
    """What it gives once that is something."""
    ends = time.monotonic() + seconds
    while not (found := happened()):
        assert time.monotonic() < ends, f"it did not happen {what}"
        time.sleep(0.05)
    return found
