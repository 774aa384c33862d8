"""The common part of all running instances: descriptors, how they end, and their exit status."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from botequim.core import clock
from botequim.core.errors import BotequimError
from botequim.core.limits import EnforcedLimit
from botequim.core.messages import msg
from botequim.core.process import Usage
from botequim.sandbox.netns import NetnsConnector
from botequim.sandbox.procfs import descendants, proportional_memory, schedule_times

GONE_SECONDS = 120.0
"""The time limit in seconds for the end of a process after SIGKILL, generous for a busy machine."""
BY_SIGNAL = 128
"""The offset of an exit code that stands for a signal, as shells use it."""
DEADLY = frozenset(
    {
        signal.SIGILL, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGKILL, signal.SIGSEGV,
        signal.SIGPIPE, signal.SIGTERM, signal.SIGXFSZ, signal.SIGSYS,
    }
)  # fmt: skip


def bot_status(code: int) -> int:
    """Return the status of the bot, given the exit code of a program that waited for it."""
    # a bot could also end with such a code by itself, but usually only shells do, for the same reason
    return BY_SIGNAL - code if code - BY_SIGNAL in DEADLY else code


async def readable(descriptor: int) -> None:
    """Wait until the descriptor can be read, or its other end is closed."""
    loop = asyncio.get_running_loop()
    own = os.dup(descriptor)  # so that several tasks can wait for the same descriptor
    ready: asyncio.Future[None] = loop.create_future()

    def settle() -> None:
        if not ready.done():
            ready.set_result(None)

    try:
        loop.add_reader(own, settle)
        await ready
    finally:
        loop.remove_reader(own)
        os.close(own)


class End:
    """Waits for the end of a child process: a descriptor that becomes readable, and the exit status.

    `leaving` is called after the end and before the process id can be reused. That may happen at any time
    after `begin`, or during it.
    """

    def __init__(self, pid: int, leaving: Callable[[], None]) -> None:
        self.pid = pid
        self._leaving = leaving
        self._exit: tuple[int, resource.struct_rusage] | None = None
        self._by_thread = not hasattr(os, "pidfd_open")
        self._writer = -1
        """The writing end of the pipe, which the thread closes at the end."""
        if self._by_thread:
            self.descriptor, self._writer = os.pipe()
        else:
            self.descriptor = os.pidfd_open(pid)

    def begin(self) -> None:
        if self._by_thread:
            threading.Thread(target=self._wait, daemon=True).start()

    def _wait(self) -> None:
        """Wait in a thread, on systems without process descriptors (macOS)."""
        _, status, usage = os.wait4(self.pid, 0)
        self._leaving()
        self._exit = status, usage
        os.close(self._writer)

    def poll(self) -> tuple[int, resource.struct_rusage] | None:
        """Return the exit code (or minus the signal) and the usage; None while the process runs."""
        if self._exit is None and not self._by_thread:
            options = os.WEXITED | os.WNOHANG | os.WNOWAIT
            if os.waitid(os.P_PID, self.pid, options) is not None:
                self._leaving()
                _, status, usage = os.wait4(self.pid, 0)
                self._exit = status, usage
        if self._exit is None:
            return None
        return os.waitstatus_to_exitcode(self._exit[0]), self._exit[1]

    @property
    def is_reaped(self) -> bool:
        """Whether the process was reaped, so that its id may belong to another process by now."""
        return self._exit is not None

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


class Running:
    """A child process with pipes. Subclasses implement how it is killed and cleaned up."""

    def __init__(self, pid: int, stdin: int | None, stdout: int, stderr: int) -> None:
        self._stdin = stdin
        self._stdout = stdout
        self._stderr = stderr
        self._is_closed = False
        self._exceeded: EnforcedLimit | None = None
        self._end = End(pid, self._send_kill)
        self._end.begin()
        for descriptor in (stdin, stdout, stderr):
            if descriptor is not None:
                os.set_blocking(descriptor, False)

    @property
    def port(self) -> int:
        return NetnsConnector.PORT

    @property
    def shares_ports(self) -> bool:
        return False

    @property
    def stdin(self) -> int | None:
        return self._stdin

    @property
    def stdout(self) -> int:
        return self._stdout

    @property
    def stderr(self) -> int:
        return self._stderr

    @property
    def status(self) -> int | None:
        exit_info = self._end.poll()
        return None if exit_info is None else exit_info[0]

    @property
    def has_ended(self) -> bool:
        return self.status is not None

    @property
    def exceeded(self) -> EnforcedLimit | None:
        return self._exceeded

    @property
    def usage(self) -> Usage:
        exit_info = self._end.poll()
        if exit_info is None:
            return Usage()
        used = exit_info[1]
        peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        return Usage(memory=peak, cpu=used.ru_utime + used.ru_stime)

    def resident_bytes(self) -> int:
        return proportional_memory(self.family())

    def schedule(self) -> Mapping[int, tuple[int, int]]:
        return schedule_times([self._end.pid, *self.family()])

    def family(self) -> list[int]:
        """Return the descendants of the process."""
        return list(descendants(self._end.pid))

    def end_input(self) -> None:
        if self._stdin is not None:
            os.close(self._stdin)
            self._stdin = None

    def open_folder(self, folder: Path) -> int:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    @property
    def setup(self) -> float:
        return 0.0

    async def wait_ended(self) -> None:
        await self.wait_exit()

    async def wait_exit(self) -> int:
        if self._end.poll() is None:
            await readable(self._end.descriptor)
        status = self.status
        assert status is not None
        return status

    def kill(self) -> None:
        if not self._is_closed:
            self._send_kill()

    async def close(self) -> None:
        if self._is_closed:
            return
        self.kill()
        self._is_closed = True
        try:
            async with clock.timeout(GONE_SECONDS):
                await self._wait_gone()
        except TimeoutError:
            raise BotequimError(
                msg("a program could not be ended within {seconds} seconds", seconds=f"{GONE_SECONDS:g}")
            ) from None
        finally:
            self._release()

    def _send_kill(self) -> None:
        """Send the signals that kill all processes of the instance."""
        raise NotImplementedError

    async def _wait_gone(self) -> None:
        """Wait until all processes have ended and everything is removed."""
        if self._end.poll() is None:
            await readable(self._end.descriptor)
            self._end.poll()

    def _release(self) -> None:
        self.end_input()
        for descriptor in (self._stdout, self._stderr):
            with contextlib.suppress(OSError):
                os.close(descriptor)
        self._end.close()
