"""Input and output for a person, as plain lines or on a terminal that is redrawn at every change."""

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

from botequim.core.sanitize import printable
from botequim.terminal.keyboard import Keyboard, keys, set_key_mode
from botequim.terminal.ui import Room

ENTER, ERASE, CLEAR_LINE, END = ("\r", "\n"), ("\x7f", "\b"), "\x15", "\x04"
NAMED_KEY: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?")
"""Arrow keys and other named keys, as terminals send them."""
HOME, REST_OF_LINE, REST_OF_SCREEN = "\x1b[H", "\x1b[K", "\x1b[J"
LONGEST: Final = 200
"""The most characters of a command."""
NEWS: Final = 2
"""The rows of recent events that should be visible above the table."""
HANGING: Final = re.compile(r"\s*(?:\d+\. |\S+(?: \S+){0,2} {2,})?")
"""The start of a line, the number of a turn or a command, by which its continuation is indented."""

Drawing = Callable[[Room], Sequence[Text]]


class Screen(Protocol):
    """The interface of a screen."""

    def add_lines(self, lines: Iterable[str]) -> None:
        """Add lines about events of the game."""

    def show(self, lines: Sequence[str], drawing: Drawing) -> None:
        """Show the current table, as plain text or drawn."""

    def follow(self, drawing: Drawing) -> None:
        """Show the table while others move; as plain text, only what happens is shown."""

    def note(self, lines: Sequence[str]) -> None:
        """Show the answer to a command (help, an explanation, advice), which replaces the previous one."""

    def fits(self, lines: Sequence[str]) -> bool:
        """Return whether a note with these lines leaves the table in sight."""

    def wait(self, words: str) -> None:
        """Show that a player is thinking, or with "" that nobody is."""

    async def line(self, prompt: str) -> str | None:
        """Return the line that the person types, or None at the end of the input."""

    def forget_lines(self) -> None:
        """Remove the events so far, because the person has seen them and made a move."""


class PlainScreen:
    """Plain lines without colours. Input from a file or a pipe is repeated after the prompt, so that
    the output can be read like a game at a terminal."""

    def __init__(self, keyboard: Keyboard, out: TextIO | None = None) -> None:
        self._keyboard: Final = keyboard
        self._out: Final = out or sys.stdout
        self._echo: Final = not os.isatty(keyboard.descriptor)

    def add_lines(self, lines: Iterable[str]) -> None:
        for line in lines:
            print(line, file=self._out)
        self._out.flush()

    def show(self, lines: Sequence[str], drawing: Drawing) -> None:
        self.add_lines(lines)

    def follow(self, drawing: Drawing) -> None:
        pass

    def note(self, lines: Sequence[str]) -> None:
        self.add_lines(lines)

    def fits(self, lines: Sequence[str]) -> bool:
        return True

    def wait(self, words: str) -> None:
        pass

    async def line(self, prompt: str) -> str | None:
        print(prompt, end="", file=self._out, flush=True)
        line = await self._keyboard.line()
        if self._echo:
            print("" if line is None else printable(line), file=self._out, flush=True)
        elif line is None:
            print(file=self._out)
        return line

    def forget_lines(self) -> None:
        pass


