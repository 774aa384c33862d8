"""The limits of a bot: time, memory, processes and space. Rules do not use them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from botequim.core.messages import Message, comma_list, msg, plain

MB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one instance of a bot, that is, of one seat. Times are in seconds, sizes in bytes."""

    move: float = 5.0
    """The time from the question to the complete answer."""
    start: float = 30.0
    """The time from the start of the program until it can be asked."""
    build: float = 300.0
    """The time for the command that builds its sources, if it has one."""
    memory: int = 1024 * MB
    """The memory of all its processes together."""
    cpus: int = 1
    processes: int = 256
    """The number of processes and threads."""
    space: int = 64 * MB
    """The size of new files in /tmp, and the same in its own folder. They count as memory too."""
    output: int = MB
    """The size of one answer."""
    timeouts: int | None = None
    """The number of timeouts in a series after which it is not asked any more; None for no limit."""
    thinking: float | None = None
    """The seconds of thinking in a series after which it is not asked any more; None for no limit."""


class EnforcedLimit(StrEnum):
    """A limit that a sandbox can enforce. The values are the words in records."""

    MEMORY = "memory"
    CPUS = "cpus"
    PROCESSES = "processes"
    SPACE = "space"
    NETWORK = "network"
    """The bot has no network except its wire."""
    FILES = "files"
    """The bot can read no files of the host or of other bots, and write only in its own space."""


LIMIT_NAMES: Final[Mapping[EnforcedLimit, Message]] = {
    EnforcedLimit.MEMORY: msg("memory"),
    EnforcedLimit.CPUS: msg("processors"),
    EnforcedLimit.PROCESSES: msg("processes"),
    EnforcedLimit.SPACE: msg("disk space"),
    EnforcedLimit.NETWORK: msg("network"),
    EnforcedLimit.FILES: msg("files"),
}
"""The names to show."""


def limits_list(limits: Collection[EnforcedLimit]) -> Message:
    """Return the names of some limits, always in the same order."""
    return (
        comma_list(LIMIT_NAMES[limit] for limit in EnforcedLimit if limit in limits) if limits else plain("-")
    )
