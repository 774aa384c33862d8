"""All errors, in two families that are not related.

::

    BotequimError           an error of Botequim or its user: the game is aborted and scores nothing
    ├── InputError          an input is wrong: the text says what, where, and how to fix it
    │   ├── UnknownName     no game or player of that name; lists the known ones
    │   ├── OptionError     an option's name or value is not valid; lists the valid ones
    │   └── RecordError     a record cannot be read; has path and line
    └── BrokenContract      a game, player or plugin violates its interface: a bug

    PlayerFault             an error of a player: the rules move for it, and the game goes on
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
    """A failure that is not the fault of a player. The game is aborted and scores nothing."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        return str(self.message)


class InputError(BotequimError):
    """An input is wrong: an argument, a file, a setting."""

    details: str = ""
    """The output of another program that explains the error."""


class UnknownName(InputError):
    """Nothing is registered under this name."""


class OptionError(InputError):
    """An option does not exist, or does not have this value."""


class RecordError(InputError):
    """A record cannot be read. The error has its path and line."""

    def __init__(self, message: Message, *, path: str = "", line: int | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.line = line

    def __str__(self) -> str:
        where = ":".join(str(part) for part in (self.path, self.line) if part)
        return f"{where}: {self.message}" if where else str(self.message)


class BrokenContract(BotequimError):
    """A plugin or a part of Botequim violates its interface."""


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
    """The player ended, raised an exception or closed its connection."""
    MALFORMED = "malformed"
    """The answer is not a move of this game."""
    ILLEGAL = "illegal"
    """The rules do not allow the move in this position."""
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
        """The time that the player used, if it is not the time until the fault was raised."""

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
    """Return the reason of a system error; the usual ones have a text that can be translated."""
    return OS_REASONS.get(error.errno or 0, plain(error.strerror or error))


def write_reason(path: Path, error: OSError) -> Message:
    """Return why a file cannot be written; most often its folder does not exist."""
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
