"""Which sandbox there is on this machine, and what it really enforces: found out by trying.

Three small programs are run at once with tight limits. One takes more memory than it may, one tries whatever
else it must not be able to do and tells how far it came, one only waits in a network of its own.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
import tempfile
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from botequim.core.errors import BotequimError, InputError
from botequim.core.limits import MB, Enforced, Limits
from botequim.core.messages import Message, msg, plain
from botequim.core.process import Program, Sandbox
from botequim.sandbox import chain
from botequim.sandbox.bubblewrap import Bubblewrap
from botequim.sandbox.instance import BubblewrapProcess
from botequim.sandbox.running import readable

SECONDS = 10.0
TIGHT = Limits(memory=48 * MB, cpus=1, processes=12, space=MB)
HOG = 1024 * MB
SECRET = "botequim-secret"
MEMORY_HOG = f"head -c {HOG} /dev/zero | tail >/dev/null"
# what it prints is a table of names and what was found
TRIALS = """
echo network $(sed -n 's/^ *\\([^ ]*\\):.*/\\1/p' /proc/net/dev)
echo files $(cat {secret} 2>/dev/null || echo hidden) $( (echo >>{folder}/own) 2>/dev/null && echo written)
head -c {too_much} /dev/zero 2>/dev/null >/tmp/much; echo space $(wc -c </tmp/much); rm /tmp/much
echo cpus $(taskset -c 0-4095 nproc 2>/dev/null || nproc)
exec 2>&1
i=0; while [ $i -lt {children} ]; do sleep 10 & i=$((i + 1)); echo process $i; done
"""
CHILDREN = 50


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
    return _found if _found is not None else asyncio.run(find())


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
    if sandbox.name != Bubblewrap.name:
        return msg("use bubblewrap on Linux, or trust the bots")
    if limit in (Enforced.MEMORY, Enforced.PROCESSES, Enforced.CPUS):
        return msg("run as root, or on a newer Linux with control groups of version 2 that you may use")
    return msg("install bubblewrap 0.8 or later")


async def _try_bubblewrap() -> Found:
    if sys.platform != "linux" or not hasattr(os, "pidfd_open"):
        return Found(None, msg("bubblewrap works on Linux only"))
    try:
        for name in ("bwrap", "setpriv", "unshare"):
            chain.tool(name)
    except InputError as error:
        package = "bubblewrap" if error.message.values["name"] == "bwrap" else "util-linux"
        return Found(None, msg("{error} (apt-get install {package})", error=error.message, package=package))
    sandbox = Bubblewrap()
    try:
        async with asyncio.timeout(SECONDS):
            enforces = await _tried(sandbox)
    except (BotequimError, OSError) as error:
        return Found(None, _explained(error))
    except TimeoutError:
        return Found(None, msg("a trial did not end within {seconds} seconds", seconds=SECONDS))
    return Found(Bubblewrap(enforces, sandbox.places), by_groups=sandbox.accounted & enforces)


async def _tried(sandbox: Bubblewrap) -> frozenset[Enforced]:
    with tempfile.TemporaryDirectory(prefix="botequim-") as name:
        folder, trials = _prepared(Path(name))
        running = [
            sandbox.start(Program(("/bin/sh", "-c", script), folder), TIGHT, input=False, port=port)
            for script, port in ((MEMORY_HOG, False), (trials, False), ("exec sleep 10", True))
        ]
        try:
            hog, tester, waiter = running
            _, said, _ = await asyncio.gather(hog.exited(), _said(tester), _reached(waiter))
            return _enforced(said, hog, waiter)
        finally:
            await asyncio.gather(*(process.close() for process in running))


def _prepared(home: Path) -> tuple[Path, str]:
    """The bot's folder, and the script for it."""
    (home / "secret").write_text(SECRET)
    (home / "bot").mkdir()
    (home / "bot" / "own").touch(0o666)
    paths = {"secret": home / "secret", "folder": home / "bot"}
    words = {name: shlex.quote(str(path)) for name, path in paths.items()}
    return home / "bot", TRIALS.format(too_much=2 * TIGHT.space, children=CHILDREN, **words)


async def _said(process: BubblewrapProcess) -> list[list[str]]:
    """What it said, in words, until it is refused a process, or has them all."""
    await process.running()
    text = b""
    while b"fork" not in text and b"process %d\n" % CHILDREN not in text:
        await readable(process.stdout)
        more = os.read(process.stdout, 1 << 16)
        if not more:
            await process.exited()
            break
        text += more
    return [line.split() for line in text.decode("utf-8", "replace").splitlines()]


async def _reached(process: BubblewrapProcess) -> None:
    """Whether its network can be spoken to."""
    await process.running()
    try:
        (await process.connect()).close()
    except ConnectionRefusedError:
        if process.status is not None:
            await process.exited()


def _enforced(
    said: list[list[str]], hog: BubblewrapProcess, waiter: BubblewrapProcess
) -> frozenset[Enforced]:
    by_groups = waiter.accounted(TIGHT)
    table = {words[0]: words[1:] for words in said if words}
    refused = any("fork" in word for words in said for word in words)
    processes = sum(words[:1] == ["process"] for words in said)
    holds = {
        Enforced.MEMORY: hog.exceeded is Enforced.MEMORY,
        Enforced.PROCESSES: refused and 0 < processes <= TIGHT.processes,
        Enforced.CPUS: Enforced.CPUS in by_groups or table.get("cpus") == [str(TIGHT.cpus)],
        Enforced.SPACE: "space" in table and int(table["space"][0]) <= TIGHT.space,
        Enforced.NETWORK: table.get("network") == ["lo"],
        Enforced.FILES: table.get("files") == ["hidden"],
    }
    return frozenset(limit for limit, held in holds.items() if held)


def _explained(error: Exception) -> Message:
    why = error.message if isinstance(error, BotequimError) else plain(error)
    said = str(why)
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
