"""A clock that advances when a bot says so, so that tests can let time limits expire on machines of any
speed.

A bot that should be late does not sleep. It announces how many seconds it takes by the name of its process,
which is visible through every sandbox; then the clock of the test advances by that. So limits can be so long
that nothing else reaches them, and nobody waits for them.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from botequim.core import clock

MOVE: Final = 8.0
START: Final = 50.0
"""Limits for bots under this clock: far more than an honest answer or start takes on a busy machine, and less
than the time that a sandbox may take for itself."""
LONGER: Final = 20.0
"""No limit for an answer is longer, even if `check` gives a bot more time than allowed."""

MODULE: Final = "bot_time.py"
SOURCE: Final = '''
"""A bot's time as its test sees it."""

import base64
import os
import signal

MOVE = {move!r}
START = {start!r}


def late(seconds={longer!r}):
    """Say that these seconds have passed."""
    _say("L", seconds)


def late_with_another(seconds={longer!r}):
    """The same for two bots at once: it waits for the other to say so too."""
    _say("T", seconds)


def late_again_and_again():
    """Say that the time for a move has passed, as often as some time limit is waited for."""
    _say("A", MOVE + 1)


def spend(seconds=MOVE + 1):
    """Let these seconds pass, then go on when also those who poll the clock have seen it."""
    _wait("S", seconds)


def think(seconds):
    """Let these seconds pass, then go on at once: for less than any limit."""
    _wait("Q", seconds)


def _wait(what, seconds):
    signal.pthread_sigmask(signal.SIG_BLOCK, {{signal.SIGUSR1}})
    _say(what, seconds)
    signal.sigwait({{signal.SIGUSR1}})


def _say(what, seconds):
    with open("/proc/self/comm", "w") as name:
        word = base64.urlsafe_b64encode(os.urandom(4))[:5].decode()  # nothing is ever said twice
        name.write(f"{{what}}{{seconds:g}} {{word}}{token}")
'''
"""For Python bots; other bots set the name of their process themselves, such as "L20 1b3f TOKEN"."""


class _Timer:
    def __init__(self, due: float, callback: Callable[[], None]) -> None:
        self.due: Final = due
        self.loop: Final = asyncio.get_running_loop()
        self.over = threading.Event()
        self._callback: Final = callback
        self._handle: asyncio.TimerHandle | None = None

    def set(self, seconds: float) -> None:
        """Set the timer. Like all methods below, it must be called in its event loop."""
        if self.over.is_set():
            return
        if self._handle is not None:
            self._handle.cancel()
        if seconds > 0:
            self._handle = self.loop.call_later(seconds, self._call)
        else:
            self.loop.call_soon(self._call)

    def _call(self) -> None:
        if not self.over.is_set():
            self.cancel()
            self._callback()

    def cancel(self) -> None:
        self.over.set()
        if self._handle is not None:
            self._handle.cancel()


class SkippingClock:
    """The machine's clock, which a test can advance."""

    def __init__(self) -> None:
        self.reads = 0
        """The number of times that it was read."""
        self._ahead = 0.0
        self._timers: list[_Timer] = []
        self._lock: Final = threading.Lock()

    def now(self) -> float:
        self.reads += 1
        return time.monotonic() + self._ahead

    def call_later(self, seconds: float, callback: Callable[[], None]) -> _Timer:
        with self._lock:
            timer = _Timer(time.monotonic() + self._ahead + seconds, callback)
            self._timers = [one for one in self._timers if not one.over.is_set()] + [timer]
        timer.set(seconds)
        return timer

    def due_within(self, seconds: float) -> list[_Timer]:
        with self._lock:
            until = time.monotonic() + self._ahead + seconds
            return [timer for timer in self._timers if timer.due <= until and not timer.over.is_set()]

    def advance(self, seconds: float) -> None:
        """Advance the clock; return when the timers that are due then have been called."""
        with self._lock:
            self._ahead += seconds
            now = time.monotonic() + self._ahead
            timers = [timer for timer in self._timers if not timer.over.is_set()]
        for timer in timers:
            with suppress(RuntimeError):  # its loop is closed
                timer.loop.call_soon_threadsafe(timer.set, timer.due - now)
        for timer in timers:
            while timer.due <= now and not timer.over.wait(0.1) and not timer.loop.is_closed():
                pass


class BotTime:
    """The time of the bots of a test."""

    def __init__(self) -> None:
        self.clock: Final = SkippingClock()
        self.token: Final = uuid.uuid4().hex[:5]
        self._stopped: Final = threading.Event()
        self._thread: Final = threading.Thread(target=self._watch, name="bot time", daemon=True)

    @property
    def source(self) -> str:
        """A Python module with `late` and `spend`."""
        return SOURCE.format(move=MOVE, start=START, longer=LONGER, token=self.token)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _watch(self) -> None:
        reads: dict[str, int] = {}
        """By announcement of a bot: how often the clock had been read by then."""
        jumps: dict[str, float] = {}
        """By announcement of a bot: when the clock last advanced for it."""
        while not self._stopped.wait(0.01):
            for pid, words in self._said():
                before = reads.setdefault(words, self.clock.reads)
                seconds = float(words[1:].split()[0])
                # a time limit may begin only after the bot was seen
                waited_for = bool(self.clock.due_within(max(seconds, LONGER)))
                if words not in jumps:
                    waited_for |= self.clock.reads > before + 3
                elif words[0] != "A" or time.monotonic() < jumps[words] + 0.2:
                    continue
                those = [words] if words[0] != "T" else [said for said in reads if said[0] == "T"]
                if waited_for and (words[0] != "T" or len(those) == 2):
                    self.clock.advance(seconds)
                    jumps |= dict.fromkeys(those, time.monotonic())
                    if words[0] in "SQ":
                        self._wake_up(pid, at_once=words[0] == "Q")

    def _said(self) -> Iterator[tuple[int, str]]:
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                words = (process / "comm").read_text("utf-8", "replace").strip()
                if words.endswith(self.token):
                    yield int(process.name), words

    def _wake_up(self, pid: int, *, at_once: bool) -> None:
        """Let a bot continue after everyone who polls has read the new time."""
        reads, until = self.clock.reads, time.monotonic() + (0 if at_once else 0.5)
        while self.clock.reads < reads + 3 and time.monotonic() < until:
            self._stopped.wait(0.005)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGUSR1)


@contextmanager
def bot_time() -> Iterator[BotTime]:
    """Use a clock that advances when bots say so, until the block ends."""
    passing = BotTime()
    with clock.use_clock(passing.clock):
        passing.start()
        try:
            yield passing
        finally:
            passing.stop()
