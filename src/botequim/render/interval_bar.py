"""One row of a chart: an interval as a line with a dot. The colours are those of the page around it.

All positions are percentages, so that the row can have any width and the dot stays round.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

MARGIN = 3.0
"""The margin at both ends in percent, for the dot."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The numbers at the ends of a chart."""

    low: float
    high: float

    @classmethod
    def of(cls, numbers: Iterable[float]) -> Scale:
        """Return the scale that shows all these numbers."""
        values = list(numbers)
        low, high = min(values), max(values)
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
