"""`botequim match --speed`: draws the games of a match one after another, while the next ones are played."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Final

from botequim.core.messages import Message, msg
from botequim.engine.executors import LocalProcesses, Outcome
from botequim.match.records import record_path
from botequim.match.runner import play_match
from botequim.match.spec import MatchSpec
from botequim.match.standings import MatchStandings
from botequim.records.reader import read_records
from botequim.records.replay import Replay
from botequim.terminal.keyboard import Keyboard
from botequim.terminal.playback import Playback, Speed, print_games
from botequim.terminal.screen import RichScreen, is_rich

LOOK_SECONDS: Final = 0.1
"""How often a worker is asked whether it should stop."""


class _Stopped(Exception):
    """The person has left, so no further games are needed."""


class StoppableWorker(LocalProcesses):
    """One worker process. Another thread than the one that waits may set `is_stopped`."""

    def __init__(self) -> None:
        super().__init__(1)
        self.is_stopped = False

    def wait(self, timeout: float | None = None) -> Sequence[Outcome]:
        while not self.is_stopped:
            outcomes = super().wait(LOOK_SECONDS)
            if outcomes or not self.pending():
                return outcomes
        raise _Stopped


class WatchedMatch:
    """Plays matches whose records are written to a folder, and shows every game."""

    def __init__(self, matches: Sequence[MatchSpec]) -> None:
        self.tables: Final = [MatchStandings(match) for match in matches]
        self._matches: Final = matches
        self._worker: Final = StoppableWorker()

    async def show(self, milliseconds: int) -> None:
        """Play and show the games until the last is over, or the person leaves."""
        with self._worker, ThreadPoolExecutor(1) as thread:
            try:
                await self._show(thread, Speed(milliseconds))
            finally:
                self._worker.is_stopped = True  # then the thread ends, and after it the worker

    async def _show(self, thread: ThreadPoolExecutor, speed: Speed) -> None:
        if not is_rich(plain=False):
            await print_games(self._games(thread, lambda: None), speed)
            return
        with ExitStack() as stack:
            keyboard = stack.enter_context(Keyboard(sys.stdin.fileno()))
            screen = stack.enter_context(RichScreen(keyboard).open())
            playback = Playback(screen, keyboard, speed)
            await playback.show(self._games(thread, playback.waiting))

    async def _games(
        self, thread: ThreadPoolExecutor, waiting: Callable[[], None]
    ) -> AsyncIterator[tuple[Message, Replay]]:
        """Yield the games, one match after another. A thread waits for the worker, so that keys work
        meanwhile."""
        loop = asyncio.get_running_loop()
        total = sum(match.games for match in self._matches)
        for at, match in enumerate(self._matches):
            count = 0
            standings = play_match(match, executor=self._worker)
            while True:
                waiting()
                table = await loop.run_in_executor(thread, next, standings, None)
                if table is None:
                    break
                self.tables[at] = table
                for number in range(count, table.games):
                    (raw,) = read_records(record_path(match, number))
                    yield _title(match, number, total), Replay.load(raw)
                count = table.games


def _title(match: MatchSpec, number: int, total: int) -> Message:
    return msg(
        "Game {number} of {total}: {names}",
        number=match.first_game + number + 1,
        total=total,
        names=" – ".join(match.labels),
    )
