"""Separates the instances from each other, although all of them see the same files.

Two instances that open the same file share its inode: a lock, a lease or a watch of one is visible to the
other. So every tree that a bot sees is covered, in the mount namespace of its chain, by a read-only overlay
of itself: each instance has inodes of its own, and the pages of the files are still shared. Its temporary
space is mounted here too, because bwrap cannot limit the number of files in it.

All of that is one table in the format of /etc/fstab, mounted by one run of `mount` before bwrap runs, so
bwrap finds everything in its usual place.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from botequim.core.limits import Limits

BASE = "/sys"
"""A folder that every machine has and that no later step of the chain needs; our mounts are in it."""
DEVICES = f"{BASE}/dev"
"""The folder in which bwrap finds the devices."""
NOTHING = f"{BASE}/none"
"""An empty folder."""
SOURCE = "botequim"
"""The name of mounted file systems in /proc/mounts."""
BYTES_A_FILE = 4096
"""The bytes of a temporary space for each file that it may contain; empty files take memory too."""
SPARE_FILES = 512
PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-")
"""Characters without a special meaning in a table or an option."""


def table(
    trees: Iterable[Path], spaces: int, limits: Limits, mounted: Sequence[Path], *, devices: bool
) -> bytes:
    """Return the table that covers `trees` and makes `spaces` temporary spaces.

    `mounted` are the mount points of this machine: an overlay does not include what is mounted below it, so
    each of those is covered on its own. `devices`: we are root of the whole machine, and an overlay of /dev
    works.
    """
    files = limits.space // BYTES_A_FILE + SPARE_FILES
    size = f"size={limits.space},nr_inodes={files}"
    rows = [(SOURCE, BASE, "tmpfs", "mode=0755"), (SOURCE, NOTHING, "tmpfs", "X-mount.mkdir,ro")]
    for number in range(spaces):
        rows.append((SOURCE, space(number), "tmpfs", f"X-mount.mkdir,mode=1777,nosuid,nodev,{size}"))
    covered = _folders(trees, mounted)
    layers = [str(path) for path in covered]
    for number, path in enumerate(covered):
        if set(os.fsencode(path)) - PLAIN or any(path.is_relative_to(other) for other in covered[:number]):
            layers[number] = f"{BASE}/{number}"
            rows.append((str(path), layers[number], "none", "bind,X-mount.mkdir"))
    for layer, path in zip(layers, covered, strict=True):
        rows.append((SOURCE, str(path), "overlay", f"lowerdir={layer}:{NOTHING}"))
    # read-only, so that nobody can change the times of a device; it can still be written to
    rows.append(("/dev", DEVICES, "none", "rbind,ro,X-mount.mkdir"))
    if devices:
        rows.append((SOURCE, DEVICES, "overlay", f"lowerdir=/dev:{NOTHING}"))
    return b"".join(b" ".join(map(_escape, row)) + b" 0 0\n" for row in rows)


def space(number: int) -> str:
    """Return the folder of a temporary space, which bwrap mounts elsewhere."""
    return f"{BASE}/space{number}"


def mount_points() -> list[Path]:
    """Return all mount points, in the order of mounting."""
    lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
    return [Path(os.fsdecode(_unescape(line.split()[4]))) for line in lines]


def _folders(trees: Iterable[Path], mounted: Sequence[Path]) -> list[Path]:
    """Return the folders to cover, parents first. For a file, that is its parent folder."""
    wanted: list[Path] = []
    for tree in trees:
        path = tree.resolve()
        path = path if path.is_dir() else path.parent
        wanted += [path, *(point for point in mounted if point != path and point.is_relative_to(path))]
    found: list[Path] = []
    for path in sorted(set(wanted), key=lambda path: len(path.parts)):
        inside = any(path.is_relative_to(other) for other in found)
        if path != Path("/") and path.is_dir() and not (inside and path not in mounted):
            found.append(path)
    return found


def _escape(word: str) -> bytes:
    return b"".join(
        bytes([sign]) if sign in PLAIN | set(b"=,:") else b"\\%03o" % sign for sign in os.fsencode(word)
    )


def _unescape(word: bytes) -> bytes:
    first, *rest = word.split(b"\\")
    return first + b"".join(bytes([int(part[:3], 8)]) + part[3:] for part in rest)
