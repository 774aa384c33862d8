"""Strangers' images, run by a container engine: a `Sandbox` for programs that are images."""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Mapping
from typing import Final

from botequim.containers import apart
from botequim.containers.engine import Engine, Kind
from botequim.containers.entering import Layer
from botequim.containers.gate import Gate
from botequim.containers.guard import Guard, guard
from botequim.containers.instance import INIT_PROCESSES, ContainerProcess
from botequim.core import clock
from botequim.core.errors import BrokenContract, InputError
from botequim.core.limits import Enforced, Limits
from botequim.core.messages import msg
from botequim.core.process import Program
from botequim.sandbox.chain import LARGEST_FILE, OPEN_FILES, tool
from botequim.sandbox.door import Door
from botequim.sandbox.pipes import Pipes
from botequim.sandbox.spawn import spawn

WRITABLE: Final = ("/tmp", "/var/tmp", "/run")
"""Where a container can write whose root is read-only."""
PROCESSES_OF_A_USER: Final = 32_768
"""Of all containers together, and of ourselves: what limits a bot is the control group."""


class Containers:
    """Runs images. `enforces` is what a probe has shown; see `botequim.containers.probe`.

    With `layered`, each instance can write everywhere in its own file system, as in `docker run`, up to the
    limit of its space (`layer.py`). Only podman has the hook for that. Without it, the root is read-only, and
    a few places in memory can be written.
    """

    def __init__(
        self, engine: Engine, enforces: frozenset[Enforced] = frozenset(), *, layered: bool | None = None
    ) -> None:
        self.engine = engine
        self.enforces = enforces
        self.layered = engine.kind is Kind.PODMAN if layered is None else layered

    @property
    def name(self) -> str:
        return self.engine.kind.value

    def start(
        self,
        program: Program,
        limits: Limits,
        *,
        arguments: tuple[str, ...] = (),
        environment: Mapping[str, str] | None = None,
        input: bool = True,
        port: bool = False,
    ) -> ContainerProcess:
        if not program.image:
            raise BrokenContract(msg("a container is made from an image"))
        variables = {**program.environment, **(environment or {})}
        if port:
            variables.setdefault("PORT", str(Door.PORT))
        keeper = guard(self.engine)
        name = keeper.admit()
        words = self._made(program, limits, keeper, name)
        words += ["--interactive"] if input else []
        for variable, value in variables.items():
            words += ["--env", f"{variable}={value}"]
        words += [program.image, *program.command, *arguments]
        if any("\0" in word for word in words):
            raise InputError(msg("what a program is given cannot hold the character 0"))
        began = clock.now()
        gate = Gate(keeper.folder / name) if self.engine.kind is Kind.PODMAN else None
        with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
            pipes = Pipes(ours, theirs, input=input)
            # the engine's command ends with us; the container is the guard's
            # what watches it writes files where it is started
            chain = [
                tool("setpriv"),
                "--pdeathsig",
                "KILL",
                "--",
                tool("env"),
                "-C",
                str(keeper.folder),
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
            keeper,
            name,
            gate,
            began=began,
            port=port,
            limits=limits,
            layer=Layer(limits.space, program.volumes) if self.layered else None,
        )

    def _made(self, program: Program, limits: Limits, keeper: Guard, name: str) -> list[str]:
        """How its container is made, all but what is run in it."""
        words = self.engine.making_words(name, _settings(limits, keeper.mark))
        words += _ulimits()
        words += [] if self.layered else _read_only(limits, program.volumes)
        words += ["--security-opt", f"seccomp={keeper.filter}"] if keeper.filter else []
        words += apart.options(self.engine)
        return words + (["--volume", f"{keeper.hosts}:/etc/hosts:ro"] if keeper.hosts else [])

    async def try_out(self, program: Program, limits: Limits) -> None:
        """Make a container up to the moment before its program runs. EngineFailure if that cannot be.

        So what is wrong with an image, a user that it does not have, no program at all, is known before any
        game.
        """
        keeper = guard(self.engine)
        name = keeper.admit()
        try:
            await self.engine.tell("create", *self._made(program, limits, keeper, name), program.image)
            if self.engine.kind is Kind.PODMAN:
                await self.engine.tell("init", name)
        finally:
            await self.engine.remove(name)
            keeper.let_go(name)


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
        "log-driver": "none",  # a log is read as it comes, and kept nowhere
    }


def _read_only(limits: Limits, volumes: tuple[str, ...]) -> list[str]:
    """Return the settings of a root that cannot be written, with places in memory that can."""
    words = ["--read-only"]
    for place in dict.fromkeys((*WRITABLE, *volumes)):
        words += ["--tmpfs", f"{place}:rw,nosuid,nodev,size={limits.space},mode=1777"]
    return words


def _ulimits() -> list[str]:
    words = []
    # without the right to raise limits an engine fails over those it is not told
    files = min(OPEN_FILES, _most(resource.RLIMIT_NOFILE))
    processes = min(PROCESSES_OF_A_USER, _most(resource.RLIMIT_NPROC))
    for name, most in (
        ("nofile", files),
        ("nproc", processes),
        ("core", 0),
        ("fsize", LARGEST_FILE),
        ("msgqueue", 0),
    ):
        words += ["--ulimit", f"{name}={most}:{most}"]
    return words


def _most(limit: int) -> int:
    hard = resource.getrlimit(limit)[1]
    return PROCESSES_OF_A_USER if hard == resource.RLIM_INFINITY else hard
