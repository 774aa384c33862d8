"""What keeps containers from telling each other something: options of the engine.

Files of /proc and /sys that count for the whole machine are hidden, and terminals, of which there are few.
Without a user namespace the users of containers are the same for the kernel, which counts some things for
each user: docs/reference/security.md tells which. With one, the devices would be the machine's instead.
"""

from __future__ import annotations

from typing import Final

from botequim.sandbox import mounts
from botequim.sandbox.containers.engine import Engine, Kind

HIDDEN: Final = (
    *(f"/proc/{name}" for name in (*mounts.COUNTERS, *mounts.COUNTER_FOLDERS, "sys/kernel/pty")),
    "/dev/pts", "/sys/kernel", "/sys/module", "/sys/block", "/sys/class", "/sys/devices/system/node",
)  # fmt: skip


def options(engine: Engine) -> list[str]:
    """Return the options that hide them. Docker has none."""
    return ["--security-opt", f"mask={':'.join(HIDDEN)}"] if engine.kind is Kind.PODMAN else []
