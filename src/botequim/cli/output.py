"""Output files. Names are checked, the input is never overwritten, and no incomplete file remains."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from botequim.core.errors import BotequimError, InputError, write_reason
from botequim.core.messages import msg
from botequim.storage.files import atomic_write


def kind_of(path: Path, extensions: Sequence[str], source: Path) -> str:
    """Return the extension of an output file, in lower case. Raise InputError if it is not one of these."""
    name = path.name
    kind = path.suffix.lower()
    if name.lower() in extensions:
        raise InputError(
            msg('"{name}" is only a file extension; write a name before it, such as game{name}', name=name)
        )
    if kind not in extensions:
        raise InputError(
            msg(
                'the file extension of "{name}" must be one of {known}',
                name=name,
                known=", ".join(extensions),
            )
            if len(extensions) > 1
            else msg('"{name}" must end in {known}', name=name, known=extensions[0])
        )
    require_other_file(source, path)
    return kind


def require_other_file(source: Path, path: Path) -> None:
    """Raise InputError if the output is also the input."""
    try:
        same = os.path.samefile(source, path)  # noqa: PTH121
    except OSError:
        return  # one of them does not exist
    if same:
        raise InputError(msg("{path} is also the input file; choose another output", path=str(path)))


def require_folder(path: Path) -> None:
    """Raise InputError if the folder of an output file does not exist or cannot be used."""
    try:
        path.parent.stat()  # the error says what is wrong
    except OSError as error:
        raise write_error(path, error) from error


def write(path: Path, content: bytes, *, folder: bool = False) -> None:
    """Write a file, or replace it once its content is complete. With `folder`, create its folder too."""
    if not folder:
        require_folder(path)
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)  # a pipe or a device must not be replaced by a file
            return
    except OSError as error:
        raise write_error(path, error) from error
    try:
        with atomic_write(path.resolve()) as file:  # replaces the target of a link, not the link
            file.write(content)
    except BotequimError as error:
        why = error.__cause__
        raise write_error(path, why) if isinstance(why, OSError) else error from error


@contextmanager
def new_file(path: Path) -> Iterator[None]:
    """Remove a new file if its writing fails."""
    try:
        yield
    except FileExistsError as error:
        raise write_error(path, error) from error
    except BaseException as error:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise write_error(path, error) from error
        raise


@contextmanager
def new_files() -> Iterator[list[Path]]:
    """Remove new files if writing them fails. The caller adds each file and folder to the list before."""
    paths: list[Path] = []
    try:
        yield paths
    except BaseException:
        for path in reversed(paths):
            with suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)
        raise


def write_error(path: Path, error: OSError) -> InputError:
    """Return the error to raise if the system refuses to write a file."""
    return InputError(msg("{path} cannot be written: {why}", path=str(path), why=write_reason(path, error)))
