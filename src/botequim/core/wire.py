"""How a bot is spoken to: a dialect, carried by a transport.

A `Dialect` is a pure translation between views, replies and bytes. It keeps nothing between two questions:
a view holds all that its seat has seen, and `seen` says how much of it the bot was told already. So a fresh
instance can be put in place of a dead one at any time, by asking it with `seen = 0`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from botequim.core.errors import PlayerFault
from botequim.core.game import AnyGame, Outcome, Remark
from botequim.core.limits import Limits
from botequim.core.messages import Message, msg
from botequim.core.options import Options
from botequim.core.turn import Reply


class Carrier(StrEnum):
    """The transports."""

    HTTP = "http"
    """A server on port 8000: the question is the body of a POST, the answer the body of the response."""
    LINES = "lines"
    """A program that reads questions from standard input and writes answers to standard output."""
    ONCE = "once"
    """A program that is started for each question and ends with its answer."""


class Restart(StrEnum):
    """How long an instance lives."""

    GAME = "game"
    """Each game has instances of its own; the next game's are started while this one is played."""
    SERIES = "series"
    """One instance a seat for all games of a series."""


@dataclass(frozen=True, slots=True)
class Seating:
    """Who plays what: the part of a question that no view knows."""

    game: AnyGame
    options: Options
    names: tuple[str, ...]
    """By seat."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is sent for one turn."""

    body: bytes = b""
    """The request's body, the lines, or the standard input."""
    arguments: tuple[str, ...] = ()
    """Of a program that is started for it."""
    environment: Mapping[str, str] = field(default_factory=dict)
    seen: int = 0
    """How much of `view.events` the bot has been told with it: what the next question is asked with."""

    words: Callable[[], str] | None = None
    """The same for people, where the wire is not meant for them."""
    reads: Callable[[str], str] | None = None
    """And an answer to it."""

    def shown(self) -> str:
        """As evidence shows it."""
        if self.words is not None:
            return self.words()
        words = [f"{name}={value}" for name, value in self.environment.items()]
        words += [repr(argument) for argument in self.arguments]
        return " ".join([*words, self.body.decode("utf-8", "backslashreplace")]).strip()


class OutOfStep(PlayerFault):
    """After this answer nobody knows to which question the next belongs: the instance must be replaced."""


class Dialect(Protocol):
    """One competition's way of saying things."""

    def ask(self, view: Any, seen: int, seating: Seating) -> Question:
        """The question, with everything after the first `seen` of `view.events`."""

    def read(self, answer: Sequence[bytes], view: Any, seating: Seating) -> Reply | None:
        """The reply, or None: there must be more to come. Raises PlayerFault.

        Over HTTP and from a program that ran once, `answer` is all there was, as one item. Of lines it is
        those that came since the question, without their ends; it is called again with each new one.
        After a fault the bot can be asked again, unless it is `OutOfStep`.
        """

    def overheard(self, lines: Sequence[bytes], view: Any) -> tuple[Sequence[Remark], Sequence[Message]]:
        """What is made of lines that came before the question: remarks, and warnings for what is dropped."""

    def end(self, view: Any, seen: int, seating: Seating, outcome: Outcome) -> bytes:
        """What is still told when the game is over, and how it ended.

        Only programs that read lines are told; nothing is answered to it.
        """


@dataclass(frozen=True, slots=True)
class Wire:
    """A dialect with all that has to be known to use it."""

    name: str
    dialect: Dialect
    carrier: Carrier
    game: str | None = None
    """The only game it can say; None: it can say any."""
    restart: Restart = Restart.GAME
    limits: Limits = field(default_factory=Limits)
    """The competition's own."""
    hosted: bool = False
    """Whether what a bot's author writes is not a program, but loaded by a host program of ours."""
    greeting: Callable[[bytes], Mapping[str, str]] | None = None
    """For a program that writes a line once it can be asked, which ends the time it has to start: what that
    line says of the player, by name. Raises PlayerFault: it could not be started."""


def dropped(lines: Sequence[bytes]) -> list[Message]:
    """One warning for lines that came unasked."""
    if not lines:
        return []
    return [
        msg(
            'lines that came before the question were dropped: {count}, the first: "{line}"',
            count=len(lines),
            line=lines[0][:80].decode("utf-8", "replace"),
        )
    ]
