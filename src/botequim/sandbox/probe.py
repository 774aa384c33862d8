"""Tries which sandbox works on this machine, and which limits it enforces.

Three small programs (`selftest.py`) run at the same time with tight limits. The probe runs once in each
process.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from botequim import interrupts
from botequim.core import clock
from botequim.core.errors import BotequimError, InputError
from botequim.core.limits import EnforcedLimit
from botequim.core.messages import Message, msg, plain
from botequim.core.process import Launch, Program, Sandbox
from botequim.sandbox import argv, selftest
from botequim.sandbox.bubblewrap import Bubblewrap
from botequim.sandbox.instance import EndedFromOutside

SECONDS = 300.0
PACKAGES = {"bwrap": "bubblewrap", "mount": "mount"}
"""The Debian packages of programs that are not in util-linux."""
OF_CONTAINERS = ("mount /proc", "hostname", "RTM_NEWADDR")
"""Signs of what a container engine refuses, and no other machine."""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The sandbox that works here, or the reason why none does."""

    sandbox: Bubblewrap | None
    why: Message | None = None
    """Why there is no sandbox, and how to get one."""
    by_groups: frozenset[EnforcedLimit] = frozenset()
    """The limits that control groups enforce. The others are enforced by other means."""


_result: ProbeResult | None = None


async def probe_bubblewrap() -> ProbeResult:
    """Try bubblewrap, once in each process. Must be called in the main thread."""
    global _result
    if _result is None:
        _result = await _try_bubblewrap()
    return _result


def probe_result() -> ProbeResult:
    """Return the result of the probe. Inside an event loop this works only after an earlier probe."""
    return _result if _result is not None else interrupts.run(probe_bubblewrap())


def best_sandbox() -> Sandbox | None:
    """Return the sandbox for untrusted programs, or None; then `probe_result().why` is the reason."""
    return probe_result().sandbox


def isolating_sandbox() -> Sandbox:
    """Return a sandbox that enforces every limit. Raise InputError with the reason if there is none."""
    result = probe_result()
    if result.sandbox is None:
        assert result.why is not None
        raise InputError(msg("bots of other people cannot be isolated here: {why}", why=result.why))
    require_limits(result.sandbox)
    return result.sandbox


def require_limits(sandbox: Sandbox, limits: Collection[EnforcedLimit] = tuple(EnforcedLimit)) -> None:
    """Raise InputError if a sandbox does not enforce each of these limits."""
    missing = [limit for limit in EnforcedLimit if limit in limits and limit not in sandbox.enforces]
    if missing:
        raise InputError(
            msg(
                'the sandbox "{name}" does not enforce {limits} here: {remedy}',
                name=sandbox.name,
                limits=plain(", ".join(missing)),
                remedy=remedy(missing[0], sandbox),
            )
        )


def remedy(limit: EnforcedLimit, sandbox: Sandbox) -> Message:
    """Return advice on how to get a limit enforced."""
    if sandbox.name == "none":
        return msg("use bubblewrap on Linux, or trust the bots")
    if sandbox.name != Bubblewrap.name:
        return msg("run as root, or let the container engine use control groups version 2")
    if limit in (EnforcedLimit.MEMORY, EnforcedLimit.PROCESSES, EnforcedLimit.CPUS):
        return msg("run as root, or on a newer Linux where you may use control groups version 2")
    return msg("install bubblewrap 0.8 or later")


async def _try_bubblewrap() -> ProbeResult:
    if sys.platform != "linux" or not hasattr(os, "pidfd_open"):
        return ProbeResult(None, msg("bubblewrap works only on Linux"))
    try:
        for name in ("bwrap", "setpriv", "unshare", "mount", "prlimit"):
            argv.tool(name)
    except InputError as error:
        package = PACKAGES.get(str(error.message.values["name"]), "util-linux")
        return ProbeResult(
            None, msg("{error} (apt-get install {package})", error=error.message, package=package)
        )
    sandbox = Bubblewrap()
    try:
        async with clock.timeout(SECONDS):
            enforces = await selftest.repeat_attempt(lambda: _enforced_limits(sandbox))
    except (BotequimError, OSError) as error:
        return ProbeResult(None, _explain(error))
    except TimeoutError:
        return ProbeResult(None, msg("a trial did not end within {seconds} seconds", seconds=SECONDS))
    result = Bubblewrap(enforces, sandbox.group_parents)
    result.private = sandbox.private
    return ProbeResult(result, by_groups=sandbox.enforced_limits & enforces)


async def _enforced_limits(sandbox: Bubblewrap) -> frozenset[EnforcedLimit]:
    with tempfile.TemporaryDirectory(prefix="botequim-") as name:
        secret, folder = selftest.make_test_files(Path(name))
        running = [
            sandbox.start(
                Launch(Program(("/bin/sh", "-c", script), folder), selftest.TIGHT, stdin=False, port=port)
            )
            for script, port in selftest.scripts(secret, folder / "own")
        ]
        try:
            hog, tester, waiter = running
            _, words, _ = await asyncio.gather(
                hog.wait_exit(), selftest.read_words(tester), selftest.check_connection(waiter)
            )
            sandbox.private = sandbox.private or selftest.is_private(words)
            return selftest.enforced_limits(words, hog) | (
                waiter.enforced_limits(selftest.TIGHT) & {EnforcedLimit.CPUS}
            )
        finally:
            await asyncio.gather(*(process.close() for process in running))


def _explain(error: Exception) -> Message:
    why = error.message if isinstance(error, BotequimError) else plain(error)
    text = str(why)
    if isinstance(error, EndedFromOutside):
        return msg("somebody ended the programs that test bubblewrap ({why}): run the command again", why=why)
    if "Unknown option" in text:
        return msg("bubblewrap is too old here; 0.8 or later is needed ({why})", why=why)
    if any(sign in text for sign in OF_CONTAINERS) or (os.geteuid() == 0 and "not permitted" in text):
        return msg(
            "the container engine does not allow it ({why}): docs/how-to/cluster.md says which privileges a "
            "worker in a container needs",
            why=why,
        )
    if os.geteuid() != 0 and any(sign in text for sign in ("namespace", "uid map", "ermission", "ermitted")):
        return msg(
            "user namespaces are disabled for ordinary users ({why}): run as root, or enable "
            "them: sysctl kernel.unprivileged_userns_clone=1, or on Ubuntu "
            "kernel.apparmor_restrict_unprivileged_userns=0",
            why=why,
        )
    return msg("bubblewrap does not work here: {why}", why=why)
