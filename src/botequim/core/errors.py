"""What can go wrong, in two families that never mix.

::

    BotequimError           ours, or the organiser's: the game is aborted and scores nothing
    ├── InputError          something we were given is wrong: the text says what, where, and the remedy
    │   ├── UnknownName     no game or player of that name; lists the known ones
    │   ├── OptionError     an option's name or value is not known; lists what is
    │   └── RecordError     a record cannot be read; carries path and line
    └── BrokenContract      a game, player or plugin does not keep its interface: a bug, said as one

    PlayerFault             the player's: becomes a move of the game's own, and the game goes on
        .fault.kind         TIMEOUT, CRASH, MALFORMED, ILLEGAL or LIMIT

    MoveSyntaxError         a text is not a move of this game. It belongs to neither family: the caller knows
                            whose text it was, and raises a RecordError or a PlayerFault instead.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botequim.core.messages import Message, msg, plain

if TYPE_CHECKING:
    from botequim.core.game import Remark


class BotequimError(Exception):
    """A failure that is not a player's: the game is aborted and scores nothing."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        return str(self.message)


class InputError(BotequimError):
    """Something we were given is wrong."""

    details: str = ""
    """The output of another program about it."""


class UnknownName(InputError):
    """A name that nothing is registered under."""


class OptionError(InputError):
    """A game option that does not exist, or a value it does not take."""


class RecordError(InputError):
    """A record that cannot be read, and where."""

    def __init__(self, message: Message, *, path: str = "", line: int | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.line = line

    def __str__(self) -> str:
        where = ":".join(str(part) for part in (self.path, self.line) if part)
        return f"{where}: {self.message}" if where else str(self.message)


class BrokenContract(BotequimError):
    """A plugin or one of our own parts does not keep its interface."""


class MoveSyntaxError(ValueError):
    """A text is not a move of the game that it was read for."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        return str(self.message)


class FaultKind(StrEnum):
    """The ways in which a player can fail its turn."""

    TIMEOUT = "timeout"
    """No answer within the time for a move."""
    CRASH = "crash"
    """The player died, raised or hung up."""
    MALFORMED = "malformed"
    """The answer is not a move of this game."""
    ILLEGAL = "illegal"
    """The rules refuse the move now."""
    LIMIT = "limit"
    """The player exceeded its memory, processes or output."""


@dataclass(frozen=True, slots=True)
class Fault:
    """The fault of a player in one turn, with its evidence."""

    kind: FaultKind
    reason: Message
    evidence: Mapping[str, Any] = field(default_factory=dict)
    """JSON values: `question`, `answer`, `stderr`, `exit`, ... as far as they are known."""
    move: Any = None
    """The refused move, if there was one (ILLEGAL)."""


class PlayerFault(Exception):
    """A failure of a player in its turn, raised by the player or its transport."""

    def __init__(self, kind: FaultKind, reason: Message | None = None, /, **evidence: Any) -> None:
        super().__init__(kind, reason)
        self.fault = Fault(kind, reason or DEFAULT_REASONS[kind], evidence)
        self.remarks: Sequence[Remark] = ()
        """The remarks of the player before it failed."""
        self.warnings: Sequence[Message] = ()
        self.micros: int | None = None
        """The time the player used, if it is not just the time until it failed."""

    def __str__(self) -> str:
        return f"{self.fault.kind}: {self.fault.reason}"


DEFAULT_REASONS: Mapping[FaultKind, Message] = {
    FaultKind.TIMEOUT: msg("no answer in time"),
    FaultKind.CRASH: msg("the player crashed"),
    FaultKind.MALFORMED: msg("the answer is not a move"),
    FaultKind.ILLEGAL: msg("the move is against the rules"),
    FaultKind.LIMIT: msg("the player went over its limits"),
}


def os_reason(error: OSError) -> Message:
    """Return why the system refused, in our words for the usual reasons."""
    return OS_REASONS.get(error.errno or 0, plain(error.strerror or error))


def write_reason(path: Path, error: OSError) -> Message:
    """Return why a file cannot be written: most often because there is no such folder."""
    if error.errno == errno.ENOENT and not path.parent.is_dir():
        return msg('there is no folder "{folder}"', folder=str(path.parent))
    return os_reason(error)


OS_REASONS: Mapping[int, Message] = {
    errno.ENOENT: msg("there is no such file or folder"),
    errno.EACCES: msg("permission denied"),
    errno.EPERM: msg("permission denied"),
    errno.EISDIR: msg("it is a folder"),
    errno.ENOTDIR: msg("it is not a folder"),
    errno.EEXIST: msg("it already exists"),
    errno.ENOSPC: msg("the disk is full"),
    errno.EROFS: msg("the disk is read-only"),
    errno.ENAMETOOLONG: msg("the name is too long"),
}
