"""Runs programs without isolation. This is for your own bots, on any system."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import threading
from typing import Final

from botequim import interrupts
from botequim.core.errors import InputError, os_reason
from botequim.core.limits import EnforcedLimit
from botequim.core.messages import msg
from botequim.core.process import Launch, Program
from botequim.sandbox import ports
from botequim.sandbox.netns import NetnsConnector
from botequim.sandbox.ports import Port
from botequim.sandbox.procfs import proportional_memory
from botequim.sandbox.running import Running

_groups: set[int] = set()
"""The process groups that are running."""
_starting = threading.Lock()


def end_all() -> None:
    """Kill all programs that still run, before this process ends without closing them.

    Nothing can be started afterwards.
    """
    _starting.acquire()  # never released
    for group in list(_groups):
        _end(group)


interrupts.add_exit_hook(end_all)


def _end(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS: EPERM for a zombie
        os.killpg(group, signal.SIGKILL)


class UnsandboxedProcess(Running):
    """A process group in a session of its own. A process that leaves the group is not ended with it."""

    def __init__(self, child: subprocess.Popen[bytes], stdin: int | None, port: Port | None) -> None:
        assert child.stdout is not None
        assert child.stderr is not None
        super().__init__(child.pid, stdin, os.dup(child.stdout.fileno()), os.dup(child.stderr.fileno()))
        child.stdout.close()
        child.stderr.close()
        child.returncode = 0  # so that Popen does not wait for it; this class does
        self._port = port

    @property
    def port(self) -> int:
        return NetnsConnector.PORT if self._port is None else self._port.number

    @property
    def shares_ports(self) -> bool:
        return True

    async def wait_running(self) -> None:
        pass

    async def connect(self) -> socket.socket:
        if self._port is None:
            raise ConnectionRefusedError
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        sock.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", self._port.number))
        except BaseException:
            sock.close()
            raise
        return sock

    def resident_bytes(self) -> int:
        return proportional_memory([self._end.pid, *self.family()])

    async def listening_ports(self) -> list[int]:
        if ports.KNOWS_OWNERS or self._port is None:
            return ports.listening(ports.group(self._end.pid))
        is_new = not self._port.usual_was_open and ports.is_open(NetnsConnector.PORT)
        return [NetnsConnector.PORT] if is_new else []

    async def loopback_ports(self) -> list[int]:
        return ports.listening(ports.group(self._end.pid), loopback_only=True)

    def _send_kill(self) -> None:
        _end(self._end.pid)

    def _release(self) -> None:
        _groups.discard(self._end.pid)
        super()._release()
        if self._port is not None:
            self._port.close()


SECRET_PREFIXES: Final = ("PG", "BOTEQUIM_STORE")
"""The prefixes of variables that may give access to the database of a cup (`PGPASSWORD`)."""


class NoSandbox:
    """Runs a program like any other program of the user."""

    name = "none"
    enforces: frozenset[EnforcedLimit] = frozenset()
    isolates = False

    def sandbox_of(self, program: Program) -> NoSandbox:
        return self

    def start(self, launch: Launch) -> UnsandboxedProcess:
        program = launch.program
        port = Port() if launch.port else None
        own = {name: value for name, value in os.environ.items() if not name.startswith(SECRET_PREFIXES)}
        variables = {**own, **launch.variables}
        if port is not None:
            variables["PORT"] = str(port.number)
        try:
            with _starting:
                child = subprocess.Popen(
                    launch.command,
                    bufsize=0,
                    stdin=subprocess.PIPE if launch.stdin else subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    cwd=program.folder,
                    env=variables,
                    start_new_session=True,
                )
                _groups.add(child.pid)
        except (OSError, ValueError) as error:
            if port is not None:
                port.close()
            why = os_reason(error) if isinstance(error, OSError) else error
            raise InputError(
                msg('"{command}" cannot be run: {why}', command=program.command[0], why=why)
            ) from error
        stdin = None
        if child.stdin is not None:
            stdin = os.dup(child.stdin.fileno())
            child.stdin.close()
        return UnsandboxedProcess(child, stdin, port)
