"""A folder of entries by name, bounded in bytes, that several processes share.

::

    entries/NAME/     one entry: its content, and the file `size` with the bytes that it occupies
    locks/NAME        shared by who uses the entry; its modification time is when it was used last
    locks/NAME~fetch  exclusive for who makes the entry
    incoming/         what is being written, and locked by who writes it, or being removed
    lock              exclusive for who removes entries, so that no two remove more than they need to

An entry appears and disappears by a rename: nobody ever sees half of one, even if a process is killed. The
kernel releases the locks (flock) of a process that ends, and the next process removes what it left.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import secrets
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from botequim.bots.tree_files import remove_tree
from botequim.bots.trees import FOLDER, Bounds, Kind, file_id, open_tree, walk
from botequim.core import clock
from botequim.core.errors import BotequimError, os_reason
from botequim.core.messages import msg

NAME: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z_.-]{0,199}")
FETCH: Final = "~fetch"
SIZE: Final = "size"
BLOCK: Final = 4096
LOCK_FILE: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
ANY_TREE: Final = Bounds(entries=sys.maxsize - 1, size=sys.maxsize, depth=1000)


class DiskFull(BotequimError):
    """There is no space left for a file, on the disk or in the user's quota."""


@contextmanager
def convert_write_errors(path: Path) -> Iterator[None]:
    """Turn an error of the system into an error of ours: DiskFull if the disk is full."""
    try:
        yield
    except OSError as error:
        kind = DiskFull if error.errno in (errno.ENOSPC, errno.EDQUOT) else BotequimError
        raise kind(msg("{path} cannot be written: {why}", path=str(path), why=os_reason(error))) from error


