"""A small program that gives a container a writable layer of limited size.

With `docker run`, a program can write anywhere in its file system. Bots can do the same here, but the
engine's own layer would be on the disk, without a limit on most file systems. This program runs in the
container's mount namespace while the container waits at its gate (`gate.py`), after the runtime has mounted
everything, and before it changes its root. It mounts an overlay over the container's root. The upper layer is
a file system in memory with a limit. It exists only in that namespace, and its content counts as memory of
the bot. The engine's mounts in the root move to the overlay, read-only except /proc. Single files among them,
which other containers may have too (an init, /etc/hosts), become copies, because instances could communicate
by locks on shared files.

Run as `python -I -S layer.py ROOT FOLDER SIZE FILES [VOLUME...]` in that namespace. FOLDER is any folder
outside of ROOT. The folders of the image's VOLUMEs are created, as by engines; they are part of the layer.
"""

import contextlib
import ctypes
import os
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_NOATIME, MS_NODIRATIME, MS_BIND, MS_MOVE, MS_RELATIME = 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 21
FLAGS = {
    "nosuid": MS_NOSUID,
    "nodev": MS_NODEV,
    "noexec": MS_NOEXEC,
    "noatime": MS_NOATIME,
    "nodiratime": MS_NODIRATIME,
    "relatime": MS_RELATIME,
}
KEPT_WRITABLE = "/proc"
"""The runtime makes parts of it read-only later."""
COPIES = 64 << 20
"""The most bytes for copies of files. Only files of the engine and of Botequim are copied."""
_libc = ctypes.CDLL(None, use_errno=True)


class Mount(NamedTuple):
    """A line of /proc/self/mountinfo."""

    number: str
    parent: str
    target: str
    flags: int


def main(root: str, folder: str, size: str, files: str, *volumes: str) -> None:
    inside = _mounts_in(root)
    mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, f"size={size},nr_inodes={files},mode=700")
    os.chdir(folder)  # relative paths need no escapes in mount options
    Path("lower").symlink_to(root)
    for name in ("upper", "work", "root", "files"):
        Path(name).mkdir()
    mount("tmpfs", "files", "tmpfs", MS_NOSUID | MS_NODEV, f"size={COPIES},mode=700")
    image = Path(root).stat()
    os.chown("upper", image.st_uid, image.st_gid)
    Path("upper").chmod(image.st_mode & 0o7777 | 0o755)  # as in docker; podman's default is 0555
    _mount_overlay("lowerdir=lower,upperdir=upper,workdir=work")
    for number, one in enumerate(inside):
        within = one.target[len(root) :]
        if Path(one.target).is_file():
            mount(shutil.copy(one.target, f"files/{number}"), "root" + within, flags=MS_BIND)
        else:
            mount(one.target, "root" + within, flags=MS_MOVE)
        if within != KEPT_WRITABLE:
            mount("", "root" + within, flags=MS_BIND | MS_REMOUNT | MS_RDONLY | one.flags)
    mount("root", root, flags=MS_MOVE)
    os.chroot(root)  # so that links in the image cannot lead outside
    os.chdir("/")
    for volume in ("/tmp", *volumes):
        with contextlib.suppress(OSError):
            Path(volume).mkdir(parents=True)
            Path(volume).chmod(0o1777)


def _mounts_in(root: str) -> list[Mount]:
    """Return the mounts whose parent is the visible mount at `root`. Mounts below them move with them."""
    mounts = []
    with open("/proc/self/mountinfo", "rb") as table:
        for line in table:
            number, parent, _, _, target, options, *_ = line.split(b" ")
            flags = sum(FLAGS.get(option, 0) for option in options.decode().split(","))
            name = os.fsdecode(target.decode("unicode_escape").encode("latin-1"))
            mounts.append(Mount(number.decode(), parent.decode(), name, flags))
    at_root = [one for one in mounts if one.target == root]
    hidden_mounts = {one.parent for one in at_root}
    (visible,) = [one.number for one in at_root if one.number not in hidden_mounts]
    return [one for one in mounts if one.parent == visible]


def _mount_overlay(options: str) -> None:
    """Mount an overlay, in a user namespace if possible with `userxattr`."""
    with open("/proc/self/uid_map") as table:
        owns_all = table.read().split() == ["0", "0", "4294967295"]
    ways = [options] if owns_all else [f"{options},userxattr", options]  # not every tmpfs has those
    for way in ways:
        try:
            mount("overlay", "root", "overlay", MS_NOSUID | MS_NODEV, way)
            break
        except OSError:
            if way == ways[-1]:
                raise


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Call mount(2). Raise OSError if it fails."""
    words = [os.fsencode(word) for word in (source, target, kind)]
    if _libc.mount(*words, ctypes.c_ulong(flags), os.fsencode(options)):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), target)


if __name__ == "__main__":
    main(*sys.argv[1:])
