"""Built-in players that think for people at tables, with a fair share of the processors for each address."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Final

from botequim.core import clock
from botequim.core.errors import BotequimError
from botequim.core.game import View
from botequim.core.messages import msg
from botequim.core.player import Reply
from botequim.engine.thinking_pool import ThinkingPool, Urgency

BURST_SECONDS: Final = 120.0
"""The processor time that an address may use at once."""
SHARE: Final = 0.5
"""The processors that an address may use on average."""
MOST_ADDRESSES: Final = 10_000
MOST_WAITING: Final = 60
"""The number of waiting questions above which no advice is given."""


class Thinking:
    """Asks built-in players in the processes of a pool."""

    def __init__(self, pool: ThinkingPool) -> None:
        self._pool: Final = pool
        self._left: Final[OrderedDict[str, tuple[float, float]]] = OrderedDict()

    async def choose(self, game: str, player: str, seed: str, view: View, address: str) -> Reply:
        """Return the reply of a player. Addresses that have used up their share wait for all others."""
        urgency = Urgency.LATER if self.is_used_up(address) else Urgency.MOVE
        reply, seconds = await self._pool.choose(game, player, seed, view, urgency)
        self.count(address, seconds)
        return reply

    async def advise(
        self,
        game: str,
        player: str,
        seed: str,
        view: View,
        address: str,
        urgency: Urgency = Urgency.ADVICE,
    ) -> Any:
        """Return the advice of a player. Raise ThinkingBusy if the address has used up its share."""
        if self.is_used_up(address) or self._pool.waiting >= MOST_WAITING:
            raise ThinkingBusy
        advice, seconds = await self._pool.advise(game, player, seed, view, urgency)
        self.count(address, seconds)
        return advice

    def count(self, address: str, seconds: float) -> None:
        """Count time that something else used for an address."""
        self._left[address] = (self._seconds_left(address) - seconds, clock.now())

    def is_used_up(self, address: str) -> bool:
        """Whether an address has used up its share."""
        return self._seconds_left(address) <= 0

    def close(self) -> None:
        self._pool.close()

    def _seconds_left(self, address: str) -> float:
        now = clock.now()
        left, since = self._left.get(address, (BURST_SECONDS, now))
        left = min(BURST_SECONDS, left + (now - since) * SHARE)
        self._left[address] = (left, now)
        self._left.move_to_end(address)
        if len(self._left) > MOST_ADDRESSES:
            self._left.popitem(last=False)
        return left


class ThinkingBusy(BotequimError):
    """The processors are needed by others."""

    def __init__(self) -> None:
        super().__init__(msg("the champions are busy; try again in a moment"))
