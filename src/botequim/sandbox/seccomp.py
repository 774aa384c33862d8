"""The filter of system calls for bubblewrap, as a program for the kernel (classic BPF)."""

from __future__ import annotations

import errno
import functools
import os
import struct

from botequim.sandbox.syscalls import (
    AF_ALG,
    AF_VSOCK,
    CLONE,
    CLONE3,
    IGNORED,
    IGNORED_ADVICE,
    MADVISE,
    NEW_NAMESPACES,
    REFUSED,
    REFUSED_BY_BUBBLEWRAP,
    SOCKET,
    UNACCOUNTED,
)

MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
X32 = 0x40000000
"""x86_64 has a second set of system calls above this number."""

_LOAD, _IS, _AT_LEAST, _ANY_OF, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _FIRST_ARGUMENT, _THIRD_ARGUMENT = 0, 4, 16, 32
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000


@functools.cache
def program(*, accounted: bool) -> bytes | None:
    """Return the filter in the format of `bwrap --seccomp`; None on a machine of another architecture.

    With `accounted`, the kernel accounts for all memory of the sandbox.
    """
    machine = MACHINES.get(os.uname().machine)
    if machine is None:
        return None
    column, arch = machine
    table = REFUSED | REFUSED_BY_BUBBLEWRAP | ({} if accounted else UNACCOUNTED)
    numbers_refused = [numbers[column] for numbers in table.values()]

    # (instruction, value, label to jump to if the condition holds); labels become offsets below
    steps: list[tuple[int, int, str]] = [(_LOAD, _ARCH, ""), (_IS, arch, "known"), (_RETURN, 0, "missing")]
    start = len(steps)
    steps += [(_LOAD, _NUMBER, ""), (_AT_LEAST, X32, "missing"), (_IS, CLONE3, "missing")]
    steps += [(_IS, number, "refuse") for number in numbers_refused]
    steps += [(_IS, numbers[column], "ignore") for numbers in IGNORED.values()]
    steps += [(_IS, CLONE[column], "clone"), (_IS, SOCKET[column], "socket")]
    steps += [(_IS, MADVISE[column], "madvise"), (_RETURN, _ALLOW, "")]
    places = {"known": start, "clone": len(steps)}
    steps += [(_LOAD, _FIRST_ARGUMENT, ""), (_ANY_OF, NEW_NAMESPACES, "refuse"), (_RETURN, _ALLOW, "")]
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
        *((_IS, advice, "ignore") for advice in IGNORED_ADVICE),
        (_RETURN, _ALLOW, ""),
    ]
    places["refuse"] = len(steps)
    steps.append((_RETURN, _ERRNO | errno.EPERM, ""))
    places["ignore"] = len(steps)
    steps.append((_RETURN, _ERRNO, ""))
    places["missing"] = len(steps)
    steps.append((_RETURN, _ERRNO | errno.ENOSYS, ""))
    steps[2] = (_RETURN, _ERRNO | errno.ENOSYS, "")

    return b"".join(
        struct.pack("=HBBI", code, places[to] - at - 1 if to else 0, 0, value)
        for at, (code, value, to) in enumerate(steps)
    )
