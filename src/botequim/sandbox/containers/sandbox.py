"""The sandbox for untrusted container images."""

from __future__ import annotations

import contextlib
import os
from typing import Final

from botequim.core import clock
from botequim.core.errors import BrokenContract, InputError
from botequim.core.limits import EnforcedLimit, Limits
from botequim.core.messages import msg
from botequim.core.process import Launch, Program
from botequim.sandbox import rlimits
from botequim.sandbox.argv import tool
from botequim.sandbox.containers import apart
from botequim.sandbox.containers.engine import Engine, Kind
from botequim.sandbox.containers.entering import Layer
from botequim.sandbox.containers.gate import Gate
from botequim.sandbox.containers.instance import INIT_PROCESSES, ContainerProcess
from botequim.sandbox.containers.reaper import Reaper, reaper_of
from botequim.sandbox.netns import NetnsConnector
from botequim.sandbox.pipes import Pipes
from botequim.sandbox.spawn import spawn

WRITABLE: Final = ("/tmp", "/var/tmp", "/run")
"""The folders that a container with a read-only root can write to."""


class Containers:
    """Runs images. `enforces` is the result of a probe (`botequim.sandbox.containers.probe`).

    With `layered`, each instance can write everywhere in its own file system, as with `docker run`, up to the
    limit of its space (`layer.py`). Only podman has the hook for that. Without it, the root is read-only, and
    a few folders in memory are writable.
    """

    isolates = True

    def __init__(
        self, engine: Engine, enforces: frozenset[EnforcedLimit] = frozenset(), *, layered: bool | None = None
    ) -> None:
        self.engine = engine
        self.enforces = enforces
        self.layered = engine.kind is Kind.PODMAN if layered is None else layered

    @property
    def name(self) -> str:
        return self.engine.kind.value

    def sandbox_of(self, program: Program) -> Containers:
        return self

    def start(self, launch: Launch) -> ContainerProcess:
        program, limits = launch.program, launch.limits
        if not program.image:
            raise BrokenContract(msg("a container is made from an image"))
        variables = launch.variables
        if launch.port:
            variables.setdefault("PORT", str(NetnsConnector.PORT))
        reaper = reaper_of(self.engine)
        name = reaper.new_name()
        words = self._container_options(program, limits, reaper, name)
        words += ["--interactive"] if launch.stdin else []
        for variable, value in variables.items():
            words += ["--env", f"{variable}={value}"]
        words += [program.image, *launch.command]
        if any("\0" in word for word in words):
            raise InputError(msg("the arguments of a program cannot contain the character 0"))
        began = clock.now()
        gate = Gate(reaper.folder / name) if self.engine.kind is Kind.PODMAN else None
        with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
            pipes = Pipes(ours, theirs, stdin=launch.stdin)
            # The engine's command ends with this process; the reaper removes the container. The command runs
            # in the reaper's folder, because podman's monitor writes files to the current folder.
            chain = [
                tool("setpriv"),
                "--pdeathsig",
                "KILL",
                "--",
                tool("env"),
                "-C",
                str(reaper.folder),
                *self.engine.command,
                *(gate.options if gate is not None else ()),
                "run",
                *words,
            ]
            pid = spawn(chain, pipes.theirs, dict(os.environ))
            ours.pop_all()
        return ContainerProcess(
            pid,
            pipes,
            self.engine,
            reaper,
            name,
            gate,
            began=began,
            launch=launch,
            layer=Layer(limits.space, program.volumes) if self.layered else None,
        )

    def _container_options(self, program: Program, limits: Limits, reaper: Reaper, name: str) -> list[str]:
        """Return the options of a container, without its image and command."""
        words = self.engine.making_words(name, _settings(limits, reaper.mark))
        words += rlimits.engine_options(rlimits.container_limits())
        words += [] if self.layered else _read_only(limits, program.volumes)
        words += ["--security-opt", f"seccomp={reaper.filter}"] if reaper.filter else []
        words += apart.options(self.engine)
        return words + (["--volume", f"{reaper.hosts}:/etc/hosts:ro"] if reaper.hosts else [])

    async def try_out(self, program: Program, limits: Limits) -> None:
        """Create a container, but do not run its program. Raise EngineFailure if that fails.

        So problems of an image, such as an unknown user or a missing program, are found before any game.
        """
        reaper = reaper_of(self.engine)
        name = reaper.new_name()
        try:
            await self.engine.tell(
                "create", *self._container_options(program, limits, reaper, name), program.image
            )
            if self.engine.kind is Kind.PODMAN:
                await self.engine.tell("init", name)
        finally:
            await self.engine.remove(name)
            reaper.forget(name)


def _settings(limits: Limits, mark: str) -> dict[str, str | int]:
    return {
        "label": mark,
        "pull": "never",
        "init": "",
        "network": "none",
        "hostname": "bot",
        "cap-drop": "ALL",
        "security-opt": "no-new-privileges",
        "memory": limits.memory,
        "memory-swap": limits.memory,
        "cpus": limits.cpus,
        "pids-limit": limits.processes + INIT_PROCESSES,
        "shm-size": limits.space,
        "log-driver": "none",  # the log is read from the pipe, so the engine need not store it
    }


def _read_only(limits: Limits, volumes: tuple[str, ...]) -> list[str]:
    """Return the options for a root that cannot be written, with some writable folders in memory."""
    words = ["--read-only"]
    for folder in dict.fromkeys((*WRITABLE, *volumes)):
        words += ["--tmpfs", f"{folder}:rw,nosuid,nodev,size={limits.space},mode=1777"]
    return words
