"""A running bot as a sandbox gives it: what transports are built on.

A `Sandbox` runs a `Program` inside `Limits` and says which of them it really enforces. A `Process` is one
instance that runs. Neither knows of games or of what is said.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from botequim.core.limits import Enforced, Limits


@dataclass(frozen=True, slots=True)
class Program:
    """What is run, as it is found on our side. Inside a sandbox all paths are the same as outside.

    Or a container image: then the command, if there is one, stands in place of its own.
    """

    command: tuple[str, ...]
    folder: Path
    """Where it is run; the bot sees it, and cannot write it."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """On top of the few variables that every bot is given."""
    also: tuple[Path, ...] = ()
    """Other files and folders that it has to see: an interpreter, our host for Python classes."""
    alias: Path | None = None
    """Where its files were copied from. In the sandbox that is a link to the folder, if nothing is there:
    scripts of a virtual environment name the place where they were made."""
    writable: bool = False
    """While it is built: its folder is empty, and can be written within the limit for space."""
    image: str = ""
    """By its digest, as the engine here knows it."""
    volumes: tuple[str, ...] = ()
    """Folders that the image declares as such; they are in memory, and their size is limited."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What an instance took, as far as it is known."""

    memory: int | None = None
    """At its peak, in bytes."""
    cpu: float | None = None
    """Seconds."""


class Process(Protocol):
    """One instance. Its descriptors do not block; the process closes them."""

    @property
    def stdin(self) -> int | None:
        """To write to; None when it has no standard input, or after `end_input`."""

    @property
    def stdout(self) -> int: ...

    @property
    def stderr(self) -> int: ...

    @property
    def status(self) -> int | None:
        """Once it has ended: its exit code, or minus the number of the signal that ended it."""

    @property
    def has_ended(self) -> bool:
        """Whether the program itself has ended. Its `status` may be known only after `exited`."""

    @property
    def exceeded(self) -> Enforced | None:
        """The limit that it went over, for which some or all of it was ended."""

    @property
    def usage(self) -> Usage: ...

    def resident(self) -> int:
        """Bytes of its processes that are in memory now; 0 where unknown."""

    def schedule(self) -> Mapping[int, tuple[int, int]]:
        """By thread: nanoseconds that it ran, and that it waited for a processor; empty where unknown."""

    def end_input(self) -> None:
        """Close its standard input."""

    @property
    def port(self) -> int:
        """The TCP port that it is asked on."""

    @property
    def shares_ports(self) -> bool:
        """Whether its ports are those of this machine, which others use too, not of a network of its own."""

    async def connect(self) -> socket.socket:
        """A new connection to the port it listens on (a socket that does not block).

        ConnectionRefusedError while it does not listen.
        """

    async def listening(self) -> list[int]:
        """The TCP ports that it listens on now."""

    def open_folder(self, folder: Path) -> int:
        """Return a descriptor of a folder as the process sees it; while it runs, but kept for longer."""

    async def loopback_only(self) -> list[int]:
        """Those of them on which it listens on a loopback address alone."""

    async def running(self) -> None:
        """Wait until the program itself runs: what a sandbox takes to be set up is not the bot's time."""

    @property
    def setup(self) -> float:
        """Seconds that this took, where it is worth telling; else 0."""

    async def over(self) -> None:
        """Wait until the program itself has ended: what is left to be done then is not its time either."""

    async def exited(self) -> int:
        """Wait for the end of its main process; gives `status`.

        BotequimError if it never ran, or if it was not the bot but its sandbox that ended: ours.
        """

    def kill(self) -> None:
        """End it and all it started, at once. Can be called again."""

    async def close(self) -> None:
        """Kill, wait until all of it is gone, close the descriptors. Can be called again."""


class Sandbox(Protocol):
    """A way to run strangers' programs."""

    @property
    def name(self) -> str:
        """As records say it: `bubblewrap`, `podman`, `none`."""

    @property
    def enforces(self) -> frozenset[Enforced]:
        """What a probe has shown to hold on this machine."""

    def start(
        self,
        program: Program,
        limits: Limits,
        *,
        arguments: tuple[str, ...] = (),
        environment: Mapping[str, str] | None = None,
        input: bool = True,
        port: bool = False,
    ) -> Process:
        """Start an instance. Does not wait for it. Must be called in the main thread.

        `arguments` and `environment` are added to the program's. Without `input` its standard input is empty.
        With `port` it can be connected to: inside its own network on port 8000, without isolation on the port
        that it is told in `PORT`.
        """
