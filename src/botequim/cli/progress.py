"""Progress of commands on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.status import Status

from botequim.core import clock

SILENT_SECONDS = 1.0
PLAIN_SECONDS = 5.0
REFRESH_SECONDS = 0.1


@contextmanager
def counting() -> Iterator[Callable[[str], None]]:
    """Return a function that shows the progress. Nothing is shown in the first second.

    A terminal shows one line that disappears at the end; otherwise a line is printed every few seconds.
    """
    console = Console(stderr=True)
    began = clock.now()
    last = began - PLAIN_SECONDS
    status: Status | None = None

    def tell(text: str) -> None:
        nonlocal last, status
        now = clock.now()
        if now - began < SILENT_SECONDS:
            return
        if not console.is_terminal:
            if now - last >= PLAIN_SECONDS:
                last = now
                print(text, file=sys.stderr, flush=True)
        elif status is None:
            status = console.status(escape(text))
            status.start()
        elif now - last >= REFRESH_SECONDS:
            last = now
            status.update(escape(text))

    try:
        yield tell
    finally:
        if status is not None:
            status.stop()


@contextmanager
def doing() -> Iterator[Callable[[str], None]]:
    """Return a function that shows the current step at once, and hides it if the text is empty."""
    console = Console(stderr=True)
    status: Status | None = None

    def tell(text: str) -> None:
        nonlocal status
        if status is not None:
            status.stop()
            status = None
        if text and console.is_terminal:
            status = console.status(escape(text))
            status.start()
        elif text:
            print(text, file=sys.stderr, flush=True)

    try:
        yield tell
    finally:
        tell("")
