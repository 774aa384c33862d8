"""The filter of system calls for podman's containers: podman's own filter, without calls that no bot needs.

Podman allows a program to create namespaces, in which it has every privilege. Docker does not allow that, nor
does the filter for bubblewrap. The runtime reads the filter as a JSON file.
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
"""The calls that podman's own filter allows and this one refuses, or allows only for some arguments."""


def profile() -> str | None:
    """Return the filter as JSON, or None if podman's own file is not found; then podman uses its default."""
    usual = next((path for path in USUAL if path.is_file()), None)
    if usual is None:
        return None
    rules: dict[str, Any] = json.loads(usual.read_text(encoding="utf-8"))
    rules_left = []
    for rule in rules["syscalls"]:
        if rule["action"] == "SCMP_ACT_ALLOW":
            names = [name for name in rule["names"] if name not in REMOVED]
            rule = {**rule, "names": names}
        if rule["names"]:
            rules_left.append(rule)
    none_of = {"index": 0, "value": NEW_NAMESPACES, "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"}
    rules_left.append({"names": ["clone"], "action": "SCMP_ACT_ALLOW", "args": [none_of]})
    # two conditions on one argument are joined by "or", so each range is a rule of its own
    for value, how in ((AF_ALG, "SCMP_CMP_LT"), (AF_ALG + 1, "SCMP_CMP_EQ"), (AF_VSOCK, "SCMP_CMP_GT")):
        family = {"index": 0, "value": value, "op": how}
        rules_left.append({"names": ["socket"], "action": "SCMP_ACT_ALLOW", "args": [family]})
    first, last = IGNORED_ADVICE
    for value, how in ((first, "SCMP_CMP_LT"), (last, "SCMP_CMP_GT")):
        advice = {"index": 2, "value": value, "op": how}
        rules_left.append({"names": ["madvise"], "action": "SCMP_ACT_ALLOW", "args": [advice]})
    rules_left.append({"names": ["fadvise64"], "action": "SCMP_ACT_ERRNO", "errnoRet": 0})
    rules_left.append({"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": errno.ENOSYS})
    return json.dumps({**rules, "syscalls": rules_left})
