"""What takes long is made in another process, one thing after another: replays, animations.

A `Workshop` is one process. What was made is kept for a while, what is being made is made once however many
wait for it, and when too many things wait nobody else is made to. What takes too long is given up, and the
process is made anew; so it is when it dies.

How long something takes is measured in processor time: the process has a low priority, and on a busy machine
it may wait for the processor much longer than it works.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import resource
import signal
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any, Final

from botequim import interrupts
from botequim.core.errors import BotequimError
from botequim.core.messages import Message, msg

MOST_WAITING: Final = 8
MOST_KEPT: Final = 64_000_000
"""Bytes."""
LARGEST_KEPT: Final = 8_000_000
MOST_WAITING_TIME: Final = 20
"""How many times longer than its processor time something may take by the clock."""
BUSY_SECONDS: Final = 5
"""When to ask again, where too many wait."""


class Busy(BotequimError):
    """Too many things wait to be made."""

    def __init__(self) -> None:
        super().__init__(msg("too many wait for something to be made; try again in a moment"))


class NotMade(BotequimError):
    """It could not be made, and would not be the next time either."""


class Workshop:
    """`await workshop.make(key, function, ...)`: the bytes that the function gives, which is any module's
    own."""

    def __init__(self, seconds: int, niceness: int = 5) -> None:
        """Give up whatever takes more than so many seconds of processor time."""
        self._seconds: Final = seconds
        self._niceness: Final = niceness
        self._kept: Final[OrderedDict[Hashable, bytes]] = OrderedDict()
        self._size = 0
        self._making: Final[dict[Hashable, asyncio.Task[bytes]]] = {}
        self._one: Final = asyncio.Lock()
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None

    async def make(self, key: Hashable, function: Callable[..., bytes], *values: Any) -> bytes:
        """What was made of it before, or is made now. `Busy` when too many wait."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        task = self._making.get(key)
        if task is None:
            if len(self._making) >= MOST_WAITING:
                raise Busy
            task = self._making[key] = asyncio.create_task(self._made(key, function, values))
            task.add_done_callback(lambda done: self._forget(key, done))
        return await asyncio.shield(task)  # who leaves does not take it from the others

    def _forget(self, key: Hashable, done: asyncio.Task[bytes]) -> None:
        self._making.pop(key, None)
        if not done.cancelled():
            done.exception()  # whoever waits is told; nobody may wait any more

    async def _made(self, key: Hashable, function: Callable[..., bytes], values: tuple[Any, ...]) -> bytes:
        async with self._one:
            made = await asyncio.to_thread(self._ask, function, values)
        if len(made) <= LARGEST_KEPT:
            self._kept[key] = made
            self._size += len(made)
            while self._size > MOST_KEPT:
                self._size -= len(self._kept.popitem(last=False)[1])
        return made

    # --- the process -------------------------------------------------------------------------------

    def _ask(self, function: Callable[..., bytes], values: tuple[Any, ...]) -> bytes:
        try:
            pipe = self._begun()
            pipe.send((function, values))
            told = pipe.recv() if pipe.poll(MOST_WAITING_TIME * self._seconds) else None
        except (EOFError, OSError) as error:
            if self._end() == -signal.SIGXCPU:
                raise NotMade(msg("it takes too long to be made")) from error
            raise NotMade(msg("it cannot be made")) from error
        if told is None:
            self._end()
            raise NotMade(msg("it takes too long to be made"))
        if isinstance(told, Message):
            raise NotMade(told)
        assert isinstance(told, bytes)
        return told

    def _begun(self) -> Connection:
        if self._pipe is None or self._process is None or not self._process.is_alive():
            self._end()
            context = multiprocessing.get_context("spawn")
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(
                target=_work, args=(theirs, self._seconds, self._niceness), daemon=True
            )
            with interrupts.Blocked():
                self._process.start()
            theirs.close()
        return self._pipe

    def close(self) -> None:
        """Nothing more is made. Who waits in a thread is woken by the end of the process."""
        if self._process is not None:
            self._process.kill()

    def _end(self) -> int | None:
        """End the process and return its exit code; the next thing that is made begins another."""
        code = None
        if self._process is not None:
            self._process.kill()
            self._process.join()
            code = self._process.exitcode
            self._process.close()
            self._process = None
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None
        return code


def _work(pipe: Connection, seconds: int, niceness: int) -> None:
    """In the process: until nobody asks any more."""
    interrupts.leave_terminal()
    with suppress(EOFError, BrokenPipeError):
        os.nice(niceness)
        while True:
            function, values = pipe.recv()
            _limit_processor_time(seconds)
            pipe.send(_tried(function, values))


def _limit_processor_time(seconds: int) -> None:
    """Have the system end this process with SIGXCPU when it has worked for so long from now on."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime) + 1 + seconds
    resource.setrlimit(
        resource.RLIMIT_CPU, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard)
    )


def _tried(function: Callable[..., bytes], values: tuple[Any, ...]) -> bytes | Message:
    try:
        return function(*values)
    except BotequimError as error:
        return error.message
    except Exception as error:
        return msg("it cannot be made: {why}", why=f"{type(error).__name__}: {error}"[:200])
