"""Parcels: the files of a bot as one stream of bytes, to send to another machine, and stores of them.

A parcel is the line `botequim parcel 1`, and then, for each entry of the tree in the order of the digest
(`bots/digests.py`), in bytes:

    1   the letter of the kind: D for a folder, F for a file, X for a program, L for a symbolic link
    2   the length of the path, as a big-endian number
    8   the length of the content, likewise
        the path from the top, with / between names
        the content: the bytes of a file, the target of a link, nothing of a folder

and at the end eleven bytes as of an entry, with the letter E and zeros. There are no times, owners or other
modes in it, and it is not compressed: so a tree has exactly one parcel, whatever machine makes it (the output
of a compressor depends on its version). It is not an archive of tar, because that has many ways to say the
same, and ways to say what a bot may not have.

Who unpacks a parcel trusts neither the network nor who sent it: the files that were written must have the
expected digest, and nothing else may have been in the parcel.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import os
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from botequim.bots.archive import IMAGE_LIMITS
from botequim.bots.digests import HEAD, VERSION_2, digest_of
from botequim.bots.tree_files import WRITE, remove_tree
from botequim.bots.trees import (
    FOLDER,
    Bounds,
    Entry,
    Kind,
    TreeError,
    convert_read_errors,
    open_tree,
    printable,
    too_large,
    walk,
)
from botequim.cluster.bounded_folder import BoundedFolder, convert_write_errors
from botequim.core.errors import BotequimError, os_reason
from botequim.core.limits import MB
from botequim.core.messages import Message, msg

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

PARCEL_CHUNK: Final = MB
"""How much of a parcel is sent, and is in memory, at a time."""
LARGEST_BOT: Final = 2 * Bounds().size
"""More bytes than the parcel of any bot has: its files, and up to 25 KB of path for each."""
LARGEST_PARCEL: Final = IMAGE_LIMITS.size + MB
"""Images travel as parcels too."""
START: Final = b"botequim parcel 1\n"
ENTRY: Final = struct.Struct(">cHQ")
END: Final = ENTRY.pack(b"E", 0, 0)
LONGEST_LINK: Final = 4096
TIME: Final = 946684800
"""The modification time of all files that are unpacked: the beginning of the year 2000, UTC."""
IMPOSSIBLE: Final = (errno.EEXIST, errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ, errno.ENOENT)
"""Errors of the system that are due to the names in a parcel."""
GRACE: Final = 30.0
"""The seconds for which a parcel stays in a store after a part of it was read that is not the last."""


class BadParcel(BotequimError):
    """A parcel is damaged, too large, or not the one that was asked for."""


class MissingParcel(BotequimError):
    """A store does not have a parcel of this name."""


# --- packing -----------------------------------------------------------------------------------------


def pack(folder: Path, file: BinaryIO) -> str:
    """Write the parcel of a folder's files, and return their digest, version 2.

    Raise TreeError if they cannot be a bot's, or change meanwhile.
    """
    digest = hashlib.sha256(HEAD)
    file.write(START)
    with open_tree(folder) as top:
        for entry in walk(top):
            digest.update(_line(entry.kind, os.fsencode(entry.path), _pack_entry(entry, file)))
    file.write(END)
    return VERSION_2 + digest.hexdigest()


def _line(kind: Kind, path: bytes, content: bytes) -> bytes:
    """Return what an entry adds to a digest; see `bots/digests.py`."""
    return kind.value + path + b"\0" + content


def _pack_entry(entry: Entry, file: BinaryIO) -> bytes:
    """Write one entry, and return the digest of its content."""
    path = os.fsencode(entry.path)
    content = b""
    match entry.kind:
        case Kind.FILE | Kind.PROGRAM:
            return _pack_file(entry, path, file)
        case Kind.LINK:
            content = os.fsencode(entry.target())
        case Kind.FOLDER:
            pass
    file.write(ENTRY.pack(entry.kind.value, len(path), len(content)) + path + content)
    return hashlib.sha256(content).digest()


def _pack_file(entry: Entry, path: bytes, file: BinaryIO) -> bytes:
    digest = hashlib.sha256()
    with open(entry.open(), "rb", buffering=0) as source:
        with convert_read_errors(entry.path):
            left = os.fstat(source.fileno()).st_size
        file.write(ENTRY.pack(entry.kind.value, len(path), left) + path)
        while chunk := _chunk(source, entry.path):
            left -= len(chunk)
            if left < 0:
                break
            digest.update(chunk)
            file.write(chunk)
    if left:
        raise TreeError(msg("{path} changed while it was read", path=printable(entry.path)))
    return digest.digest()


def _chunk(source: io.FileIO, path: str) -> bytes:
    with convert_read_errors(path):
        return source.read(PARCEL_CHUNK)


# --- unpacking ---------------------------------------------------------------------------------------


def unpack(file: BinaryIO, target: Path, digest: str, bounds: Bounds | None = None) -> None:
    """Make the folder `target` with the files of a parcel, which must have this digest of version 2.

    Raise BadParcel if they have not, or are out of bounds; then nothing is left. The folder is made beside
    `target` and appears there complete.
    """
    with convert_write_errors(target):
        beside = Path(tempfile.mkdtemp(prefix=f".{target.name[:100]}-", dir=target.parent))
    try:
        folder = beside / "files"
        with convert_write_errors(target):
            folder.mkdir(mode=0o755)
            folder.chmod(0o755)  # whatever the umask is
            top = os.open(folder, FOLDER)
        with contextlib.closing(_Unpacking(file, top, target, bounds or Bounds())) as unpacking:
            found = unpacking.run()
        # what was sent, and what came of it: names that a digest leaves out are only in the former
        if found != digest or _digest_of(folder) != digest:
            raise BadParcel(msg("the files of a bot arrived damaged: they are not those that were sent"))
        with convert_write_errors(target):
            folder.rename(target)
    finally:
        remove_tree(beside)


def _digest_of(folder: Path) -> str:
    try:
        return digest_of(folder)
    except TreeError as error:
        raise _damage(error.message) from error


def _damage(why: Message) -> BadParcel:
    return BadParcel(msg("the files of a bot arrived damaged: {why}", why=why))


class _Unpacking:
    """Writes the files of a parcel below a folder, by one name at a time, so that no link is followed."""

    def __init__(self, file: BinaryIO, top: int, target: Path, bounds: Bounds) -> None:
        self._file = file
        self._target = target
        self._bounds = bounds
        self._entries, self._size = bounds.entries, bounds.size
        self._folders = [(b"", top)]
        """The folders from the top to the one that is being filled: paths and descriptors."""

    def close(self) -> None:
        while self._folders:
            os.close(self._folders.pop()[1])

    def run(self) -> str:
        """Write everything, and return the digest of what was in the parcel."""
        digest = hashlib.sha256(HEAD)
        if self._read(len(START)) != START:
            raise _damage(msg("it has another format"))
        while (head := self._read(ENTRY.size)) != END:
            letter, length, size = ENTRY.unpack(head)
            self._entries -= 1
            if self._entries < 0:
                raise _damage(too_large(self._bounds).message)
            try:
                kind = Kind(letter)
            except ValueError:
                raise _damage(msg("it has another format")) from None
            path = self._read(length)
            digest.update(_line(kind, path, self._write(kind, path, size)))
        if self._file.read(1):
            raise _damage(msg("it has another format"))
        return VERSION_2 + digest.hexdigest()

    def _write(self, kind: Kind, path: bytes, size: int) -> bytes:
        """Write one entry, and return the digest of its content."""
        parent, _, name = path.rpartition(b"/")
        if name in (b"", b".", b"..") or b"\0" in name:
            raise _damage(msg("it has another format"))
        here = self._enter(parent)
        if size > {Kind.FOLDER: 0, Kind.LINK: LONGEST_LINK}.get(kind, self._size):
            raise _damage(too_large(self._bounds).message)
        with self._convert_errors(path):
            match kind:
                case Kind.FOLDER:
                    self._make_folder(path, name, here)
                case Kind.LINK:
                    content = self._read(size)
                    os.symlink(content, name, dir_fd=here)
                    return hashlib.sha256(content).digest()
                case Kind.FILE | Kind.PROGRAM:
                    self._size -= size
                    descriptor = os.open(name, WRITE, 0o600, dir_fd=here)
                    return self._write_file(descriptor, size, 0o755 if kind is Kind.PROGRAM else 0o644)
        return hashlib.sha256().digest()

    def _enter(self, parent: bytes) -> int:
        """Return a descriptor of the folder of an entry. It must be the last one or one that contains it."""
        while self._folders[-1][0] != parent:
            os.close(self._folders.pop()[1])
            if not self._folders:
                raise _damage(msg("it has another format"))
        return self._folders[-1][1]

    def _make_folder(self, path: bytes, name: bytes, here: int) -> None:
        if len(self._folders) >= self._bounds.depth:
            raise _damage(
                msg(
                    "{path} is more than {depth} folders deep",
                    path=printable(os.fsdecode(path)),
                    depth=self._bounds.depth,
                )
            )
        os.mkdir(name, 0o755, dir_fd=here)
        folder = os.open(name, FOLDER, dir_fd=here)
        self._folders.append((path, folder))
        os.fchmod(folder, 0o755)

    def _write_file(self, descriptor: int, size: int, mode: int) -> bytes:
        digest = hashlib.sha256()
        with open(descriptor, "wb") as copy:
            while size:
                chunk = self._read(min(size, PARCEL_CHUNK))
                size -= len(chunk)
                digest.update(chunk)
                copy.write(chunk)
            copy.flush()
            os.fchmod(descriptor, mode)
            os.utime(descriptor, (TIME, TIME))
        return digest.digest()

    @contextmanager
    def _convert_errors(self, path: bytes) -> Iterator[None]:
        with convert_write_errors(self._target):
            try:
                yield
            except OSError as error:
                if error.errno in IMPOSSIBLE:
                    name = printable(os.fsdecode(path))
                    why = msg("{path} cannot be written: {why}", path=name, why=os_reason(error))
                    raise _damage(why) from error
                raise

    def _read(self, size: int) -> bytes:
        """Return exactly so many bytes, which are few enough for the memory."""
        parts = []
        while size:
            part = self._file.read(size)
            if not part:
                raise _damage(msg("its end is missing"))
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


# --- stores ------------------------------------------------------------------------------------------


class ParcelFile(io.FileIO):
    """A new file for a parcel that arrives. Its errors are ours; too many bytes raise BadParcel."""

    def __init__(self, path: Path, most_bytes: int = LARGEST_PARCEL) -> None:
        self._path: Final = path
        self._most: Final = most_bytes
        self._left = most_bytes
        with convert_write_errors(path):
            super().__init__(path, "xb")

    def write(self, content: ReadableBuffer, /) -> int:
        if memoryview(content).nbytes > self._left:
            raise _damage(msg("it is larger than {size} MB", size=self._most // MB))
        with convert_write_errors(self._path):
            count = super().write(content)
        self._left -= count
        return count


class ParcelStore:
    """A bounded folder of parcels by name, which is a digest or that of an image; for several processes.

    The least recently used parcels are removed when it is full, but none that is being read or written: a
    parcel is read in parts, so it is in use for a while after each part. The last one that was written stays,
    however large it is. Parcels are not verified here, but by the workers, which unpack them.
    """

    _PARCEL: Final = "parcel"

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self._folder: Final = BoundedFolder(folder, most_bytes, grace=GRACE)

    def has(self, name: str) -> bool:
        """Return whether a parcel is here. It counts as a use: who asks will want it."""
        if not self._file(name).exists():
            return False
        with self._folder.use(name):
            return self._file(name).exists()

    def size(self, name: str) -> int:
        """Return the bytes of a parcel. Raise MissingParcel if it is not here."""
        try:
            return self._file(name).stat().st_size
        except FileNotFoundError as error:
            raise _missing(name) from error

    def read(self, name: str, offset: int, count: int) -> bytes:
        """Return a part of a parcel: fewer bytes only at its end. Raise MissingParcel if it is not here."""
        more_follow = offset + count < self.size(name)
        with self._folder.use(name, more_follow=more_follow), convert_read_errors(name):
            try:
                with self._file(name).open("rb") as file:
                    file.seek(offset)
                    return file.read(count)
            except FileNotFoundError as error:
                raise _missing(name) from error

    @contextmanager
    def writer(self, name: str) -> Iterator[BinaryIO]:
        """Yield a file for a parcel, which is here when the block has ended without an error.

        A parcel of this name that is here already is left alone.
        """
        self._folder.entry(name)
        with self._folder.staging() as staging:
            entry = staging / "entry"
            with convert_write_errors(entry):
                entry.mkdir()
            with io.BufferedWriter(ParcelFile(entry / self._PARCEL)) as file:
                yield file
                file.flush()
                with convert_write_errors(entry):
                    os.fsync(file.fileno())  # it is not verified again after a crash of the machine
            with self._folder.use(name):
                self._folder.add(entry, name)
                self._folder.evict()

    def remove(self, name: str) -> None:
        """Remove a parcel, if it is here: a worker found that it is damaged."""
        self._folder.remove(name)

    def _file(self, name: str) -> Path:
        return self._folder.entry(name) / self._PARCEL


def _missing(name: str) -> MissingParcel:
    return MissingParcel(msg("the files of a bot are not here: {name}", name=name))
