"""The contract between sandboxes and transports.

A `Sandbox` runs a `Program` within `Limits`, and says which of these it enforces. A `Launch` describes one
start of a program, and a `Process` is the running instance. None of them knows about games or wires.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from botequim.core.limits import EnforcedLimit, Limits


@dataclass(frozen=True, slots=True)
class Program:
    """A program that a sandbox can run: a command in a folder, or a container image.

    Inside a sandbox all paths are the same as outside. For an image the command, if there is one, replaces
    the image's own.
    """

    command: tuple[str, ...]
    folder: Path
    """The folder in which it runs. The bot can read it, and cannot change its files."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Environment variables, besides the few that every bot has."""
    extra_paths: tuple[Path, ...] = ()
    """Other files and folders that it can read: an interpreter, or a host program."""
    alias: Path | None = None
    """The folder from which its files were copied. In the sandbox this path is a link to `folder`, if it is
    free, because scripts of a virtual environment contain the path where they were created."""
    writable: bool = False
    """Whether its folder is empty and writable, within the limit for space: for builds."""
    image: str = ""
    """The digest of a container image, by which the local engine finds it."""
    volumes: tuple[str, ...] = ()
    """Folders that the image declares as volumes. They are in memory, and their size is limited."""


@dataclass(frozen=True, slots=True)
class Launch:
    """One start of a program: everything that a sandbox needs to run an instance."""

    program: Program
    limits: Limits
    arguments: tuple[str, ...] = ()
    """Added to the program's command."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Added to the program's variables."""
    stdin: bool = True
    """Whether the transport writes to its standard input; otherwise that is empty."""
    port: bool = False
    """Whether it is a server: on port 8000 of its own network, or, without isolation, on the port in the
    variable `PORT`."""

    @property
    def command(self) -> tuple[str, ...]:
        """The program's command with the arguments of this start."""
        return (*self.program.command, *self.arguments)

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables of the program and of this start."""
        return {**self.program.environment, **self.environment}


@dataclass(frozen=True, slots=True)
class Usage:
    """The resources that an instance used, as far as they are known."""

    memory: int | None = None
    """The peak of memory in bytes."""
    cpu: float | None = None
    """Processor time in seconds."""


class Process(Protocol):
    """A running instance. Its descriptors are non-blocking; `close` closes them."""

    @property
    def stdin(self) -> int | None:
        """The descriptor to write to; None if it has no standard input, or after `end_input`."""

    @property
    def stdout(self) -> int: ...

    @property
    def stderr(self) -> int: ...

    @property
    def status(self) -> int | None:
        """Its exit code, or minus the number of the signal that ended it; None while it runs."""

    @property
    def has_ended(self) -> bool:
        """Whether the program itself has ended. `status` may be known only after `wait_exit`."""

    @property
    def exceeded(self) -> EnforcedLimit | None:
        """The limit that it exceeded, for which some or all of its processes were ended."""

    @property
    def usage(self) -> Usage: ...

    def resident_bytes(self) -> int:
        """Return the bytes of its processes that are in memory now; 0 if unknown."""

    def schedule(self) -> Mapping[int, tuple[int, int]]:
        """Return by thread the nanoseconds that it ran, and that it waited for a processor, if known."""

    def end_input(self) -> None:
        """Close its standard input."""

    @property
    def port(self) -> int:
        """The TCP port on which it is asked."""

    @property
    def shares_ports(self) -> bool:
        """Whether it uses the ports of this machine, not those of a network of its own."""

    async def connect(self) -> socket.socket:
        """Return a new connection to its port, as a socket that does not block.

        Raise ConnectionRefusedError while it does not listen.
        """

    async def listening_ports(self) -> list[int]:
        """Return the TCP ports on which it listens now."""

    def open_folder(self, folder: Path) -> int:
        """Return a descriptor of a folder as the process sees it. It stays valid after the process."""

    async def loopback_ports(self) -> list[int]:
        """Return the TCP ports on which it listens only on a loopback address."""

    async def wait_running(self) -> None:
        """Wait until the program itself runs. The time to set up a sandbox is not the bot's."""

    @property
    def setup(self) -> float:
        """The seconds until the program itself ran, if they are measured; else 0."""

    async def wait_ended(self) -> None:
        """Wait until the program itself has ended. The time to clean up is not the bot's."""

    async def wait_exit(self) -> int:
        """Wait until its main process has ended, and return `status`.

        Raise BotequimError if it never ran, or if its sandbox ended instead of the bot.
        """

    def kill(self) -> None:
        """End it and everything it started, at once. Can be called again."""

    async def close(self) -> None:
        """Kill it, wait until nothing of it is left, and close the descriptors. Can be called again."""


class Sandbox(Protocol):
    """A way to run untrusted programs."""

    @property
    def name(self) -> str:
        """The name in records: `bubblewrap`, `podman`, `none`."""

    @property
    def enforces(self) -> frozenset[EnforcedLimit]:
        """The limits that a probe has shown to hold on this machine."""

    @property
    def isolates(self) -> bool:
        """Whether bots are isolated from this machine, so that untrusted programs may run."""

    def sandbox_of(self, program: Program) -> Sandbox:
        """Return the sandbox that runs a program: this one, or one of its parts."""

    def start(self, launch: Launch) -> Process:
        """Start an instance and return without waiting for it. Must be called in the main thread."""
