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
"""The seconds that a process may need to end after SIGKILL on a busy machine."""
BY_SIGNAL = 128
"""The offset that a program which waits for the bot adds to the signal that ended it."""
DEADLY = frozenset(
    {
        signal.SIGILL, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGKILL, signal.SIGSEGV,
        signal.SIGPIPE, signal.SIGTERM, signal.SIGXFSZ, signal.SIGSYS,
    }
)  # fmt: skip


def handed_on(code: int) -> int:
    """Return the bot's status, given the exit code of a program that waits for it."""
    # a bot could also end with such a code by itself; hardly any does but a shell that hands it on
    return BY_SIGNAL - code if code - BY_SIGNAL in DEADLY else code


async def readable(descriptor: int) -> None:
    """Wait until something can be read from it, or its other side is closed."""
    loop = asyncio.get_running_loop()
    own = os.dup(descriptor)  # so that several can wait for the same thing
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
    """The end of a child process: a descriptor that becomes readable then, and its exit status.

    `leaving` is called after the end and before the process id can be reused: at any time from `begin` on,
    perhaps at once.
    """

    def __init__(self, pid: int, leaving: Callable[[], None]) -> None:
        self.pid = pid
        self._leaving = leaving
        self._reaped: tuple[int, resource.struct_rusage] | None = None
        self._by_thread = not hasattr(os, "pidfd_open")
        self._ended = -1
        """The descriptor that the thread closes at the end."""
        if self._by_thread:
            self.descriptor, self._ended = os.pipe()
        else:
            self.descriptor = os.pidfd_open(pid)

    def begin(self) -> None:
        if self._by_thread:
            threading.Thread(target=self._wait, daemon=True).start()

    def _wait(self) -> None:
        """Wait in a thread, on systems without process descriptors (macOS)."""
        _, status, usage = os.wait4(self.pid, 0)
        self._leaving()
        self._reaped = status, usage
        os.close(self._ended)

    def poll(self) -> tuple[int, resource.struct_rusage] | None:
        """Return the exit code (or minus the signal) and the usage; None while it runs."""
        if self._reaped is None and not self._by_thread:
            options = os.WEXITED | os.WNOHANG | os.WNOWAIT
            if os.waitid(os.P_PID, self.pid, options) is not None:
                self._leaving()
                _, status, usage = os.wait4(self.pid, 0)
                self._reaped = status, usage
        if self._reaped is None:
            return None
        return os.waitstatus_to_exitcode(self._reaped[0]), self._reaped[1]

    @property
    def reaped(self) -> bool:
        """Whether its process id may belong to another process by now."""
        return self._reaped is not None

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


class Running:
    """A child process with pipes. Subclasses know how it is killed, and when all of it is gone."""

    def __init__(self, pid: int, stdin: int | None, stdout: int, stderr: int) -> None:
        self._stdin = stdin
        self._stdout = stdout
        self._stderr = stderr
        self._closed = False
        self._exceeded: EnforcedLimit | None = None
        self._end = End(pid, self._strike)
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
        ended = self._end.poll()
        return None if ended is None else ended[0]

    @property
    def has_ended(self) -> bool:
        return self.status is not None

    @property
    def exceeded(self) -> EnforcedLimit | None:
        return self._exceeded

    @property
    def usage(self) -> Usage:
        ended = self._end.poll()
        if ended is None:
            return Usage()
        used = ended[1]
        peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        return Usage(memory=peak, cpu=used.ru_utime + used.ru_stime)

    def resident_bytes(self) -> int:
        return proportional_memory(self.family())

    def schedule(self) -> Mapping[int, tuple[int, int]]:
        return schedule_times([self._end.pid, *self.family()])

    def family(self) -> list[int]:
        """Return the processes that it has started."""
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
        if not self._closed:
            self._strike()

    async def close(self) -> None:
        if self._closed:
            return
        self.kill()
        self._closed = True
        try:
            async with clock.timeout(GONE_SECONDS):
                await self._wait_gone()
        except TimeoutError:
            raise BotequimError(
                msg("a program could not be ended within {seconds} seconds", seconds=f"{GONE_SECONDS:g}")
            ) from None
        finally:
            self._release()

    def _strike(self) -> None:
        """Send the signals that end all of it."""
        raise NotImplementedError

    async def _wait_gone(self) -> None:
        """Wait until nothing of it is left."""
        if self._end.poll() is None:
            await readable(self._end.descriptor)
            self._end.poll()

    def _release(self) -> None:
        self.end_input()
        for descriptor in (self._stdout, self._stderr):
            with contextlib.suppress(OSError):
                os.close(descriptor)
        self._end.close()
