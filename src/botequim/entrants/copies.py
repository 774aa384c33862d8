"""Copies of bots' files: what runs isolated, and what images are built from."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
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
        copy.mkdir()
        size = 0
        for number, path in enumerate(files(source)):
            size += path.stat().st_size
            if number > MOST_FILES or size > MOST_BYTES:
                raise InputError(_too_much(entrant, source))
            target = copy / path.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            target.chmod(0o755 if _is_executable(path) else 0o644)
        return entrant.placed(copy, digest_of(copy))
    except OSError as error:
        raise InputError(
            msg('the files of "{given}" cannot be copied: {why}', given=entrant.given, why=os_reason(error))
        ) from error


def digest_of(folder: Path) -> str:
    """Of all files in a folder: their names, whether they can be started, and what is in them."""
    digest = hashlib.sha256()
    for path in files(folder):
        digest.update(f"{path.relative_to(folder).as_posix()}\n{_is_executable(path)}\n".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:32]


def _is_executable(path: Path) -> bool:
    return bool(path.stat().st_mode & stat.S_IXUSR)


def files(folder: Path) -> Iterator[Path]:
    """Every file below, in a stable order. Links are followed only to what lies below too."""
    root = folder.resolve()
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
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
