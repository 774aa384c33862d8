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
from botequim.sandbox.running import Running, handed_on, readable


class EndedFromOutside(BotequimError):
    """Somebody ended the programs of a sandbox with a signal. A bot cannot do that."""


class InstanceDescriptors(Protocol):
    """Our ends of an instance's descriptors."""

    stdin: int | None
    stdout: int
    stderr: int
    held: int
    ready: socket.socket


class BubblewrapProcess(Running):
    """A bot in namespaces of its own, which end when we end (`argv.guard_argv`)."""

    def __init__(
        self,
        pid: int,
        descriptors: InstanceDescriptors,
        *,
        connector: NetnsConnector | None,
        group: Group | None,
        watched: int | None,
    ) -> None:
        self._lock = threading.Lock()
        self._held, self._ready = descriptors.held, descriptors.ready
        os.set_blocking(self._held, False)
        self._reports = b""
        self._first: int | None = None
        self._began = False
        self._killed = False
        self._connector, self._group = connector, group
        self.limit = watched or 0
        self.peak = 0
        self.cpu = 0.0
        super().__init__(pid, descriptors.stdin, descriptors.stdout, descriptors.stderr)
        self._watched = watched is not None
        if self._watched:
            WATCH.add(self)

    @property
    def status(self) -> int | None:
        code = super().status
        return None if code is None else handed_on(code)

    @property
    def exceeded(self) -> EnforcedLimit | None:
        if self._exceeded is None and self._group is not None:
            if self._group.out_of_memory():
                self._exceeded = EnforcedLimit.MEMORY
            elif self.status not in (None, 0) and not self._killed and self._group.out_of_processes():
                self._exceeded = EnforcedLimit.PROCESSES
        return self._exceeded

    @property
    def usage(self) -> Usage:
        used = super().usage
        if self._group is not None:
            self.peak = self._group.peak() or self.peak
            self.cpu = self._group.cpu() or self.cpu
        # bwrap does not wait for the bot, so the system does not add what it used to what bwrap did
        return Usage(memory=self.peak or used.memory, cpu=self.cpu or used.cpu)

    async def wait_running(self) -> None:
        if not self._has_begun():
            await readable(self._ready.fileno())
            if not self._has_begun():
                await self.wait_exit()

    async def wait_exit(self) -> int:
        status = await super().wait_exit()
        if not (self._has_begun() or self._killed or self.exceeded):
            why = self._last_words()
            # unshare hands a signal on; some versions fail over that, and tell this instead
            failure = EndedFromOutside if status < 0 or "sigprocmask" in str(why) else BotequimError
            raise failure(msg("the sandbox could not be set up: {why}", why=why))
        if self._was_ended() and not (self._killed or self.exceeded):
            raise EndedFromOutside(msg("the sandbox of a player was ended from outside, by a signal"))
        return status

    def _was_ended(self) -> bool:
        """Return whether bwrap was ended before it could report how the bot ended. No bot can do that."""
        self._hear_reports()
        return b"exit-code" not in self._reports

    def _hear_reports(self) -> bool:
        """Read what bwrap reports, and return whether more may come."""
        try:
            report = os.read(self._held, 4096)
        except BlockingIOError:
            return True
        except OSError:  # it was closed by us
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
            self._killed = True
        super().kill()

    def enforced_limits(self, limits: Limits) -> frozenset[EnforcedLimit]:
        """Return the limits that its control group enforces, if it is in one."""
        if self._group is None or not self._group.members():
            return frozenset()
        return self._group.enforced_limits(limits)

    def family(self) -> list[int]:
        """Return all its processes. The first process of the namespace is ours, so it is left out."""
        return list(descendants(self._end.pid))[1:]

    def over_memory(self) -> None:
        """Note that it exceeded its memory, and kill it. The watch calls this from its thread."""
        self._exceeded = EnforcedLimit.MEMORY
        self._strike()

    def open_folder(self, folder: Path) -> int:
        """Return a descriptor of a folder inside the sandbox. Call it before the bot can do anything."""
        for pid in self.family():
            with contextlib.suppress(OSError):
                if not Path(f"/proc/{pid}/ns/mnt").samefile("/proc/self/ns/mnt"):
                    return os.open(f"/proc/{pid}/root{folder}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        raise BotequimError(msg("the folder of a program in the sandbox cannot be opened"))

    def _has_begun(self) -> bool:
        """Return whether the bot itself runs or has run. A failure before that is ours."""
        if not self._began:
            with contextlib.suppress(OSError):
                self._began = bool(self._ready.recv(1))
        return self._began

    def _last_words(self) -> object:
        with contextlib.suppress(OSError):
            if text := os.read(self._stderr, 4096).decode("utf-8", "replace").strip():
                return plain(text.splitlines()[-1])
        return msg("it did not say why")

    def _strike(self) -> None:
        with self._lock:
            self._has_begun()
            # a bot that is only being started ends itself when it finds this shut
            with contextlib.suppress(OSError):
                self._ready.shutdown(socket.SHUT_RDWR)
            first = self._first_process()
            for descriptor in (self._end.descriptor, first):
                if descriptor is not None:
                    with contextlib.suppress(ProcessLookupError):
                        signal.pidfd_send_signal(descriptor, signal.SIGKILL)

    def _first_process(self) -> int | None:
        """Return a descriptor of the first process of the namespace, if it exists."""
        if self._first is None and not self._end.reaped:
            for pid in children(self._end.pid):
                with contextlib.suppress(ProcessLookupError):
                    self._first = os.pidfd_open(pid)
        return self._first

    async def _wait_gone(self) -> None:
        await super()._wait_gone()
        if self._first is not None:
            await readable(self._first)  # it is the last of its namespace
        while self._hear_reports():  # until the last process with this descriptor ends
            await readable(self._held)
        if self._watched:
            WATCH.remove(self)
        if self._group is not None:
            self.usage, self.exceeded  # noqa: B018 - the last time that they can be read
            await self._group.end()

    def _release(self) -> None:
        super()._release()
        if self._watched:
            WATCH.remove(self)
        if self._connector is not None:
            self._connector.close()
        if self._first is not None:
            os.close(self._first)
        os.close(self._held)
        self._held = -1
        self._ready.close()
