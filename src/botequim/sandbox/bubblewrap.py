"""The sandbox for untrusted programs, with bubblewrap.

A chain of small programs (`argv.py`) starts an instance. Each of them executes the next:

    setpriv     asks the system to end it when we end
    unshare     makes namespaces of processes and mounts, and waits until the end
    sh          joins the control group, where there is one, and mounts what is private (`private.py`)
    prlimit     only as an ordinary user: sets resource limits for bwrap's own processes
    bwrap       makes the namespaces and the view of the file system (`mounts.py`)
    setpriv     only as root: becomes a user that nothing else runs as
    sh          sets the resource limits, reports that everything is ready, becomes the bot

For bots with a port, `launcher.py` comes after the first `unshare` and stays, in a network namespace. Root
needs no user namespace; for an ordinary user everything happens in one.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
from typing import Any

from botequim.core.errors import InputError
from botequim.core.limits import EnforcedLimit, Limits
from botequim.core.messages import msg
from botequim.core.process import Launch, Program
from botequim.sandbox import argv, cgroups, launcher, mounts, private, seccomp
from botequim.sandbox.instance import BubblewrapProcess
from botequim.sandbox.netns import NetnsConnector
from botequim.sandbox.pipes import Pipes
from botequim.sandbox.spawn import spawn

REPORT, FILTER, READY, ARGUMENTS, PASSWD, GROUP, HOSTS = argv.REPORT, 4, argv.READY, 6, 7, 8, 9
"""Descriptors in the chain, after the usual three and below the launcher's own."""
USER = 1000
"""The user of a bot in a user namespace."""
_counter = itertools.count(os.getpid())


class Bubblewrap:
    """Runs programs with `bwrap`. `enforces` is the result of a probe (`botequim.sandbox.probe`)."""

    name = "bubblewrap"
    isolates = True

    def __init__(
        self,
        enforces: frozenset[EnforcedLimit] = frozenset(),
        group_parents: tuple[cgroups.GroupParent, ...] | None = None,
    ) -> None:
        self.enforces = enforces
        self.group_parents = cgroups.group_parents() if group_parents is None else group_parents
        self.private = False
        """Whether overlays separate the files that instances share (`private.py`). It is the result of a
        probe."""

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the control groups of this machine, because the process that unpickles it has its own."""
        return {
            **vars(self),
            "group_parents": None if self.group_parents == cgroups.group_parents() else self.group_parents,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.group_parents = (
            cgroups.group_parents() if state["group_parents"] is None else state["group_parents"]
        )

    @property
    def enforced_limits(self) -> frozenset[EnforcedLimit]:
        """The limits that control groups enforce; the others are enforced by other means."""
        names = {name for parent in self.group_parents for name in parent.controllers}
        return frozenset(limit for name in names if (limit := cgroups.CONTROLLERS[name]))

    def sandbox_of(self, program: Program) -> Bubblewrap:
        return self

    def start(self, launch: Launch) -> BubblewrapProcess:
        program, limits = launch.program, launch.limits
        root = os.geteuid() == 0
        uid = argv.own_uid() if root else USER
        variables = launch.variables
        if launch.port:
            variables.setdefault("PORT", str(NetnsConnector.PORT))
        words = _namespaces(root=root, network=not launch.port)
        files = FILES | dict(zip(mounts.snapshots(), SNAPSHOTS, strict=False))
        words += mounts.arguments(program, files, others=root)
        links = [argv.tool("bwrap"), "--args", str(ARGUMENTS), "--"]
        links += argv.become(uid) if root else []
        by_group = self.enforced_limits
        last = argv.last_steps(limits, program.folder, variables, by_group)
        links += [*last, *launch.command]
        if any("\0" in word for word in links + words):
            raise InputError(msg("the arguments of a program cannot contain the character 0"))

        with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
            group = _group(self.group_parents, limits, ours)
            links = links if root else argv.limit_init(limits) + links
            links = argv.prepare(group.entry_files if group else [], root=root) + links
            pipes = ChainPipes(ours, theirs, stdin=launch.stdin)
            pipes.give(FILTER, seccomp.program(accounted=EnforcedLimit.MEMORY in by_group) or b"")
            pipes.give(ARGUMENTS, "\0".join(words).encode(errors="surrogateescape") + b"\0")
            contents = {
                "/etc/passwd": mounts.users(uid),
                "/etc/group": mounts.groups(uid),
                "/etc/hosts": mounts.HOSTS,
            }
            for name, descriptor in files.items():
                pipes.give(descriptor, (contents | mounts.snapshots())[name])
            pipes.give(argv.TABLE, _mounts(program, limits, root=root))
            links = (argv.launcher_argv() if launch.port else []) + links
            links = argv.guard_argv(root=root, network=launch.port) + links
            connector = NetnsConnector(pipes.control(launcher.CONTROL)) if launch.port else None
            cores = None if EnforcedLimit.CPUS in by_group else _cores(limits.cpus)
            pid = spawn(links, pipes.theirs, mounts.ENVIRONMENT, cores)
            ours.pop_all()
        memory_limit = None if EnforcedLimit.MEMORY in by_group else limits.memory
        return BubblewrapProcess(pid, pipes, connector=connector, group=group, memory_limit=memory_limit)


SNAPSHOTS = range(argv.TABLE + 1, launcher.ALL)
"""The descriptors of files that bwrap reads and closes."""
FILES = {"/etc/passwd": PASSWD, "/etc/group": GROUP, "/etc/hosts": HOSTS}


class ChainPipes(Pipes):
    """The pipes of an instance, and those by which the chain reports its progress."""

    def __init__(self, ours: contextlib.ExitStack, theirs: contextlib.ExitStack, *, stdin: bool) -> None:
        super().__init__(ours, theirs, stdin=stdin)
        self.report = self.take(REPORT)
        # a socket, because it can be shut down for all copies of its descriptor
        self.ready, there = socket.socketpair()
        self.ready.setblocking(False)
        ours.callback(self.ready.close)
        self.lend(READY, there.detach())


def _namespaces(*, root: bool, network: bool) -> list[str]:
    words = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    words += ["--hostname", "bot", "--new-session", "--cap-drop", "ALL"]
    words += ["--json-status-fd", str(REPORT), "--block-fd", str(argv.TABLE)]
    if network:  # otherwise the launcher has created one
        words.append("--unshare-net")
    if root:
        words += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        words += ["--unshare-user", "--uid", str(USER), "--gid", str(USER)]
    if seccomp.program(accounted=True) is not None:
        words += ["--seccomp", str(FILTER)]
    return words


def _mounts(program: Program, limits: Limits, *, root: bool) -> bytes:
    devices = root and argv.is_whole_machine()
    return private.table(
        mounts.trees(program), mounts.SPACES, limits, private.mount_points(), devices=devices
    )


def _group(
    group_parents: tuple[cgroups.GroupParent, ...], limits: Limits, at_failure: contextlib.ExitStack
) -> cgroups.Group | None:
    if not group_parents:
        return None
    group = cgroups.Group(group_parents)
    at_failure.callback(group.remove)
    group.limit(limits)
    return group


def _cores(count: int) -> frozenset[int]:
    """Return the processors for the next instance. They are used in turn, and each process starts
    elsewhere."""
    ours = sorted(os.sched_getaffinity(0))
    first = next(_counter) * count
    return frozenset(ours[(first + step) % len(ours)] for step in range(count))
