"""Where files go: names that say what they are, never over what was read, whole or not at all; and errors
that say where."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from botequim.core.errors import BotequimError, InputError, os_reason
from botequim.core.messages import msg
from botequim.storage.files import atomic_write


def kind_of(path: Path, known: Sequence[str], source: Path) -> str:
    """The ending of a file that is to be written, in small letters: one of those known."""
    name = path.name
    kind = path.suffix.lower()
    if name.lower() in known:
        raise InputError(
            msg('"{name}" is only a file extension; write a name before it, such as game{name}', name=name)
        )
    if kind not in known:
        raise InputError(
            msg(
                'the file extension of "{name}" must be one of {known}',
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
        raise InputError(msg("{path} is also the input file; choose another output", path=str(path)))


def write(path: Path, content: bytes, *, folder: bool = False) -> None:
    """The file, whole: one that was there stays as it is until then. With `folder`, the folder for it is made
    where it is missing."""
    try:
        if not folder:
            path.parent.stat()  # says what is wrong with it
        if path.exists() and not path.is_file():
            path.write_bytes(content)  # a pipe or a device is written to, not replaced
            return
    except OSError as error:
        raise _refused(path, error) from error
    try:
        with atomic_write(path.resolve()) as file:  # what a link leads to is replaced, not the link
            file.write(content)
    except BotequimError as error:
        why = error.__cause__
        raise _refused(path, why) if isinstance(why, OSError) else error from error


@contextmanager
def new_file(path: Path) -> Iterator[None]:
    """Around the writing of a file that was not there before: what is not finished goes away."""
    try:
        yield
    except FileExistsError as error:
        raise _refused(path, error) from error
    except BaseException as error:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _refused(path, error) from error
        raise


@contextmanager
def new_files() -> Iterator[list[Path]]:
    """The same of many: each is put into the list before it is written, and so are folders that are made."""
    made: list[Path] = []
    try:
        yield made
    except BaseException:
        for path in reversed(made):
            with suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)
        raise


def _refused(path: Path, error: OSError) -> InputError:
    return InputError(msg("{path} cannot be written: {why}", path=str(path), why=os_reason(error)))
