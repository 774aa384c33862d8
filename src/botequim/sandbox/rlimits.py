"""Resource limits of single processes (setrlimit): one table for all sandboxes, in several notations.

The control group limits all processes of a bot together. These limits are for machines without control
groups, and for resources that control groups do not count.
"""

from __future__ import annotations

import resource
from collections.abc import Mapping
from typing import Final, TypeAlias

LARGEST_FILE: Final = 1 << 30
OPEN_FILES: Final = 4096
OPEN_FILES_UNCOUNTED: Final = 1024
"""The limit if the kernel does not count the memory of open files."""
SIGNALS: Final = 1024
"""The limit of pending signals and of timers."""
PROCESSES_OF_A_USER: Final = 32_768
"""The limit of all containers and of this process together. The control group limits each bot."""

ResourceLimits: TypeAlias = Mapping[str, int]
"""Limits by their names in prlimit and in container engines."""


def resource_limits(processes: int, open_files: int = OPEN_FILES) -> ResourceLimits:
    """Return the limits of a bot. `processes` counts for all processes of its user."""
    return {"core": 0, "fsize": LARGEST_FILE, "msgqueue": 0, "nofile": open_files, "nproc": processes}


def container_limits() -> ResourceLimits:
    """Return the limits of a bot in a container. Those of an ordinary user cannot exceed the user's own."""
    processes, files = _most(resource.RLIMIT_NPROC), _most(resource.RLIMIT_NOFILE)
    return resource_limits(min(PROCESSES_OF_A_USER, processes), min(OPEN_FILES, files))


def _most(limit: int) -> int:
    hard = resource.getrlimit(limit)[1]
    return PROCESSES_OF_A_USER if hard == resource.RLIM_INFINITY else hard


def prlimit_options(limits: ResourceLimits) -> list[str]:
    return [f"--{name}={most}" for name, most in limits.items()]


def engine_options(limits: ResourceLimits) -> list[str]:
    # all limits are given, because an engine of an ordinary user fails to raise the others
    return [word for name, most in limits.items() for word in ("--ulimit", f"{name}={most}:{most}")]


def shell_commands(limits: ResourceLimits) -> list[str]:
    """Return commands of a POSIX shell, which cannot limit message queues."""
    processes = limits["nproc"]
    return [
        f"ulimit -c {limits['core']}",
        f"ulimit -f {limits['fsize'] // 512}",
        f"ulimit -n {limits['nofile']} 2>/dev/null",
        # the option for the number of processes is -p in dash, and -u in other shells
        f"ulimit -u {processes} 2>/dev/null || ulimit -p {processes}",
    ]
