"""The filter of system calls for podman's containers: its own, less what no bot needs.

Podman lets a program make namespaces of its own, in which it has every privilege; docker does not, and
neither does our filter for bubblewrap. Files of this kind are read by the runtime as JSON.
"""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any, Final

USUAL: Final = (Path("/usr/share/containers/seccomp.json"), Path("/etc/containers/seccomp.json"))
TAKEN_OUT: Final = frozenset(
    {
        "unshare", "setns", "clone3", "mount", "umount", "umount2", "pivot_root", "move_mount", "open_tree",
        "mount_setattr", "fsopen", "fsconfig", "fsmount", "fspick", "add_key", "request_key", "keyctl", "bpf",
        "perf_event_open", "userfaultfd", "process_vm_readv", "process_vm_writev", "kcmp",
        "ptrace", "io_uring_setup", "io_uring_enter", "io_uring_register", "name_to_handle_at",
        "open_by_handle_at", "fanotify_init", "fanotify_mark", "io_setup", "mq_open", "cachestat", "mincore",
        "syslog", "quotactl", "process_madvise",
    }
)  # fmt: skip
LOOKED_AT: Final = ("clone", "socket", "fadvise64", "madvise")
"""Allowed for some arguments only, or done by nobody."""
MADV_COLD: Final = 20
MADV_PAGEOUT: Final = 21
"""What one instance puts out of memory, another would find missing; the same holds for `fadvise64`."""
AF_ALG: Final = 38
"""Sockets to the kernel's ciphers, whose users are counted for all to see."""
AF_VSOCK: Final = 40
"""Sockets to the machine that this one runs in: no network namespace keeps them apart."""
NEW_NAMESPACES: Final = 0x7E020080
"""All flags of `clone` that make one."""


def profile() -> str | None:
    """As JSON; None when podman's own is not found: then it uses what it has."""
    usual = next((path for path in USUAL if path.is_file()), None)
    if usual is None:
        return None
    rules: dict[str, Any] = json.loads(usual.read_text(encoding="utf-8"))
    kept = []
    for rule in rules["syscalls"]:
        if rule["action"] == "SCMP_ACT_ALLOW":
            names = [name for name in rule["names"] if name not in TAKEN_OUT and name not in LOOKED_AT]
            rule = {**rule, "names": names}
        if rule["names"]:
            kept.append(rule)
    none_of = {"index": 0, "value": NEW_NAMESPACES, "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"}
    kept.append({"names": ["clone"], "action": "SCMP_ACT_ALLOW", "args": [none_of]})
    # of two conditions on one argument a runtime wants either: so each range has a rule of its own
    for value, how in ((AF_ALG, "SCMP_CMP_LT"), (AF_ALG + 1, "SCMP_CMP_EQ"), (AF_VSOCK, "SCMP_CMP_GT")):
        family = {"index": 0, "value": value, "op": how}
        kept.append({"names": ["socket"], "action": "SCMP_ACT_ALLOW", "args": [family]})
    for value, how in ((MADV_COLD, "SCMP_CMP_LT"), (MADV_PAGEOUT, "SCMP_CMP_GT")):
        advice = {"index": 2, "value": value, "op": how}
        kept.append({"names": ["madvise"], "action": "SCMP_ACT_ALLOW", "args": [advice]})
    kept.append({"names": ["fadvise64"], "action": "SCMP_ACT_ERRNO", "errnoRet": 0})
    # with this answer the C library falls back to clone, whose flags can be seen
    kept.append({"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": errno.ENOSYS})
    return json.dumps({**rules, "syscalls": kept})
