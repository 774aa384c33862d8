"""A real terminal: a command in a pty, what it writes read by a terminal emulator, keys typed into it."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from unittest import mock

import pyte

from botequim.cli import main
from tests.support.pace import PATIENCE


class Terminal:
    """`with terminal("play", "fives") as screen: screen.type("m 0 l")`."""

    def __init__(self, descriptor: int, process: subprocess.Popen[bytes], columns: int, rows: int) -> None:
        self._descriptor: Final = descriptor
        self.process: Final = process
        self.screen: Final = pyte.Screen(columns, rows)
        self._stream: Final = pyte.ByteStream(self.screen)
        self.raw = b""

    @property
    def lines(self) -> list[str]:
        """What is seen, line by line, without blanks at the end."""
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def last(self) -> str:
        """The last line that is not empty: where one types."""
        return next((line for line in reversed(self.lines) if line), "")

    def ready(self) -> str:
        """What is seen when a command is waited for."""
        return self.until(lambda text: self.last == ">")

    def type(self, text: str) -> None:
        """A command, ended by Enter; comes back when it was taken."""
        self.press(text)
        self.until(lambda seen: self.last == f"> {text}")
        self.press("\r")
        self.until(lambda seen: self.last != f"> {text}" or self.process.poll() is not None)

    def press(self, keys: str) -> None:
        os.write(self._descriptor, keys.encode())

    def until(self, wanted: str | Callable[[str], bool]) -> str:
        """What is seen once the text is there, or the condition holds; it must come."""
        end = time.monotonic() + PATIENCE
        while True:
            text = self.text
            if wanted in text if isinstance(wanted, str) else wanted(text):
                return text
            alive = self._read(0.2)
            if not alive:
                self.process.wait(PATIENCE)
            assert alive or not self._missing(wanted), f"ended without {wanted!r}:\n{self.text}"
            assert time.monotonic() < end, f"no {wanted!r} in:\n{self.text}"

    def _missing(self, wanted: str | Callable[[str], bool]) -> bool:
        return wanted not in self.text if isinstance(wanted, str) else not wanted(self.text)

    def _read(self, seconds: float) -> bool:
        """Whether there may be more."""
        if not select.select([self._descriptor], [], [], seconds)[0]:
            return True
        try:
            chunk = os.read(self._descriptor, 65536)
        except OSError:
            chunk = b""
        self.raw += chunk
        self._stream.feed(chunk)
        return bool(chunk)

    def resize(self, columns: int, rows: int) -> None:
        """As when a person pulls at the window."""
        self.screen.resize(rows, columns)
        self.screen.reset()
        fcntl.ioctl(self._descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.killpg(self.process.pid, signal.SIGWINCH)

    def end(self) -> int:
        """The exit code, once it has ended by itself."""
        end = time.monotonic() + PATIENCE
        while self._read(0.2):
            assert time.monotonic() < end, f"does not end:\n{self.text}"
            if self.process.poll() is not None and not select.select([self._descriptor], [], [], 0)[0]:
                break
        return self.process.wait(PATIENCE)


@contextmanager
def terminal(
    *words: str,
    state: Path,
    columns: int = 80,
    rows: int = 24,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Terminal]:
    """`botequim` with these words; games that are left are kept under `state`."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "botequim", *words],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=surroundings(state)
        | {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        | dict(environment or {}),
        start_new_session=True,
        preexec_fn=_own_terminal,
    )
    os.close(slave)
    try:
        yield Terminal(master, process, columns, rows)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        os.close(master)


def _own_terminal() -> None:
    """So that Ctrl-C and a new size reach the command, as in a window, whatever started the tests."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def run_piped(*words: str, typed: str, state: Path) -> subprocess.CompletedProcess[str]:
    """Run the same command in this process, with its input from a file and its output in memory."""
    out, err = io.StringIO(), io.StringIO()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        file.write(typed)
        file.seek(0)
        with (
            mock.patch.dict(os.environ, surroundings(state), clear=True),
            mock.patch.multiple(sys, stdin=file, stdout=out, stderr=err),
        ):
            code = main(words)
    return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())


def piped_process(*words: str, typed: str, state: Path) -> subprocess.CompletedProcess[str]:
    """Run the same command in a process of its own, with its input from a pipe."""
    return subprocess.run(
        [sys.executable, "-m", "botequim", *words],
        input=typed,
        capture_output=True,
        text=True,
        env=surroundings(state),
        timeout=PATIENCE * 2,
        check=False,
    )


def surroundings(state: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    return kept | {"BOTEQUIM_LANG": "en", "XDG_STATE_HOME": str(state), "PYTHONIOENCODING": "utf-8"}


def running(place: Path) -> list[str]:
    """Return the processes that have this place in their environment or arguments."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
            told = (process / "environ").read_bytes() + command
        except OSError:  # it has just ended
            continue
        if os.fsencode(place) in told:
            found.append(f"{process.name}: {command!r}")
    return found
