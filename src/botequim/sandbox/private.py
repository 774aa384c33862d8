"""Separates instances from each other, although all of them see the same files.

Two instances that open the same file share its inode, so each can see locks, leases and watches of the other.
To prevent that, every folder that a bot sees is covered by a read-only overlay of itself, in the mount
namespace of its chain. Then each instance has inodes of its own, but the pages of the files are still shared.
The temporary space is mounted here too, because bwrap cannot limit the number of files in it.

All of that is one table in the format of /etc/fstab. One run of `mount` mounts it before bwrap runs, so bwrap
finds everything at the usual paths.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from botequim.core.limits import Limits

BASE = "/sys"
"""The folder for the mounts. Every machine has it, and no later step of the chain needs it."""
DEVICES = f"{BASE}/dev"
"""The folder in which bwrap finds the devices."""
NOTHING = f"{BASE}/none"
"""An empty folder."""
SOURCE = "botequim"
"""The name of mounted file systems in /proc/mounts."""
BYTES_A_FILE = 4096
"""The bytes of a temporary space for each file that it may contain, because empty files need memory too."""
SPARE_FILES = 512
PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-")
"""Characters without a special meaning in a table or an option."""


def table(
    trees: Iterable[Path], spaces: int, limits: Limits, mount_paths: Sequence[Path], *, devices: bool
) -> bytes:
    """Return the table that covers `trees` and mounts `spaces` temporary spaces.

    `mount_paths` are the mount points of this machine. An overlay does not include mounts below it, so each
    of them is covered separately. With `devices`, an overlay of /dev is added, which only works for root of
    the whole machine.
    """
    files = limits.space // BYTES_A_FILE + SPARE_FILES
    size = f"size={limits.space},nr_inodes={files}"
    rows = [(SOURCE, BASE, "tmpfs", "mode=0755"), (SOURCE, NOTHING, "tmpfs", "X-mount.mkdir,ro")]
    for number in range(spaces):
        rows.append((SOURCE, space(number), "tmpfs", f"X-mount.mkdir,mode=1777,nosuid,nodev,{size}"))
    folders = _folders(trees, mount_paths)
    layers = [str(path) for path in folders]
    for number, path in enumerate(folders):
        if set(os.fsencode(path)) - PLAIN or any(path.is_relative_to(other) for other in folders[:number]):
            layers[number] = f"{BASE}/{number}"
            rows.append((str(path), layers[number], "none", "bind,X-mount.mkdir"))
    for layer, path in zip(layers, folders, strict=True):
        rows.append((SOURCE, str(path), "overlay", f"lowerdir={layer}:{NOTHING}"))
    # read-only, so that nobody can change the times of a device; the device itself stays writable
    rows.append(("/dev", DEVICES, "none", "rbind,ro,X-mount.mkdir"))
    if devices:
        rows.append((SOURCE, DEVICES, "overlay", f"lowerdir=/dev:{NOTHING}"))
    return b"".join(b" ".join(map(_escape, row)) + b" 0 0\n" for row in rows)


def space(number: int) -> str:
    """Return the folder of a temporary space, which bwrap mounts at another path."""
    return f"{BASE}/space{number}"


def mount_points() -> list[Path]:
    """Return all mount points, in the order of mounting."""
    lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
    return [Path(os.fsdecode(_unescape(line.split()[4]))) for line in lines]


def _folders(trees: Iterable[Path], mount_paths: Sequence[Path]) -> list[Path]:
    """Return the folders to cover, parents first. For a file, that is its parent folder."""
    candidates: list[Path] = []
    for tree in trees:
        path = tree.resolve()
        path = path if path.is_dir() else path.parent
        candidates += [
            path,
            *(point for point in mount_paths if point != path and point.is_relative_to(path)),
        ]
    folders: list[Path] = []
    for path in sorted(set(candidates), key=lambda path: len(path.parts)):
        inside = any(path.is_relative_to(other) for other in folders)
        if path != Path("/") and path.is_dir() and not (inside and path not in mount_paths):
            folders.append(path)
    return folders


def _escape(word: str) -> bytes:
    return b"".join(
        bytes([sign]) if sign in PLAIN | set(b"=,:") else b"\\%03o" % sign for sign in os.fsencode(word)
    )


def _unescape(word: bytes) -> bytes:
    first, *rest = word.split(b"\\")
    return first + b"".join(bytes([int(part[:3], 8)]) + part[3:] for part in rest)
