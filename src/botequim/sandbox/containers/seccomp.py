"""The filter of system calls for podman's containers: podman's own, without calls that no bot needs.

Podman lets a program make namespaces of its own, in which it has every privilege. Docker does not, and
neither does our filter for bubblewrap. The runtime reads the filter as a file of JSON.
"""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any, Final

from botequim.sandbox.syscalls import (
    AF_ALG,
    AF_VSOCK,
    IGNORED_ADVICE,
    NEW_NAMESPACES,
    REFUSED,
    REFUSED_BY_CONTAINERS,
)

USUAL: Final = (Path("/usr/share/containers/seccomp.json"), Path("/etc/containers/seccomp.json"))
REMOVED: Final = frozenset(
    {*REFUSED, *REFUSED_BY_CONTAINERS, "clone3", "clone", "socket", "fadvise64", "madvise"}
)
"""Names that podman's own rules allow and ours do not, or only for some arguments."""


def profile() -> str | None:
    """Return the filter as JSON, or None if podman's own is not found: podman then uses its default."""
    usual = next((path for path in USUAL if path.is_file()), None)
    if usual is None:
        return None
    rules: dict[str, Any] = json.loads(usual.read_text(encoding="utf-8"))
    kept = []
    for rule in rules["syscalls"]:
        if rule["action"] == "SCMP_ACT_ALLOW":
            names = [name for name in rule["names"] if name not in REMOVED]
            rule = {**rule, "names": names}
        if rule["names"]:
            kept.append(rule)
    none_of = {"index": 0, "value": NEW_NAMESPACES, "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"}
    kept.append({"names": ["clone"], "action": "SCMP_ACT_ALLOW", "args": [none_of]})
    # a runtime joins two conditions on one argument by "or", so each range has a rule of its own
    for value, how in ((AF_ALG, "SCMP_CMP_LT"), (AF_ALG + 1, "SCMP_CMP_EQ"), (AF_VSOCK, "SCMP_CMP_GT")):
        family = {"index": 0, "value": value, "op": how}
        kept.append({"names": ["socket"], "action": "SCMP_ACT_ALLOW", "args": [family]})
    first, last = IGNORED_ADVICE
    for value, how in ((first, "SCMP_CMP_LT"), (last, "SCMP_CMP_GT")):
        advice = {"index": 2, "value": value, "op": how}
        kept.append({"names": ["madvise"], "action": "SCMP_ACT_ALLOW", "args": [advice]})
    kept.append({"names": ["fadvise64"], "action": "SCMP_ACT_ERRNO", "errnoRet": 0})
    kept.append({"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": errno.ENOSYS})
    return json.dumps({**rules, "syscalls": kept})
