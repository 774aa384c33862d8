"""Times that programs on several machines can read.

All times of Botequim are monotonic seconds, on which the processes of one machine agree. So a row with times
also has the machine that wrote them, and the difference between the clock of the database and that machine's.
A reader on the same machine takes the times as they are; another one shifts them to its own clock.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from botequim.core import clock
from botequim.storage.postgres.connection import Connection

BOOT: Final = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class MachineClock:
    """The monotonic clock of a machine since its start."""

    machine: str
    behind: float
    """Seconds from it to the clock of the database."""

    @classmethod
    def here(cls, connection: Connection) -> MachineClock:
        query = "SELECT EXTRACT(EPOCH FROM clock_timestamp())::double precision"
        (now,) = connection.execute(query).fetchone() or (0.0,)
        return cls(_machine(), now - clock.now())

    def shift_to(self, other: MachineClock) -> float:
        """Return what to add to a time of this clock to get that of the other one."""
        return 0.0 if self.machine == other.machine else self.behind - other.behind


@cache
def _machine() -> str:
    try:
        return BOOT.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return f"{uuid.getnode():x}"
