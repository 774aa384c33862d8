"""Reads a bundle. Each file is read once, and every file must be expected.

A bundle is a folder or a zip. A zip may have members that are stored or deflated, as `write_bundle` and
ordinary archivers write them, and nothing else: no other compression, no encryption, no duplicate names, no
links, no comment, and no bytes outside of members. So every program that reads the zip finds the same files
in it.
"""

from __future__ import annotations

import json
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, Final, NoReturn, Protocol

from botequim.core.errors import InputError, os_reason
from botequim.core.messages import Message, msg
from botequim.cup.bundle import MANIFEST
from botequim.records.reader import LONGEST_LINE, BadJson, no_constant, unique_keys

MOST_BYTES: Final = 512 << 20
"""The largest size of a file that is read as a whole."""
MOST_NAMES: Final = 1_000_000
"""The largest number of files and folders in a bundle."""

_COMPRESSIONS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DESCRIPTOR: Final = 0x8
"""The flag of a member whose sizes are written after its content."""
_FLAGS: Final = _DESCRIPTOR | 0x800 | 0x6
"""The flags that are allowed. The others say that the name is UTF-8, and the level of compression."""
_DESCRIPTOR_SIZES: Final = (12, 16, 20, 24)
_LOCAL_HEADER: Final = 30
_END: Final = struct.Struct("<4s16xH")
"""The end of a zip: a signature, fields that are not used here, and the length of a comment."""


class Reader:
    """Reads the files of a bundle. An InputError names the file that cannot be read."""

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self._resources: Final = ExitStack()
        with self._resources:
            self._files: Final[_Files] = _Folder(path) if path.is_dir() else _zip(path, self._resources)
            if MANIFEST not in self._files.names:
                raise InputError(msg("{path} is not a bundle: it contains no bundle.json", path=str(path)))
            self._close: Final = self._resources.pop_all()
        self._digests: Final[dict[str, str]] = {}

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self._close.close()

    def where(self, name: str) -> str:
        """Return the path of a file, for people."""
        return str(self.path / name)

    def extra(self, wanted: Collection[str]) -> list[str]:
        """Return the files and folders that are neither `wanted` nor folders of `wanted` files."""
        folders = {str(folder) for name in wanted for folder in PurePosixPath(name).parents}
        names = [name for name in self._files.names if name not in wanted]
        return sorted([*names, *(name for name in self._files.folders if name not in folders)])

    def lines(self, name: str) -> Lines:
        """Return the lines of a file, to be read once. A line longer than records allow comes in pieces."""
        with _reading(self.where(name)):
            return Lines(self._close.enter_context(self._open(name)), self.where(name))

    def _open(self, name: str) -> IO[bytes]:
        if name not in self._files.names:
            raise InputError(msg("{path} is missing", path=self.where(name)))
        return self._files.open(name)

    def digest(self, name: str) -> str:
        """Return the SHA-256 of a file that was read as a whole."""
        return self._digests[name]

    def text(self, name: str) -> str:
        with _reading(self.where(name)), self._open(name) as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise InputError(msg("{path} is too large", path=self.where(name)))
        self._digests[name] = sha256(content).hexdigest()
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(
                msg("{path}: not UTF-8 at byte {at}", path=self.where(name), at=error.start + 1)
            ) from error

    def json(self, name: str) -> Any:
        """Read a whole file of JSON. Duplicate keys are an InputError."""
        try:
            return json.loads(self.text(name), object_pairs_hook=unique_keys, parse_constant=no_constant)
        except BadJson as error:
            raise InputError(msg("{where}: {what}", where=self.where(name), what=error.message)) from error
        except (ValueError, RecursionError) as error:
            raise InputError(msg("{path} is not complete JSON", path=self.where(name))) from error


class Lines:
    """The lines of one file. The SHA-256 is computed from the bytes that are read, so the two always
    agree."""

    def __init__(self, file: IO[bytes], path: str) -> None:
        self._file: Final = file
        self._path: Final = path
        self._digest: Final = sha256()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        with _reading(self._path):
            line = self._file.readline(LONGEST_LINE + 1)
        if not line:
            raise StopIteration
        self._digest.update(line)
        return line

    def digest(self) -> str:
        """Read the rest, and return the SHA-256 of the file."""
        with _reading(self._path):
            while part := self._file.read(1 << 20):
                self._digest.update(part)
        return self._digest.hexdigest()


