"""Ctrl-C, from the first moment to the last.

Python's own answer is an exception, raised wherever it happens to be. That is right while something has to be
cleaned up, and wrong before and after: loading would end in a traceback, and so would leaving. So there it ends
us at once. This is loaded before anything else of ours, and so needs next to nothing.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

CODE = 130
AGAIN_SECONDS = 0.02


def end_at_once() -> None:
    """While nothing is begun, or all is done. Where it is ignored (`command &` in a script) it stays so."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _end)


def raise_from_now_on() -> None:
    """When there is something to clean up. Does nothing unless `end_at_once` held before."""
    if signal.getsignal(signal.SIGINT) is _end:
        sys.unraisablehook = _not_lost
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(number: int, frame: FrameType | None) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        os.write(2, b"\n")  # behind the ^C that the terminal shows
    os._exit(CODE)


def _not_lost(unraisable: sys.UnraisableHookArgs) -> None:
    """Where nothing can be raised, as when something is thrown away, Python drops an interrupt with a
    traceback. It comes again instead, a moment later."""
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    from _thread import interrupt_main
    from threading import Timer

    again = Timer(AGAIN_SECONDS, interrupt_main)
    again.daemon = True
    again.start()
