"""The command line that starts an instance: a chain of programs, each of which executes the next."""

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

REPORT = 3
"""The descriptor on which bwrap reports how the bot ended. All programs of the chain have it, and the bot
does not, so it closes when all of them have ended."""
READY = 5
"""The descriptor on which the last step reports that the bot is about to run. A shell supports none above
9."""
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
    """Return a user id that no other instance has, and if possible no other user."""
    first, count = max(_uids(), key=lambda span: span[1])
    if first + count > FIRST_UID + UIDS:
        first, count = FIRST_UID, UIDS
    elif count > 1000:  # inside a container: leave out the lower ids, which users may have
        first, count = first + count // 2, count // 2
    return first + (os.getpid() * 256 + next(_counter) % 256) % count


@functools.cache
def _uids() -> list[tuple[int, int]]:
    """Return the ranges of user ids that exist here."""
    lines = Path("/proc/self/uid_map").read_text().splitlines()
    return [(int(line.split()[0]), int(line.split()[2])) for line in lines]


def is_whole_machine() -> bool:
    """Return whether this process is not in a user namespace, so that user ids are those of the machine."""
    return _uids() == [(0, (1 << 32) - 1)]


def become(uid: int) -> list[str]:
    """Return the command with which root switches to that user, without any privileges."""
    return [tool("setpriv"), f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--"]


def last_steps(
    limits: Limits, folder: Path, variables: Mapping[str, str], by_group: frozenset[EnforcedLimit]
) -> list[str]:
    """Return a shell that sets resource limits, folder and variables, and then executes the bot.

    It runs inside the sandbox, already without privileges. `by_group` are the limits that the control group
    enforces. The variables are set only here, because some, such as LD_PRELOAD, must not affect earlier
    steps. Writing to `READY` ends the shell if nobody reads it any more.
    """
    # a control group has the lower limit, because it reports that the limit was reached
    steps = [
        *rlimits.shell_commands(
            rlimits.resource_limits(
                limits.processes + 1 + (SPARE if EnforcedLimit.PROCESSES in by_group else 0),
                rlimits.OPEN_FILES if EnforcedLimit.MEMORY in by_group else rlimits.OPEN_FILES_UNCOUNTED,
            )
        ),
        f"cd {shlex.quote(str(folder))} || exit 125",
        "unset OLDPWD",
        f"echo >&{READY} || exit 125",
        f"exec {READY}>&- {REPORT}>&-",
    ]
    for name, value in variables.items():
        if not _NAME.fullmatch(name):
            raise InputError(msg('"{name}" cannot be the name of a variable', name=name))
        steps.append(f"export {name}={shlex.quote(value)}")
    steps.append('exec "$@"')
    return ["/bin/sh", "-c", "\n".join(steps), "sh"]


def limit_init(limits: Limits) -> list[str]:
    """Return the command with which an ordinary user sets resource limits for bwrap and its init process.

    That init runs as the same user as the bot, so the bot could change its memory and let it start processes.
    Its limit of processes is higher than the bot's, because the programs of this chain count too. Signals and
    message queues are counted for all processes of a user together. Their limits are low, so that no bot can
    use up those of another.
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
    """Return a command that ends with this process, and starts a namespace whose first process ends all
    others.

    bwrap creates another process namespace for the bot, but that alone is not safe: if bwrap is killed at the
    wrong moment, it leaves a child behind that waits for ever.
    """
    user = [] if root else [tool("unshare"), "--user", "--map-root-user", "--"]
    # bwrap looks up its child in /proc: in that of its own namespace, for the other one may lack the number
    spaces = ["--mount", "--pid", "--mount-proc", *(["--net"] if network else [])]
    return [
        *user, tool("setpriv"), "--pdeathsig", "KILL", "--",
        tool("unshare"), *spaces, "--fork", "--kill-child=KILL", "--",
    ]  # fmt: skip


def launcher_argv() -> list[str]:
    """Return the command of the launcher, which keeps running and starts the rest of the chain."""
    return [sys.executable, "-I", "-S", launcher.__file__]
