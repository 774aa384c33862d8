"""The interface of players.

A `Player` has an asynchronous interface, because some players are processes, containers or people. A
`Strategy` is simpler: an object whose `choose` returns a move at once. `LocalPlayer` makes it a `Player`.
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
    """The player of one seat, for one game or for a series of games.

    The referee calls `choose` and `finish`; the series calls `open` and `close`. A failure of the player
    raises `PlayerFault`; any other exception is an error of the program.
    """

    async def open(self, seat: int) -> None:
        """Prepare the player: called once, before the first game."""

    async def choose(self, view: View) -> Reply:
        """Return a move for `view`."""

    async def finish(self, view: View, outcome: Outcome) -> None:
        """Handle the end of a game; `view` contains everything that this seat saw."""

    async def close(self) -> None:
        """Release everything: called once, after the last game, also after an error."""


class Strategy(Protocol):
    """A simple player: created with its own random generator, then asked for moves."""

    def choose(self, view: Any) -> Any:
        """Return a move, or a `Reply` with remarks."""


@final
class LocalPlayer:
    """A player that runs a strategy in this process, for trusted code.

    The referee calls `choose_now`, which is faster than a coroutine, and does not call `finish`.
    """

    def __init__(self, strategy: Strategy) -> None:
        self._choose: Final = strategy.choose

    async def open(self, seat: int) -> None:
        pass

    async def choose(self, view: View) -> Reply:
        answer = self.choose_now(view)
        return answer if isinstance(answer, Reply) else Reply(answer)

    def choose_now(self, view: View) -> Any:
        """Return the strategy's answer, a move or a `Reply`. An exception of the strategy becomes its
        fault."""
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
    """Return the fault of a strategy, without paths, because a record must be the same on every machine."""
    at = traceback.extract_tb(error.__traceback__)[-1]
    try:
        said = f"{type(error).__name__}: {error}"
    except Exception:  # an exception class of the bot may fail to convert to text
        said = type(error).__name__
    return PlayerFault(FaultKind.CRASH, error=said[:500], at=f"{Path(at.filename).name}, {at.name}")
