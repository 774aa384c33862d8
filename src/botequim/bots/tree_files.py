"""Copy and remove file trees that strangers made; see `trees.py` for how they are walked."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from botequim.bots.trees import (
    CHUNK,
    DEEPEST,
    FOLDER,
    Bounds,
    Entry,
    FileId,
    Kind,
    convert_read_errors,
    too_large,
    walk,
)
from botequim.core.errors import BotequimError, os_reason
from botequim.core.messages import msg

WRITE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


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
    with _convert_write_errors(target):
        target.mkdir(mode=0o755)
        folders = [os.open(target, FOLDER)]
    try:
        for entry in walk(source, bounds, without=without, closed=closed):
            while len(folders) > entry.depth + 1:
                os.close(folders.pop())
            match entry.kind:
                case Kind.FOLDER:
                    with _convert_write_errors(target):
                        os.mkdir(entry.name, 0o755, dir_fd=folders[-1])
                        folders.append(os.open(entry.name, FOLDER, dir_fd=folders[-1]))
                        os.fchmod(folders[-1], 0o755)
                case Kind.LINK:
                    points_to = entry.target()
                    with _convert_write_errors(target):
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
        with _convert_write_errors(target):
            copy = os.open(entry.name, WRITE, 0o600, dir_fd=folder)
        try:
            while chunk := _chunk(source, entry.path):
                size += len(chunk)
                if size > left:  # it grew, or the system does not know how large it is
                    raise too_large(bounds)
                with _convert_write_errors(target):
                    _write_all(copy, chunk)
            with _convert_write_errors(target):
                os.fchmod(copy, 0o755 if entry.kind is Kind.PROGRAM else 0o644)
                os.utime(copy, ns=(entry.status.st_mtime_ns, entry.status.st_mtime_ns))
        finally:
            os.close(copy)
    finally:
        os.close(source)
    return size


def _write_all(file: int, content: bytes) -> None:
    """Write all bytes: on a disk that is nearly full, the system may write only some of them at first."""
    left = memoryview(content)
    while left:
        left = left[os.write(file, left) :]


def _chunk(source: int, path: str) -> bytes:
    with convert_read_errors(path):
        return os.read(source, CHUNK)


@contextmanager
def _convert_write_errors(target: Path) -> Iterator[None]:
    """Turn an error of the system, while our copy is written, into an error of ours."""
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
            while not _empty_folder(top):
                pass
        finally:
            os.close(top)
        path.rmdir()


def _empty_folder(top: int) -> bool:
    """Remove what is in a folder; move folders that lie too deep to its top. Return whether it is empty."""
    word, moved = secrets.token_hex(8), 0
    stack = [(top, "", _remove_files(top))]
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
                stack[-1][2].extend(_remove_files(child))
    finally:
        for descriptor, _, _ in stack[1:]:
            os.close(descriptor)


def _remove_files(folder: int) -> list[str]:
    """Remove all but the folders in a folder, make those writable, and return their names."""
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
    """Make a folder for files of strangers, and remove it at the end."""
    path = Path(tempfile.mkdtemp(prefix="botequim-")).resolve()
    try:
        yield path
    finally:
        remove_tree(path)
