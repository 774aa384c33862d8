"""Walk file trees that strangers made (`tree_files.py` copies and removes them).

A tree may have been made to mislead whoever reads it: with links, pipes and devices, or with paths that are
too long for the system. So every folder is opened from its parent, by one name at a time and without
following links, and depth, number of entries and size have a limit. Symbolic links are copied as they are and
never followed; they mean something only inside the sandbox. Hard links become separate files.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import Final

from botequim.core.errors import InputError, os_reason
from botequim.core.limits import MB
from botequim.core.messages import Message, msg

LEFT_OUT: Final = frozenset((".git", "__pycache__", ".DS_Store", "__MACOSX"))
"""Names that are not part of a bot."""
CUP_STORE: Final = "cup.sqlite"
"""A folder with this file is a cup's own, with its seed."""
FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
DEEPEST: Final = 100
LONGEST_SHOWN: Final = 120
CHUNK: Final = MB
FileId = tuple[int, int]
"""Device and inode."""

SPECIAL: Final = {
    "fifo": msg("a named pipe (FIFO)"),
    "socket": msg("a socket"),
    "device": msg("a device"),
    "setuid": msg("a setuid or setgid file"),
    "odd": msg("neither a file nor a folder"),
}
"""Kinds of files that no bot may have, by a word."""


class TreeError(InputError):
    """A tree that is refused, and why. The message names the entry, but not whose it is."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The largest tree that is accepted."""

    entries: int = 20_000
    size: int = 512 * MB
    """The size of all files together, in bytes."""
    depth: int = DEEPEST
    """The depth of nested folders. Each takes up to two descriptors."""


class Kind(Enum):
    """The kind of an entry; the value is its letter in a digest."""

    FOLDER = b"D"
    FILE = b"F"
    PROGRAM = b"X"
    """A file that its owner may execute."""
    LINK = b"L"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a tree, while it is being walked."""

    kind: Kind
    path: str
    """The path from the top of the tree."""
    name: str
    parent: int
    """A descriptor of its folder, valid until the walk continues."""
    depth: int
    """0 at the top."""
    status: os.stat_result

    def open(self) -> int:
        """Return a descriptor of a file, for reading."""
        with convert_read_errors(self.path):
            descriptor = os.open(self.name, READ, dir_fd=self.parent)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
        os.close(descriptor)
        raise TreeError(msg("{path} changed while it was read", path=printable(self.path)))

    def target(self) -> str:
        """Return where a link points."""
        with convert_read_errors(self.path):
            return os.readlink(self.name, dir_fd=self.parent)


def printable(path: str) -> str:
    """Return a path for a message: bounded, and text whatever bytes it has."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    half = LONGEST_SHOWN // 2
    return text if len(text) <= LONGEST_SHOWN else f"{text[:half]}...{text[-half:]}"


@contextmanager
def convert_read_errors(path: str) -> Iterator[None]:
    """Turn an error of the system, while an entry is read, into an error of the tree."""
    try:
        yield
    except OSError as error:
        raise TreeError(
            msg("{path} cannot be read: {why}", path=printable(path), why=os_reason(error))
        ) from error


@contextmanager
def open_tree(folder: Path) -> Iterator[int]:
    """Open one of our own folders; links on the way to it are followed."""
    with convert_read_errors(str(folder)):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def real_path(path: Path) -> Path:
    """Return where a path leads that a stranger made. Raise OSError if it leads nowhere.

    The kernel follows 40 links at most; `Path.resolve` would follow any number of them.
    """
    if not hasattr(os, "O_PATH"):
        return path.resolve(strict=True)
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        return Path(f"/proc/self/fd/{descriptor}").readlink()
    finally:
        os.close(descriptor)


def file_id(status: os.stat_result) -> FileId:
    return status.st_dev, status.st_ino


# --- walking ---------------------------------------------------------------------------------------


