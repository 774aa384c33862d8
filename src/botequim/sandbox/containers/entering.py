"""Starts small programs of Botequim in the namespaces of a container."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from botequim.core.errors import BotequimError
from botequim.core.messages import Message, msg, plain
from botequim.sandbox import launcher
from botequim.sandbox.argv import tool
from botequim.sandbox.containers import layer as layers
from botequim.sandbox.netns import NetnsConnector
from botequim.sandbox.pipes import Pipes
from botequim.sandbox.running import End, readable
from botequim.sandbox.spawn import spawn

BYTES_PER_FILE: Final = 4096
"""The bytes of a layer for each file that it may contain, because empty files need memory too."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A writable layer; see `layer.py`."""

    size: int
    volumes: tuple[str, ...] = ()


class CannotEnter(BotequimError):
    """The namespaces of a container cannot be entered: it has ended, or the permission is missing."""


def _command(pid: int, namespace: str, program: str) -> list[str]:
    """Return the command that runs a program of Botequim in a namespace of a process."""
    user = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
    enter = [tool("nsenter"), "--target", str(pid), *user, f"--{namespace}", "--"]
    return [*enter, sys.executable, "-I", "-S", program]


async def add_layer(pid: int, root: str, mount_point: Path, layer: Layer) -> None:
    """Mount a writable layer in a container that waits at its gate."""
    files = max(layer.size // BYTES_PER_FILE, 1)
    process = await asyncio.create_subprocess_exec(
        *_command(pid, "mount", layers.__file__),
        *(root, str(mount_point), str(layer.size), str(files), *layer.volumes),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,  # so that Ctrl-C only interrupts this process
    )
    try:
        _, errors = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        raise CannotEnter(
            msg("the file system of a container cannot be made writable: {why}", why=_last_line(errors))
        )


class ContainerConnector:
    """A launcher that starts no program. It only sends sockets of a container's network."""

    def __init__(self, pid: int) -> None:
        with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
            pipes = Pipes(ours, theirs, stdin=False)
            self.connector: Final = NetnsConnector(pipes.control(launcher.CONTROL))
            command = _command(pid, "net", launcher.__file__)
            self._end = End(spawn(command, pipes.theirs, dict(os.environ)), lambda: None)
            self._end.begin()
            os.close(pipes.stdout)
            self._stderr = pipes.stderr
            ours.pop_all()

    async def wait_until_entered(self) -> None:
        """Wait until the launcher is in the network. Raise CannotEnter if that fails."""
        try:
            await self.connector.wait_until_entered()
        except ConnectionRefusedError:
            errors = os.read(self._stderr, 4096)
            why = _last_line(errors)
            raise CannotEnter(
                msg("the network of a container cannot be entered from here: {why}", why=why)
            ) from None

    async def close(self) -> None:
        """Kill the launcher and wait for its end."""
        self.connector.close()
        if self._end.poll() is None:
            await readable(self._end.descriptor)
            self._end.poll()

    def release(self) -> None:
        """Close its descriptors."""
        os.close(self._stderr)
        self._end.close()


def _last_line(output: bytes) -> Message:
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return plain(lines[-1][:500]) if lines else msg("it did not say why")
