"""Where a person reads and types: lines in and out, or a terminal that is drawn anew at every change."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, Protocol, TextIO

from rich.console import Console
from rich.text import Text

from botequim.core.messages import harmless
from botequim.terminal.face import Room
from botequim.terminal.typing_in import Typing, keys, one_by_one

ENTER, ERASE, CLEAR_LINE, END = ("\r", "\n"), ("\x7f", "\b"), "\x15", "\x04"
NAMED_KEY: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?")
"""Arrows and the like, as terminals tell them."""
HOME, REST_OF_LINE, REST_OF_SCREEN = "\x1b[H", "\x1b[K", "\x1b[J"
LONGEST: Final = 200
"""Of a command."""
NEWS: Final = 2
"""Rows of what was told that should be seen above the table."""
HANGING: Final = re.compile(r"\s*(?:\d+\. |\S+(?: \S+){0,2} {2,})?")
"""What the rest of a line that is too long stands under: the number of a turn, a command and its blanks."""

Drawing = Callable[[Room], Sequence[Text]]


class Screen(Protocol):
    """What a person at the table needs of it."""

    def tell(self, lines: Iterable[str]) -> None:
        """What happened at the table."""

    def show(self, lines: Sequence[str], drawing: Drawing) -> None:
        """The table as it is now: in plain text, and drawn."""

    def note(self, lines: Sequence[str]) -> None:
        """An answer to what was typed: help, a reason, advice. The next takes its place."""

    def wait(self, words: str) -> None:
        """Somebody is thinking; "" when no more."""

    async def line(self, prompt: str) -> str | None:
        """What the person types; None when that has ended."""

    def moved(self) -> None:
        """The person has chosen: what was told so far is known."""


class PlainScreen:
    """Lines out, lines in: no colour, nothing is ever written over. What comes from a file or a pipe is
    repeated behind the prompt, so that the output reads like the game it was."""

    def __init__(self, typing: Typing, out: TextIO | None = None) -> None:
        self._typing: Final = typing
        self._out: Final = out or sys.stdout
        self._echo: Final = not os.isatty(typing.descriptor)

    def tell(self, lines: Iterable[str]) -> None:
        for line in lines:
            print(line, file=self._out)
        self._out.flush()

    def show(self, lines: Sequence[str], drawing: Drawing) -> None:
        self.tell(lines)

    def note(self, lines: Sequence[str]) -> None:
        self.tell(lines)

    def wait(self, words: str) -> None:
        pass

    async def line(self, prompt: str) -> str | None:
        print(prompt, end="", file=self._out, flush=True)
        line = await self._typing.line()
        if self._echo:
            print("" if line is None else harmless(line), file=self._out, flush=True)
        elif line is None:
            print(file=self._out)
        return line

    def moved(self) -> None:
        pass


class RichScreen:
    """The whole terminal: what was told on top, the table, notes, and the line that is typed below."""

    def __init__(self, typing: Typing) -> None:
        self._typing: Final = typing
        self._told: list[str] = []
        self._drawing: Drawing = lambda room: ()
        self._notes: list[str] = []
        self._waiting = ""
        self._prompt: str | None = None
        self._typed = ""

    @contextmanager
    def open(self) -> Iterator[RichScreen]:
        """Keys come one by one, and a new size is answered at once."""
        loop = asyncio.get_running_loop()
        with keys(self._typing.descriptor):
            loop.add_signal_handler(signal.SIGWINCH, self.draw)
            loop.add_signal_handler(signal.SIGCONT, self._go_on)
            # what stands there is pushed up, so that scrolling back still finds it
            sys.stdout.write("\n" * shutil.get_terminal_size().lines + HOME + REST_OF_SCREEN)
            try:
                yield self
            finally:
                loop.remove_signal_handler(signal.SIGWINCH)
                loop.remove_signal_handler(signal.SIGCONT)
                self._prompt, self._waiting = None, ""
                self.draw()
                sys.stdout.write("\r\n")
                sys.stdout.flush()

    def _go_on(self) -> None:
        """After Ctrl-Z and fg: whoever had the terminal meanwhile has set it as they like it."""
        one_by_one(self._typing.descriptor)
        self.draw()

    def tell(self, lines: Iterable[str]) -> None:
        self._told.extend(lines)
        self.draw()

    def show(self, lines: Sequence[str], drawing: Drawing) -> None:
        self._drawing = drawing
        self.draw()

    def note(self, lines: Sequence[str]) -> None:
        self._notes = list(lines)
        self.draw()

    def wait(self, words: str) -> None:
        self._waiting = words
        self.draw()

    def moved(self) -> None:
        self._told.clear()
        self._notes.clear()

    def scene(self, told: Sequence[str], drawing: Drawing, notes: Sequence[str]) -> None:
        """All of it at once."""
        self._told, self._drawing, self._notes = list(told), drawing, list(notes)
        self.draw()

    async def line(self, prompt: str) -> str | None:
        self._prompt, self._typed = prompt, ""
        self.draw()
        try:
            return await self._edited()
        finally:
            self._prompt = None

    async def _edited(self) -> str | None:
        """A line, typed and mended. Keys that are none of ours (arrows and the like) do nothing."""
        while True:
            text = await self._typing.more()
            if not text:
                return None
            text = NAMED_KEY.sub("", text)
            for at, key in enumerate(text):
                if key in ENTER:
                    self._typing.give_back(text[at + 1 :])
                    return self._typed
                if key == END and not self._typed:
                    return None
                self._press(key)
            self.draw()

    def _press(self, key: str) -> None:
        if key in ERASE:
            self._typed = self._typed[:-1]
        elif key == CLEAR_LINE:
            self._typed = ""
        elif key.isprintable() and len(self._typed) < LONGEST:
            self._typed += key

    def draw(self) -> None:
        """All of it, in one piece, so that nothing flickers."""
        columns, height = shutil.get_terminal_size()
        width = max(20, columns - 1)  # a sign in the last column makes some terminals begin a line
        below = [Text(line, style="italic") for line in self._notes]
        if self._waiting:
            below.append(Text(self._waiting, style="dim"))
        prompt = [Text(f"{self._prompt}{self._typed}")] if self._prompt is not None else []
        told = _folded([Text(line) for line in self._told], width)
        # drawn tall where news and a blank fit above it, lower where the table fits, else as low as can be
        for low, tight, above in ((False, False, NEWS + 1), (True, False, 0), (True, True, 0)):
            table = self._drawing(Room(width, height, low, tight))
            folded = _folded([*table, *below, *prompt], width)
            if len(folded) + min(len(told) + 1, above) <= height:
                break
        kept = max(0, height - len(folded) - 2)  # the oldest news are the first to go
        rows = [*told[-kept:], Text(), *folded] if told and kept else folded
        rows = rows[-height:]
        sys.stdout.write(HOME + _written(rows, columns) + REST_OF_SCREEN)
        sys.stdout.flush()


def _folded(lines: Sequence[Text], width: int) -> list[Text]:
    """Lines that are too long go on below."""
    rows: list[Text] = []
    console = Console(width=width, color_system="truecolor")
    for line in lines:
        if line.cell_len <= width:
            rows.append(line)
            continue
        head = HANGING.match(line.plain)
        indent = head.end() if head is not None and head.end() <= width // 2 else 0
        first, *rest = line[indent:].wrap(console, width - indent, overflow="fold")
        rows.append(Text.assemble(line[:indent], first))
        rows.extend(Text.assemble(" " * indent, one) for one in rest)
    return rows


def _written(rows: Sequence[Text], columns: int) -> str:
    """Rows as the terminal takes them, each up to its end."""
    console = Console(file=sys.stdout, width=columns, highlight=False)
    with console.capture() as captured:
        for at, row in enumerate(rows):
            console.print(row, end="" if at == len(rows) - 1 else "\n", soft_wrap=True, markup=False)
    return captured.get().replace("\n", REST_OF_LINE + "\r\n") + REST_OF_LINE


def is_rich(*, plain: bool) -> bool:
    """Whether there is a person at a terminal that can be drawn on."""
    return (
        not plain and sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    )
