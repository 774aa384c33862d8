"""Walk, copy and remove file trees that strangers made.

A tree may have been made to mislead whoever reads it: with links, pipes and devices, or with paths that are
too long for the system. So every folder is opened from its parent, by one name at a time and without
following links, and depth, number of entries and size have a limit. Symbolic links are copied as they are and
never followed; they mean something only inside the sandbox. Hard links become separate files.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import Final

from botequim.core.errors import BotequimError, InputError, os_reason
from botequim.core.limits import MB
from botequim.core.messages import Message, msg

LEFT_OUT: Final = frozenset((".git", "__pycache__", ".DS_Store", "__MACOSX"))
"""Names that are not part of a bot."""
CUP_STORE: Final = "cup.sqlite"
"""A folder with this file is a cup's own, with its seed."""
FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
WRITE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
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
    """Of all files together, in bytes."""
    depth: int = DEEPEST
    """Folders within each other. Each takes up to two descriptors."""


class Kind(Enum):
    """What an entry of a tree is; the value is its sign in a digest."""

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
    """From the top of the tree."""
    name: str
    parent: int
    """A descriptor of the folder that it lies in; valid until the walk goes on."""
    depth: int
    """0 at the top."""
    status: os.stat_result

    def open(self) -> int:
        """Return a descriptor of a file, for reading."""
        with _reading(self.path):
            descriptor = os.open(self.name, READ, dir_fd=self.parent)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
        os.close(descriptor)
        raise TreeError(msg("{path} changed while it was read", path=printable(self.path)))

    def target(self) -> str:
        """Return where a link points."""
        with _reading(self.path):
            return os.readlink(self.name, dir_fd=self.parent)


def printable(path: str) -> str:
    """Return a path for a message: bounded, and text whatever bytes it has."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    half = LONGEST_SHOWN // 2
    return text if len(text) <= LONGEST_SHOWN else f"{text[:half]}...{text[-half:]}"


@contextmanager
def _reading(path: str) -> Iterator[None]:
    """An error of the system while an entry is read is an error of the tree."""
    try:
        yield
    except OSError as error:
        raise TreeError(
            msg("{path} cannot be read: {why}", path=printable(path), why=os_reason(error))
        ) from error


@contextmanager
def open_tree(folder: Path) -> Iterator[int]:
    """A descriptor of a folder of ours. Links on the way to it are followed, for it is we who name it."""
    with _reading(str(folder)):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def real_path(path: Path) -> Path:
    """Return where a path of a stranger's leads. Raise OSError if it leads nowhere.

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
    """Of files with several names: how many of them were not met yet, and one of them."""
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
            with _reading(path):
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
                raise _too_large(bounds)
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
                with _reading(path):
                    child = os.open(name, FOLDER, dir_fd=parent)
                stack.append((child, path + "/", iter(())))  # closed whatever happens
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
    with _reading(path or "."), os.scandir(folder) as found:
        names = [entry.name for entry in islice(found, bounds.entries + 1)]
    if len(names) > bounds.entries:
        raise _too_large(bounds)
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


def _too_large(bounds: Bounds) -> TreeError:
    return TreeError(
        msg(
            "it holds more than {files} files or {size} MB; put the bot in a folder of its own",
            files=bounds.entries,
            size=bounds.size // MB,
        )
    )


# --- copying ---------------------------------------------------------------------------------------


