"""Things that a run of the tests could leave on the machine after all its processes should have ended."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from botequim.sandbox import cgroups
from botequim.sandbox.containers.reaper import LABEL
from tests.support import processes
from tests.support.processes import Process

RUN: Final = "BOTEQUIM_TEST_RUN"
"""The environment variable that names the folder of the run."""
NAMESPACES: Final = Path("/run/netns")
GROUP: Final = re.compile(r"botequim-(\d+)-\w+")
ENGINE: Final = "podman"
RUNTIME: Final = "runtime"
"""The folder of the run, within its own, that an ordinary user's podman keeps its state in."""


def of_the_machine() -> frozenset[str]:
    """Return what is there before the run: others may be using the machine."""
    return frozenset([*_groups(), *_namespaces()])


def end_those_of(folder: Path, before: frozenset[str], helpers: set[int], patience: float) -> list[str]:
    """End and remove what is left of the run with this folder, except `helpers`; return what that was."""
    limit = time.monotonic() + patience
    while (left := list(_left(folder, before, helpers))) and time.monotonic() < limit:
        time.sleep(0.2)
    processes.end(_processes(folder, helpers))
    for group in set(_groups()) - before:
        with contextlib.suppress(OSError):
            Path(group).rmdir()
    return left + [f"container {name}" for name in _removed_containers(folder)]


def _left(folder: Path, before: frozenset[str], helpers: set[int]) -> Iterator[str]:
    yield from map(processes.command, _processes(folder, helpers))
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        if str(folder) in line:
            yield f"mount {line.split()[4]}"
    if set(processes.carrying(RUN).values()) <= {str(folder)}:
        # no other run is on this machine: what bears nobody's name is ours
        cgroups.group_parents.cache_clear()
        cgroups.group_parents()  # removes the groups of those of us that were killed
        yield from (f"control group {group}" for group in set(_groups()) - before)
        yield from (f"network namespace {name}" for name in set(_namespaces()) - before)


def _processes(folder: Path, helpers: set[int]) -> list[Process]:
    return [
        one for one, run in processes.carrying(RUN).items() if run == str(folder) and one.pid not in helpers
    ]


def _groups() -> Iterator[str]:
    """Yield the control groups made for a process of Botequim that is not there any more."""
    for place in cgroups.group_parents():
        for path in place.folder.glob("botequim-*"):
            name = GROUP.fullmatch(path.name)
            if name and not Path("/proc", name[1]).exists():
                yield str(path)


def _namespaces() -> Iterator[str]:
    if NAMESPACES.is_dir():
        yield from (str(path) for path in NAMESPACES.iterdir())


def _removed_containers(folder: Path) -> list[str]:
    """Remove the containers whose command names the folder of the run: their filter of calls lies in it."""
    if not shutil.which(ENGINE) or (os.geteuid() != 0 and not pause_process(folder)):
        return []  # an ordinary user's containers are in the home of the run, if it used podman at all
    names = _engine_output("ps", "--all", "--quiet", "--filter", f"label={LABEL}").split()
    found = []
    for name in names:
        with contextlib.suppress(ValueError):
            (facts,) = json.loads(_engine_output("inspect", "--type", "container", name))
            if str(folder) in json.dumps(facts):
                found.append(str(facts["Name"]))
                _engine_output("rm", "--force", "--time=0", "--volumes", name)
    return found


def pause_process(folder: Path) -> int | None:
    """Return the process by which an ordinary user's podman holds its user namespace, if it has one."""
    try:
        return int(Path(folder, RUNTIME, "libpod", "tmp", "pause.pid").read_text())
    except (OSError, ValueError):
        return None


def end_rootless_podman(folder: Path) -> None:
    """Remove an ordinary user's images, whose files belong to other users, and end podman's process."""
    if pid := pause_process(folder):
        _engine_output("unshare", "rm", "-rf", str(folder / "home" / ".local" / "share" / "containers"))
        processes.end(one for one in _processes(folder, set()) if one.pid == pid)


def _engine_output(*words: str) -> str:
    try:
        ran = subprocess.run([ENGINE, *words], capture_output=True, text=True, timeout=120, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ran.stdout
