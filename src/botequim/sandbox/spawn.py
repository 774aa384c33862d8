"""Starts the programs of a sandbox quickly, with given descriptors and no others.

`subprocess` cannot give a descriptor a certain number, and a shell supports only those below ten.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
from collections.abc import Iterator, Mapping

ABOVE_ALL = 32
"""Descriptors of this process are at least this, above those of the child, so that none is overwritten."""


def high(descriptor: int) -> int:
    """Return the same descriptor with a number that no child uses."""
    if descriptor >= ABOVE_ALL:
        return descriptor
    copy = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, ABOVE_ALL)
    os.close(descriptor)
    return copy


def pipe() -> tuple[int, int]:
    """Return the reading and the writing end of a pipe."""
    reader, writer = os.pipe()
    return high(reader), high(writer)


def memory_file(content: bytes) -> int:
    """Return a descriptor from which `content` can be read."""
    descriptor = high(os.memfd_create("botequim"))
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def spawn(
    command: list[str],
    descriptors: Mapping[int, int],
    environment: Mapping[str, str],
    cores: frozenset[int] | None = None,
) -> int:
    """Start `command` in a session of its own, on `cores` only. `descriptors` maps its numbers to those here.

    Call it in the main thread, because the system ends a sandbox with the thread that started it.
    """
    actions: list[tuple[int, int] | tuple[int, int, int]] = [
        (os.POSIX_SPAWN_CLOSE, stray) for stray in _inheritable() if stray not in descriptors
    ]
    actions += [(os.POSIX_SPAWN_DUP2, ours, theirs) for theirs, ours in descriptors.items()]
    with _on_cores(cores):
        return os.posix_spawn(
            command[0],
            command,
            environment,
            file_actions=actions,
            setsid=True,
            setsigmask=(),
            setsigdef=(signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGHUP, signal.SIGTERM),
        )


def _inheritable() -> list[int]:
    """Return the inheritable descriptors of this process, such as a terminal."""
    descriptors = []
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - as cheap as possible
        with contextlib.suppress(OSError):  # the descriptor of the listing itself is closed already
            if os.get_inheritable(int(name)):
                descriptors.append(int(name))
    return descriptors


@contextlib.contextmanager
def _on_cores(cores: frozenset[int] | None) -> Iterator[None]:
    """Set the affinity of this thread, which its next child inherits."""
    if cores is None:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