def copy_tree(
    source: int,
    target: Path,
    bounds: Bounds | None = None,
    *,
    without: Collection[FileId] = (),
    closed: bool = False,
) -> None:
    """Make a new folder `target` with the files, folders and links of a tree; see `walk`.

    All can be read by everybody, and written by us. Programs stay executable; times are kept. Nothing is
    written if the tree is refused.
    """
    bounds = bounds or Bounds()
    left = bounds.size
    for _ in walk(source, bounds, without=without, closed=closed):
        pass
    with _writing(target):
        target.mkdir(mode=0o755)
        folders = [os.open(target, FOLDER)]
    try:
        for entry in walk(source, bounds, without=without, closed=closed):
            while len(folders) > entry.depth + 1:
                os.close(folders.pop())
            match entry.kind:
                case Kind.FOLDER:
                    with _writing(target):
                        os.mkdir(entry.name, 0o755, dir_fd=folders[-1])
                        folders.append(os.open(entry.name, FOLDER, dir_fd=folders[-1]))
                        os.fchmod(folders[-1], 0o755)
                case Kind.LINK:
                    points_to = entry.target()
                    with _writing(target):
                        os.symlink(points_to, entry.name, dir_fd=folders[-1])
                case Kind.FILE | Kind.PROGRAM:
                    left -= _copy_file(entry, folders[-1], left, target, bounds)
    finally:
        for folder in folders:
            os.close(folder)


def _copy_file(entry: Entry, folder: int, left: int, target: Path, bounds: Bounds) -> int:
    """Copy one file, and return how many bytes it has; more than `left` are an error."""
    size = 0
    source = entry.open()
    try:
        with _writing(target):
            copy = os.open(entry.name, WRITE, 0o600, dir_fd=folder)
        try:
            while chunk := _chunk(source, entry.path):
                size += len(chunk)
                if size > left:  # it grew, or the system does not know how large it is
                    raise _too_large(bounds)
                with _writing(target):
                    os.write(copy, chunk)
            with _writing(target):
                os.fchmod(copy, 0o755 if entry.kind is Kind.PROGRAM else 0o644)
                os.utime(copy, ns=(entry.status.st_mtime_ns, entry.status.st_mtime_ns))
        finally:
            os.close(copy)
    finally:
        os.close(source)
    return size


def _chunk(source: int, path: str) -> bytes:
    with _reading(path):
        return os.read(source, CHUNK)


@contextmanager
def _writing(target: Path) -> Iterator[None]:
    """An error of the system while our copy is written is nobody's but ours."""
    try:
        yield
    except OSError as error:
        raise BotequimError(
            msg("{path} cannot be written: {why}", path=str(target), why=os_reason(error))
        ) from error


# --- removing --------------------------------------------------------------------------------------


def remove_tree(path: Path) -> None:
    """Remove a folder with all that is in it, however deep it is. What cannot be removed stays."""
    with contextlib.suppress(OSError):
        path.chmod(0o700)
        top = os.open(path, FOLDER)
        try:
            while not _is_emptied(top):
                pass
        finally:
            os.close(top)
        path.rmdir()


def _is_emptied(top: int) -> bool:
    """Remove all that is in a folder, but move folders that lie too deep to the top, to be removed later."""
    word, moved = secrets.token_hex(8), 0
    stack = [(top, "", _folders_alone(top))]
    try:
        while True:
            folder, _, inner = stack[-1]
            if not inner:
                if len(stack) == 1:
                    return not moved
                _, name, _ = stack.pop()
                os.close(folder)
                os.rmdir(name, dir_fd=stack[-1][0])
            elif len(stack) > DEEPEST:
                moved += 1
                os.rename(inner.pop(), f"{word}-{moved}", src_dir_fd=folder, dst_dir_fd=top)
            else:
                name = inner.pop()
                child = os.open(name, FOLDER, dir_fd=folder)
                stack.append((child, name, []))
                stack[-1][2].extend(_folders_alone(child))
    finally:
        for descriptor, _, _ in stack[1:]:
            os.close(descriptor)


def _folders_alone(folder: int) -> list[str]:
    """Remove all but the folders in a folder; return their names, once they can be written."""
    folders = []
    for name in os.listdir(folder):
        if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            os.chmod(name, 0o700, dir_fd=folder)
            folders.append(name)
        else:
            os.unlink(name, dir_fd=folder)
    return folders


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A new folder for files of strangers, removed at the end."""
    path = Path(tempfile.mkdtemp(prefix="botequim-")).resolve()
    try:
        yield path
    finally:
        remove_tree(path)
