"""From a name to an entrant that can sit down: its files copied, its sources built.

A bot that runs isolated is a copy: what its author changes meanwhile changes no game, and its digest says in
the record what played. Your own bot on your own machine runs where it is, unless it must be built.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from botequim.core.errors import InputError, os_reason
from botequim.core.limits import MB, Limits
from botequim.core.messages import Message, msg
from botequim.core.process import Program, Sandbox
from botequim.entrants.entrant import Entrant
from botequim.entrants.recognise import recognise
from botequim.transports.instance import Tail

LEFT_OUT: Final = (".git", "__pycache__", ".DS_Store", "__MACOSX")
MOST_BYTES: Final = 512 * MB
MOST_FILES: Final = 20_000
BUILD_LIMITS: Final = {"memory": 2048 * MB, "space": 512 * MB}


async def prepare(given: str, game_name: str, sandbox: Sandbox, *, workshop: Path, isolated: bool) -> Entrant:
    """The entrant that is meant, ready to be seated."""
    entrant = recognise(given, game_name, workshop=workshop)
    if entrant.program is not None and (isolated or entrant.build):
        entrant = _copied(entrant, workshop)
    if entrant.build:
        await _build(entrant, sandbox)
    return entrant


# --- a copy ----------------------------------------------------------------------------------------


def _copied(entrant: Entrant, workshop: Path) -> Entrant:
    assert entrant.program is not None
    source = entrant.program.folder
    copy = Path(tempfile.mkdtemp(prefix="bot-", dir=workshop)).resolve() / "bot"
    try:
        copy.mkdir()
        size = 0
        for number, path in enumerate(_files(source)):
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
    for path in _files(folder):
        digest.update(f"{path.relative_to(folder).as_posix()}\n{_is_executable(path)}\n".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:32]


def _is_executable(path: Path) -> bool:
    return bool(path.stat().st_mode & stat.S_IXUSR)


def _files(folder: Path) -> Iterator[Path]:
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


# --- building --------------------------------------------------------------------------------------


async def _build(entrant: Entrant, sandbox: Sandbox) -> None:
    """Run the build command where the files are, inside the sandbox."""
    assert entrant.program is not None
    folder = entrant.program.folder
    limits = replace(entrant.limits or Limits(), **BUILD_LIMITS)
    program = Program(("/bin/sh", "-c", entrant.build), folder, also=entrant.program.also, writable=True)
    _open_to_all(folder, writable=True)
    process = sandbox.start(program, limits, input=False)
    log, output = Tail(process.stderr), Tail(process.stdout)
    try:
        status: int | None = await asyncio.wait_for(process.exited(), limits.build)
    except TimeoutError:
        status = None
    finally:
        said = (output.text() + log.text()).strip()
        log.close()
        output.close()
        await process.close()
        _open_to_all(folder, writable=False)
    if status == 0:
        return
    why = msg("exit code {code}", code=status) if status is not None else msg("it took too long")
    failure = InputError(
        msg(
            '"{given}" cannot be built with `{build}`: {why}',
            given=entrant.given,
            build=entrant.build,
            why=why,
        )
    )
    failure.details = said[-4000:]
    raise failure


def _open_to_all(folder: Path, *, writable: bool) -> None:
    """Inside a sandbox a bot is somebody else."""
    for place, _, names in os.walk(folder):
        Path(place).chmod(0o777 if writable else 0o755)
        for name in names:
            path = Path(place, name)
            if not path.is_symlink():
                mode = 0o755 if path.stat().st_mode & stat.S_IXUSR else 0o644
                path.chmod(mode | 0o222 if writable else mode)
