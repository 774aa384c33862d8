"""System calls that no bot needs, refused by a filter written by hand.

Most of them would be refused anyway in a sandbox without privileges. What counts on the filter alone: no
user namespaces (by far the widest door into the kernel), and no `sched_setaffinity`, so that a program
stays on the processors it was put on.
"""

from __future__ import annotations

import errno
import functools
import os
import struct

# by machine: x86_64, aarch64
ALWAYS = {
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
    "sched_setaffinity": (203, 122),
    # what passes a word between instances that share files, or counters of the whole machine
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
# these do nothing, and say that they did: what one instance puts out of memory, another would find missing
IGNORED = {"fadvise64": (221, 223)}
MADVISE = (28, 233)
MADV_COLD, MADV_PAGEOUT = 20, 21
"""The same for mapped files."""
# memory that no process shows as its own: refused where memory is watched rather than accounted
HIDING = {"memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194)}
CLONE = (56, 220)
CLONE3 = 435
SOCKET = (41, 198)
AF_ALG, AF_VSOCK = 38, 40
"""Sockets to the kernel's ciphers, whose users are counted for all to see, and to the machine that this one
runs in: no network namespace keeps them apart."""
NAMESPACES = 0x7E020000  # every CLONE_NEW* that clone takes

MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
X32 = 0x40000000
"""x86_64 has a second set of calls above this number."""

_LOAD, _IS, _AT_LEAST, _ANY_OF, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _FIRST_ARGUMENT, _THIRD_ARGUMENT = 0, 4, 16, 32
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000


@functools.cache
def program(*, accounted: bool) -> bytes | None:
    """The filter for this machine, as `bwrap --seccomp` reads it; None for machines we have no numbers of.

    `accounted`: the kernel counts all memory of the sandbox, so it does not matter of what kind it is.
    """
    machine = MACHINES.get(os.uname().machine)
    if machine is None:
        return None
    column, arch = machine
    refused = [numbers[column] for numbers in (ALWAYS if accounted else ALWAYS | HIDING).values()]

    # (code, value, where to go if it holds, else go on); places are named and filled in below
    steps: list[tuple[int, int, str]] = [(_LOAD, _ARCH, ""), (_IS, arch, "known"), (_RETURN, 0, "missing")]
    start = len(steps)
    steps += [(_LOAD, _NUMBER, ""), (_AT_LEAST, X32, "missing"), (_IS, CLONE3, "missing")]
    steps += [(_IS, number, "refuse") for number in refused]
    steps += [(_IS, numbers[column], "ignore") for numbers in IGNORED.values()]
    steps += [(_IS, CLONE[column], "clone"), (_IS, SOCKET[column], "socket")]
    steps += [(_IS, MADVISE[column], "madvise"), (_RETURN, _ALLOW, "")]
    places = {"known": start, "clone": len(steps)}
    steps += [(_LOAD, _FIRST_ARGUMENT, ""), (_ANY_OF, NAMESPACES, "refuse"), (_RETURN, _ALLOW, "")]
    places["socket"] = len(steps)
    steps += [
        (_LOAD, _FIRST_ARGUMENT, ""),
        (_IS, AF_ALG, "refuse"),
        (_IS, AF_VSOCK, "refuse"),
        (_RETURN, _ALLOW, ""),
    ]
    places["madvise"] = len(steps)
    steps += [
        (_LOAD, _THIRD_ARGUMENT, ""),
        (_IS, MADV_COLD, "ignore"),
        (_IS, MADV_PAGEOUT, "ignore"),
        (_RETURN, _ALLOW, ""),
    ]
    places["refuse"] = len(steps)
    steps.append((_RETURN, _ERRNO | errno.EPERM, ""))
    places["ignore"] = len(steps)
    steps.append((_RETURN, _ERRNO, ""))
    # the C library goes back to clone, whose flags can be looked at
    places["missing"] = len(steps)
    steps.append((_RETURN, _ERRNO | errno.ENOSYS, ""))
    steps[2] = (_RETURN, _ERRNO | errno.ENOSYS, "")

    return b"".join(
        struct.pack("=HBBI", code, places[to] - at - 1 if to else 0, 0, value)
        for at, (code, value, to) in enumerate(steps)
    )
