"""Small programs that exceed their limits, to test whether a sandbox enforces them.

One uses too much memory, one tries other forbidden things and prints the results, and one only waits in a
network of its own. They need a shell and a few common programs (`TOOLS`).
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from botequim.core.errors import BotequimError
from botequim.core.limits import MB, EnforcedLimit, Limits
from botequim.core.process import Process
from botequim.sandbox import private
from botequim.sandbox.cgroups import PERIOD
from botequim.sandbox.running import readable

TIGHT: Final = Limits(memory=48 * MB, cpus=1, processes=12, space=MB)
TOOLS: Final = ("sh", "cat", "grep", "head", "nproc", "rm", "sed", "sleep", "tail", "taskset", "wc")
CHILDREN: Final = 50
ATTEMPTS: Final = 4
ENOUGH: Final = 2
"""The number of complete attempts after which a limit that was never enforced counts as not enforced."""
_HOG: Final = f"head -c {1024 * MB} /dev/zero | tail >/dev/null"
_SECRET: Final = "botequim-secret"
# prints a table with the name and the result of each test
_TRIALS: Final = """
echo network $(sed -n 's/^ *\\([^ ]*\\):.*/\\1/p' /proc/net/dev)
echo files $(cat {secret} 2>/dev/null || echo hidden) $( (echo >>{own}) 2>/dev/null && echo written)
head -c {too_much} /dev/zero 2>/dev/null >/tmp/much; echo space $(wc -c </tmp/much); rm /tmp/much
echo private $(grep -c ' /usr .* - overlay {source} ' /proc/self/mountinfo)
echo cpus $(taskset -c 0-4095 nproc 2>/dev/null || nproc)
echo quota $(cat /sys/fs/cgroup/cpu.max /sys/fs/cgroup/cpu/cpu.cfs_quota_us 2>/dev/null)
exec 2>&1
i=0; while [ $i -lt {children} ]; do sleep 300 & i=$((i + 1)); echo process $i; done
"""


def make_test_files(parent: Path) -> tuple[Path, Path]:
    """Create a file that must not be readable, and a folder to run in; return both."""
    secret, folder = parent / "secret", parent / "bot"
    secret.write_text(_SECRET)
    folder.mkdir()
    (folder / "own").touch(0o666)
    return secret, folder


def scripts(secret: Path, read_only: Path) -> tuple[tuple[str, bool], ...]:
    """Return the three programs, and whether each has a port. The path `read_only` must not be writable."""
    words = {"secret": shlex.quote(str(secret)), "own": shlex.quote(str(read_only))}
    tests = _TRIALS.format(too_much=2 * TIGHT.space, children=CHILDREN, source=private.SOURCE, **words)
    return (_HOG, False), (tests, False), ("exec sleep 300", True)


async def read_words(process: Process) -> list[list[str]]:
    """Return the words of each line of the output, until the program has tried to start all processes."""
    await process.wait_running()
    text = b""
    while b"fork" not in text and b"process %d\n" % CHILDREN not in text:
        await readable(process.stdout)
        more = os.read(process.stdout, 1 << 16)
        if not more:
            await process.wait_exit()
            break
        text += more
    return [line.split() for line in text.decode("utf-8", "replace").splitlines()]


async def check_connection(process: Process) -> None:
    """Connect to the process. A refused connection is fine, unless the process has ended."""
    await process.wait_running()
    try:
        (await process.connect()).close()
    except ConnectionRefusedError:
        if process.status is not None:
            await process.wait_exit()


async def repeat_attempt(
    attempt: Callable[[], Awaitable[frozenset[EnforcedLimit]]],
) -> frozenset[EnforcedLimit]:
    """Return the limits that were enforced in at least one attempt. Raise the last error if all failed.

    On a busy machine a program may end before it is observed, and somebody may kill a program of the test. So
    the attempt is repeated unless all limits were enforced. A limit that was enforced once counts as
    enforced.
    """
    holds: frozenset[EnforcedLimit] = frozenset()
    failure: BotequimError | OSError | None = None
    count = 0
    for _ in range(ATTEMPTS):
        try:
            holds |= await attempt()
        except (BotequimError, OSError) as error:
            failure = error
            continue
        count += 1
        if count == ENOUGH or holds == frozenset(EnforcedLimit):
            break
    if not count and failure is not None:
        raise failure
    return holds


def is_private(words: list[list[str]]) -> bool:
    """Return whether the program saw the system's files through an overlay of its own."""
    return ["private", "1"] in words


def enforced_limits(lines: list[list[str]], hog: Process) -> frozenset[EnforcedLimit]:
    table = {words[0]: words[1:] for words in lines if words}
    fork_failed = any("fork" in word for words in lines for word in words)
    processes = sum(words[:1] == ["process"] for words in lines)
    quota = [str(TIGHT.cpus * PERIOD)]
    holds = {
        EnforcedLimit.MEMORY: hog.exceeded is EnforcedLimit.MEMORY,
        EnforcedLimit.PROCESSES: fork_failed and 0 < processes <= TIGHT.processes,
        EnforcedLimit.CPUS: table.get("cpus") == [str(TIGHT.cpus)] or table.get("quota", [])[:1] == quota,
        EnforcedLimit.SPACE: "space" in table and int(table["space"][0]) <= TIGHT.space,
        EnforcedLimit.NETWORK: table.get("network") == ["lo"],
        EnforcedLimit.FILES: table.get("files") == ["hidden"],
    }
    return frozenset(limit for limit, holds_here in holds.items() if holds_here)
