"""A player that first repeats its recorded answers, so that a game that was interrupted can continue."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from botequim.bots.remote import RemotePlayer
from botequim.core.errors import PlayerFault
from botequim.core.game import AnyGame, Outcome, View
from botequim.core.player import Player, Reply
from botequim.records.reader import RawRecord
from botequim.records.record import Json, move_from
from botequim.records.verify import recorded_reply


class ResumedPlayer:
    """A player that first repeats the recorded answers of a saved game.

    A bot that may remember the game is asked again, so that it knows what it has done; its answers
    are ignored.
    """

    def __init__(self, player: Player, game: AnyGame, raw: RawRecord, seat: int) -> None:
        self._player: Final = player
        self._game: Final = game
        entries = [entry for line in raw.turns for entry in line.content["moves"] if entry["by"] == seat]
        self._past: Final[list[Json]] = entries[::-1]

    async def open(self, seat: int) -> None:
        await self._player.open(seat)

    async def choose(self, view: View) -> Reply:
        if not self._past:
            return await self._player.choose(view)
        if isinstance(self._player, RemotePlayer) and self._player.has_memory:
            with suppress(PlayerFault):
                await self._player.choose(view)
        return recorded_reply(move_from(self._game, self._past.pop()))

    async def finish(self, view: View, outcome: Outcome) -> None:
        await self._player.finish(view, outcome)

    async def close(self) -> None:
        await self._player.close()
