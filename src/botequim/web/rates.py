"""How often an address may do something."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import Final

MOST_KNOWN: Final = 10_000
"""Addresses; who was not heard of for the longest time is forgotten first."""


class Rate:
    """So many at once, and then so many a second; each address for itself."""

    def __init__(self, burst: int, per_second: float) -> None:
        self._burst: Final = float(burst)
        self._per_second: Final = per_second
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """By address: what was left, and when that was."""

    def wait(self, address: str) -> int:
        """Take one; 0, or whole seconds until there is another."""
        now = time.monotonic()
        left, at = self._left.pop(address, (self._burst, now))
        left = min(self._burst, left + (now - at) * self._per_second)
        allowed = left >= 1
        self._left[address] = (left - 1 if allowed else left, now)
        if len(self._left) > MOST_KNOWN:
            self._left.popitem(last=False)
        return 0 if allowed else int((1 - left) / self._per_second) + 1
