"""Which container engine works on this machine, and what it really enforces: found out by trying."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from botequim.containers import toolbox
from botequim.containers.containers import Containers
from botequim.containers.engine import Engine, Kind
from botequim.core import clock
from botequim.core.errors import BotequimError, InputError
from botequim.core.limits import Enforced
from botequim.core.messages import Message, msg, plain
from botequim.core.process import Program
from botequim.sandbox import trials

SECONDS: Final = 300.0
OF_A_LAYER: Final = frozenset({Enforced.SPACE, Enforced.FILES})
"""What must hold where a container has a writable layer; else its root is read-only."""
MISSING: Final = msg("there is neither podman nor docker here (apt-get install podman runc)")


@dataclass(frozen=True, slots=True)
class Found:
    """What came of it."""

    sandbox: Containers | None
    why: Message | None = None
    """Why there is none."""


_found: Found | None = None
_tried: dict[Kind, Found] = {}


async def find() -> Found:
    """The first that holds all limits, else the first that works. Must be called in the main thread.

    Tried once in the life of this process.
    """
    global _found
    if _found is None:
        each = []
        for kind in Kind:
            each.append(await tried(kind))
            sandbox = each[-1].sandbox
            if sandbox is not None and sandbox.enforces == frozenset(Enforced):
                break
        each.sort(key=lambda one: -1 if one.sandbox is None else len(one.sandbox.enforces), reverse=True)
        _found = each[0]
        if _found.sandbox is None and all(one.why == MISSING for one in each):
            _found = Found(None, MISSING)
    return _found


async def needed() -> Containers:
    """The engine for strangers' images. Says what is missing when there is none."""
    there = await find()
    if there.sandbox is None:
        assert there.why is not None
        raise InputError(msg("containers cannot be run here: {why}", why=there.why))
    return there.sandbox


async def tried(kind: Kind) -> Found:
    """Of one engine."""
    if kind not in _tried:
        _tried[kind] = await _try(kind)
    return _tried[kind]


async def _try(kind: Kind) -> Found:
    if sys.platform != "linux" or not hasattr(os, "pidfd_open"):
        return Found(None, msg("containers can be run on Linux only"))
    path = shutil.which(kind.value)
    if path is None:
        return Found(None, MISSING)
    first: Found | None = None
    for options, layered in _ways(kind):
        containers = Containers(Engine(kind, path, options), layered=layered)
        try:
            async with clock.timeout(SECONDS):
                containers.enforces = await trials.tried(partial(_enforced, containers))
            if not layered or containers.enforces >= OF_A_LAYER:
                return Found(containers)
        except BotequimError as error:
            first = first or Found(None, error.message)
        except TimeoutError:
            why = msg("{engine} did not answer within {seconds} s", engine=kind.value, seconds=f"{SECONDS:g}")
            first = first or Found(None, why)
        except OSError as error:
            first = first or Found(None, plain(error))
    assert first is not None
    return first


def _ways(kind: Kind) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Yield the options to try an engine with, and whether its containers have a writable layer."""
    ways: list[tuple[str, ...]] = [()]
    # its usual runtime, crun, refuses machines with both versions of control groups
    if kind is Kind.PODMAN and shutil.which("runc"):
        ways.append(("--runtime", "runc"))
    if kind is Kind.PODMAN:
        yield from ((way, True) for way in ways)
    yield from ((way, False) for way in ways)


async def _enforced(containers: Containers) -> frozenset[Enforced]:
    image = await toolbox.image(containers.engine)
    protected = Path("/etc/hosts" if containers.layered else "/etc/own")
    with tempfile.TemporaryDirectory(prefix="botequim-") as name:
        secret, folder = trials.laid_out(Path(name))
        running = [
            containers.start(
                Program(("/bin/sh", "-c", script), folder, image=image), trials.TIGHT, input=False, port=port
            )
            for script, port in trials.scripts(secret, protected)
        ]
        try:
            hog, tester, waiter = running
            _, said, _ = await asyncio.gather(hog.exited(), trials.said(tester), trials.reached(waiter))
            return trials.held(said, hog)
        finally:
            await asyncio.gather(*(process.close() for process in running))
