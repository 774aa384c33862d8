"""Seats a `Strategy`: a plain object in this process. For code that is trusted."""

from __future__ import annotations

import traceback
from pathlib import Path

from botequim.core.errors import BotequimError, FaultKind, PlayerFault
from botequim.core.game import View
from botequim.core.player import Reply, Strategy


class InMemory:
    """A Player that asks a strategy object directly. What the strategy raises is its own fault."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy

    async def open(self, seat: int) -> None:
        pass

    async def choose(self, view: View) -> Reply:
        try:
            answer = self._strategy.choose(view)
        except (PlayerFault, BotequimError):
            raise
        except Exception as error:
            # where it broke, without paths: a record travels, and is the same on every machine
            at = traceback.extract_tb(error.__traceback__)[-1]
            raise PlayerFault(
                FaultKind.CRASH,
                error=f"{type(error).__name__}: {error}"[:500],
                at=f"{Path(at.filename).name}, {at.name}",
            ) from error
        return answer if isinstance(answer, Reply) else Reply(answer)

    async def finish(self, view: View) -> None:
        pass

    async def close(self) -> None:
        pass
