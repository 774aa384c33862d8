"""Who sits at a table.

A `Player` is asked through an asynchronous interface, because some are processes, containers or
people. A `Strategy` is the simple kind: a plain object whose `choose` returns a move at once; `InMemory`
seats it.
"""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any, Final, Protocol, final

from botequim.core.errors import BotequimError, FaultKind, PlayerFault
from botequim.core.game import Outcome, Remark, View
from botequim.core.messages import msg
from botequim.core.turn import Reply as Reply


class Player(Protocol):
    """One seat, for one game or for a series of them.

    The referee calls `choose` and `finish`; whoever runs the series calls `open` and `close`.
    A failure of the player is a `PlayerFault`; anything else that is raised is ours.
    """

    async def open(self, seat: int) -> None:
        """Sit down: once, before the first game."""

    async def choose(self, view: View) -> Reply:
        """Answer with a move for `view`."""

    async def finish(self, view: View, outcome: Outcome) -> None:
        """A game is over; `view` holds all of it that this seat saw."""

    async def close(self) -> None:
        """Leave: once, after the last game, however it ended."""


class Strategy(Protocol):
    """The simple kind of player: made with a generator of its own, asked for moves."""

    def choose(self, view: Any) -> Any:
        """A move, or a `Reply` with remarks."""


@final
class InMemory:
    """Seats a strategy, an object in this process: for code that is trusted.

    The referee asks it by `choose_now`, without the detour of a coroutine, and has nothing to tell it at
    the end of a game.
    """

    def __init__(self, strategy: Strategy) -> None:
        self._choose: Final = strategy.choose

    async def open(self, seat: int) -> None:
        pass

    async def choose(self, view: View) -> Reply:
        answer = self.choose_now(view)
        return answer if isinstance(answer, Reply) else Reply(answer)

    def choose_now(self, view: View) -> Any:
        """The strategy's answer, a move or a `Reply`; what it raises is its own fault."""
        try:
            answer = self._choose(view)
        except (PlayerFault, BotequimError):
            raise
        except (Exception, SystemExit) as error:
            raise _crash(error) from error
        if isinstance(answer, Reply) and not all(isinstance(remark, Remark) for remark in answer.remarks):
            raise PlayerFault(FaultKind.MALFORMED, msg("remarks must be given as Remark objects"))
        return answer

    async def finish(self, view: View, outcome: Outcome) -> None:
        pass

    async def close(self) -> None:
        pass


def _crash(error: BaseException) -> PlayerFault:
    """Where it broke, without paths: a record travels, and is the same on every machine."""
    at = traceback.extract_tb(error.__traceback__)[-1]
    try:
        said = f"{type(error).__name__}: {error}"
    except Exception:  # an exception of a bot's own that cannot even be written
        said = type(error).__name__
    return PlayerFault(FaultKind.CRASH, error=said[:500], at=f"{Path(at.filename).name}, {at.name}")
