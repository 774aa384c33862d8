"""A small program of ours that gives a container a writable layer of limited size.

`docker run` lets a program write anywhere in its file system. So do we, but an engine's own layer lies on the
disk and has no limit on most file systems. This program runs in the container's mount namespace while the
container waits at its gate (`gate.py`): everything that the runtime mounts is there, and the runtime has yet
to change its root. It mounts an overlay over the container's root. The upper layer is a file system in
memory with a limit, which exists in that namespace alone and ends with it; what a program writes there counts
as its memory. The mounts that the engine made in the root move to the overlay, read-only except /proc.
Single files among them, which other containers may have too (an init, /etc/hosts), become copies: instances
could speak to each other by locks on a file that they share.

Run as `python -I -S layer.py ROOT PLACE SIZE FILES [VOLUME...]` in that namespace. PLACE is any folder
outside of ROOT. The VOLUMEs of the image are made, as engines do; they are part of the layer.
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
"""The most bytes for copies of files; only our own files are copied."""
_libc = ctypes.CDLL(None, use_errno=True)


class Mount(NamedTuple):
    """A line of /proc/self/mountinfo."""

    number: str
    parent: str
    target: str
    flags: int


def main(root: str, place: str, size: str, files: str, *volumes: str) -> None:
    inside = _mounts_in(root)
    mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV, f"size={size},nr_inodes={files},mode=700")
    os.chdir(place)  # relative names need no escapes among the options of a mount
    Path("lower").symlink_to(root)
    for name in ("upper", "work", "root", "files"):
        Path(name).mkdir()
    mount("tmpfs", "files", "tmpfs", MS_NOSUID | MS_NODEV, f"size={COPIES},mode=700")
    image = Path(root).stat()
    os.chown("upper", image.st_uid, image.st_gid)
    Path("upper").chmod(image.st_mode & 0o7777 | 0o755)  # podman's default, 0555, is not docker's
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
    os.chroot(root)  # links in the image must not lead out of it
    os.chdir("/")
    for volume in ("/tmp", *volumes):
        with contextlib.suppress(OSError):
            Path(volume).mkdir(parents=True)
            Path(volume).chmod(0o1777)


def _mounts_in(root: str) -> list[Mount]:
    """Return the mounts whose parent is the one that is visible at `root`; others move with them."""
    found = []
    with open("/proc/self/mountinfo", "rb") as table:
        for line in table:
            number, parent, _, _, target, options, *_ = line.split(b" ")
            flags = sum(FLAGS.get(option, 0) for option in options.decode().split(","))
            name = os.fsdecode(target.decode("unicode_escape").encode("latin-1"))
            found.append(Mount(number.decode(), parent.decode(), name, flags))
    at_root = [one for one in found if one.target == root]
    covered = {one.parent for one in at_root}
    (visible,) = [one.number for one in at_root if one.number not in covered]
    return [one for one in found if one.parent == visible]


def _mount_overlay(options: str) -> None:
    """Mount an overlay. Trusted attributes work only outside of user namespaces."""
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
