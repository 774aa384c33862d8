"""What a bot may take: time, memory, processes, room. A game knows none of this."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from botequim.core.messages import Message, listed, msg, plain

MB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """For one instance of a bot: one seat. Times are seconds, sizes are bytes."""

    move: float = 5.0
    """From the question to the whole answer."""
    start: float = 30.0
    """From starting the program until it can be asked."""
    build: float = 300.0
    """For the build command of its sources, if it has one."""
    memory: int = 1024 * MB
    """Of all its processes together."""
    cpus: int = 1
    processes: int = 256
    """Threads count too."""
    space: int = 64 * MB
    """Of new files, in /tmp and in its own folder each. They live in memory, and count as that too."""
    output: int = MB
    """Of one answer; also of the log it may pile up between two readings."""
    timeouts: int | None = None
    """After so many in a series it is not asked any more; None: it always is."""
    thinking: float | None = None
    """After so many seconds of thinking in a series it is not asked any more."""


class Enforced(StrEnum):
    """A limit that a sandbox can vouch for, by the word it has in records."""

    MEMORY = "memory"
    CPUS = "cpus"
    PROCESSES = "processes"
    SPACE = "space"
    NETWORK = "network"
    """Nothing can be reached but the wire."""
    FILES = "files"
    """Nothing of ours or of other bots can be seen, nothing outside its own space can be written."""


LIMIT_NAMES: Final[Mapping[Enforced, Message]] = {
    Enforced.MEMORY: msg("memory"),
    Enforced.CPUS: msg("processors"),
    Enforced.PROCESSES: msg("processes"),
    Enforced.SPACE: msg("disk space"),
    Enforced.NETWORK: msg("network"),
    Enforced.FILES: msg("files"),
}
"""For people."""


def limits_told(limits: Collection[Enforced]) -> Message:
    """Their names, always in the same order."""
    return listed(LIMIT_NAMES[limit] for limit in Enforced if limit in limits) if limits else plain("-")
