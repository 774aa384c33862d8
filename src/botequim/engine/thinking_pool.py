"""A few processes in which built-in players think for many games at the same time.

A server with many games must not start a process for each champion. The players of this pool have no memory
(`PositionPlayer`), so any process can answer any question. Questions are answered in the order of their
urgency. The processes have a low priority, so whoever asks keeps reacting while they think.
"""

from __future__ import annotations

import asyncio
import heapq
import os
import pickle
import time
from contextlib import suppress
from enum import IntEnum
from itertools import count
from typing import Any, Final

from botequim.core.errors import BotequimError, PlayerFault
from botequim.core.game import View
from botequim.core.messages import msg
from botequim.core.player import LocalPlayer, Reply
from botequim.engine.helper_process import HelperEnded, HelperProcess
from botequim.engine.subprocess_player import Adviser, PositionPlayer, pack

NICENESS: Final = 10
MOST_TRIES: Final = 3
"""How often a question is asked if the process that was asked ended."""


class Urgency(IntEnum):
    """What a question is for. Lower values are answered first."""

    MOVE = 0
    """A move that others wait for."""
    ADVICE = 1
    """Advice for a person who waits for it."""
    LATER = 2
    """Anything that nobody waits for, or that has to wait."""


class ThinkingPool:
    """Asks built-in players: `await pool.choose("game", "champion", seed, view)`."""

    def __init__(self, processes: int | None = None) -> None:
        """Start no process yet. The default is one process for each processor."""
        self._free: Final = [_Process() for _ in range(processes or os.cpu_count() or 1)]
        self._all: Final = tuple(self._free)
        self._waiting: Final[list[tuple[int, int, asyncio.Future[_Process]]]] = []
        self._numbers: Final = count()
        self._running: Final[set[asyncio.Task[tuple[Any, float]]]] = set()

    @property
    def waiting(self) -> int:
        """The number of questions that wait for a process."""
        return sum(not future.done() for _, _, future in self._waiting)

    async def choose(
        self, game: str, player: str, seed: str, view: View, urgency: Urgency = Urgency.MOVE
    ) -> tuple[Reply, float]:
        """Return the reply of a player, and the processor seconds that it took. Raise its fault."""
        answer, seconds = await self._ask(("choose", game, player, seed, view), urgency)
        return answer if isinstance(answer, Reply) else Reply(answer), seconds

    async def advise(
        self, game: str, player: str, seed: str, view: View, urgency: Urgency = Urgency.ADVICE
    ) -> tuple[Any, float]:
        """Return the `Advice` of a player, or only its move, and the processor seconds that it took."""
        return await self._ask(("advise", game, player, seed, view), urgency)

    def close(self) -> None:
        """End the processes. Whoever waits for an answer is cancelled."""
        for task in self._running:
            task.cancel()
        for process in self._all:
            process.close()

    async def _ask(self, question: tuple[Any, ...], urgency: Urgency) -> tuple[Any, float]:
        task = asyncio.create_task(self._ask_a_process(pack(question), urgency))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        # whoever asked may leave; cancelling the question itself would end the process that answers it
        answer, seconds = await asyncio.shield(task)
        if isinstance(answer, Exception):
            raise answer
        return answer, seconds

    async def _ask_a_process(self, question: bytes, urgency: Urgency) -> tuple[Any, float]:
        process = await self._take(urgency)
        try:
            return await process.ask(question)
        finally:
            self._give_back(process)

    async def _take(self, urgency: Urgency) -> _Process:
        if self._free:
            return self._free.pop()
        future: asyncio.Future[_Process] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (urgency, next(self._numbers), future))
        return await future

    def _give_back(self, process: _Process) -> None:
        while self._waiting:
            _, _, future = heapq.heappop(self._waiting)
            if not future.done():
                future.set_result(process)
                return
        self._free.append(process)


class _Process:
    """One process of the pool, which is started for its first question."""

    def __init__(self) -> None:
        self._helper: HelperProcess | None = None

    async def ask(self, question: bytes) -> tuple[Any, float]:
        for _ in range(MOST_TRIES):
            if self._helper is None or not self._helper.is_alive:
                self.close()
                self._helper = HelperProcess(_Thinker, NICENESS)
            with suppress(HelperEnded):
                answer: tuple[Any, float] = pickle.loads(await self._helper.ask_async(question))
                return answer
            self.close()
        raise BotequimError(msg("the process in which players think ends again and again"))

    def close(self) -> None:
        helper, self._helper = self._helper, None
        if helper is not None:
            helper.kill()


class _Thinker:
    """Answers the questions in a process of the pool."""

    def __init__(self, niceness: int) -> None:
        os.nice(niceness)

    def handle(self, request: bytes) -> bytes:
        question, game, player, seed, view = pickle.loads(request)
        began = time.process_time()
        try:
            position_player = PositionPlayer(game, player, seed)
            strategy = Adviser(position_player) if question == "advise" else position_player
            answer = LocalPlayer(strategy).choose_now(view)
        except (PlayerFault, BotequimError) as error:
            answer = error
        return pack((answer, time.process_time() - began))

    def close(self) -> None:
        pass
