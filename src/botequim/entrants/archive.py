"""Archives that strangers hand in, unpacked with care."""

from __future__ import annotations

import lzma
import shutil
import struct
import tarfile
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import Final

from botequim.core.errors import InputError, os_reason
from botequim.core.messages import Message, msg, plain

ARCHIVES: Final = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2")
MOST_BYTES: Final = 512 << 20
MOST_FILES: Final = 20_000


def is_archive(path: Path) -> bool:
    return path.name.lower().endswith(ARCHIVES)


def unpacked(path: Path, workshop: Path) -> Path:
    """A new folder in `workshop` with what is in the archive."""
    folder = Path(tempfile.mkdtemp(prefix="unpacked-", dir=workshop))
    try:
        if path.name.lower().endswith(".zip"):
            _unzip(path, folder)
        else:
            _untar(path, folder)
    except (
        zipfile.BadZipFile,
        tarfile.TarError,
        zlib.error,
        lzma.LZMAError,
        EOFError,
        NotImplementedError,
        ValueError,
        struct.error,
    ) as error:
        why: Message = plain(str(error) or type(error).__name__)
        raise InputError(msg('"{path}" cannot be unpacked: {why}', path=str(path), why=why)) from error
    except RuntimeError as error:  # an encrypted one
        raise InputError(msg('"{path}" cannot be unpacked: {why}', path=str(path), why=str(error))) from error
    except OSError as error:
        raise InputError(
            msg('"{path}" cannot be unpacked: {why}', path=str(path), why=os_reason(error))
        ) from error
    return folder


def _check_size(path: Path, files: int, size: int) -> None:
    if files > MOST_FILES or size > MOST_BYTES:
        raise InputError(
            msg(
                '"{path}" holds more than {files} files or {size} MB',
                path=str(path),
                files=MOST_FILES,
                size=MOST_BYTES >> 20,
            )
        )


def _unzip(path: Path, folder: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        _check_size(path, len(members), sum(member.file_size for member in members))
        left = MOST_BYTES
        for member in members:
            inside = Path(member.filename.replace("\\", "/"))
            if inside.is_absolute() or ".." in inside.parts:
                raise InputError(
                    msg(
                        '"{path}" holds a file outside of itself: {name}',
                        path=str(path),
                        name=member.filename,
                    )
                )
            if (member.external_attr >> 16) & 0o170000 == 0o120000:
                continue  # links could point anywhere
            target = folder / inside
            if member.is_dir():
                target.mkdir(parents=True, exist_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as source, target.open("wb") as copy:
                while chunk := source.read(1 << 16):
                    left -= len(chunk)
                    if left < 0:  # sizes in the archive's own list may lie
                        _check_size(path, 0, MOST_BYTES + 1)
                    copy.write(chunk)
            if (member.external_attr >> 16) & 0o111:
                target.chmod(0o755)


def _untar(path: Path, folder: Path) -> None:
    with tarfile.open(path) as archive:
        size = 0
        for number, member in enumerate(archive, start=1):
            size += member.size
            _check_size(path, number, size)
            if member.isfile() or member.isdir():
                _extract(archive, member, path, folder)


def _extract(archive: tarfile.TarFile, member: tarfile.TarInfo, path: Path, folder: Path) -> None:
    """Write one file or folder. Python 3.11.2, Debian's own, has no filters for that yet."""
    inside = Path(member.name.lstrip("/"))
    if ".." in inside.parts:
        raise InputError(
            msg('"{path}" holds a file outside of itself: {name}', path=str(path), name=member.name)
        )
    target = folder / inside
    if member.isdir():
        target.mkdir(parents=True, exist_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    source = archive.extractfile(member)
    assert source is not None  # of a file there is one
    with source, target.open("wb") as copy:
        shutil.copyfileobj(source, copy)
    target.chmod(0o755 if member.mode & 0o111 else 0o644)
