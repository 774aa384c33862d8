"""Reads the introduction of a student's pair: the name in `pair_name()` and the picture at `image_path`.

Both are untrusted. The name is only shown. The picture is read from the bot's own folder: every part of the
path is opened without following links, and only a regular file of limited size is read.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from botequim.bots.entrant import Entrant
from botequim.bots.seat import make_transport
from botequim.core.errors import PlayerFault
from botequim.core.process import Sandbox
from botequim.core.titles import clean_title

MEMBERS: Final = 2
LARGEST_PICTURE: Final = 8 << 20
"""The largest picture in bytes, enough for a photograph of a phone."""


@dataclass(frozen=True, slots=True)
class Introduction:
    """The introduction of an entrant."""

    pair: str = ""
    pictures: tuple[bytes | None, ...] = ()
    """By member: the content of the file at `image_path`, if it exists. It may not be a picture."""


async def introduce(entrant: Entrant, sandbox: Sandbox) -> Introduction:
    """Start each member of a pair once and return its introduction, which is empty if one does not start."""
    if entrant.wire is None or not entrant.wire.hosted:
        return Introduction()
    greetings = []
    for member in range(MEMBERS):
        player = make_transport(entrant, sandbox, member=member)
        try:
            await player.start()
            greetings.append(player.greeting)
        except PlayerFault:  # its games will show the fault
            return Introduction()
        finally:
            await player.close()
    pictures = tuple(_picture(entrant, one.get("image_path", "")) for one in greetings)
    return Introduction(clean_title(greetings[0].get("pair", "")), pictures)


def _picture(entrant: Entrant, image_path: str) -> bytes | None:
    assert entrant.program is not None
    root, beside = entrant.program.folder, Path(entrant.program.command[-1])
    inside = _inside(beside.relative_to(root).as_posix(), image_path)
    return None if inside is None else read_inside(root, inside, LARGEST_PICTURE)


def _inside(folder: str, image_path: str) -> tuple[str, ...] | None:
    """Return the parts of the path from the root to a file given relative to `folder`; None if outside."""
    path = PurePosixPath(image_path.replace("\\", "/"))  # a path as on Windows
    if path.is_absolute() or "\0" in image_path:
        return None
    steps: list[str] = []
    for step in (*PurePosixPath(folder).parts, *path.parts):
        if step != "..":
            steps.append(step)
        elif steps:
            steps.pop()
        else:
            return None
    return tuple(steps) or None


def read_inside(root: Path, steps: tuple[str, ...], most: int) -> bytes | None:
    """Return the content of a regular file below `root`, without following links; None if there is none.

    A file of more than `most` bytes is not read.
    """
    descriptors: list[int] = []
    try:
        descriptors.append(os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        for step in steps[:-1]:
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptors.append(os.open(step, flags, dir_fd=descriptors[-1]))
        # O_NONBLOCK, so that opening a FIFO does not wait
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
        descriptors.append(os.open(steps[-1], flags, dir_fd=descriptors[-1]))
        status = os.fstat(descriptors[-1])
        if not stat.S_ISREG(status.st_mode) or status.st_size > most:
            return None
        with os.fdopen(os.dup(descriptors[-1]), "rb") as file:
            content = file.read(most + 1)
        return content if len(content) <= most else None
    except (OSError, ValueError):
        return None
    finally:
        for descriptor in descriptors:
            with suppress(OSError):
                os.close(descriptor)
