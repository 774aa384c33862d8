"""The pool in which players think for many games: order, replaced processes, faults, and how it ends."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from botequim.core.errors import FaultKind, PlayerFault, UnknownName
from botequim.core.game import View
from botequim.core.player import Reply
from botequim.engine.helper_process import HelperProcess
from botequim.engine.subprocess_player import PositionPlayer
from botequim.engine.thinking_pool import ThinkingPool, Urgency
from tests.support.pace import PATIENCE
from tests.support.views import position

GAMES = ("cubos", "havana", "fives", "uno", "rps")


@asynccontextmanager
async def thinking(processes: int = 1) -> AsyncIterator[ThinkingPool]:
    """A pool for the block. None of its processes goes on afterwards."""
    before = set(HelperProcess.running)
    pool = ThinkingPool(processes)
    try:
        yield pool
    finally:
        pool.close()
        assert HelperProcess.running == before


async def only_process(pool: ThinkingPool, view: View) -> int:
    """Start the process of a pool with one process, and return its id."""
    before = set(HelperProcess.running)
    await pool.choose("cubos", "random", "start", view)
    (pid,) = HelperProcess.running - before
    return pid


async def asked(pool: ThinkingPool, waiting: int) -> None:
    """Let the questions reach the process, until only so many wait."""
    for _ in range(100):
        await asyncio.sleep(0)
    assert pool.waiting == waiting


def test_the_most_urgent_question_is_answered_first() -> None:
    async def run() -> list[str]:
        view = position("cubos", "order", 3)
        answered: list[str] = []

        async def ask(name: str, urgency: Urgency) -> None:
            await pool.choose("cubos", "random", name, view, urgency)
            answered.append(name)

        async with thinking() as pool, asyncio.timeout(PATIENCE):
            pid = await only_process(pool, view)
            os.kill(pid, signal.SIGSTOP)  # it answers nothing until all questions are there
            questions = [("first", Urgency.LATER), ("later", Urgency.LATER), ("advice", Urgency.ADVICE)]
            questions += [("move", Urgency.MOVE), ("next move", Urgency.MOVE)]
            tasks = []
            for at, (name, urgency) in enumerate(questions):
                tasks.append(asyncio.create_task(ask(name, urgency)))
                await asked(pool, waiting=at)
            os.kill(pid, signal.SIGCONT)
            await asyncio.gather(*tasks)
            assert pool.waiting == 0
        return answered

    assert asyncio.run(run()) == ["first", "move", "next move", "advice", "later"]


def test_every_process_answers_at_the_same_time() -> None:
    async def run() -> None:
        view = position("cubos", "both", 3)
        before = set(HelperProcess.running)
        async with thinking(2) as pool, asyncio.timeout(PATIENCE):
            questions = [pool.choose("cubos", "random", str(at), view) for at in range(6)]
            replies = await asyncio.gather(*questions)
            assert len(HelperProcess.running - before) == 2
            assert all(reply.move in view.legal for reply, _seconds in replies)

    asyncio.run(run())


def test_no_process_is_started_before_the_first_question() -> None:
    async def run() -> None:
        before = set(HelperProcess.running)
        async with thinking(3):
            assert HelperProcess.running == before

    asyncio.run(run())


def test_a_process_that_is_killed_while_it_thinks_is_replaced() -> None:
    async def run() -> None:
        view = position("cubos", "killed", 3)
        async with thinking() as pool, asyncio.timeout(PATIENCE):
            pid = await only_process(pool, view)
            os.kill(pid, signal.SIGSTOP)
            task = asyncio.create_task(pool.choose("cubos", "greedy", "killed", view))
            other = asyncio.create_task(pool.choose("cubos", "greedy", "other", view))
            await asked(pool, waiting=1)
            os.kill(pid, signal.SIGKILL)
            for reply, _seconds in await asyncio.gather(task, other):
                assert reply.move in view.legal
            assert pid not in HelperProcess.running

    asyncio.run(run())


def test_a_process_that_ended_between_questions_is_replaced() -> None:
    async def run() -> None:
        view = position("cubos", "ended", 3)
        async with thinking() as pool, asyncio.timeout(PATIENCE):
            os.kill(await only_process(pool, view), signal.SIGKILL)
            reply, _seconds = await pool.choose("cubos", "greedy", "again", view)
            assert reply.move in view.legal

    asyncio.run(run())


@pytest.mark.parametrize("game", GAMES)
def test_a_player_gives_the_same_move_and_advice_as_in_this_process(game: str) -> None:
    async def run() -> None:
        views = [position(game, "same", turns) for turns in (0, 3, 4)]
        async with thinking(2) as pool, asyncio.timeout(PATIENCE):
            for view in [*views, *reversed(views)]:
                player = PositionPlayer(game, "champion@4", "same seed")
                expected = player.choose(view)
                reply, seconds = await pool.choose(game, "champion@4", "same seed", view)
                assert reply.move == (expected.move if isinstance(expected, Reply) else expected)
                assert seconds >= 0
                advice, _seconds = await pool.advise(game, "champion@4", "same seed", view)
                assert advice == player.advise(view)

    asyncio.run(run())


@pytest.mark.parametrize("question", ["choose", "advise"])
def test_the_fault_of_a_player_is_raised_and_the_process_goes_on(question: str) -> None:
    async def run() -> None:
        view = position("cubos", "fault", 3)
        async with thinking() as pool, asyncio.timeout(PATIENCE):
            pid = await only_process(pool, view)
            ask = getattr(pool, question)
            with pytest.raises(PlayerFault) as raised:
                await ask("cubos", "champion@4", "fault", cast("Any", None))  # no view at all
            assert raised.value.fault.kind is FaultKind.CRASH
            with pytest.raises(UnknownName, match="nobody"):
                await ask("cubos", "nobody", "fault", view)
            await pool.choose("cubos", "greedy", "fault", view)
            assert pid in HelperProcess.running

    asyncio.run(run())


def test_whoever_stops_waiting_disturbs_nobody_else() -> None:
    async def run() -> None:
        view = position("cubos", "impatient", 3)
        async with thinking() as pool, asyncio.timeout(PATIENCE):
            pid = await only_process(pool, view)
            os.kill(pid, signal.SIGSTOP)
            first, second, third = [
                asyncio.create_task(pool.choose("cubos", "greedy", str(at), view)) for at in range(3)
            ]
            await asked(pool, waiting=2)
            first.cancel()
            second.cancel()
            await asyncio.gather(first, second, return_exceptions=True)
            os.kill(pid, signal.SIGCONT)
            reply, _seconds = await third
            assert reply.move in view.legal
            assert pid in HelperProcess.running, "the process was not replaced"

    asyncio.run(run())


def test_closing_ends_processes_and_questions() -> None:
    async def run() -> None:
        view = position("cubos", "close", 3)
        async with thinking() as pool, asyncio.timeout(PATIENCE):
            os.kill(await only_process(pool, view), signal.SIGSTOP)
            tasks = [asyncio.create_task(pool.choose("cubos", "greedy", str(at), view)) for at in range(3)]
            await asked(pool, waiting=2)
            pool.close()
            results = await asyncio.gather(*tasks, return_exceptions=True)
            assert all(isinstance(result, asyncio.CancelledError) for result in results)

    asyncio.run(run())
