"""What can be wrong with a store.

::

    BotequimError
     ├── InputError
     │    └── StoreUnusable  the store cannot be used; the message says where it is, so it is not public
     │         ├── StoreLost   the server of a database does not answer; it may come back
     │         └── SealedStore the cup is in another store now
     │    └── CoordinatorRunning another program plays the cup now
     ├── StoreBusy       another program has locked the store, and we do not wait
     ├── StaleCoordinator another coordinator has taken over: this one must stop
     └── DamagedStore    the store does not contain what was written into it
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from botequim.core.errors import BotequimError, InputError
from botequim.core.messages import Message, comma_list, msg, plain

SeriesKey: TypeAlias = tuple[str, str]
"""A stage, and the key of a series in it."""
MOST_NAMED: Final = 10
"""How many damaged series a message names."""


class StoreBusy(BotequimError):
    """Another program has locked the store; try again later."""


class StoreUnusable(InputError):
    """The store cannot be used. The message says where it is, which is not for the public of a server."""


class SealedStore(StoreUnusable):
    """The cup was moved to another store."""


class StoreLost(StoreUnusable):
    """The server of a database cannot be reached, or its connection was lost; try again later."""


class CoordinatorRunning(InputError):
    """Another program plays this cup now, so nobody else may write its results."""


class StaleCoordinator(BotequimError):
    """Another coordinator has taken over the cup; nothing was written, and this one must stop."""


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


def damage_summary(damage: Damage) -> Message:
    """Return what is damaged, in words."""
    names = [f"{stage}: {key}" for stage, key in damage.series]
    more = len(names) - MOST_NAMED
    named = ", ".join(names[:MOST_NAMED]) + (f", … (+{more})" if more > 0 else "")
    parts = [plain(damage.file)] if damage.file else []
    if names:
        parts.append(msg("these series do not match their checksums: {names}", names=named))
    if damage.facts:
        tables = ", ".join(damage.facts)
        parts.append(msg("these facts about the cup do not match their checksums: {names}", names=tables))
    return comma_list(parts)


class DamagedStore(BotequimError):
    """The store does not contain what was written into it. `botequim cup repair` can repair it."""

    def __init__(self, message: Message, damage: Damage) -> None:
        super().__init__(message)
        self.damage: Final = damage


def moved_error(old: str, new: str) -> SealedStore:
    """Return the error for a store that was moved elsewhere."""
    return SealedStore(
        msg(
            "{old} is sealed: the cup was moved to {new}. Use that store; --store, [store] in the cup "
            "file or BOTEQUIM_STORE choose it",
            old=old,
            new=new,
        )
    )
