"""The command line that starts an instance: a chain of programs, each of which becomes the next."""

from __future__ import annotations

import functools
import itertools
import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from botequim.core.errors import InputError
from botequim.core.limits import EnforcedLimit, Limits
from botequim.core.messages import msg
from botequim.sandbox import launcher, rlimits

HELD = 3
"""A descriptor that every program but the bot holds, so it closes when they have all ended. bwrap reports on
it how the bot ended."""
READY = 5
"""The descriptor on which the last step reports that the bot is about to run. A shell knows none above 9."""
TABLE = launcher.TABLE
"""The descriptor of the table of mounts; bwrap closes it."""
WATCHERS = 4
SPARE = 64
FIRST_UID, UIDS = 1 << 30, 1 << 30
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_counter = itertools.count()


@functools.cache
def tool(name: str) -> str:
    """Return the path of a program of the system."""
    path = shutil.which(name, path=os.defpath + ":/usr/sbin:/sbin:/usr/local/bin")
    if path is None:
        raise InputError(msg('the sandbox needs the program "{name}", which is not installed', name=name))
    return path


def own_uid() -> int:
    """Return a user id that no other instance has, nor anyone else if there are enough of them."""
    first, count = max(_uids(), key=lambda span: span[1])
    if first + count > FIRST_UID + UIDS:
        first, count = FIRST_UID, UIDS
    elif count > 1000:  # inside a container: leave out those that are taken, if by anyone, by people
        first, count = first + count // 2, count // 2
    return first + (os.getpid() * 256 + next(_counter) % 256) % count


@functools.cache
def _uids() -> list[tuple[int, int]]:
    """Return the ranges of user ids that exist here."""
    lines = Path("/proc/self/uid_map").read_text().splitlines()
    return [(int(line.split()[0]), int(line.split()[2])) for line in lines]


def is_whole_machine() -> bool:
    """Return whether we are in no user namespace, so that our user ids are those of the machine."""
    return _uids() == [(0, (1 << 32) - 1)]


def become(uid: int) -> list[str]:
    """Return the command by which root becomes that user, without any privileges."""
    return [tool("setpriv"), f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--"]


def last_steps(
    limits: Limits, folder: Path, variables: Mapping[str, str], accounted: frozenset[EnforcedLimit]
) -> list[str]:
    """Return a shell that sets resource limits, folder and variables, and then becomes the bot.

    It runs inside, already without privileges. `accounted` are the limits that its control group enforces.
    The variables are set only here, because some, such as LD_PRELOAD, must not affect earlier steps. Writing
    to `READY` ends the shell if nobody waits for it any more.
    """
    # where a control group counts too, it is to be the one that refuses, for it remembers having done so
    steps = [
        *rlimits.shell_commands(
            rlimits.resource_limits(
                limits.processes + 1 + (SPARE if EnforcedLimit.PROCESSES in accounted else 0),
                rlimits.OPEN_FILES if EnforcedLimit.MEMORY in accounted else rlimits.OPEN_FILES_UNCOUNTED,
            )
        ),
        f"cd {shlex.quote(str(folder))} || exit 125",
        "unset OLDPWD",
        f"echo >&{READY} || exit 125",
        f"exec {READY}>&- {HELD}>&-",
    ]
    for name, value in variables.items():
        if not _NAME.fullmatch(name):
            raise InputError(msg('"{name}" cannot be the name of a variable', name=name))
        steps.append(f"export {name}={shlex.quote(value)}")
    steps.append('exec "$@"')
    return ["/bin/sh", "-c", "\n".join(steps), "sh"]


def limit_init(limits: Limits) -> list[str]:
    """Return the command with which an ordinary user sets resource limits before bwrap, and so for its init.

    That init runs as the same user as the bot, which may change its memory and let it start processes. Its
    limit is higher than the bot's, because the programs of this chain are counted too. Signals and message
    queues are counted for all processes of a user together. Their limits are low, so that no bot can use up
    those of another.
    """
    own = rlimits.resource_limits(limits.processes + 2 * SPARE, rlimits.OPEN_FILES_UNCOUNTED)
    return [tool("prlimit"), *rlimits.prlimit_options({**own, "sigpending": rlimits.SIGNALS}), "--"]


def prepare(entry_files: list[str], *, root: bool) -> list[str]:
    """Return a shell that joins control groups and mounts the instance's own files (`private.py`).

    If a mount fails, the instance runs without it, and the probe reports that. The instances of an ordinary
    user share the kernel's limit of 128 inotify instances for each user.
    """
    script = ['while [ "$1" != -- ]; do echo 0 >"$1" || exit 125; shift; done; shift']
    if not root:
        script.append(f"echo {WATCHERS} 2>/dev/null >/proc/sys/user/max_inotify_instances")
    script.append(f"{tool('mount')} --no-mtab --all --fstab /proc/self/fd/{TABLE} >/dev/null 2>&1")
    script.append('exec "$@"')
    return ["/bin/sh", "-c", "\n".join(script), "sh", *entry_files, "--"]


def guard_argv(*, root: bool, network: bool) -> list[str]:
    """Return a process that ends when we end, and below it one that ends everything after it.

    The second is the first process of a process namespace. bwrap makes another namespace for the bot, but is
    not safe while it does: if it is ended at the wrong moment, it leaves a child behind that waits for it for
    ever.
    """
    user = [] if root else [tool("unshare"), "--user", "--map-root-user", "--"]
    # bwrap looks up its child in /proc: in that of its own namespace, for the other one may lack the number
    spaces = ["--mount", "--pid", "--mount-proc", *(["--net"] if network else [])]
    return [
        *user, tool("setpriv"), "--pdeathsig", "KILL", "--",
        tool("unshare"), *spaces, "--fork", "--kill-child=KILL", "--",
    ]  # fmt: skip


def launcher_argv() -> list[str]:
    """Return the command of the launcher, which stays and starts the rest of the chain."""
    return [sys.executable, "-I", "-S", launcher.__file__]
