"""One container: connect to it, watch it, end it and clean up after it.

The child process is the engine's command, which passes standard input and output on. The container itself is
a process of the engine. With its process id, its start and end are noticed at once, and it can be killed at
once; the engine's own commands take a tenth of a second or more.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import socket
import subprocess
from pathlib import Path
from typing import Final

from botequim.core import clock
from botequim.core.errors import BotequimError
from botequim.core.limits import EnforcedLimit
from botequim.core.messages import msg, plain
from botequim.core.process import Launch, Usage
from botequim.sandbox import cgroups
from botequim.sandbox.containers.engine import Engine, EngineFailure, State
from botequim.sandbox.containers.entering import CannotEnter, ContainerConnector, Layer, add_layer
from botequim.sandbox.containers.gate import Gate
from botequim.sandbox.containers.reaper import Reaper
from botequim.sandbox.pipes import Pipes
from botequim.sandbox.procfs import descendants
from botequim.sandbox.running import Running, bot_status, readable
from botequim.sandbox.spawn import high

GONE: Final = 10.0
"""The time limit in seconds for the end of a container whose network has disappeared."""
LOOK: Final = 0.002
"""The seconds between two checks whether the container runs."""
ASK: Final = 0.03
"""The seconds between two checks that need a command of the engine."""
INITS: Final = ("podman-init", "catatonit", "docker-init", "tini")
"""The name of the first process when the container runs; before that it is the runtime."""
INIT_PROCESSES: Final = 1
"""The number of processes of the engine itself that are in the group of the container."""
ENGINE_FAILED: Final = 125
"""The exit code of the engine's command if it failed itself. A bot may end with that code too."""


