"""Options of the engine that keep containers from communicating with each other.

They hide files of /proc and /sys with figures of the whole machine, and terminals, because there are few of
them. Containers have no user namespaces of their own, so for the kernel all have the same users, and it
counts some resources by user; docs/reference/security.md lists them. In a user namespace, devices would be
those of the machine.
"""

from __future__ import annotations

from typing import Final

from botequim.sandbox import mounts
from botequim.sandbox.containers.engine import Engine, Kind

HIDDEN_PATHS: Final = (
    *(f"/proc/{name}" for name in (*mounts.COUNTERS, *mounts.COUNTER_FOLDERS, "sys/kernel/pty")),
    "/dev/pts", "/sys/kernel", "/sys/module", "/sys/block", "/sys/class", "/sys/devices/system/node",
)  # fmt: skip


def options(engine: Engine) -> list[str]:
    """Return the options that hide these files. Docker has no such options."""
    return ["--security-opt", f"mask={':'.join(HIDDEN_PATHS)}"] if engine.kind is Kind.PODMAN else []
