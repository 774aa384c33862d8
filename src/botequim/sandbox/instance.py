"""One instance in bubblewrap: connect to it, watch it, end it and clean up after it."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
from pathlib import Path
from typing import Protocol

from botequim.core.errors import BotequimError
from botequim.core.limits import EnforcedLimit, Limits
from botequim.core.messages import msg, plain
from botequim.core.process import Usage
from botequim.sandbox.cgroups import Group
from botequim.sandbox.netns import NetnsConnector
from botequim.sandbox.procfs import WATCH, children, descendants
from botequim.sandbox.running import Running, bot_status, readable


class EndedFromOutside(BotequimError):
    """Another program killed the programs of a sandbox. A bot cannot do that."""


class InstanceDescriptors(Protocol):
    """The descriptors of this process for an instance."""

    stdin: int | None
    stdout: int
    stderr: int
    report: int
    ready: socket.socket


class BubblewrapProcess(Running):
    """A bot in namespaces of its own, which end with this process (`argv.guard_argv`)."""

    def __init__(
        self,
        pid: int,
        descriptors: InstanceDescriptors,
        *,
        connector: NetnsConnector | None,
        group: Group | None,
        memory_limit: int | None,
    ) -> None:
        self._lock = threading.Lock()
        self._report, self._ready = descriptors.report, descriptors.ready
        os.set_blocking(self._report, False)
        self._reports = b""
        self._first: int | None = None
        self._began = False
        self._is_killed = False
        self._connector, self._group = connector, group
        self.limit = memory_limit or 0
        self.peak = 0
        self.cpu = 0.0
        super().__init__(pid, descriptors.stdin, descriptors.stdout, descriptors.stderr)
        self._is_monitored = memory_limit is not None
        if self._is_monitored:
            WATCH.add(self)

    @property
    def status(self) -> int | None:
        code = super().status
        return None if code is None else bot_status(code)

    @property
    def exceeded(self) -> EnforcedLimit | None:
        if self._exceeded is None and self._group is not None:
            if self._group.out_of_memory():
                self._exceeded = EnforcedLimit.MEMORY
            elif self.status not in (None, 0) and not self._is_killed and self._group.out_of_processes():
                self._exceeded = EnforcedLimit.PROCESSES
        return self._exceeded

    @property
    def usage(self) -> Usage:
        usage_of_chain = super().usage
        if self._group is not None:
            self.peak = self._group.peak() or self.peak
            self.cpu = self._group.cpu() or self.cpu
        # bwrap does not wait for the bot, so the system does not include the bot's usage in that of bwrap
        return Usage(memory=self.peak or usage_of_chain.memory, cpu=self.cpu or usage_of_chain.cpu)

    async def wait_running(self) -> None:
        if not self._has_begun():
            await readable(self._ready.fileno())
            if not self._has_begun():
                await self.wait_exit()

    async def wait_exit(self) -> int:
        status = await super().wait_exit()
        if not (self._has_begun() or self._is_killed or self.exceeded):
            why = self._last_words()
            # some versions of unshare fail with this message when they pass a signal on
            failure = EndedFromOutside if status < 0 or "sigprocmask" in str(why) else BotequimError
            raise failure(msg("the sandbox could not be set up: {why}", why=why))
        if self._was_ended() and not (self._is_killed or self.exceeded):
            raise EndedFromOutside(msg("the sandbox of a player was ended from outside, by a signal"))
        return status

    def _was_ended(self) -> bool:
        """Return whether bwrap was killed before it could report how the bot ended. No bot can do that."""
        self._read_reports()
        return b"exit-code" not in self._reports

    def _read_reports(self) -> bool:
        """Read the reports of bwrap. Return whether more may follow."""
        try:
            report = os.read(self._report, 4096)
        except BlockingIOError:
            return True
        except OSError:  # the descriptor is closed
            return False
        self._reports += report
        return bool(report)

    async def connect(self) -> socket.socket:
        if self._connector is None:
            raise ConnectionRefusedError
        return await self._connector.connect()

    async def listening_ports(self) -> list[int]:
        return [] if self._connector is None else await self._connector.listening_ports()

    async def loopback_ports(self) -> list[int]:
        return [] if self._connector is None else await self._connector.loopback_ports()

    def kill(self) -> None:
        if self.status is None:
            self._is_killed = True
        super().kill()

    def enforced_limits(self, limits: Limits) -> frozenset[EnforcedLimit]:
        """Return the limits that its control group enforces, if it is in one."""
        if self._group is None or not self._group.members():
            return frozenset()
        return self._group.enforced_limits(limits)

    def family(self) -> list[int]:
        """Return all processes of the bot. The first process of the namespace belongs to the sandbox."""
        return list(descendants(self._end.pid))[1:]

    def over_memory(self) -> None:
        """Note that the bot exceeded its memory, and kill it. The thread of `Watch` calls this."""
        self._exceeded = EnforcedLimit.MEMORY
        self._send_kill()

    def open_folder(self, folder: Path) -> int:
        """Return a descriptor of a folder inside the sandbox. Call this before the bot runs."""
        for pid in self.family():
            with contextlib.suppress(OSError):
                if not Path(f"/proc/{pid}/ns/mnt").samefile("/proc/self/ns/mnt"):
                    return os.open(f"/proc/{pid}/root{folder}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        raise BotequimError(msg("the folder of a program in the sandbox cannot be opened"))

    def _has_begun(self) -> bool:
        """Return whether the bot itself runs or has run. A failure before that is one of the sandbox."""
        if not self._began:
            with contextlib.suppress(OSError):
                self._began = bool(self._ready.recv(1))
        return self._began

    def _last_words(self) -> object:
        with contextlib.suppress(OSError):
            if text := os.read(self._stderr, 4096).decode("utf-8", "replace").strip():
                return plain(text.splitlines()[-1])
        return msg("it did not say why")

    def _send_kill(self) -> None:
        with self._lock:
            self._has_begun()
            # a bot that is still being started ends by itself when this socket is shut down
            with contextlib.suppress(OSError):
                self._ready.shutdown(socket.SHUT_RDWR)
            first = self._first_process()
            for descriptor in (self._end.descriptor, first):
                if descriptor is not None:
                    with contextlib.suppress(ProcessLookupError):
                        signal.pidfd_send_signal(descriptor, signal.SIGKILL)

    def _first_process(self) -> int | None:
        """Return a descriptor of the first process of the namespace, if it exists."""
        if self._first is None and not self._end.is_reaped:
            for pid in children(self._end.pid):
                with contextlib.suppress(ProcessLookupError):
                    self._first = os.pidfd_open(pid)
        return self._first

    async def _wait_gone(self) -> None:
        await super()._wait_gone()
        if self._first is not None:
            await readable(self._first)  # this process ends last in its namespace
        while self._read_reports():  # until the last process with this descriptor has ended
            await readable(self._report)
        if self._is_monitored:
            WATCH.remove(self)
        if self._group is not None:
            self.usage, self.exceeded  # noqa: B018 - the last time that they can be read
            await self._group.end()

    def _release(self) -> None:
        super()._release()
        if self._is_monitored:
            WATCH.remove(self)
        if self._connector is not None:
            self._connector.close()
        if self._first is not None:
            os.close(self._first)
        os.close(self._report)
        self._report = -1
        self._ready.close()
