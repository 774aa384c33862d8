"""Options of the engine that keep containers from communicating with each other.

They hide files of /proc and /sys that count for the whole machine, and terminals, of which there are few.
Without a user namespace, the users of containers are the same for the kernel, which counts some things for
each user; docs/reference/security.md lists them. With a user namespace, the devices would be those of the
machine.
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
    """Return the options that hide these files. Docker has none."""
    return ["--security-opt", f"mask={':'.join(HIDDEN)}"] if engine.kind is Kind.PODMAN else []