class BoundedFolder:
    """Entries by name. The least recently used ones are removed when they are too large together.

    What is in use, and what is being written, may exceed the bound. A lock belongs to one block, not to its
    process, so threads may share an object.
    """

    def __init__(self, folder: Path, most_bytes: int, *, grace: float = 0.0) -> None:
        """Make the folder if it is not there.

        Entries are not removed for `grace` seconds after a use that says that more of it follow.
        """
        self._most: Final = most_bytes
        self._grace: Final = grace
        with convert_write_errors(folder):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path: Final = folder.resolve()
            self._require_private()
            self._entries, self._locks, self._incoming = (
                self.path / name for name in ("entries", "locks", "incoming")
            )
            for part in (self._entries, self._locks, self._incoming):
                part.mkdir(mode=0o700, exist_ok=True)
        self.evict()

    def _require_private(self) -> None:
        """Raise BotequimError if another user can write here; see `bot_cache.py` for why it matters."""
        status = self.path.stat()
        if status.st_uid != os.geteuid() or status.st_mode & 0o022:
            raise BotequimError(
                msg(
                    "{path} can be written by other users; choose a folder that belongs only to the user who "
                    "runs this",
                    path=str(self.path),
                )
            )

    # --- using -----------------------------------------------------------------------------------------

    def entry(self, name: str) -> Path:
        """Return where the entry of a name is, or would be. Raise BotequimError if it cannot be a name."""
        if not NAME.fullmatch(name):
            raise BotequimError(msg('"{name}" cannot be the name of a file here', name=name[:200]))
        return self._entries / name

    @contextmanager
    def use(self, name: str, *, more_follow: bool = False) -> Iterator[Path]:
        """Yield where an entry is, or would be. It is not removed until the block ends."""
        path = self.entry(name)
        with convert_write_errors(self.path):
            lock = _wait_for_lock(self._locks / name, fcntl.LOCK_SH)
        try:
            self._set_times(lock, more_follow=more_follow)
            yield path
            self._set_times(lock, more_follow=more_follow)
        finally:
            _unlock(lock)

    @contextmanager
    def fetch_alone(self, name: str) -> Iterator[None]:
        """Wait until no other block makes this entry. Only who uses an entry may do so."""
        with convert_write_errors(self.path):
            lock = _wait_for_lock(self._locks / (name + FETCH), fcntl.LOCK_EX)
        try:
            yield
        finally:
            _unlock(lock)

    def _set_times(self, lock: int, *, more_follow: bool) -> None:
        now = clock.date(clock.now())
        with convert_write_errors(self.path):
            # the time of access, which nothing else sets later than now, is until when more uses are expected
            os.utime(lock, (now + self._grace if more_follow else os.fstat(lock).st_atime, now))

    # --- writing ---------------------------------------------------------------------------------------

    @contextmanager
    def staging(self) -> Iterator[Path]:
        """Yield a new folder for `add`; what is left in it is removed, also if this process is killed."""
        with convert_write_errors(self.path):
            lock = None
            while lock is None:  # another process may remove it before it is locked
                path = Path(tempfile.mkdtemp(dir=self._incoming))
                lock = _try_lock(path, fcntl.LOCK_EX, FOLDER)
        try:
            yield path
        finally:
            remove_tree(path)
            _unlock(lock)

    def add(self, staged: Path, name: str) -> None:
        """Make a folder, which lies in a staging folder, the entry of a name, unless there is one already."""
        with convert_write_errors(self.path):
            (staged / SIZE).write_text(str(disk_usage(staged)), encoding="ascii")
            try:
                staged.rename(self.entry(name))
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise

    # --- removing --------------------------------------------------------------------------------------

    def evict(self, most_bytes: int | None = None) -> int:
        """Remove entries that are not in use until the rest fits, and what killed processes left.

        Return how many entries were removed. Those that were used least recently go first.
        """
        most = self._most if most_bytes is None else most_bytes
        count = 0
        with convert_write_errors(self.path):
            lock = _wait_for_lock(self.path / "lock", fcntl.LOCK_EX)
            try:
                self._remove_leftovers()
                sizes = {name: self._size(name) for name in self._names()}
                total = sum(sizes.values())
                for name in sorted(sizes, key=self._last_use):
                    if total <= most:
                        break
                    if self._remove_unless_used(name):
                        total -= sizes[name]
                        count += 1
            finally:
                _unlock(lock)
        return count

    def remove(self, name: str) -> None:
        """Remove an entry at once. It may be in use: files that are open stay readable."""
        path = self.entry(name)
        # a rename needs no space, so that it works on a full disk
        trash = self._incoming / secrets.token_hex(8)
        with convert_write_errors(self.path):
            with contextlib.suppress(FileNotFoundError):
                path.rename(trash)
            remove_tree(trash)

    def _remove_unless_used(self, name: str) -> bool:
        lock = _try_lock(self._locks / name, fcntl.LOCK_EX | fcntl.LOCK_NB, LOCK_FILE)
        if lock is None:
            return False
        try:
            if 0 < os.fstat(lock).st_atime - clock.date(clock.now()) <= self._grace:
                return False
            self.remove(name)
            # nobody holds the second lock, because only users of the entry may
            (self._locks / (name + FETCH)).unlink(missing_ok=True)
            (self._locks / name).unlink()
        finally:
            _unlock(lock)
        return True

    def _remove_leftovers(self) -> None:
        for path in self._incoming.iterdir():
            lock = _try_lock(path, fcntl.LOCK_EX | fcntl.LOCK_NB, FOLDER)
            if lock is not None:
                remove_tree(path)
                _unlock(lock)
        for path in self._locks.iterdir():
            name = path.name.removesuffix(FETCH)
            if not (self._entries / name).exists():
                self._remove_unless_used(name)

    def _names(self) -> list[str]:
        return [path.name for path in self._entries.iterdir()]

    def _size(self, name: str) -> int:
        """Return the size of an entry; remove the entry if a crash of the machine lost its size."""
        try:
            return int((self._entries / name / SIZE).read_text(encoding="ascii"))
        except (OSError, ValueError):
            self._remove_unless_used(name)
            return 0

    def _last_use(self, name: str) -> int:
        with contextlib.suppress(FileNotFoundError):
            return (self._locks / name).stat().st_mtime_ns
        return 0


def disk_usage(folder: Path) -> int:
    """Return about how many bytes of a disk a tree takes: whole blocks, and one for each entry."""
    with open_tree(folder) as top:
        return sum(
            BLOCK + (-(-entry.status.st_size // BLOCK) * BLOCK if entry.kind is not Kind.FOLDER else 0)
            for entry in walk(top, ANY_TREE, everything=True)
        )


# --- locks -------------------------------------------------------------------------------------------


def _wait_for_lock(path: Path, how: int) -> int:
    while True:  # until it is the lock of the file that has this name now
        lock = _try_lock(path, how, LOCK_FILE)
        if lock is not None:
            return lock


def _try_lock(path: Path, how: int, flags: int) -> int | None:
    """Return a descriptor with a lock; None if another has the lock, or has removed what was locked."""
    try:
        descriptor = os.open(path, flags, 0o600)
    except FileNotFoundError:
        if flags & os.O_CREAT:
            raise  # its folder is gone
        return None
    try:
        fcntl.flock(descriptor, how)
        if file_id(os.fstat(descriptor)) == file_id(path.lstat()):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _unlock(descriptor: int) -> None:
    # a process that was forked at this moment may have the descriptor too
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    os.close(descriptor)
