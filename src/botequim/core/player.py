"""Who sits at a table.

A `Player` is asked through an asynchronous interface, because some are processes, containers or
people. A `Strategy` is the simple kind: a plain object whose `choose` returns a move at once;
`botequim.players.memory.InMemory` seats it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from botequim.core.game import Remark, View
from botequim.core.messages import Message


class Reply(NamedTuple):
    """A player's answer to one question."""

    move: Any
    remarks: Sequence[Remark] = ()
    warnings: Sequence[Message] = ()
    """What was odd about the answer without making it a fault."""


class Player(Protocol):
    """One seat, for one game or for a series of them.

    The referee calls `choose` and `finish`; whoever runs the series calls `open` and `close`.
    A failure of the player is a `PlayerFault`; anything else that is raised is ours.
    """

    async def open(self, seat: int) -> None:
        """Sit down: once, before the first game."""

    async def choose(self, view: View) -> Reply:
        """Answer with a move for `view`."""

    async def finish(self, view: View) -> None:
        """A game is over; `view` holds all of it that this seat saw."""

    async def close(self) -> None:
        """Leave: once, after the last game, however it ended."""


class Strategy(Protocol):
    """The simple kind of player: made with a generator of its own, asked for moves."""

    def choose(self, view: Any) -> Any:
        """A move, or a `Reply` with remarks."""
