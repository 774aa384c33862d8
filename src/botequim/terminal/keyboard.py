"""What a person types: read by a thread of its own, so that nobody at the table waits for it.

A file, a pipe and a terminal are read alike. On a terminal keys can be had one by one (`keys`); the terminal
is given back as it was found.
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


class Typing:
    """`with Typing(0) as typing: text = await typing.more()`; the empty text is the end."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor: Final = descriptor
        self._heard: asyncio.Queue[str] = asyncio.Queue()
        self._decoder: Final = codecs.getincrementaldecoder("utf-8")("replace")
        self._wake, self._woken = -1, -1
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._rest = ""

    def __enter__(self) -> Typing:
        self._loop = asyncio.get_running_loop()
        self._woken, self._wake = os.pipe()
        self._thread = threading.Thread(target=self._listen, name="typing", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._thread is not None
        os.write(self._wake, b".")
        self._thread.join()
        os.close(self._wake)
        os.close(self._woken)

    def _listen(self) -> None:
        assert self._loop is not None
        while True:
            ready, _, _ = select.select([self.descriptor, self._woken], [], [])
            if self._woken in ready:
                return
            try:
                chunk = os.read(self.descriptor, _CHUNK)
            except OSError:  # the terminal is gone
                chunk = b""
            text = self._decoder.decode(chunk, final=not chunk)
            if text:
                self._loop.call_soon_threadsafe(self._heard.put_nowait, text)
            if not chunk:
                self._loop.call_soon_threadsafe(self._heard.put_nowait, "")
                return

    async def more(self) -> str:
        """What was typed meanwhile; "" when nothing will ever come again."""
        if self._rest:
            text, self._rest = self._rest, ""
            return text
        text = await self._heard.get()
        if not text:
            self._heard.put_nowait("")  # whoever asks again gets the same answer
        return text

    def give_back(self, text: str) -> None:
        """What was taken and not used: the next to ask gets it."""
        self._rest = text + self._rest

    async def line(self) -> str | None:
        """A line without its end; None when there is no more."""
        line = ""
        while True:
            text = await self.more()
            if not text:
                return line or None
            before, end, after = text.partition("\n")
            line += before
            if end:
                self.give_back(after) if after else None
                return line.rstrip("\r")


def one_by_one(descriptor: int) -> None:
    """Every key is told when it is pressed; Ctrl-C and Ctrl-Z stay what they are."""
    tty.setcbreak(descriptor, termios.TCSANOW)


@contextmanager
def keys(descriptor: int) -> Iterator[None]:
    """A terminal that tells each key at once and writes none by itself."""
    before = termios.tcgetattr(descriptor)
    one_by_one(descriptor)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
