"""Separates instances from each other, although all of them see the same files.

Two instances that open the same file share its inode, so each can see locks, leases and watches of the other.
To prevent that, every folder that a bot sees is covered by a read-only overlay of itself, in the mount
namespace of its chain. Then each instance has inodes of its own, but the pages of the files are still shared.
The temporary space is mounted here too, because bwrap cannot limit the number of files in it.

All of that is one table in the format of /etc/fstab. One run of `mount` mounts it before bwrap runs, so bwrap
finds everything at the usual paths.
"""

from __future__ import annotations

import functools
import os
import re
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
SPECIAL = re.compile(rb"[^a-zA-Z0-9/._=,:-]")
"""Characters with a meaning in a table."""
SPECIAL_IN_OPTION = re.compile(rb"[^a-zA-Z0-9/._-]")
"""Characters with a meaning in a table or in an option of a mount."""


def table(
    trees: Iterable[Path], spaces: int, limits: Limits, mount_paths: Sequence[str], *, devices: bool
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
    layers = list(folders)
    for number, path in enumerate(folders):
        covered = any(_is_inside(path, other) for other in folders[:number])
        if covered or SPECIAL_IN_OPTION.search(os.fsencode(path)):
            layers[number] = f"{BASE}/{number}"
            rows.append((path, layers[number], "none", "bind,X-mount.mkdir"))
    for layer, path in zip(layers, folders, strict=True):
        rows.append((SOURCE, path, "overlay", f"lowerdir={layer}:{NOTHING}"))
    # read-only, so that nobody can change the times of a device; the device itself stays writable
    rows.append(("/dev", DEVICES, "none", "rbind,ro,X-mount.mkdir"))
    if devices:
        rows.append((SOURCE, DEVICES, "overlay", f"lowerdir=/dev:{NOTHING}"))
    return b"".join(b" ".join(map(_escape, row)) + b" 0 0\n" for row in rows)


def space(number: int) -> str:
    """Return the folder of a temporary space, which bwrap mounts at another path."""
    return f"{BASE}/space{number}"


def mount_points() -> tuple[str, ...]:
    """Return all mount points, in the order of mounting."""
    return _mount_points(Path("/proc/self/mountinfo").read_bytes())


@functools.lru_cache(maxsize=1)
def _mount_points(mount_info: bytes) -> tuple[str, ...]:
    return tuple(os.fsdecode(_unescape(line.split()[4])) for line in mount_info.splitlines())


def _folders(trees: Iterable[Path], mount_paths: Sequence[str]) -> list[str]:
    """Return the folders to cover, parents first. For a file, that is its parent folder."""
    candidates: set[str] = set()
    for tree in trees:
        resolved = tree.resolve()
        path = str(resolved if resolved.is_dir() else resolved.parent)
        candidates.add(path)
        candidates.update(point for point in mount_paths if _is_inside(point, path))
    folders: list[str] = []
    for path in sorted(candidates - {"/"}, key=lambda path: path.count("/")):
        inside = any(_is_inside(path, other) for other in folders)
        if (path in mount_paths or not inside) and Path(path).is_dir():
            folders.append(path)
    return folders


def _is_inside(path: str, folder: str) -> bool:
    return path.startswith(folder if folder == "/" else f"{folder}/") and path != folder


def _escape(word: str) -> bytes:
    return SPECIAL.sub(lambda found: b"\\%03o" % found[0][0], os.fsencode(word))


def _unescape(word: bytes) -> bytes:
    first, *rest = word.split(b"\\")
    return first + b"".join(bytes([int(part[:3], 8)]) + part[3:] for part in rest)
