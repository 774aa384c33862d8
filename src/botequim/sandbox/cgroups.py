"""Control groups, where we have permission to make them: version 2, version 1, or a mixture of both.

A group is made for each instance, below our own group or beside it, so that whatever was granted to us
also holds for the bots. The kernel then accounts for all processes of an instance together.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import re
import signal
from dataclasses import dataclass
from pathlib import Path

from botequim.core import clock
from botequim.core.limits import EnforcedLimit, Limits

PERIOD = 100_000
"""The period in microseconds over which processor time is limited."""
OUR_OWN = 2
"""The processes of the sandbox itself that count as the instance's."""
CONTROLLERS = {
    "memory": EnforcedLimit.MEMORY,
    "pids": EnforcedLimit.PROCESSES,
    "cpu": EnforcedLimit.CPUS,
    "cpuacct": None,  # limits nothing, but version 1 counts processor time with it
}
FIRST_RETRY, LAST_RETRY = 0.001, 0.02
"""Seconds between two attempts to remove a group whose last process is ending."""
_PREFIX = "botequim"
_LEFTOVER = re.compile(rf"{_PREFIX}-(\d+)-\w+")
_counter = itertools.count()


@dataclass(frozen=True, slots=True)
class Place:
    """A folder in which groups can be made, and the controllers that they then have."""

    folder: Path
    controllers: frozenset[str]
    version: int


class Accounts:
    """The kernel's figures for a group, in one folder for each controller."""

    def __init__(self, by: dict[str, Path]) -> None:
        self._by = by

    def out_of_memory(self) -> bool:
        """Return whether the kernel has ended a process because memory ran out."""
        events = self._get("memory", "memory.oom_control") + "\n" + self._get("memory", "memory.events")
        return any(line.startswith("oom_kill ") and line != "oom_kill 0" for line in events.splitlines())

    def out_of_processes(self) -> bool:
        """Return whether the limit of processes has prevented a new one."""
        events = self._get("pids", "pids.events").split()
        return events[:1] == ["max"] and events[1:] != ["0"]

    def peak(self) -> int | None:
        """Return the peak of memory in bytes."""
        for name in ("memory.memsw.max_usage_in_bytes", "memory.max_usage_in_bytes", "memory.peak"):
            if value := self._get("memory", name):
                return int(value)
        return None

    def cpu(self) -> float | None:
        """Return the seconds of processor time."""
        if nanoseconds := self._get("cpuacct", "cpuacct.usage"):
            return int(nanoseconds) / 1e9
        for line in self._get("cpu", "cpu.stat").splitlines():
            if line.startswith("usage_usec "):
                return int(line.split()[1]) / 1e6
        return None

    def _get(self, controller: str, name: str) -> str:
        if controller in self._by:
            with contextlib.suppress(OSError):
                return (self._by[controller] / name).read_text().strip()
        return ""


