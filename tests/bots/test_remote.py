"""The remote player: fresh instances for dead ones, patience that ends, the next game's instances ahead."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from botequim.bots.remote import RemotePlayer
from botequim.core.errors import BotequimError, FaultKind, PlayerFault
from botequim.core.limits import Limits
from botequim.core.turn import Reply
from botequim.core.wire import Restart
from tests.support.scripted_transports import END, GAME, SEATING, VIEW, WIRE, ScriptedTransport, ask_player


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


def run(bot: RemotePlayer, questions: int, games: int = 1) -> list[Any]:
    async def series() -> list[Any]:
        await bot.open(0)
        said = []
        for _ in range(games):
            said += [await ask_player(bot) for _ in range(questions)]
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