def walk(
    top: int,
    bounds: Bounds | None = None,
    *,
    without: Collection[FileId] = (),
    closed: bool = False,
    everything: bool = False,
) -> Iterator[Entry]:
    """Yield every entry, a folder before what is in it, and names in the order of their bytes.

    Raise TreeError at the first entry that is no file, folder or link, that is setuid or setgid, or that
    cannot be read, and when the tree is out of bounds. Folders in `without` are left out. With `closed` a
    file may have no names outside of the tree. With `everything` no entry is left out for its name.
    """
    bounds = bounds or Bounds()
    links: dict[FileId, tuple[int, str]] = {}
    """For files with several names: how many of these were not found yet, and one of them."""
    count = size = 0
    stack: list[tuple[int, str, Iterator[str]]] = [(os.dup(top), "", iter(()))]
    try:
        stack[0] = stack[0][0], "", iter(_names(top, "", bounds, everything=everything))
        while stack:
            parent, prefix, names = stack[-1]
            name = next(names, None)
            if name is None:
                os.close(stack.pop()[0])
                continue
            path = prefix + name
            with convert_read_errors(path):
                status = os.stat(name, dir_fd=parent, follow_symlinks=False)
            kind = _kind(status, path)
            if kind is Kind.FOLDER and file_id(status) in without:
                continue
            count += 1
            if kind in (Kind.FILE, Kind.PROGRAM):
                size += status.st_size
                if closed and status.st_nlink > 1:
                    left = links.get(file_id(status), (status.st_nlink, path))[0] - 1
                    links[file_id(status)] = left, path
            if count > bounds.entries or size > bounds.size:
                raise too_large(bounds)
            yield Entry(kind, path, name, parent, len(stack) - 1, status)
            if kind is Kind.FOLDER:
                if len(stack) >= bounds.depth:
                    raise TreeError(
                        msg(
                            "{path} is more than {depth} folders deep",
                            path=printable(path),
                            depth=bounds.depth,
                        )
                    )
                with convert_read_errors(path):
                    child = os.open(name, FOLDER, dir_fd=parent)
                stack.append((child, path + "/", iter(())))  # so that it is closed in any case
                stack[-1] = child, path + "/", iter(_names(child, path, bounds, everything=everything))
    finally:
        for descriptor, _, _ in stack:
            os.close(descriptor)
    for left, path in links.values():
        if left > 0:
            raise TreeError(
                msg("{path} is also a file outside of the folder (a hard link)", path=printable(path))
            )


def _names(folder: int, path: str, bounds: Bounds, *, everything: bool) -> list[str]:
    with convert_read_errors(path or "."), os.scandir(folder) as found:
        names = [entry.name for entry in islice(found, bounds.entries + 1)]
    if len(names) > bounds.entries:
        raise too_large(bounds)
    if everything:
        return sorted(names, key=os.fsencode)
    if CUP_STORE in names and path.endswith(".cup"):
        return []
    # the file of a cup that lies here may tell its seed
    cups = {name.removesuffix(".cup") + ".toml" for name in names if name.endswith(".cup")}
    return sorted((name for name in names if name not in LEFT_OUT | cups), key=os.fsencode)


def _kind(status: os.stat_result, path: str) -> Kind:
    mode = status.st_mode
    if stat.S_ISLNK(mode):
        return Kind.LINK
    if stat.S_ISDIR(mode):
        return Kind.FOLDER
    word = special_kind(mode)
    if word is not None:
        raise TreeError(special_file(path, word))
    return Kind.PROGRAM if mode & stat.S_IXUSR else Kind.FILE


def special_kind(mode: int) -> str | None:
    """Return the kind, as in `SPECIAL`, of what is no folder or link; None of a file that a bot may have."""
    if stat.S_ISREG(mode):
        return "setuid" if mode & (stat.S_ISUID | stat.S_ISGID) else None
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        return "device"
    return "fifo" if stat.S_ISFIFO(mode) else "socket" if stat.S_ISSOCK(mode) else "odd"


def special_file(path: str, kind: str) -> Message:
    """Return why a file is refused."""
    return msg(
        "{path} is {kind}; a bot may consist of files, folders and symbolic links only",
        path=printable(path),
        kind=SPECIAL[kind],
    )


def too_large(bounds: Bounds) -> TreeError:
    return TreeError(
        msg(
            "it holds more than {files} files or {size} MB; put the bot in a folder of its own",
            files=bounds.entries,
            size=bounds.size // MB,
        )
    )
