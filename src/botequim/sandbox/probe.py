"""Which sandbox there is on this machine, and what it really enforces: found out by trying.

Three small programs (`trials.py`) are run at once with tight limits.
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
from botequim.core.limits import Enforced
from botequim.core.messages import Message, msg, plain
from botequim.core.process import Program, Sandbox
from botequim.sandbox import chain, trials
from botequim.sandbox.bubblewrap import Bubblewrap
from botequim.sandbox.instance import EndedFromOutside

SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Found:
    """What came of it."""

    sandbox: Bubblewrap | None
    why: Message | None = None
    """Why there is none, and how to get it."""
    by_groups: frozenset[Enforced] = frozenset()
    """What control groups enforce; the rest has other means."""


_found: Found | None = None


async def find() -> Found:
    """Try it, once in the life of this process. Must be called in the main thread."""
    global _found
    if _found is None:
        _found = await _try_bubblewrap()
    return _found


def found() -> Found:
    """The same, where no event loop runs; also in one, when it was found before."""
    return _found if _found is not None else interrupts.run(find())


def best() -> Sandbox | None:
    """The sandbox for strangers' programs; None when there is none, and `found().why` says why."""
    return found().sandbox


def isolated() -> Sandbox:
    """The sandbox for strangers' programs. Refuses, and says what is missing, when it would not hold."""
    there = found()
    if there.sandbox is None:
        assert there.why is not None
        raise InputError(msg("strangers' programs cannot be isolated here: {why}", why=there.why))
    require(there.sandbox)
    return there.sandbox


def require(sandbox: Sandbox, limits: Collection[Enforced] = tuple(Enforced)) -> None:
    """Refuse a sandbox that does not enforce each of these limits."""
    missing = [limit for limit in Enforced if limit in limits and limit not in sandbox.enforces]
    if missing:
        raise InputError(
            msg(
                'the sandbox "{name}" does not enforce {limits} here: {remedy}',
                name=sandbox.name,
                limits=plain(", ".join(missing)),
                remedy=remedy(missing[0], sandbox),
            )
        )


def remedy(limit: Enforced, sandbox: Sandbox) -> Message:
    """How a limit that is not enforced can be had."""
    if sandbox.name == "none":
        return msg("use bubblewrap on Linux, or trust the bots")
    if sandbox.name != Bubblewrap.name:
        return msg("run as root, or let the engine use control groups of version 2")
    if limit in (Enforced.MEMORY, Enforced.PROCESSES, Enforced.CPUS):
        return msg("run as root, or on a newer Linux with control groups of version 2 that you may use")
    return msg("install bubblewrap 0.8 or later")


async def _try_bubblewrap() -> Found:
    if sys.platform != "linux" or not hasattr(os, "pidfd_open"):
        return Found(None, msg("bubblewrap works on Linux only"))
    try:
        for name in ("bwrap", "setpriv", "unshare", "mount", "prlimit"):
            chain.tool(name)
    except InputError as error:
        package = "bubblewrap" if error.message.values["name"] == "bwrap" else "util-linux"
        return Found(None, msg("{error} (apt-get install {package})", error=error.message, package=package))
    sandbox = Bubblewrap()
    try:
        async with clock.timeout(SECONDS):
            enforces = await trials.tried(lambda: _tried(sandbox))
    except (BotequimError, OSError) as error:
        return Found(None, _explained(error))
    except TimeoutError:
        return Found(None, msg("a trial did not end within {seconds} seconds", seconds=SECONDS))
    found = Bubblewrap(enforces, sandbox.places)
    found.private = sandbox.private
    return Found(found, by_groups=sandbox.accounted & enforces)


async def _tried(sandbox: Bubblewrap) -> frozenset[Enforced]:
    with tempfile.TemporaryDirectory(prefix="botequim-") as name:
        secret, folder = trials.laid_out(Path(name))
        running = [
            sandbox.start(Program(("/bin/sh", "-c", script), folder), trials.TIGHT, input=False, port=port)
            for script, port in trials.scripts(secret, folder / "own")
        ]
        try:
            hog, tester, waiter = running
            _, said, _ = await asyncio.gather(hog.exited(), trials.said(tester), trials.reached(waiter))
            sandbox.private = sandbox.private or trials.is_private(said)
            return trials.held(said, hog) | (waiter.accounted(trials.TIGHT) & {Enforced.CPUS})
        finally:
            await asyncio.gather(*(process.close() for process in running))


def _explained(error: Exception) -> Message:
    why = error.message if isinstance(error, BotequimError) else plain(error)
    said = str(why)
    if isinstance(error, EndedFromOutside):
        return msg("somebody ended the programs that try bubblewrap out ({why}): run this again", why=why)
    if "Unknown option" in said:
        return msg("bubblewrap is too old here; 0.8 or later is needed ({why})", why=why)
    if os.geteuid() != 0 and any(sign in said for sign in ("namespace", "uid map", "ermission", "ermitted")):
        return msg(
            "user namespaces are switched off for ordinary users ({why}): run as root, or have them "
            "switched on: sysctl kernel.unprivileged_userns_clone=1, or on Ubuntu "
            "kernel.apparmor_restrict_unprivileged_userns=0",
            why=why,
        )
    return msg("bubblewrap does not work here: {why}", why=why)
