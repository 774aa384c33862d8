"""Strangers' programs, isolated by bubblewrap.

What starts an instance is a chain of small programs (`chain.py`), each of which becomes the next:

    setpriv     asks the system to be ended with us
    unshare     makes namespaces of processes and mounts, and waits for the end
    sh          joins the control group, where there is one, and mounts what is private (`private.py`)
    prlimit     only as an ordinary user: sets resource limits for bwrap's own processes
    bwrap       makes the namespaces and the view of the file system (`view.py`)
    setpriv     only as root: becomes a user that nobody else is
    sh          sets the resource limits, says that all is ready, becomes the bot

For bots with a port, `launcher.py` comes before the second half and stays, in a network namespace.
As root no user namespace is needed, and none is made; as an ordinary user all happens in one.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
from collections.abc import Mapping

from botequim.core.errors import InputError
from botequim.core.limits import Enforced, Limits
from botequim.core.messages import msg
from botequim.core.process import Program
from botequim.sandbox import cgroups, chain, launcher, private, seccomp, view
from botequim.sandbox.door import Door
from botequim.sandbox.instance import BubblewrapProcess
from botequim.sandbox.pipes import Pipes
from botequim.sandbox.spawn import spawn

HELD, FILTER, READY, ARGUMENTS, PASSWD, GROUP, HOSTS = chain.HELD, 4, chain.READY, 6, 7, 8, 9
"""Descriptors in the chain, after the usual three and below the launcher's own."""
USER = 1000
"""Who a bot is in a user namespace."""
_counter = itertools.count(os.getpid())


class Bubblewrap:
    """Runs programs by `bwrap`. `enforces` is what a probe has shown; see `botequim.sandbox.probe`."""

    name = "bubblewrap"

    def __init__(
        self, enforces: frozenset[Enforced] = frozenset(), places: tuple[cgroups.Place, ...] | None = None
    ) -> None:
        self.enforces = enforces
        self.places = cgroups.places() if places is None else places
        self.private = False
        """Whether the files that instances share are covered by overlays (`private.py`), as a probe found."""

    @property
    def accounted(self) -> frozenset[Enforced]:
        """What control groups are used for; the rest has other means."""
        names = {name for place in self.places for name in place.controllers}
        return frozenset(limit for name in names if (limit := cgroups.CONTROLLERS[name]))

    def start(
        self,
        program: Program,
        limits: Limits,
        *,
        arguments: tuple[str, ...] = (),
        environment: Mapping[str, str] | None = None,
        input: bool = True,
        port: bool = False,
    ) -> BubblewrapProcess:
        root = os.geteuid() == 0
        uid = chain.own_uid() if root else USER
        variables = {**program.environment, **(environment or {})}
        if port:
            variables.setdefault("PORT", str(Door.PORT))
        words = _namespaces(root=root, network=not port)
        files = FILES | dict(zip(view.snapshots(), SNAPSHOTS, strict=False))
        words += view.arguments(program, files, others=root)
        links = [chain.tool("bwrap"), "--args", str(ARGUMENTS), "--"]
        links += chain.become(uid) if root else []
        accounted = self.accounted
        last = chain.last_steps(limits, program.folder, variables, accounted)
        links += [*last, *program.command, *arguments]
        if any("\0" in word for word in links + words):
            raise InputError(msg("what a program is given cannot hold the character 0"))

        with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
            group = _group(self.places, limits, ours)
            links = links if root else chain.limit_init(limits) + links
            links = chain.prepare(group.doors if group else [], root=root) + links
            pipes = ChainPipes(ours, theirs, input=input)
            pipes.give(FILTER, seccomp.program(accounted=Enforced.MEMORY in accounted) or b"")
            pipes.give(ARGUMENTS, "\0".join(words).encode(errors="surrogateescape") + b"\0")
            contents = {
                "/etc/passwd": view.users(uid),
                "/etc/group": view.groups(uid),
                "/etc/hosts": view.HOSTS,
            }
            for name, descriptor in files.items():
                pipes.give(descriptor, (contents | view.snapshots())[name])
            pipes.give(chain.TABLE, _mounts(program, limits, root=root))
            links = chain.guarded(root=root, network=port) + (chain.launched() if port else []) + links
            door = Door(pipes.control(launcher.CONTROL)) if port else None
            cores = None if Enforced.CPUS in accounted else _cores(limits.cpus)
            pid = spawn(links, pipes.theirs, view.ENVIRONMENT, cores)
            ours.pop_all()
        watched = None if Enforced.MEMORY in accounted else limits.memory
        return BubblewrapProcess(pid, pipes, door=door, group=group, watched=watched)


SNAPSHOTS = range(chain.TABLE + 1, launcher.ALL)
"""Descriptors of files that bwrap closes when it has read them."""
FILES = {"/etc/passwd": PASSWD, "/etc/group": GROUP, "/etc/hosts": HOSTS}


class ChainPipes(Pipes):
    """Also those by which the chain says how far it came."""

    def __init__(self, ours: contextlib.ExitStack, theirs: contextlib.ExitStack, *, input: bool) -> None:
        super().__init__(ours, theirs, input=input)
        self.held = self.take(HELD)
        # a socket, for it can be shut for every copy of its descriptor
        self.ready, there = socket.socketpair()
        self.ready.setblocking(False)
        ours.callback(self.ready.close)
        self.lend(READY, there.detach())


def _namespaces(*, root: bool, network: bool) -> list[str]:
    words = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    words += ["--hostname", "bot", "--new-session", "--cap-drop", "ALL"]
    words += ["--json-status-fd", str(HELD), "--block-fd", str(chain.TABLE)]
    if network:  # else the launcher has made one
        words.append("--unshare-net")
    if root:
        words += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        words += ["--unshare-user", "--uid", str(USER), "--gid", str(USER)]
    if seccomp.program(accounted=True) is not None:
        words += ["--seccomp", str(FILTER)]
    return words


def _mounts(program: Program, limits: Limits, *, root: bool) -> bytes:
    devices = root and chain.is_whole_machine()
    return private.table(view.trees(program), view.SPACES, limits, private.mount_points(), devices=devices)


def _group(
    places: tuple[cgroups.Place, ...], limits: Limits, at_failure: contextlib.ExitStack
) -> cgroups.Group | None:
    if not places:
        return None
    group = cgroups.Group(places)
    at_failure.callback(group.remove)
    group.limit(limits)
    return group


def _cores(count: int) -> frozenset[int]:
    """Which processors the next instance is put on: in turn, beginning elsewhere in each process of ours."""
    ours = sorted(os.sched_getaffinity(0))
    first = next(_counter) * count
    return frozenset(ours[(first + step) % len(ours)] for step in range(count))
