"""How long tests wait, on machines of any speed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")

PATIENCE: Final = 300.0
"""The seconds to wait for something that must happen, on however busy a machine."""
PATIENCE_MS: Final = PATIENCE * 1000
"""The same in milliseconds, for browsers."""


def until(happened: Callable[[], T | None], what: str = "") -> T:
    """Wait until the function returns a true value, and return it."""
    ends = time.monotonic() + PATIENCE
    while not (found := happened()):
        assert time.monotonic() < ends, f"it did not happen {what}"
        time.sleep(0.05)
    return found
