"""Renders replays, animations and other slow things in another process, one after another.

A `RenderWorker` has one process. It caches results, renders a thing only once for all requests that wait for
it, and refuses new requests while too many wait. A job that takes too long ends the process. The next job
starts a new process if there is none.

The limit is processor time, because the process has a low priority: on a busy machine it may wait for the
processor much longer than it works.
"""

from __future__ import annotations

import asyncio
import os
import resource
import signal
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Final

from botequim.core.errors import BotequimError
from botequim.core.messages import Message, msg
from botequim.engine.helper_process import HelperEnded, HelperProcess

MOST_WAITING: Final = 8
CACHE_SIZE: Final = 64_000_000
"""The size of the cache in bytes."""
LARGEST_CACHED: Final = 8_000_000
MOST_WAITING_TIME: Final = 20
"""The most wall-clock time of a job, as a multiple of its processor time."""
BUSY_SECONDS: Final = 5
"""The seconds after which a client should try again."""


class RenderWorkerBusy(BotequimError):
    """Too many requests wait for this worker."""

    def __init__(self) -> None:
        super().__init__(msg("the server is busy; try again in a moment"))


class RenderError(BotequimError):
    """Rendering failed, and another attempt would fail too."""


class RenderWorker:
    """One rendering process: `await worker.make(key, function, ...)` returns what the function returns.

    The function must be one that can be imported, and returns bytes.
    """

    def __init__(self, seconds: int, niceness: int = 5) -> None:
        """`seconds` is the most processor time that one job may take."""
        self._seconds: Final = seconds
        self._niceness: Final = niceness
        self._cache: Final[OrderedDict[Hashable, bytes]] = OrderedDict()
        self._size = 0
        self._making: Final[dict[Hashable, asyncio.Task[bytes]]] = {}
        self._one: Final = asyncio.Lock()
        self._helper: HelperProcess | None = None

    async def make(self, key: Hashable, function: Callable[..., bytes], *values: Any) -> bytes:
        """Return the cached result for `key`, or call the function. Raise RenderWorkerBusy if busy."""
        if key in self._cache:
            self._cache.move_to_end(key)
            return self._cache[key]
        task = self._making.get(key)
        if task is None:
            if len(self._making) >= MOST_WAITING:
                raise RenderWorkerBusy
            task = self._making[key] = asyncio.create_task(self._run(key, function, values))
            task.add_done_callback(lambda task_done: self._forget(key, task_done))
        return await asyncio.shield(task)  # other requests may wait for the same task

    def _forget(self, key: Hashable, task: asyncio.Task[bytes]) -> None:
        self._making.pop(key, None)
        if not task.cancelled():
            task.exception()  # marks the exception as retrieved, in case no request waits for it any more

    async def _run(self, key: Hashable, function: Callable[..., bytes], values: tuple[Any, ...]) -> bytes:
        async with self._one:
            content = await asyncio.to_thread(self._ask, function, values)
        if len(content) <= LARGEST_CACHED:
            self._cache[key] = content
            self._size += len(content)
            while self._size > CACHE_SIZE:
                self._size -= len(self._cache.popitem(last=False)[1])
        return content

    # --- the process -------------------------------------------------------------------------------

    def _ask(self, function: Callable[..., bytes], values: tuple[Any, ...]) -> bytes:
        if self._helper is None or not self._helper.is_alive:
            self._end()
            self._helper = HelperProcess(_Renderer, self._seconds, self._niceness)
        try:
            answer = self._helper.ask((function, values), timeout=MOST_WAITING_TIME * self._seconds)
        except TimeoutError as error:
            self._end()
            raise RenderError(msg("rendering takes too long")) from error
        except HelperEnded as error:
            if self._end() == -signal.SIGXCPU:
                raise RenderError(msg("rendering takes too long")) from error
            raise RenderError(msg("rendering failed")) from error
        if isinstance(answer, Message):
            raise RenderError(answer)
        assert isinstance(answer, bytes)
        return answer

    def close(self) -> None:
        """End the process. A thread that waits for an answer notices it."""
        self._end()

    def _end(self) -> int | None:
        """End the process and return its exit code; the next job starts another."""
        helper, self._helper = self._helper, None
        return None if helper is None else helper.kill()


class _Renderer:
    """Calls functions in the helper process."""

    def __init__(self, seconds: int, niceness: int) -> None:
        self._seconds: Final = seconds
        os.nice(niceness)

    def handle(self, request: tuple[Callable[..., bytes], tuple[Any, ...]]) -> bytes | Message:
        function, values = request
        _limit_processor_time(self._seconds)
        try:
            return function(*values)
        except BotequimError as error:
            return error.message
        except Exception as error:
            return msg("rendering failed: {why}", why=f"{type(error).__name__}: {error}"[:200])

    def close(self) -> None:
        pass


def _limit_processor_time(seconds: int) -> None:
    """Let the system end this process with SIGXCPU after so many more seconds of processor time."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    most = int(usage.ru_utime + usage.ru_stime) + 1 + seconds
    resource.setrlimit(
        resource.RLIMIT_CPU, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard)
    )
