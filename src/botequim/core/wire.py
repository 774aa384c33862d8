"""Wires: how a bot is asked. A wire is a codec, a transport, and the limits of the competition.

A `Codec` translates between views, replies and bytes. It is pure and stores nothing between two questions: a
view contains all events that its seat has seen, and `seen` is the number of those that the bot has received
already. So a new instance can replace a dead one at any time: its first question has `seen = 0`.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from botequim.core.errors import PlayerFault
from botequim.core.game import AnyGame, Outcome, Remark
from botequim.core.limits import Limits
from botequim.core.messages import Message, msg
from botequim.core.options import Options
from botequim.core.turn import Reply

T = TypeVar("T")


class TransportKind(StrEnum):
    """The kinds of transports."""

    HTTP = "http"
    """A server on port 8000: the question is the body of a POST, the answer the body of the response."""
    LINES = "lines"
    """A program that reads questions from standard input and writes answers to standard output."""
    ONCE = "once"
    """A program that is started for each question and ends with its answer."""


class Restart(StrEnum):
    """How long an instance of a bot lives."""

    GAME = "game"
    """Each game has its own instances. Those of the next game are started during the current one."""
    SERIES = "series"
    """Each seat has one instance for all games of a series."""


@dataclass(frozen=True, slots=True)
class GameContext:
    """The part of a question that does not depend on the view: game, options and names of the players."""

    game: AnyGame
    options: Options
    names: tuple[str, ...]
    """By seat."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a bot, encoded for its wire."""

    body: bytes = b""
    """The body of the request, the lines, or the standard input."""
    arguments: tuple[str, ...] = ()
    """The arguments of a program that is started for the question."""
    environment: Mapping[str, str] = field(default_factory=dict)
    seen: int = 0
    """How many of `view.events` the bot has received with this question. The next one is encoded with it."""

    words: Callable[[], str] | None = None
    """Returns the question as readable text, if the encoded form is hard to read."""
    reads: Callable[[str], str] | None = None
    """Returns an answer to it as readable text."""

    def text(self) -> str:
        """Return the question as text, for evidence."""
        if self.words is not None:
            return self.words()
        words = [f"{name}={value}" for name, value in self.environment.items()]
        words += [repr(argument) for argument in self.arguments]
        return " ".join([*words, self.body.decode("utf-8", "backslashreplace")]).strip()


class Desynchronised(PlayerFault):
    """The next answer can no longer be matched to a question, so the instance must be replaced."""


class Codec(Protocol):
    """Encodes questions and decodes answers, in the format of one competition."""

    def encode_question(self, view: Any, seen: int, context: GameContext) -> Question:
        """Return the question, with every event after the first `seen` of `view.events`."""

    def decode_answer(self, answer: Sequence[bytes], view: Any, context: GameContext) -> Reply | None:
        """Return the reply, or None if more must follow. Raise PlayerFault if the answer is not a move.

        Over HTTP, and from a program that runs once, `answer` has one item, the whole answer. From a program
        that writes lines, it has all lines since the question, without line ends, and the method is called
        again for each new line. After a fault the bot can be asked again, unless the fault is
        `Desynchronised`.
        """

    def decode_unsolicited(
        self, lines: Sequence[bytes], view: Any
    ) -> tuple[Sequence[Remark], Sequence[Message]]:
        """Return the remarks in lines that came before the question, and warnings about ignored lines."""

    def end(self, view: Any, seen: int, context: GameContext, outcome: Outcome) -> bytes:
        """Return the last message to a program that reads lines, when the game is over. It has no answer."""


@dataclass(frozen=True, slots=True)
class Host:
    """A program of the competition that loads the file of a bot's author.

    It is for wires whose bots are not whole programs. The host's folder is visible to the bot.
    """

    script: Path
    """A Python program. It is called with the folder of the bot's file and the number of the team member."""
    file_name: str
    """The name of the file that authors write."""
    marker: bytes
    """A file with another name is recognised by this content."""


RENAMED: Final = {"dialect": "codec", "carrier": "transport"}
"""Fields of `Wire` by their old names, which work for one release."""


def _accept_old_keywords(cls: type[T]) -> type[T]:
    init = cls.__init__

    @functools.wraps(init)
    def accept(self: T, *values: Any, **keywords: Any) -> None:
        for old in RENAMED.keys() & keywords.keys():
            _warn_renamed(f"Wire({old}=...)", f"Wire({RENAMED[old]}=...)")
            keywords[RENAMED[old]] = keywords.pop(old)
        if keywords.pop("hosted", None) is not None:
            _warn_renamed("Wire(hosted=...)", "Wire(host=...)")
        init(self, *values, **keywords)

    cls.__init__ = accept  # type: ignore[assignment]
    return cls


@_accept_old_keywords
@dataclass(frozen=True, slots=True)
class Wire:
    """A codec with everything that is needed to use it."""

    name: str
    codec: Codec
    transport: TransportKind
    game: str | None = None
    """The only game that the codec supports; None if it supports every game."""
    restart: Restart = Restart.GAME
    limits: Limits = field(default_factory=Limits)
    """The limits of the competition."""
    host: Host | None = None
    """The program that loads the author's file; None if the author writes a whole program."""
    greeting: Callable[[bytes], Mapping[str, str]] | None = None
    """For programs that write one line when they are ready. It reads that line, and returns the introduction
    of the player by name. Raises PlayerFault if the line says that the player could not be started."""

    def __post_init__(self) -> None:
        if not hasattr(self.codec, "encode_question"):
            _warn_renamed(f"Codec.ask/read/overheard of the wire {self.name}", "Codec.encode_question/...")
            object.__setattr__(self, "codec", _OldCodec(self.codec))

    def __getattr__(self, name: str) -> Any:
        if name not in RENAMED:
            raise AttributeError(f"Wire has no attribute {name!r}")
        _warn_renamed(f"Wire.{name}", f"Wire.{RENAMED[name]}")
        return getattr(self, RENAMED[name])

    @property
    def hosted(self) -> bool:
        """Whether a bot is a file that a host loads, not a program."""
        return self.host is not None


def ignored_lines_warning(lines: Sequence[bytes]) -> list[Message]:
    """Return a list with one warning for all lines that came before the question, or an empty list."""
    if not lines:
        return []
    return [
        msg(
            'lines that came before the question were dropped: {count}, the first: "{line}"',
            count=len(lines),
            line=lines[0][:80].decode("utf-8", "replace"),
        )
    ]


# --- old names, for one release ----------------------------------------------------------------------


class _OldCodec:
    """A codec of another package whose methods have their old names."""

    def __init__(self, codec: Any) -> None:
        self.encode_question = codec.ask
        self.decode_answer = codec.read
        self.decode_unsolicited = getattr(codec, "overheard", None) or codec.decode_unsolicited
        self.end = codec.end


def _warn_renamed(old: str, new: str) -> None:
    warnings.warn(f"{old} is deprecated; use {new}", DeprecationWarning, stacklevel=4)
