"""Copies of bots' files: what runs isolated, and what images are built from."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from botequim.core.errors import InputError, os_reason
from botequim.core.limits import MB
from botequim.core.messages import Message, msg
from botequim.entrants.entrant import Entrant

LEFT_OUT: Final = (".git", "__pycache__", ".DS_Store", "__MACOSX")
MOST_BYTES: Final = 512 * MB
MOST_FILES: Final = 20_000


def copied(entrant: Entrant, workshop: Path) -> Entrant:
    assert entrant.program is not None
    source = entrant.program.folder
    copy = Path(tempfile.mkdtemp(prefix="bot-", dir=workshop)).resolve() / "bot"
    try:
        # all is listed before anything is copied, for the workshop may lie below
        folders = _folders(source, workshop)
        listed = list(islice(files(source, workshop), MOST_FILES + 2))
        copy.mkdir()
        size = 0
        for number, path in enumerate(listed):
            size += path.stat().st_size
            if number > MOST_FILES or size > MOST_BYTES:
                raise InputError(_too_much(entrant, source))
            target = copy / path.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            target.chmod(0o755 if _is_executable(path) else 0o644)
        _copy_folders(source, folders, copy)
        return entrant.placed(copy, digest_of(copy))
    except OSError as error:
        raise InputError(
            msg('the files of "{given}" cannot be copied: {why}', given=entrant.given, why=os_reason(error))
        ) from error


def _folders(source: Path, workshop: Path) -> list[Path]:
    """All below, and links to some."""
    found = []
    for place, folders, _ in os.walk(source):
        folders[:] = [name for name in folders if _belongs(Path(place, name), workshop)]
        found += [Path(place, name) for name in folders]
    return found


def _belongs(path: Path, workshop: Path | None) -> bool:
    return path.name not in LEFT_OUT and (workshop is None or path.resolve() != workshop.resolve())


def _copy_folders(source: Path, folders: list[Path], copy: Path) -> None:
    """Also those that are empty, and links as far as they lead to what was copied too."""
    root = source.resolve()
    for path in folders:
        target = copy / path.relative_to(source)
        if not path.is_symlink():
            target.mkdir(parents=True, exist_ok=True)
        elif path.resolve().is_relative_to(root) and not path.readlink().is_absolute():
            target.symlink_to(path.readlink())


def digest_of(folder: Path) -> str:
    """Of all files in a folder: their names, whether they can be started, and what is in them."""
    digest = hashlib.sha256()
    for path in files(folder):
        digest.update(
            f"{path.relative_to(folder).as_posix()}\n{_is_executable(path)}\n".encode(
                errors="surrogateescape"
            )
        )
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:32]


def _is_executable(path: Path) -> bool:
    return bool(path.stat().st_mode & stat.S_IXUSR)


def files(folder: Path, workshop: Path | None = None) -> Iterator[Path]:
    """Every file below, in a stable order. Links are followed only to what lies below too."""
    root = folder.resolve()
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if _belongs(Path(place, name), workshop))
        for name in sorted(names):
            path = Path(place, name)
            if name not in LEFT_OUT and path.is_file() and path.resolve().is_relative_to(root):
                yield path


def _too_much(entrant: Entrant, source: Path) -> Message:
    return msg(
        '"{given}": {folder} holds more than {files} files or {size} MB; put the bot in a folder of its own',
        given=entrant.given,
        folder=str(source),
        files=MOST_FILES,
        size=MOST_BYTES // MB,
    )