@contextmanager
def _reading(path: str) -> Iterator[None]:
    """Turn any error while a file is read into an InputError that names the file."""
    try:
        yield
    except (
        OSError,
        EOFError,
        RuntimeError,
        ValueError,
        struct.error,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        _refuse(path, os_reason(error) if isinstance(error, OSError) else str(error))


def _refuse(path: str, why: Message | str) -> NoReturn:
    raise InputError(msg("{path} cannot be read: {why}", path=path, why=why))


class _Files(Protocol):
    """The files of a bundle."""

    names: dict[str, None]
    """The names of all files in order, relative to the bundle and with `/`."""
    folders: set[str]

    def open(self, name: str) -> IO[bytes]: ...


# --- a folder ----------------------------------------------------------------------------------------


class _Folder:
    def __init__(self, path: Path) -> None:
        self.names: dict[str, None] = {}
        self.folders: set[str] = set()
        self._path: Final = path
        with _reading(str(path)):
            self._list("")

    def _list(self, inside: str) -> None:
        """List a folder. Links and devices count as files, and are refused when opened."""
        pending = [inside]
        while pending:
            folder = pending.pop()
            with os.scandir(self._path / folder) as entries:
                for entry in entries:
                    name = f"{folder}/{entry.name}" if folder else entry.name
                    if entry.is_dir(follow_symlinks=False):
                        self.folders.add(name)
                        pending.append(name)
                    else:
                        self.names[name] = None
                    if len(self.names) + len(self.folders) > MOST_NAMES:
                        _refuse(str(self._path), msg("it contains too many files"))

    def open(self, name: str) -> IO[bytes]:
        return _open_regular(self._path / name, os.O_NOFOLLOW)


def _open_regular(path: Path, flags: int = 0) -> BinaryIO:
    """Open a regular file. Anything else, such as a pipe, is refused without waiting for it."""
    with _reading(str(path)):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | flags)
        file = os.fdopen(descriptor, "rb")
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            file.close()
            _refuse(str(path), msg("it is not a regular file"))
        return file


# --- a zip -------------------------------------------------------------------------------------------


def _zip(path: Path, resources: ExitStack) -> _Zip:
    file = resources.enter_context(_open_regular(path))
    with _reading(str(path)):
        archive = resources.enter_context(zipfile.ZipFile(file))
        return _Zip(path, file, archive)


class _Zip:
    def __init__(self, path: Path, file: BinaryIO, archive: zipfile.ZipFile) -> None:
        self.names: dict[str, None] = {}
        self.folders: set[str] = set()
        self._archive: Final = archive
        for member in archive.infolist():
            problem = self._problem(member)
            if problem is not None:
                _refuse(str(path / member.filename), problem)
            if member.is_dir():
                self.folders.add(member.filename.rstrip("/"))
            else:
                self.names[member.filename] = None
        if not _is_contiguous(file, archive):
            _refuse(str(path), msg("it contains bytes that belong to no file of the zip"))

    def _problem(self, member: zipfile.ZipInfo) -> Message | None:
        kind = stat.S_IFMT(member.external_attr >> 16)
        if member.filename in self.names or (member.is_dir() and member.filename.rstrip("/") in self.folders):
            return msg("the zip has two files with this name")
        if member.compress_type not in _COMPRESSIONS or member.flag_bits & ~_FLAGS:
            return msg("the files of a bundle must be stored without compression or with deflate")
        if kind not in ((0, stat.S_IFDIR) if member.is_dir() else (0, stat.S_IFREG)):
            return msg("it is not a regular file")
        if (
            member.filename != member.orig_filename
            or member.comment
            or (member.is_dir() and member.file_size)
        ):
            return msg("its name or its zip header is not that of an ordinary file")
        return None

    def open(self, name: str) -> IO[bytes]:
        return self._archive.open(name)


def _is_contiguous(file: BinaryIO, archive: zipfile.ZipFile) -> bool:
    """Return whether the members, the directory and the end record fill the zip without gaps."""
    gaps: tuple[int, ...] = (0,)
    end = 0
    for member in sorted(archive.infolist(), key=lambda one: one.header_offset):
        if member.header_offset - end not in gaps:
            return False
        file.seek(member.header_offset + 26)
        name, extra = struct.unpack("<HH", file.read(4))
        end = member.header_offset + _LOCAL_HEADER + name + extra + member.compress_size
        gaps = _DESCRIPTOR_SIZES if member.flag_bits & _DESCRIPTOR else (0,)
    if archive.start_dir - end not in gaps:
        return False
    file.seek(-_END.size, os.SEEK_END)
    signature, comment = _END.unpack(file.read())
    return bool(signature == b"PK\5\6" and comment == 0)
