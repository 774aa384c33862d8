"""The remote player: fresh instances for dead ones, patience that ends, the next game's instances ahead."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from botequim import registry
from botequim.bots.remote import RemotePlayer
from botequim.bots.transports import Decode
from botequim.core.errors import BotequimError, FaultKind, PlayerFault
from botequim.core.game import Outcome
from botequim.core.limits import Limits
from botequim.core.messages import msg
from botequim.core.options import resolve_options
from botequim.core.rng import Rng
from botequim.core.turn import Reply
from botequim.core.wire import GameContext, Question, Restart

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


def player(
    deeds: Sequence[Sequence[Any]] = (), limits: Limits = WIRE.limits, **arguments: Any
) -> tuple[RemotePlayer, list[str]]:
    """A player whose n-th instance does the n-th deeds; and what happens to them."""
    log: list[str] = []
    script = itertools.chain(deeds, itertools.repeat(()))
    names = itertools.count(1)
    arguments.setdefault("restart", Restart.SERIES)
    make: Callable[[], Any] = lambda: ScriptedTransport(next(script), log, next(names))  # noqa: E731
    return RemotePlayer(WIRE, make, SEATING, limits, **arguments), log


async def choose(bot: RemotePlayer) -> Any:
    try:
        return GAME.write((await bot.choose(VIEW)).move)
    except PlayerFault as fault:
        return fault.fault.kind.value, str(fault.fault.reason)


def run(bot: RemotePlayer, questions: int, games: int = 1) -> list[Any]:
    async def series() -> list[Any]:
        await bot.open(0)
        said = []
        for _ in range(games):
            said += [await choose(bot) for _ in range(questions)]
            await bot.finish(VIEW, END)
        await bot.close()
        return said

    return asyncio.run(series())


MOVE = GAME.write(VIEW.legal[0])


def late() -> PlayerFault:
    return PlayerFault(FaultKind.TIMEOUT)


def test_one_instance_for_a_series() -> None:
    bot, log = player(games=2)
    assert run(bot, 2, games=2) == [MOVE] * 4
    assert [line for line in log if "ask" not in line] == ["start 1", "tell 1", "tell 1", "close 1"]
    assert log[1:3] == ["ask 1 after all", "ask 1 after nothing"], "what it knows is not told again"
    assert log[4] == "ask 1 after all", "a new game is told from its beginning"


def test_one_instance_for_each_game_the_next_started_ahead() -> None:
    bot, log = player(games=3, restart=Restart.GAME)
    run(bot, 2, games=3)
    assert [line for line in log if "start" in line or "close" in line] == [
        "start 1", "start 2", "close 1", "start 3", "close 2", "close 3"
    ]  # fmt: skip
    assert log.index("start 2") < log.index("tell 1"), "while the first game is played"


def test_a_fresh_instance_after_a_timeout_is_told_everything() -> None:
    bot, log = player([["answer", late(), "stale"]])
    assert run(bot, 3) == [MOVE, ("timeout", "no answer in time"), MOVE]
    assert log == [
        "start 1", "ask 1 after all", "ask 1 after nothing", "close 1",
        "start 2", "ask 2 after all", "tell 2", "close 2",
    ]  # fmt: skip


def test_a_bad_answer_keeps_the_instance() -> None:
    bot, log = player([[PlayerFault(FaultKind.MALFORMED), "answer"]])
    assert run(bot, 2) == [("malformed", "the answer is not a move"), MOVE]
    assert "start 2" not in log


def test_patience_ends_after_so_many_timeouts() -> None:
    bot, log = player([[late()]] * 9, replace(WIRE.limits, timeouts=2))
    said = run(bot, 4)
    assert [kind for kind, _ in said] == ["timeout", "timeout", "limit", "limit"]
    assert said[2][1] == "not asked: it was too slow 2 times"
    assert sum("ask" in line for line in log) == 2


def test_patience_ends_after_so_much_thinking() -> None:
    bot, _ = player(limits=replace(WIRE.limits, thinking=0.5))
    assert run(bot, 3) == [MOVE, MOVE, ("limit", "not asked: it has used up its 0.5 seconds")]


def test_a_bot_that_does_not_start_is_tried_once_a_game_and_not_for_ever() -> None:
    bot, log = player([["no start"]] * 9, games=5)
    said = run(bot, 2, games=5)
    assert said[:5] == [("crash", "no start")] * 5
    assert said[5:] == [("limit", "not asked: it failed to start 3 times")] * 5
    assert sum("start" in line for line in log) == 3
    assert sum("close" in line for line in log) == 3


def test_a_failure_of_ours_is_not_the_bots() -> None:
    bot, log = player([["our failure"]])

    async def play() -> None:
        await bot.open(0)
        with pytest.raises(BotequimError, match="disk full"):
            await bot.choose(VIEW)
        await bot.close()

    asyncio.run(play())
    assert log[-1] == "close 1"


def test_what_was_heard_too_early_is_a_warning() -> None:
    bot, _ = player()

    async def play() -> Reply:
        await bot.open(0)
        await bot.choose(VIEW)
        session = bot._current_session
        assert session is not None
        assert isinstance(session.transport, ScriptedTransport)
        session.transport.lines = [b'{"move": "buy 54"}']
        reply = await bot.choose(VIEW)
        await bot.close()
        return reply

    reply = asyncio.run(play())
    assert GAME.write(reply.move) == MOVE
    assert "came before the question" in str(reply.warnings[0])
