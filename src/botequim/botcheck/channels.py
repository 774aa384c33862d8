"""The known channels by which two instances of one bot can pass bits to each other, and where they are open.

Tests try every channel in every place (`tests/zoo/channels.py`), `docs/reference/security.md` shows them in a
table, and `botequim doctor` names those that are open on this machine.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from botequim.core.messages import Message, msg


class Place(StrEnum):
    """Where both instances run."""

    ROOT = "root"
    """In bubblewrap, started by root."""
    USER = "user"
    """In bubblewrap, started by an ordinary user."""
    CONTAINER = "container"


_EVERYWHERE: Final = frozenset(Place)
_CONTAINER: Final = frozenset({Place.CONTAINER})
_USER: Final = frozenset({Place.USER})

OPEN_CHANNELS: Final[tuple[tuple[Message, frozenset[Place]], ...]] = (
    (msg("locks on devices (/dev/null)"), _USER),
    (msg("inotify on devices"), _USER),
    (msg("signals that wait"), _CONTAINER),
    (msg("inotify instances of a user"), _CONTAINER),
    (msg("descriptors in flight, pages of pipes (counted by user)"), _USER | _CONTAINER),
    (msg("counters in /proc: forks, threads, memory (stat, loadavg, meminfo)"), _CONTAINER),
    (
        msg("counters that the kernel tells every process: sysinfo, memory of TCP, numbers of pipes"),
        _EVERYWHERE,
    ),
    (msg("which page of a file had to be read from the disk"), _EVERYWHERE),
)
"""The name of each open channel, and where it is open. All others are closed everywhere."""


def avoidable_channels(place: Place) -> list[Message]:
    """Return the channels that are open in a place and closed in another."""
    return [name for name, places in OPEN_CHANNELS if place in places and places != _EVERYWHERE]
