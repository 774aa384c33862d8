"""Control groups, if this process may create them: version 2, version 1, or a mixture of both.

Each instance gets a group, below the group of this process or beside it, so that limits of this process hold
for bots too. The kernel then accounts for all processes of an instance together.
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
OWN_PROCESSES = 2
"""The number of processes of the sandbox itself that are in the group of an instance."""
CONTROLLERS = {
    "memory": EnforcedLimit.MEMORY,
    "pids": EnforcedLimit.PROCESSES,
    "cpu": EnforcedLimit.CPUS,
    "cpuacct": None,  # has no limit, but in version 1 it counts processor time
}
FIRST_RETRY, LAST_RETRY = 0.001, 0.02
"""The seconds between attempts to remove a group whose last process is ending: at first, and at most."""
_PREFIX = "botequim"
_LEFTOVER = re.compile(rf"{_PREFIX}-(\d+)-\w+")
_counter = itertools.count()


@dataclass(frozen=True, slots=True)
class GroupParent:
    """A folder in which groups can be created, and the controllers of these groups."""

    folder: Path
    controllers: frozenset[str]
    version: int


class Accounts:
    """The kernel's figures for a group, in one folder for each controller."""

    def __init__(self, by: dict[str, Path]) -> None:
        self._by = by

    def out_of_memory(self) -> bool:
        """Return whether the kernel has killed a process because the memory limit was reached."""
        events = self._get("memory", "memory.oom_control") + "\n" + self._get("memory", "memory.events")
        return any(line.startswith("oom_kill ") and line != "oom_kill 0" for line in events.splitlines())

    def out_of_processes(self) -> bool:
        """Return whether a new process was refused because of the limit."""
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

    def __init__(self, parents: tuple[GroupParent, ...]) -> None:
        super().__init__({})
        self._parents = parents
        self.folders: list[Path] = []
        while len(self.folders) < len(parents):
            # a process with the same id may have been killed, and have left groups
            with contextlib.suppress(FileExistsError):
                self._make_folders(f"{_PREFIX}-{os.getpid()}-{next(_counter)}")

    def _make_folders(self, name: str) -> None:
        try:
            for parent in self._parents:
                folder = parent.folder / name
                folder.mkdir()
                self.folders.append(folder)
                self._by |= dict.fromkeys(parent.controllers, folder)
        except OSError:
            self.remove()
            raise

    @property
    def entry_files(self) -> list[str]:
        """The files to which a process with one thread writes `0` to join the group."""
        # in version 1, moving a single thread needs no global lock, which would take some 10 ms
        names = {1: "tasks", 2: "cgroup.procs"}
        return [
            str(folder / names[parent.version])
            for parent, folder in zip(self._parents, self.folders, strict=True)
        ]

    def limit(self, limits: Limits, own_processes: int = OWN_PROCESSES) -> None:
        """Set the limits. Memory includes swap, and temporary files, because they are in memory."""
        memory = limits.memory
        quota = limits.cpus * PERIOD
        self._set("memory", "memory.limit_in_bytes", memory)
        self._set("memory", "memory.memsw.limit_in_bytes", memory)
        with contextlib.suppress(OSError):  # version 1 counts TCP buffers separately, if at all
            self._set("memory", "memory.kmem.tcp.limit_in_bytes", memory // 4)
        self._set("memory", "memory.max", memory)
        self._set("memory", "memory.swap.max", 0)
        self._set("memory", "memory.oom.group", 1)
        self._set("pids", "pids.max", limits.processes + own_processes)
        self._set("cpu", "cpu.cfs_period_us", PERIOD)
        self._set("cpu", "cpu.cfs_quota_us", quota)
        self._set("cpu", "cpu.max", f"{quota} {PERIOD}")

    def enforced_limits(self, limits: Limits) -> frozenset[EnforcedLimit]:
        """Return the limits that are set according to the kernel."""
        memory, quota = limits.memory, limits.cpus * PERIOD
        limits_set = set()
        if str(memory) in (self._get("memory", "memory.limit_in_bytes"), self._get("memory", "memory.max")):
            limits_set.add(EnforcedLimit.MEMORY)
        if self._get("pids", "pids.max") == str(limits.processes + OWN_PROCESSES):
            limits_set.add(EnforcedLimit.PROCESSES)
        if str(quota) in (self._get("cpu", "cpu.cfs_quota_us"), self._get("cpu", "cpu.max").split(" ")[0]):
            limits_set.add(EnforcedLimit.CPUS)
        return frozenset(limits_set)

    def add(self, pid: int) -> None:
        """Move a process with all its threads into the group."""
        for folder in self.folders:
            (folder / "cgroup.procs").write_text(str(pid))

    def members(self) -> list[int]:
        pids: set[int] = set()
        for folder in self.folders[:1]:  # all folders have the same members
            with contextlib.suppress(OSError):
                pids |= {int(pid) for pid in (folder / "cgroup.procs").read_text().split()}
        return sorted(pids)

    def kill(self) -> None:
        """Kill every process in the group."""
        for folder in self.folders:
            with contextlib.suppress(OSError):
                if (folder / "cgroup.kill").exists():
                    (folder / "cgroup.kill").write_text("1")
        for pid in self.members():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def remove(self) -> bool:
        """Remove the group. Return False while it still has processes."""
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
        """Kill every process in the group, and remove the group."""
        pause = FIRST_RETRY
        while not self.remove():
            self.kill()
            await clock.pause(pause)
            pause = min(2 * pause, LAST_RETRY)

    def _set(self, controller: str, name: str, value: object) -> None:
        """Write a value if the file exists. Versions 1 and 2 have files with different names."""
        if controller in self._by:
            path = self._by[controller] / name
            if path.exists():
                path.write_text(str(value))


@functools.cache
def group_parents() -> tuple[GroupParent, ...]:
    """Return the folders in which groups can be created on this machine. It is found out by creating some."""
    own = _groups("self")
    parents: list[GroupParent] = []
    missing = set(CONTROLLERS)
    for kind, mount, below in _mounts():
        names = frozenset(kind.split(",")) & missing if kind else frozenset(missing)
        group = own.get("" if not kind else next(iter(names), "-"))
        if not names or group is None:
            continue
        folder = mount / os.path.relpath(group, below)
        parent = _first_version(folder, names) if kind else _second_version(folder, mount, names)
        if parent is not None:
            _remove_leftovers(parent.folder)
            parents.append(parent)
            missing -= parent.controllers
    return tuple(parents)


def of(pid: int) -> Accounts:
    """Return the figures of the group in which another program put a process, if they can be read here."""
    groups = _groups(str(pid))
    by: dict[str, Path] = {}
    for kind, mount, below in _mounts():
        for name in kind.split(",") if kind else CONTROLLERS:
            group = groups.get(name if kind else "")
            if group is not None and name not in by:
                by[name] = mount / os.path.relpath(group, below)
    return Accounts(by)


def adopt(pid: int, limits: Limits, own_processes: int) -> Group | None:
    """Move a process from the group of another program into a new group with the same limits.

    A container engine removes its group, with the kernel's figures, soon after the end. The new group stays
    until they are read. Return None in version 2, because there the engine may need its process in its own
    group.
    """
    if not (first_version := tuple(parent for parent in group_parents() if parent.version == 1)):
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
    groups: dict[str, str] = {}
    with contextlib.suppress(OSError):
        for line in Path("/proc", pid, "cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            groups |= dict.fromkeys(controllers.split(","), path)
    return groups


def _mounts() -> list[tuple[str, Path, str]]:
    """Return the mounted hierarchies: the controllers of version 1 or "", the folder, and the mounted
    root."""
    hierarchies = []
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/mountinfo").read_text().splitlines():
            before, _, after = line.partition(" - ")
            root, mount = before.split()[3:5]
            kind, _, options = after.split()
            if kind == "cgroup2":
                hierarchies.append(("", Path(mount), root))
            elif kind == "cgroup":
                controllers = set(options.split(",")) & set(CONTROLLERS)
                if controllers:
                    hierarchies.append((",".join(sorted(controllers)), Path(mount), root))
    return sorted(hierarchies, key=lambda mount: mount[0], reverse=True)


def _first_version(folder: Path, names: frozenset[str]) -> GroupParent | None:
    return GroupParent(folder, names, 1) if _can_make(folder, frozenset()) else None


def _second_version(folder: Path, mount: Path, names: frozenset[str]) -> GroupParent | None:
    """Return the nearest group that can delegate its controllers. A group with processes of its own
    cannot."""
    while folder.is_relative_to(mount):
        for name in names:
            with contextlib.suppress(OSError):
                (folder / "cgroup.subtree_control").write_text(f"+{name}")
        with contextlib.suppress(OSError):
            controllers = names & set((folder / "cgroup.subtree_control").read_text().split())
            if {"memory", "pids"} & names <= controllers and controllers and _can_make(folder, controllers):
                return GroupParent(folder, controllers, 2)
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


def _remove_leftovers(folder: Path) -> None:
    """Remove groups that killed processes of Botequim left behind. A group in use cannot be removed."""
    for leftover in folder.glob(f"{_PREFIX}-*"):
        name = _LEFTOVER.fullmatch(leftover.name)
        if name and not Path("/proc", name[1]).exists():
            with contextlib.suppress(OSError):
                leftover.rmdir()
