"""The system calls that no bot needs: one table for the filters of bubblewrap and of containers.

Most of them would fail anyway in a sandbox without privileges. Two things depend on the filter alone: a bot
cannot create user namespaces, which expose much of the kernel, and it cannot change its processors.

There are two filters. The one for bubblewrap (`seccomp.py`) allows all calls but these, by number. The one
for podman (`containers/seccomp.py`) is podman's list of allowed names, from which these are removed.
"""

from __future__ import annotations

from typing import Final

REFUSED: Final = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "setns": (308, 268),
    "unshare": (272, 97),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    # instances could communicate by these, because they share files or counters of the whole machine
    "fanotify_init": (300, 262),
    "io_setup": (206, 0),
    "mq_open": (240, 180),
    "cachestat": (451, 451),
    "mincore": (27, 232),
    "syslog": (103, 116),
    "kcmp": (312, 272),
    "quotactl": (179, 60),
    "process_madvise": (440, 440),
}
"""The calls refused in every sandbox, with their numbers on x86_64 and on aarch64."""

REFUSED_BY_BUBBLEWRAP: Final = {"sched_setaffinity": (203, 122)}
"""Without a control group, bubblewrap limits processors by affinity. Containers always have a control group,
so a program may choose among its processors there."""

REFUSED_BY_CONTAINERS: Final = frozenset({"umount", "io_uring_enter", "io_uring_register", "fanotify_mark"})
"""Podman allows these by name. They are useless without one of the calls above, or on the supported machines.
So the filter for bubblewrap does not contain them, because it compares every system call with its list."""

UNACCOUNTED: Final = {"memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194)}
"""Calls that allocate memory which no process shows as its own. They are refused in bubblewrap if the kernel
does not account for memory, so that `procfs.Watch` has to. The kernel always accounts for a container's
memory."""

IGNORED: Final = {"fadvise64": (221, 223)}
"""These calls succeed and do nothing. Otherwise one instance could evict pages, and another could notice that
they are missing."""

# --- calls that are refused for some arguments only ----------------------------------------------------

MADVISE: Final = (28, 233)
IGNORED_ADVICE: Final = (20, 21)
"""MADV_COLD and MADV_PAGEOUT: like `fadvise64`, for mapped files."""

SOCKET: Final = (41, 198)
AF_ALG: Final = 38
"""Sockets to the kernel's ciphers. Everybody can see how many use a cipher."""
AF_VSOCK: Final = 40
"""Sockets to the machine that hosts this one; network namespaces do not separate them."""

CLONE: Final = (56, 220)
CLONE3: Final = 435
"""Reported as unknown, so that the C library uses clone, whose flags a filter can read."""
NEW_NAMESPACES: Final = 0x7E020000
"""All flags of clone that create a namespace."""
