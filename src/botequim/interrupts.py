"""Ctrl-C and SIGTERM, from the first moment of a command to the last.

By default, Ctrl-C raises an exception at any line of a Python program. That is right while there is something
to clean up. Before and after, when modules are loaded or the process ends, it would only print a traceback;
so a signal ends the command at once there (`exit_on_sigint`). This module is loaded before all others of the
package, so it imports very little.

In between (`SignalHandling`, `raise_on_sigint`), these rules hold:

- The first signal interrupts the command: as an exception, or in an event loop (`run`) as a cancellation.
- An error that follows is a consequence of it, for example of a helper that the same Ctrl-C ended. The
  interrupt is reported, not the error.
- Further signals are ignored during the clean-up, unless it takes longer than `PATIENT_SECONDS`. After it,
  the process ignores all signals until it has ended, so that the exit code is the right one.

A terminal sends Ctrl-C to the whole foreground process group. Programs that must go on until this process
ends them (bots, workers, container engines) run in sessions of their own; the second rule covers the moment
before they have left the group. Short-lived programs (git, a compiler) stay in the group and end with it.
"""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Coroutine
    from types import FrameType
    from typing import Any, TypeVar

    T = TypeVar("T")

CODE = 130
AGAIN_SECONDS = 0.02
UNHEARD_SECONDS = 0.5
PATIENT_SECONDS = 5.0
"""A signal that comes this long after the first one interrupts the clean-up too."""


class TerminationRequested(KeyboardInterrupt):
    """SIGTERM was received. The command cleans up as after Ctrl-C."""


class _State:
    """The state of the command that runs in this process."""

    first: int | None = None
    """The first signal, which interrupts the command."""
    patient: bool = True
    """Whether signals after the first one are ignored."""
    dropped: bool = False
    """Whether Python has dropped the exception, so that it has to be raised once more."""
    work: _Work | None = None
    """The work of the event loop in the main thread."""


_state = _State()


# --- a command ----------------------------------------------------------------------------------------


def exit_on_sigint() -> None:
    """End the process at the next Ctrl-C, because nothing has begun yet, or everything is finished.

    If SIGINT is ignored (`command &` in a script), this does not change.
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _end)


def raise_on_sigint() -> None:
    """Raise KeyboardInterrupt at the next Ctrl-C, because from now on there is something to clean up.

    This does nothing unless `exit_on_sigint` was called before.
    """
    if signal.getsignal(signal.SIGINT) is _end:
        sys.unraisablehook = _raise_dropped_interrupt
        signal.signal(signal.SIGINT, _handle_signal)


class SignalHandling:
    """Applies the rules above to a block that runs a command: `with SignalHandling(): ...`

    It does nothing in other threads than the main one, because they receive no signals.
    """

    def __enter__(self) -> None:
        from threading import current_thread, main_thread

        global _state
        self._before: dict[int, Any] = {}
        if current_thread() is not main_thread():
            return
        _state = _State()
        self._before[signal.SIGTERM] = signal.signal(signal.SIGTERM, _handle_signal)
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before[signal.SIGINT] = signal.signal(signal.SIGINT, _handle_signal)

    def __exit__(self, *_: object) -> None:
        global _state
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if signal.SIGINT in self._before:
            _state = _State()
        elif self._before and _state.first is not None:  # the process is about to end because of a signal
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_IGN)


def raise_if_signalled() -> None:
    """Raise the interrupt, if there was one, instead of an error that it caused."""
    if _state.first is not None:
        raise _interruption()


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run like `asyncio.run`, but always raise the interrupt after a signal, whatever the result of the work.

    With `asyncio.run` an interrupt is lost if the work ends before it is cancelled, or fails meanwhile, or
    never awaits anything (as in a game between players in this process). Here such work is interrupted by an
    exception after a moment.
    """
    import asyncio
    from threading import current_thread, main_thread

    if current_thread() is not main_thread() or _state.work is not None:
        return asyncio.run(work)
    if signal.getsignal(signal.SIGINT) not in (_handle_signal, signal.default_int_handler):
        return asyncio.run(work)
    before, _state.work = signal.signal(signal.SIGINT, _handle_signal), _Work()
    if before is not _handle_signal:
        _state.first, _state.patient = None, True
    try:
        done = asyncio.run(_state.work.cancellable(work))
    except (Exception, asyncio.CancelledError, KeyboardInterrupt):
        raise_if_signalled()
        raise
    finally:
        _state.work = None
        signal.signal(signal.SIGINT, before)
        work.close()
    raise_if_signalled()
    return done


