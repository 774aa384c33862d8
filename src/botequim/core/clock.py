"""Moments that all processes of a machine agree about, and the dates that people are told of them.

The clock on the wall may be set at any time; this one only goes on, until the machine is started again.
"""

from __future__ import annotations

import time


def now() -> float:
    """This moment, in seconds since nobody knows when."""
    return time.monotonic()


def date(moment: float) -> float:
    """When that was by the clock on the wall as it goes now, in seconds since 1970."""
    return time.time() - (time.monotonic() - moment)