class RichScreen:
    """The whole terminal: recent events at the top, then the table, notes, and the line that is typed."""

    def __init__(self, keyboard: Keyboard) -> None:
        self._keyboard: Final = keyboard
        self._events: list[str] = []
        self._drawing: Drawing = lambda room: ()
        self._notes: list[str] = []
        self._waiting = ""
        self._prompt: str | None = None
        self._input = ""

    @contextmanager
    def open(self) -> Iterator[RichScreen]:
        """Read single keys and redraw when the size of the terminal changes, until the block ends."""
        loop = asyncio.get_running_loop()
        with keys(self._keyboard.descriptor):
            loop.add_signal_handler(signal.SIGWINCH, self.draw)
            loop.add_signal_handler(signal.SIGCONT, self._resume)
            # scroll the current contents up, so that the person can still scroll back to them
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

    def _resume(self) -> None:
        """Restore the key mode after Ctrl-Z and fg, because another program may have changed it."""
        set_key_mode(self._keyboard.descriptor)
        self.draw()

    def add_lines(self, lines: Iterable[str]) -> None:
        self._events.extend(lines)
        self.draw()

    def show(self, lines: Sequence[str], drawing: Drawing) -> None:
        self.follow(drawing)

    def follow(self, drawing: Drawing) -> None:
        self._drawing = drawing
        self.draw()

    def note(self, lines: Sequence[str]) -> None:
        self._notes = list(lines)
        self.draw()

    def fits(self, lines: Sequence[str]) -> bool:
        width, height = _size()
        table = self._drawing(Room(width, height, low=True, tight=True))
        return len(_wrap([*table, *map(Text, lines), Text(self._prompt or "")], width)) <= height

    def wait(self, words: str) -> None:
        self._waiting = words
        self.draw()

    def forget_lines(self) -> None:
        self._events.clear()
        self._notes.clear()

    def scene(self, events: Sequence[str], drawing: Drawing, notes: Sequence[str]) -> None:
        """Replace everything at once."""
        self._events, self._drawing, self._notes = list(events), drawing, list(notes)
        self.draw()

    async def line(self, prompt: str) -> str | None:
        self._prompt, self._input = prompt, ""
        self.draw()
        try:
            return await self._edit_line()
        finally:
            self._prompt = None

    async def _edit_line(self) -> str | None:
        """Return a line that the person typed and edited; arrow keys and the like are ignored."""
        while True:
            text = await self._keyboard.more()
            if not text:
                return None
            text = NAMED_KEY.sub("", text)
            for at, key in enumerate(text):
                if key in ENTER:
                    self._keyboard.push_back(text[at + 1 :])
                    return self._input
                if key == END and not self._input:
                    return None
                self._press(key)
            self.draw()

    def _press(self, key: str) -> None:
        if key in ERASE:
            self._input = self._input[:-1]
        elif key == CLEAR_LINE:
            self._input = ""
        elif key.isprintable() and len(self._input) < LONGEST:
            self._input += key

    def draw(self) -> None:
        """Redraw everything in one write, so that nothing flickers."""
        width, height = _size()
        below = [Text(line, style="italic") for line in self._notes]
        if self._waiting:
            below.append(Text(self._waiting, style="dim"))
        prompt = [Text(f"{self._prompt}{self._input}")] if self._prompt is not None else []
        events = _wrap([Text(line) for line in self._events], width)
        # draw tall pieces only if recent events and a blank line fit above them
        for low, tight, above in ((False, False, NEWS + 1), (True, False, 0), (True, True, 0)):
            table = self._drawing(Room(width, height, low, tight))
            rows_below = _wrap([*table, *below, *prompt], width)
            if len(rows_below) + min(len(events) + 1, above) <= height:
                break
        rows_left = max(0, height - len(rows_below) - 2)  # the oldest events are dropped first
        rows = [*events[-rows_left:], Text(), *rows_below] if events and rows_left else rows_below
        rows = rows[-height:]
        sys.stdout.write(HOME + _terminal_text(rows, width + 1) + REST_OF_SCREEN)
        sys.stdout.flush()


def _size() -> tuple[int, int]:
    """Return the columns and rows to draw in: a character in the last column makes some terminals wrap."""
    columns, rows = shutil.get_terminal_size()
    return max(20, columns - 1), rows


def _wrap(lines: Sequence[Text], width: int) -> list[Text]:
    """Wrap lines that are too long."""
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


def _terminal_text(rows: Sequence[Text], columns: int) -> str:
    """Return the rows as text with control sequences that clear the rest of each line."""
    console = Console(file=sys.stdout, width=columns, highlight=False)
    with console.capture() as capture:
        for at, row in enumerate(rows):
            console.print(row, end="" if at == len(rows) - 1 else "\n", soft_wrap=True, markup=False)
    return capture.get().replace("\n", REST_OF_LINE + "\r\n") + REST_OF_LINE


def is_rich(*, plain: bool) -> bool:
    """Return whether input and output are a terminal that can be redrawn."""
    return (
        not plain and sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    )
