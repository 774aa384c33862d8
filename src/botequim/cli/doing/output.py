"""Where pictures go: names that say what they are, never over what was read, and errors that say where."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from botequim.core.errors import InputError, os_reason
from botequim.core.messages import msg


def kind_of(path: Path, known: Sequence[str], source: Path) -> str:
    """The ending of a file that is to be written, in small letters: one of those known."""
    name = path.name
    kind = path.suffix.lower()
    if name.lower() in known:
        raise InputError(
            msg('"{name}" is an ending alone: write a name before it, like game{name}', name=name)
        )
    if kind not in known:
        raise InputError(
            msg(
                '"{name}" must end in one of {known}, which says what is made',
                name=name,
                known=", ".join(known),
            )
            if len(known) > 1
            else msg('"{name}" must end in {known}', name=name, known=known[0])
        )
    keep(source, path)
    return kind


def keep(source: Path, path: Path) -> None:
    """Refuse to write over what is read."""
    try:
        same = os.path.samefile(source, path)  # noqa: PTH121
    except OSError:
        return  # one of them is not there: then they are two
    if same:
        raise InputError(
            msg("{path} is what is read: it would be lost. Write to another file", path=str(path))
        )


def write(path: Path, content: bytes, *, folder: bool = False) -> None:
    """The file, whole; with `folder`, the folder for it is made where it is missing."""
    try:
        if folder:
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise InputError(
            msg("{path} cannot be written: {why}", path=str(path), why=os_reason(error))
        ) from error