class Group(Accounts):
    """The control group of one instance, in one folder or in one for each controller."""

    def __init__(self, places: tuple[Place, ...]) -> None:
        super().__init__({})
        self._places = places
        self._name = f"{_PREFIX}-{os.getpid()}-{next(_counter)}"
        self.folders: list[Path] = []
        try:
            for place in places:
                folder = place.folder / self._name
                folder.mkdir()
                self.folders.append(folder)
                self._by |= dict.fromkeys(place.controllers, folder)
        except OSError:
            self.remove()
            raise

    @property
    def entry_files(self) -> list[str]:
        """The files to which a process with one thread writes `0` to join the group."""
        # version 1 moves a single thread without the lock that every other move waits for, some 10 ms
        names = {1: "tasks", 2: "cgroup.procs"}
        return [
            str(folder / names[place.version])
            for place, folder in zip(self._places, self.folders, strict=True)
        ]

    def limit(self, limits: Limits, own_processes: int = OUR_OWN) -> None:
        """Set the limits. Memory includes swap and the temporary files, which are in memory."""
        memory = limits.memory
        quota = limits.cpus * PERIOD
        self._set("memory", "memory.limit_in_bytes", memory)
        self._set("memory", "memory.memsw.limit_in_bytes", memory)
        with contextlib.suppress(OSError):  # version 1 counts what waits in TCP connections apart, if at all
            self._set("memory", "memory.kmem.tcp.limit_in_bytes", memory // 4)
        self._set("memory", "memory.max", memory)
        self._set("memory", "memory.swap.max", 0)
        self._set("memory", "memory.oom.group", 1)
        self._set("pids", "pids.max", limits.processes + own_processes)
        self._set("cpu", "cpu.cfs_period_us", PERIOD)
        self._set("cpu", "cpu.cfs_quota_us", quota)
        self._set("cpu", "cpu.max", f"{quota} {PERIOD}")

    def enforced_limits(self, limits: Limits) -> frozenset[EnforcedLimit]:
        """Return those of the limits that the kernel reports as set."""
        memory, quota = limits.memory, limits.cpus * PERIOD
        found = set()
        if str(memory) in (self._get("memory", "memory.limit_in_bytes"), self._get("memory", "memory.max")):
            found.add(EnforcedLimit.MEMORY)
        if self._get("pids", "pids.max") == str(limits.processes + OUR_OWN):
            found.add(EnforcedLimit.PROCESSES)
        if str(quota) in (self._get("cpu", "cpu.cfs_quota_us"), self._get("cpu", "cpu.max").split(" ")[0]):
            found.add(EnforcedLimit.CPUS)
        return frozenset(found)

    def add(self, pid: int) -> None:
        """Move a process of any number of threads into it."""
        for folder in self.folders:
            (folder / "cgroup.procs").write_text(str(pid))

    def members(self) -> list[int]:
        found: set[int] = set()
        for folder in self.folders[:1]:  # they all have the same
            with contextlib.suppress(OSError):
                found |= {int(pid) for pid in (folder / "cgroup.procs").read_text().split()}
        return sorted(found)

    def kill(self) -> None:
        """End every process in it."""
        for folder in self.folders:
            with contextlib.suppress(OSError):
                if (folder / "cgroup.kill").exists():
                    (folder / "cgroup.kill").write_text("1")
        for pid in self.members():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def remove(self) -> bool:
        """Remove the group, and return whether it is gone. Its last process must end before."""
        for folder in tuple(self.folders):
            try:
                folder.rmdir()
            except FileNotFoundError:
                pass
            except OSError:
                continue
            self.folders.remove(folder)
        return not self.folders

    async def end(self) -> None:
        """End every process in it, and remove it."""
        pause = FIRST_RETRY
        while not self.remove():
            self.kill()
            await clock.pause(pause)
            pause = min(2 * pause, LAST_RETRY)

    def _set(self, controller: str, name: str, value: object) -> None:
        """Write a value if the file exists: versions 1 and 2 have files with different names."""
        if controller in self._by:
            path = self._by[controller] / name
            if path.exists():
                path.write_text(str(value))


@functools.cache
def places() -> tuple[Place, ...]:
    """Return where groups can be made on this machine, which is found out by making some."""
    own = _groups("self")
    found: list[Place] = []
    missing = set(CONTROLLERS)
    for kind, mount, below in _mounts():
        names = frozenset(kind.split(",")) & missing if kind else frozenset(missing)
        group = own.get("" if not kind else next(iter(names), "-"))
        if not names or group is None:
            continue
        folder = mount / os.path.relpath(group, below)
        place = _first_version(folder, names) if kind else _second_version(folder, mount, names)
        if place is not None:
            _sweep(place.folder)
            found.append(place)
            missing -= place.controllers
    return tuple(found)


def of(pid: int) -> Accounts:
    """Return the figures of the group that another program made for a process, if they can be read here."""
    groups = _groups(str(pid))
    by: dict[str, Path] = {}
    for kind, mount, below in _mounts():
        for name in kind.split(",") if kind else CONTROLLERS:
            group = groups.get(name if kind else "")
            if group is not None and name not in by:
                by[name] = mount / os.path.relpath(group, below)
    return Accounts(by)


def adopt(pid: int, limits: Limits, own_processes: int) -> Group | None:
    """Move a process that another program limits into a group of our own with the same limits.

    An engine removes its group soon after the end, together with the kernel's figures; ours stays until they
    are read. Return None in version 2, in which an engine may need its process where it is.
    """
    if not (first_version := tuple(place for place in places() if place.version == 1)):
        return None
    try:
        group = Group(first_version)
    except OSError:
        return None
    try:
        group.limit(limits, own_processes)
        group.add(pid)
    except OSError:
        group.remove()
        return None
    return group


def _groups(pid: str) -> dict[str, str]:
    """Return the groups of a process, by controller. The group of version 2 has the name ""."""
    found: dict[str, str] = {}
    with contextlib.suppress(OSError):
        for line in Path("/proc", pid, "cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            found |= dict.fromkeys(controllers.split(","), path)
    return found


def _mounts() -> list[tuple[str, Path, str]]:
    """Return the mounted hierarchies: the controllers of version 1, if any, the folder and the part."""
    found = []
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/mountinfo").read_text().splitlines():
            before, _, after = line.partition(" - ")
            root, mount = before.split()[3:5]
            kind, _, options = after.split()
            if kind == "cgroup2":
                found.append(("", Path(mount), root))
            elif kind == "cgroup":
                controllers = set(options.split(",")) & set(CONTROLLERS)
                if controllers:
                    found.append((",".join(sorted(controllers)), Path(mount), root))
    return sorted(found, key=lambda mount: mount[0], reverse=True)


def _first_version(folder: Path, names: frozenset[str]) -> Place | None:
    return Place(folder, names, 1) if _can_make(folder, frozenset()) else None


def _second_version(folder: Path, mount: Path, names: frozenset[str]) -> Place | None:
    """Return the nearest group that can pass on its controllers. A group with processes of its own cannot."""
    while folder.is_relative_to(mount):
        for name in names:
            with contextlib.suppress(OSError):
                (folder / "cgroup.subtree_control").write_text(f"+{name}")
        with contextlib.suppress(OSError):
            handed = names & set((folder / "cgroup.subtree_control").read_text().split())
            if {"memory", "pids"} & names <= handed and handed and _can_make(folder, handed):
                return Place(folder, handed, 2)
        folder = folder.parent
    return None


def _can_make(folder: Path, controllers: frozenset[str]) -> bool:
    trial = folder / f"{_PREFIX}-{os.getpid()}-trial{next(_counter)}"
    try:
        trial.mkdir()
        return all(any(trial.glob(f"{name}.*")) for name in controllers)
    except OSError:
        return False
    finally:
        with contextlib.suppress(OSError):
            trial.rmdir()


def _sweep(folder: Path) -> None:
    """Remove the groups of processes of ours that were killed. A group in use cannot be removed."""
    for leftover in folder.glob(f"{_PREFIX}-*"):
        name = _LEFTOVER.fullmatch(leftover.name)
        if name and not Path("/proc", name[1]).exists():
            with contextlib.suppress(OSError):
                leftover.rmdir()
