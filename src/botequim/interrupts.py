"""Ctrl-C, from the first moment to the last.

Python's own answer is an exception, raised wherever it happens to be. That is right while something has to
be cleaned up, and wrong before and after: loading would end in a traceback, and so would leaving. So there it
ends us at once. This is loaded before anything else of ours, and so needs next to nothing.
"""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Coroutine
    from types import FrameType
    from typing import Any, TypeVar

    T = TypeVar("T")

CODE = 130
AGAIN_SECONDS = 0.02
UNHEARD_SECONDS = 0.5


def end_at_once() -> None:
    """While nothing is begun, or all is done. Where it is ignored (`command &` in a script) it stays so."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _end)


def raise_from_now_on() -> None:
    """When there is something to clean up. Does nothing unless `end_at_once` held before."""
    if signal.getsignal(signal.SIGINT) is _end:
        sys.unraisablehook = _not_lost
        signal.signal(signal.SIGINT, signal.default_int_handler)


def run(work: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run` for work that may never wait, such as a game between players in this process.

    There an interrupt is a wish to be cancelled, which is heard where the work waits; if it does not, it goes
    on to its end, and the interrupt is lost. Here it is raised after a moment, as it is anywhere else.
    """
    import asyncio
    from threading import current_thread, main_thread

    raised = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not raised or current_thread() is not main_thread():
        return asyncio.run(work)
    pressed = False

    async def heard() -> T:
        from _thread import interrupt_main
        from threading import Event, Timer

        nonlocal pressed
        loop, waits, theirs = asyncio.get_running_loop(), Event(), signal.getsignal(signal.SIGINT)

        def press(number: int, frame: FrameType | None) -> None:
            nonlocal pressed
            if not pressed:
                loop.call_soon_threadsafe(waits.set)
                unheard = Timer(UNHEARD_SECONDS, lambda: None if waits.is_set() else interrupt_main())
                unheard.daemon = True
                unheard.start()
            pressed = True
            if callable(theirs):
                theirs(number, frame)

        signal.signal(signal.SIGINT, press)
        try:
            return await work
        finally:
            waits.set()
            signal.signal(signal.SIGINT, theirs)

    done = asyncio.run(heard())
    if pressed:
        raise KeyboardInterrupt
    return done


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
