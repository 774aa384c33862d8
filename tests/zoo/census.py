"""Who is there: all that a bot of this process could leave on the machine.

Others play on the same machine at the same time, so only what is surely ours is counted: what descends from
this process, runs as one of the users or in one of the control groups that its instances are given, or
carries its mark.
"""

from __future__ import annotations

import contextlib
import gc
import os
import time
from collections.abc import Iterator
from pathlib import Path

from botequim.sandbox import argv, cgroups
from botequim.sandbox.procfs import descendants
from tests.support.pace import PATIENCE

Census = dict[str, list[str]]
SHARED = ("/proc/sysvipc/shm", "/proc/sysvipc/sem")
LEFT_BY_BOTS = 0x2007
"""The key of what animals share with nobody."""


def census(mark: str, *folders: Path) -> Census:
    """What is there of ours; `mark` is a word that our bots' processes and files have in them."""
    gc.collect()  # what other tests let go of is not closed in the middle of ours
    mounts = Path("/proc/self/mountinfo").read_text().splitlines()
    return {
        "processes": sorted(_processes(mark)),
        "mounts": [line for line in mounts if mark in line or "botequim" in line],
        "networks": [path.name for path in Path("/run/netns").glob("*") if mark in path.name],
        "groups": [
            str(path)
            for place in cgroups.group_parents()
            for path in place.folder.glob(f"botequim-{os.getpid()}-*")
        ],
        "shared memory": [
            line for file in SHARED for line in Path(file).read_text().splitlines() if _left(line)
        ],
        "descriptors": sorted(os.listdir("/proc/self/fd")),  # noqa: PTH208
        "files": sorted(str(path) for folder in folders for path in folder.rglob("*")),
    }


def as_before(before: Census, mark: str, *folders: Path) -> Census:
    """The census once it is `before` again, or after a while: the system may take a moment to clear away."""
    deadline = time.monotonic() + PATIENCE
    while (now := census(mark, *folders)) != before and time.monotonic() < deadline:
        time.sleep(0.05)
    return now


def _processes(mark: str) -> Iterator[str]:
    """By number, moment of birth and name. What still runs in a namespace, runs in a process."""
    ours = set(descendants(os.getpid()))
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            pid = int(folder.name)
            if pid != os.getpid() and (pid in ours or _is_of_ours(folder, mark)):
                stat = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
                words = (folder / "cmdline").read_bytes().replace(b"\0", b" ")[:80].decode("utf-8", "replace")
                if stat[0] != "Z":  # dead: whoever started it need not have looked
                    yield f"{pid} {stat[19]} {words}"


def _is_of_ours(folder: Path, mark: str) -> bool:
    uid = folder.stat().st_uid
    if os.geteuid() == 0 and uid in _users():
        return True
    if f"botequim-{os.getpid()}-" in (folder / "cgroup").read_text():
        return True
    return mark.encode() in (folder / "environ").read_bytes()


def _users() -> set[int]:
    """Everybody that our instances may be: see `chain.own_uid`."""
    one = argv.own_uid()
    return {one - one % 256 + at for at in range(256)} if one >= argv.FIRST_UID else {one}


def _left(line: str) -> bool:
    return line.split()[:1] == [str(LEFT_BY_BOTS)]
