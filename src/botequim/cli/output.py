"""Output files: names are checked, the input is never overwritten, and a file is complete or not written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from botequim.core.errors import BotequimError, InputError, write_reason
from botequim.core.messages import msg
from botequim.storage.files import atomic_write


def kind_of(path: Path, known: Sequence[str], source: Path) -> str:
    """Return the extension of a file to write, in lower case. Raise InputError if it is not known."""
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
    """Raise InputError if the output is also the input."""
    try:
        same = os.path.samefile(source, path)  # noqa: PTH121
    except OSError:
        return  # one of them is not there: then they are two
    if same:
        raise InputError(msg("{path} is also the input file; choose another output", path=str(path)))


def require_folder(path: Path) -> None:
    """Raise InputError if the folder of a file to write cannot be used, most often because there is none."""
    try:
        path.parent.stat()  # says what is wrong with it
    except OSError as error:
        raise write_error(path, error) from error


def write(path: Path, content: bytes, *, folder: bool = False) -> None:
    """Write a file completely; an existing one stays unchanged until then. With `folder`, make its folder."""
    if not folder:
        require_folder(path)
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)  # a pipe or a device is written to, not replaced
            return
    except OSError as error:
        raise write_error(path, error) from error
    try:
        with atomic_write(path.resolve()) as file:  # what a link leads to is replaced, not the link
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
    """Remove new files if their writing fails. Each file and folder is added to the list before."""
    made: list[Path] = []
    try:
        yield made
    except BaseException:
        for path in reversed(made):
            with suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)
        raise


def write_error(path: Path, error: OSError) -> InputError:
    """Return the error to raise if the system refuses to write a file."""
    return InputError(msg("{path} cannot be written: {why}", path=str(path), why=write_reason(path, error)))
