"""One row of a chart: an interval as a line with a dot. The page around it has the colours.

All positions are percentages, so that a row is as wide as its place and the dot stays round.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

MARGIN = 3.0
"""Percent that are left free at both ends, for the dot."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The numbers at the ends of a chart."""

    low: float
    high: float

    @classmethod
    def of(cls, numbers: Iterable[float]) -> Scale:
        """Return the scale that shows all these numbers."""
        found = list(numbers)
        low, high = min(found), max(found)
        return cls(low, high) if low < high else cls(low - 1, high + 1)

    def percent(self, number: float) -> float:
        return MARGIN + (100 - 2 * MARGIN) * (number - self.low) / (self.high - self.low)


def interval_bar(scale: Scale, middle: float, interval: tuple[float, float], mark: float) -> str:
    """Return a row as SVG; `mark` is the number with a vertical line through all rows."""
    at, low, high, line = (f"{scale.percent(number):.2f}%" for number in (middle, *interval, mark))
    return (
        '<svg class="interval" aria-hidden="true">'
        f'<line class="mark" x1="{line}" x2="{line}" y1="0" y2="100%"/>'
        f'<line class="span" x1="{low}" x2="{high}" y1="50%" y2="50%"/>'
        f'<circle cx="{at}" cy="50%" r="5"/></svg>'
    )
