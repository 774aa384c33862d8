"""What carries a question to a bot and brings its answer back in time.

A transport is one instance of a bot. It knows nothing of games: what an answer means is told by the `read`
that comes with each question. All that can go wrong with the bot is a `PlayerFault` with evidence; after one
that leaves the instance dead or out of step, it is no longer `usable`: a late answer is never taken for a
new one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from botequim.core.turn import Reply
from botequim.core.wire import Question

Read: TypeAlias = Callable[[Sequence[bytes]], Reply | None]
"""What an answer comes to; None: more must follow. Raises PlayerFault."""


class Transport(Protocol):
    """One instance of a bot, over one carrier."""

    @property
    def usable(self) -> bool:
        """Whether it can still be asked."""

    async def start(self) -> None:
        """Start it and wait until it can be asked."""

    def waiting(self) -> Sequence[bytes]:
        """Lines that came without a question; they are taken out."""

    async def exchange(self, question: Question, read: Read) -> Reply:
        """Ask, and give what is read from the answer, with the time it took."""

    def tell(self, body: bytes) -> None:
        """Say something that is not answered."""

    async def close(self) -> None:
        """End it; nothing of it is left."""
