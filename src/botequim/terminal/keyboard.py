"""Reads the input of a person in a separate thread, so that the event loop never waits for it.

A file, a pipe and a terminal are read in the same way. `keys` makes a terminal send single keys and restores
its settings afterwards.
"""

from __future__ import annotations

import asyncio
import codecs
import os
import select
import termios
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_CHUNK: Final = 4096


class Keyboard:
    """Reads text: `with Keyboard(0) as keyboard: text = await keyboard.more()`. An empty text is the end."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor: Final = descriptor
        self._input: asyncio.Queue[str] = asyncio.Queue()
        self._decoder: Final = codecs.getincrementaldecoder("utf-8")("replace")
        self._wake_writer, self._wake_reader = -1, -1
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._rest = ""

    def __enter__(self) -> Keyboard:
        self._loop = asyncio.get_running_loop()
        self._wake_reader, self._wake_writer = os.pipe()
        self._thread = threading.Thread(target=self._listen, name="keyboard", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._thread is not None
        os.write(self._wake_writer, b".")
        self._thread.join()
        os.close(self._wake_writer)
        os.close(self._wake_reader)

    def _listen(self) -> None:
        assert self._loop is not None
        while True:
            ready, _, _ = select.select([self.descriptor, self._wake_reader], [], [])
            if self._wake_reader in ready:
                return
            try:
                chunk = os.read(self.descriptor, _CHUNK)
            except OSError:  # the terminal is gone
                chunk = b""
            text = self._decoder.decode(chunk, final=not chunk)
            if text:
                self._loop.call_soon_threadsafe(self._input.put_nowait, text)
            if not chunk:
                self._loop.call_soon_threadsafe(self._input.put_nowait, "")
                return

    async def more(self) -> str:
        """Wait for input and return it; "" at the end of the input."""
        if self._rest:
            text, self._rest = self._rest, ""
            return text
        text = await self._input.get()
        if not text:
            self._input.put_nowait("")  # so that every further call returns "" too
        return text

    def push_back(self, text: str) -> None:
        """Put text back, so that the next call returns it first."""
        self._rest = text + self._rest

    async def line(self) -> str | None:
        """Return the next line without its line ending, or None at the end of the input."""
        line = ""
        while True:
            text = await self.more()
            if not text:
                return line or None
            before, end, after = text.partition("\n")
            line += before
            if end:
                self.push_back(after) if after else None
                return line.rstrip("\r")


def set_key_mode(descriptor: int) -> None:
    """Make the terminal send every key at once; Ctrl-C and Ctrl-Z keep their meaning."""
    tty.setcbreak(descriptor, termios.TCSANOW)


@contextmanager
def keys(descriptor: int) -> Iterator[None]:
    """Make the terminal send every key at once and echo none, until the block ends."""
    before = termios.tcgetattr(descriptor)
    set_key_mode(descriptor)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
