"""How long tests wait, on machines of any speed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")

PATIENCE: Final = 300.0
"""Seconds that something is waited for which must happen, on however busy a machine."""
PATIENCE_MS: Final = PATIENCE * 1000
"""For browsers."""


def until(happened: Callable[[], T | None], what: str = "") -> T:
    """What it gives once that is something."""
    ends = time.monotonic() + PATIENCE
    while not (found := happened()):
        assert time.monotonic() < ends, f"it did not happen {what}"
        time.sleep(0.05)
    return found