class ContainerProcess(Running):
    """A bot in a container. Before it runs, its image cannot be identified from outside."""

    def __init__(
        self,
        pid: int,
        pipes: Pipes,
        engine: Engine,
        reaper: Reaper,
        name: str,
        gate: Gate | None,
        *,
        began: float,
        launch: Launch,
        layer: Layer | None,
    ) -> None:
        self._engine, self._reaper, self._name, self._gate = engine, reaper, name, gate
        self._started_at = began
        self._launch, self._layer = launch, layer
        self._first = 0
        """The process id of the container's first process."""
        self._main: int | None = None
        """A descriptor of that process."""
        self._loop = asyncio.get_running_loop()
        self._runs_since: float | None = None
        self._is_killed = False
        self._state: State | None = None
        self._accounts: cgroups.Accounts | None = None
        self._group: cgroups.Group | None = None
        """Another group with the same limits, which exists until its figures have been read."""
        self._usage = Usage()
        self._out_of_memory = self._out_of_processes = False
        self._killer: subprocess.Popen[bytes] | None = None
        self._connector: ContainerConnector | None = None
        self._looking = asyncio.Lock()
        self._is_prepared = self._will_never_run = False
        self._failure: BotequimError | None = None
        super().__init__(pid, pipes.stdin, pipes.stdout, pipes.stderr)

    # --- state -------------------------------------------------------------------------------------

    @property
    def status(self) -> int | None:
        code = super().status
        return None if code is None else bot_status(code)

    @property
    def has_ended(self) -> bool:
        if self._main is None:
            return self.status is not None
        return bool(select.select([self._main], [], [], 0)[0])

    @property
    def setup(self) -> float:
        return 0.0 if self._runs_since is None else self._runs_since - self._started_at

    @property
    def exceeded(self) -> EnforcedLimit | None:
        self._read_accounts()
        if self._out_of_memory:
            return EnforcedLimit.MEMORY
        if self._out_of_processes and self.status not in (None, 0) and not self._is_killed:
            return EnforcedLimit.PROCESSES
        return None

    @property
    def usage(self) -> Usage:
        self._read_accounts()
        return self._usage

    def _has_ended(self) -> None:
        """Read the kernel's figures. This is called at the end of the container, even if nobody waits for
        it."""
        self._read_accounts()
        if self._runs_since is None:  # it ended before it was seen to run
            self._runs_since = clock.now()
        if self._main is not None:
            self._loop.remove_reader(self._main)

    def _read_accounts(self) -> None:
        """Read the kernel's figures. The engine removes its group soon after the end."""
        accounts = self._accounts
        if accounts is not None:
            self._usage = Usage(accounts.peak() or self._usage.memory, accounts.cpu() or self._usage.cpu)
            self._out_of_memory |= accounts.out_of_memory()
            self._out_of_processes |= accounts.out_of_processes()

    def family(self) -> list[int]:
        return [self._first, *descendants(self._first)] if self._first else []

    async def wait_running(self) -> None:
        await self._wait_begin()
        if self._runs_since is None:
            await self.wait_exit()

    async def _wait_begin(self) -> None:
        """Wait until the program runs, or until its start has failed."""
        while self._runs_since is None and self._end.poll() is None:
            await self._look()
            if self._runs_since is None:
                await clock.pause(ASK if self._gate is None else LOOK)

    async def wait_ended(self) -> None:
        await self._wait_begin()
        if self._main is not None:
            await readable(self._main)
            self._read_accounts()

    async def wait_exit(self) -> int:
        await self.wait_ended()
        status = await super().wait_exit()
        if self._state is None and not self._is_killed and (status != 0 or self._runs_since is None):
            self._state = await self._post_mortem()
        return status

    async def _post_mortem(self) -> State:
        """Return the state after the end. Raise an error unless the engine reports that the bot itself
        ended."""
        try:
            state = await self._engine.state(self._name)
        except EngineFailure as failure:
            raise BotequimError(
                msg("the container could not be run: {why}", why=self._last_words() or failure.message)
            ) from failure
        if not state.began or state.pid:
            why = self._last_words() or plain(f"exit code {self.status}")
            raise BotequimError(msg("the container could not be run: {why}", why=why))
        if state.out_of_memory:
            self._out_of_memory = True
        return state

    def _last_words(self) -> object:
        with contextlib.suppress(OSError):
            if text := os.read(self._stderr, 4096).decode("utf-8", "replace").strip():
                return plain(text.splitlines()[-1].removeprefix("Error: "))
        return None

    # --- start -------------------------------------------------------------------------------------

    async def _look(self) -> None:
        """Find the first process of the container, prepare it, and check whether its program runs."""
        async with self._looking:
            if self._failure is not None:
                raise self._failure
            if self._runs_since is not None or self._will_never_run:
                return
            if self._main is None and not await self._find():
                return
            if not self._is_prepared:
                await self._prepare()
            if _process_name(self._first) in INITS:
                self._runs_since = clock.now()

    async def _find(self) -> bool:
        """Find the first process of the container. Return whether it must be prepared."""
        self._first = await self._number()
        if not self._first:
            return False
        try:
            self._main = high(os.pidfd_open(self._first))
        except OSError:  # it has ended already, or is in a virtual machine of the engine
            self._runs_since = clock.now()
            return False
        self._accounts = cgroups.of(self._first)
        self._loop.add_reader(self._main, self._has_ended)
        return True

    async def _prepare(self) -> None:
        """Enter the namespaces of the container. If there is a gate, its program does not run yet."""
        if self._gate is not None:
            self._group = cgroups.adopt(self._first, self._launch.limits, INIT_PROCESSES)
            self._accounts = self._group or self._accounts
        try:
            if self._gate is not None and self._layer is not None:
                await add_layer(self._first, self._gate.root(), self._gate.layer, self._layer)
            if self._launch.port:
                self._connector = ContainerConnector(self._first)
                await self._connector.wait_until_entered()
        except CannotEnter as failure:
            # without a gate the program may have ended before that, which is not an error of the sandbox
            if self._gate is not None or not await self._ends_soon():
                self._failure = failure
                raise
        self._is_prepared = True
        if self._gate is not None:
            self._gate.open()

    async def _ends_soon(self) -> bool:
        assert self._main is not None
        try:
            async with clock.timeout(GONE):
                await readable(self._main)
        except TimeoutError:
            return False
        return True

    async def _number(self) -> int:
        if self._gate is not None:
            return self._gate.waiting_pid()
        try:
            return (await self._engine.state(self._name)).pid
        except EngineFailure:
            return 0  # it does not exist yet; if it never will, the engine's command reports the reason

    # --- network -----------------------------------------------------------------------------------

    async def connect(self) -> socket.socket:
        if self._runs_since is None and self._end.poll() is None:
            await self._look()
        if self._connector is None:
            raise ConnectionRefusedError
        return await self._connector.connector.connect()

    async def listening_ports(self) -> list[int]:
        return [] if self._connector is None else await self._connector.connector.listening_ports()

    async def loopback_ports(self) -> list[int]:
        return [] if self._connector is None else await self._connector.connector.loopback_ports()

    # --- end ---------------------------------------------------------------------------------------

    def kill(self) -> None:
        if self.status is None:
            self._is_killed = True
        super().kill()

    def _send_kill(self) -> None:
        """Kill the container. One that is still being created runs no bot; `_wait_gone` waits for it."""
        if self._main is None:
            return
        self._read_accounts()
        try:
            signal.pidfd_send_signal(self._main, signal.SIGKILL)
        except ProcessLookupError:
            pass
        except (
            PermissionError
        ):  # the process belongs to the engine's own user, so only the engine can kill it
            self._ask_to_kill()

    def _ask_to_kill(self) -> None:
        if self._killer is None:
            quiet = subprocess.DEVNULL
            command = [*self._engine.command, "kill", self._name]
            self._killer = subprocess.Popen(
                command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True
            )

    async def _wait_gone(self) -> None:
        async with self._looking:
            self._will_never_run = self._gate is not None and not self._is_prepared
        if self._gate is not None and self._will_never_run:
            self._gate.shut()  # makes the engine's command fail
            if self._end.poll() is None:
                await readable(self._end.descriptor)
        elif self._runs_since is None and self._end.poll() is None:
            await self._wait_begin()
            self._send_kill()
        if self._main is not None:
            await readable(self._main)
        # the command may be blocked, because nobody reads its output any more
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._end.descriptor, signal.SIGKILL)
        await super()._wait_gone()
        if self._killer is not None:
            await asyncio.to_thread(self._killer.wait)
        if self._connector is not None:
            await self._connector.close()
        if self._group is not None:
            self._read_accounts()
            self._accounts = None
            await self._group.end()
        await self._engine.remove(self._name)
        self._reaper.forget(self._name)

    def _release(self) -> None:
        super()._release()
        if self._connector is not None:
            self._connector.release()
        if self._main is not None:
            self._loop.remove_reader(self._main)
            os.close(self._main)
            self._main = None
        if self._gate is not None:
            self._gate.remove()


def _process_name(pid: int) -> str:
    try:
        return Path("/proc", str(pid), "comm").read_text().strip()
    except OSError:
        return ""
