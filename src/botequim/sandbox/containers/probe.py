"""Tries which container engine works on this machine, and which limits it enforces."""

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

from botequim.core import clock
from botequim.core.errors import BotequimError, InputError
from botequim.core.limits import EnforcedLimit
from botequim.core.messages import Message, msg, plain
from botequim.core.process import Launch, Program
from botequim.sandbox import selftest
from botequim.sandbox.containers import toolbox
from botequim.sandbox.containers.engine import Engine, Kind
from botequim.sandbox.containers.sandbox import Containers

SECONDS: Final = 300.0
OF_A_LAYER: Final = frozenset({EnforcedLimit.SPACE, EnforcedLimit.FILES})
"""The limits that a writable layer must enforce. Otherwise, containers get a read-only root."""
MISSING: Final = msg("neither podman nor docker is installed (apt-get install podman runc)")


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The engine that works here, or the reason why none does."""

    sandbox: Containers | None
    why: Message | None = None
    """Why no engine works."""


_result: ProbeResult | None = None
_results: dict[Kind, ProbeResult] = {}


async def probe_engines() -> ProbeResult:
    """Return the first engine that enforces all limits, or else the first one that works.

    The engines are tried once in each process. Must be called in the main thread.
    """
    global _result
    if _result is None:
        each = []
        for kind in Kind:
            each.append(await probe_engine(kind))
            sandbox = each[-1].sandbox
            if sandbox is not None and sandbox.enforces == frozenset(EnforcedLimit):
                break
        each.sort(key=lambda one: -1 if one.sandbox is None else len(one.sandbox.enforces), reverse=True)
        _result = each[0]
        if _result.sandbox is None and all(one.why == MISSING for one in each):
            _result = ProbeResult(None, MISSING)
    return _result


async def require_engine() -> Containers:
    """Return the engine for untrusted images. Raise InputError with the reason if there is none."""
    result = await probe_engines()
    if result.sandbox is None:
        assert result.why is not None
        raise InputError(msg("containers cannot be run here: {why}", why=result.why))
    return result.sandbox


async def probe_engine(kind: Kind) -> ProbeResult:
    """Try one engine, once in each process."""
    if kind not in _results:
        _results[kind] = await _try(kind)
    return _results[kind]


async def _try(kind: Kind) -> ProbeResult:
    if sys.platform != "linux" or not hasattr(os, "pidfd_open"):
        return ProbeResult(None, msg("containers run only on Linux"))
    path = shutil.which(kind.value)
    if path is None:
        return ProbeResult(None, MISSING)
    first: ProbeResult | None = None
    for options, layered in _ways(kind):
        containers = Containers(Engine(kind, path, options), layered=layered)
        try:
            async with clock.timeout(SECONDS):
                containers.enforces = await selftest.repeat_attempt(partial(_enforced_limits, containers))
            if not layered or containers.enforces >= OF_A_LAYER:
                return ProbeResult(containers)
        except BotequimError as error:
            first = first or ProbeResult(None, error.message)
        except TimeoutError:
            why = msg("{engine} did not answer within {seconds} s", engine=kind.value, seconds=f"{SECONDS:g}")
            first = first or ProbeResult(None, why)
        except OSError as error:
            first = first or ProbeResult(None, plain(error))
    assert first is not None
    return first


def _ways(kind: Kind) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Yield the options with which to try an engine, and whether containers get a writable layer."""
    ways: list[tuple[str, ...]] = [()]
    # podman's default runtime, crun, does not support machines with both versions of control groups
    if kind is Kind.PODMAN and shutil.which("runc"):
        ways.append(("--runtime", "runc"))
    if kind is Kind.PODMAN:
        yield from ((way, True) for way in ways)
    yield from ((way, False) for way in ways)


async def _enforced_limits(containers: Containers) -> frozenset[EnforcedLimit]:
    image = await toolbox.image(containers.engine)
    read_only = Path("/etc/hosts" if containers.layered else "/etc/own")
    with tempfile.TemporaryDirectory(prefix="botequim-") as name:
        secret, folder = selftest.make_test_files(Path(name))
        running = [
            containers.start(
                Launch(
                    Program(("/bin/sh", "-c", script), folder, image=image),
                    selftest.TIGHT,
                    stdin=False,
                    port=port,
                )
            )
            for script, port in selftest.scripts(secret, read_only)
        ]
        try:
            hog, tester, waiter = running
            _, words, _ = await asyncio.gather(
                hog.wait_exit(), selftest.read_words(tester), selftest.check_connection(waiter)
            )
            return selftest.enforced_limits(words, hog)
        finally:
            await asyncio.gather(*(process.close() for process in running))
