"""Transports. Each sends questions to one running instance of a bot, and receives its answers in time.

A transport knows nothing of games: with each question it gets a function `decode`, which reads the answer.
Every failure of the bot is a `PlayerFault` with evidence. After a fault that leaves the instance dead or
desynchronised, the transport is no longer `usable`, so a late answer is never taken for the next one.
`http.py`, `lines.py` and `once.py` are the three kinds; `process.py` is what they share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeAlias

from botequim.core.turn import Reply
from botequim.core.wire import Question

Decode: TypeAlias = Callable[[Sequence[bytes]], Reply | None]
"""Returns the reply that an answer contains, or None if more must follow. Raises PlayerFault."""


class Transport(Protocol):
    """One running instance of a bot."""

    @property
    def usable(self) -> bool:
        """Whether the instance can be asked again."""

    async def start(self) -> None:
        """Start the instance and wait until it can be asked. Raise PlayerFault if it does not start."""

    @property
    def greeting(self) -> Mapping[str, str]:
        """The introduction of the instance, by name; empty if its wire has no greeting."""

    def take_unsolicited(self) -> Sequence[bytes]:
        """Remove and return the lines that came without a question."""

    async def exchange(self, question: Question, decode: Decode) -> Reply:
        """Ask a question. Return the reply that `decode` reads from the answer, with the time that it
        took."""

    def schedule(self) -> Mapping[int, tuple[int, int]]:
        """Return by thread the nanoseconds that it ran, and that it waited for a processor, if known.

        Of threads that have ended, return what was known of them last.
        """

    def send(self, body: bytes) -> None:
        """Send something that the bot does not answer."""

    async def close(self) -> None:
        """End the instance and remove everything that belongs to it."""
