"""What can be wrong with a store.

::

    BotequimError
     ├── StoreBusy       another program has locked the store, and we do not wait
     └── DamagedStore    the store does not contain what was written into it
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from botequim.core.errors import BotequimError
from botequim.core.messages import Message

SeriesKey: TypeAlias = tuple[str, str]
"""A stage, and the key of a series in it."""


class StoreBusy(BotequimError):
    """Another program has locked the store; try again later."""


@dataclass(frozen=True)
class Damage:
    """The parts of a store that do not match their checksums."""

    series: tuple[SeriesKey, ...] = ()
    facts: tuple[str, ...] = ()
    """Names of tables of facts about the cup."""
    file: str = ""
    """What the database itself reports."""

    def __bool__(self) -> bool:
        return bool(self.series or self.facts or self.file)


class DamagedStore(BotequimError):
    """The store does not contain what was written into it. `botequim cup repair` can repair it."""

    def __init__(self, message: Message, damage: Damage) -> None:
        super().__init__(message)
        self.damage: Final = damage
