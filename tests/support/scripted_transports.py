"""Instances of bots that follow a script, for tests of the player that asks them."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from botequim import registry
from botequim.bots.remote import RemotePlayer
from botequim.bots.transports import Decode
from botequim.core.errors import BotequimError, FaultKind, PlayerFault
from botequim.core.game import Outcome
from botequim.core.messages import msg
from botequim.core.options import resolve_options
from botequim.core.rng import Rng
from botequim.core.turn import Reply
from botequim.core.wire import GameContext, Question

GAME = registry.game("uno")
OPTIONS = resolve_options(GAME.name, GAME.options, {"players": 2})
SEATING = GameContext(GAME, OPTIONS, ("ana", "rui"))
WIRE = registry.wire("uno", "arena-lines")
END = Outcome("empty hand", (1, 2), (0, 3))


def start_of_play() -> Any:
    """A view of somebody's first turn."""
    state, rng = GAME.start(OPTIONS), Rng("remote")
    while GAME.to_move(state) == (-1,):
        state = GAME.apply(state, {-1: GAME.chance(state, rng)})
    return GAME.view(state, GAME.to_move(state)[0])


VIEW = start_of_play()


class ScriptedTransport:
    """An instance that does what it is told: an answer, or a fault to raise."""

    log: list[str]
    names = itertools.count(1)
    greeting: Mapping[str, str] = {}

    def __init__(self, deeds: Sequence[Any], log: list[str], name: int) -> None:
        self.deeds, self.log, self.name = list(deeds), log, name
        self.usable = True
        self.lines: list[bytes] = []

    async def start(self) -> None:
        self.log.append(f"start {self.name}")
        if self.deeds and self.deeds[0] == "no start":
            self.usable = False
            raise PlayerFault(FaultKind.CRASH, msg("no start"))
        if self.deeds and self.deeds[0] == "our failure":
            raise BotequimError(msg("disk full"))

    def take_unsolicited(self) -> Sequence[bytes]:
        lines, self.lines = self.lines, []
        return lines

    async def exchange(self, question: Question, decode: Decode) -> Reply:
        await asyncio.sleep(0)
        asked = json.loads(question.body)
        self.log.append(f"ask {self.name} after {'all' if asked['events'] else 'nothing'}")
        deed = self.deeds.pop(0) if self.deeds else "answer"
        if isinstance(deed, PlayerFault):
            deed.micros = 400_000
            self.usable = deed.fault.kind is FaultKind.MALFORMED
            raise deed
        reply = decode([json.dumps({"move": asked["legal"][0]}).encode()])
        assert reply is not None
        return Reply(reply.move, reply.remarks, reply.warnings, 250_000)

    def send(self, body: bytes) -> None:
        self.log.append(f"tell {self.name}")

    async def close(self) -> None:
        self.log.append(f"close {self.name}")


async def ask_player(bot: RemotePlayer) -> Any:
    try:
        return GAME.write((await bot.choose(VIEW)).move)
    except PlayerFault as fault:
        return fault.fault.kind.value, str(fault.fault.reason)