class _Work:
    """A coroutine that a signal cancels."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None
        self.cancelled = False
        """Whether the task has been cancelled."""

    async def cancellable(self, work: Coroutine[Any, Any, T]) -> T:
        import asyncio

        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        if _state.first is not None:
            raise asyncio.CancelledError
        return await work

    def cancel(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._cancel_now)

    def _cancel_now(self) -> None:
        self.cancelled = True
        if self._task is not None:
            self._task.cancel()


# --- signals ------------------------------------------------------------------------------------------


def _handle_signal(number: int, frame: FrameType | None) -> None:
    """Interrupt the command, unless it is already cleaning up."""
    if _blocks:
        _put_off.append(number)
        return
    state = _state
    if state.first is None:
        state.first = number
        _later(PATIENT_SECONDS, lambda: setattr(state, "patient", False))
        if state.work is not None:
            work = state.work
            work.cancel()
            _later(UNHEARD_SECONDS, lambda: None if work.cancelled or work is not state.work else _signal())
            return
    elif state.dropped:
        state.dropped = False
    elif state.patient and (state.work is None or state.work.cancelled):
        return
    if state.work is not None:
        state.work.cancelled = True
    raise _interruption()


def _interruption() -> KeyboardInterrupt:
    return TerminationRequested() if _state.first == signal.SIGTERM else KeyboardInterrupt()


def _signal() -> None:
    from _thread import interrupt_main

    interrupt_main()


def _later(seconds: float, act: Any) -> None:
    from threading import Timer

    timer = Timer(seconds, act)
    timer.daemon = True
    timer.start()


def _end(number: int, frame: FrameType | None) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        os.write(2, b"\n")  # end the line on which the terminal shows ^C
    os._exit(CODE)


def _raise_dropped_interrupt(unraisable: sys.UnraisableHookArgs) -> None:
    """Raise an interrupt again a moment later.

    Python cannot raise an exception everywhere, for example not in `__del__`. It then only prints a
    traceback.
    """
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    _state.dropped = True
    _later(AGAIN_SECONDS, _signal)


# --- child processes ----------------------------------------------------------------------------------


class BlockedSignals:
    """Blocks SIGINT and SIGTERM until the block ends. Child processes unblock them in `leave_terminal`.

    Another thread may still receive the signal, and Python then calls the handler in the main thread. So the
    handler checks whether it is called inside such a block.
    """

    def __enter__(self) -> None:
        self._before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        _blocks.append(self)

    def __exit__(self, *_: object) -> None:
        _blocks.remove(self)
        signal.pthread_sigmask(signal.SIG_SETMASK, self._before)
        if _put_off and not _blocks:
            number = _put_off[0]
            _put_off.clear()
            signal.raise_signal(number)


_blocks: list[BlockedSignals] = []
_put_off: list[int] = []


def leave_terminal() -> None:
    """Make sure that Ctrl-C reaches neither this process nor its children, because the parent ends it.

    A pending SIGINT is discarded, and the process leaves the foreground group of the terminal.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
    if os.getpgrp() != os.getpid():
        os.setsid()


_exit_hooks: list[Callable[[], None]] = []


def add_exit_hook(hook: Callable[[], None]) -> None:
    """Call `hook` before a helper process exits without unwinding the stack, to end what it has started."""
    _exit_hooks.append(hook)


def run_exit_hooks() -> None:
    for hook in _exit_hooks:
        hook()
