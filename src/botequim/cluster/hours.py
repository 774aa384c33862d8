"""The hours of a day in which a machine may be used: `18:00-07:00`, in its local time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time
from typing import Final

from botequim.core.errors import InputError
from botequim.core.messages import msg

OUTSIDE_HOURS: Final = "outside its hours, "
"""What a machine tells the scheduler when it stands by because of its hours, which follow."""

_HOURS: Final = re.compile(r"(\d{1,2}):(\d{2})-(\d{1,2}):(\d{2})")


@dataclass(frozen=True, slots=True)
class Hours:
    """From one time of the day to another, which may be on the next day."""

    begin: time
    end: time

    @classmethod
    def read(cls, text: str) -> Hours:
        """Return the hours that a text names. Raise InputError if it names none."""
        match = _HOURS.fullmatch(text.strip())
        numbers = [int(one) for one in match.groups()] if match is not None else []
        if not numbers or max(numbers[::2]) > 23 or max(numbers[1::2]) > 59 or numbers[:2] == numbers[2:]:
            raise InputError(msg('write hours of use as 18:00-07:00, not "{text}"', text=text))
        return cls(time(numbers[0], numbers[1]), time(numbers[2], numbers[3]))

    def __contains__(self, moment: datetime) -> bool:
        now = moment.time()
        if self.begin < self.end:
            return self.begin <= now < self.end
        return now >= self.begin or now < self.end

    def __str__(self) -> str:
        return f"{self.begin:%H:%M}-{self.end:%H:%M}"
