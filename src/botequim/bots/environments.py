"""Virtual environments of Python that come with a bot.

A bot without a command of its own is started by the Python of the environment in its folder. The environment
is a stranger's: its Python is used and shown to the bot only if it is one that is installed on this machine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from botequim.bots.interpreters import SYSTEM
from botequim.bots.trees import real_path
from botequim.core.process import Program

VIRTUAL_ENVIRONMENT: Final = "pyvenv.cfg"
"""The file that makes a folder a virtual environment."""
ENVIRONMENTS: Final = (".venv", "venv")
"""Where a bot's environment is looked for, the preferred folder first."""
LARGEST_CONFIGURATION: Final = 1 << 16
LONGEST_CHAIN: Final = 20
_PYTHON: Final = re.compile(r"python(\d+(\.\d+)?)?t?")
_HOME: Final = re.compile(r"^\s*home\s*=\s*(/\S.*?)\s*$", re.MULTILINE)


def environment_python(folder: Path) -> Path | None:
    """Return the Python of the virtual environment in a bot's folder, if it can be used on this machine."""
    for name in ENVIRONMENTS:
        python = folder / name / "bin" / "python"
        if (folder / name / VIRTUAL_ENVIRONMENT).is_file() and _is_usable(python, folder):
            return python
    return None


def environment_in_use(program: Program) -> str:
    """Return the environment whose Python starts a program, as a path in its folder; "" if there is none."""
    if not program.command:
        return ""
    python = Path(program.command[0])
    environment = python.parent.parent
    if not _PYTHON.fullmatch(python.name) or not is_below(environment, [program.folder]):
        return ""
    is_environment = (environment / VIRTUAL_ENVIRONMENT).is_file()
    return str(environment.relative_to(program.folder)) if is_environment else ""


def is_below(path: Path, places: Iterable[Path]) -> bool:
    return any(path.is_relative_to(place) for place in places)


def _is_usable(python: Path, folder: Path) -> bool:
    try:
        real = real_path(python)
    except (OSError, RuntimeError, ValueError):  # it leads nowhere, or in a circle
        return False
    known = is_below(real, [folder.resolve(), *map(Path, SYSTEM)]) or _is_installation(real)
    return known and real.is_file() and os.access(real, os.X_OK)


def base_places(environment: Path, source: Path) -> Iterator[Path]:
    """Yield the places of the Python that a virtual environment was made by, as it names them."""
    programs = [environment / "bin" / name for name in ("python3", "python")]
    try:
        with (environment / VIRTUAL_ENVIRONMENT).open("rb") as file:
            text = file.read(LARGEST_CONFIGURATION).decode("utf-8", "replace")
        programs += [path for path in (environment / "bin").glob("python3.*") if path.is_symlink()]
    except OSError:
        return
    if home := _HOME.search(text):
        programs += [Path(home[1]) / name for name in ("python3", "python")]
    for program in programs:
        yield from _places(program, source)


def base_python(environment: Path) -> Path:
    """Return the Python that a virtual environment was made by, as it names it. It may not be here."""
    *_, program = _steps(environment / "bin" / "python")
    if not is_below(program, [environment]):
        return program
    try:
        with (environment / VIRTUAL_ENVIRONMENT).open("rb") as file:
            home = _HOME.search(file.read(LARGEST_CONFIGURATION).decode("utf-8", "replace"))
    except OSError:
        return program
    return program if home is None else Path(home[1]) / "python3"


def has_base_python(environment: Path) -> bool:
    """Return whether the Python that a virtual environment was made by is here, in the same version."""
    try:
        real = real_path(base_python(environment))
        if not is_below(real, map(Path, SYSTEM)) and not _is_installation(real):
            return False
        versions = [path.name for path in environment.glob("lib/python3.*")]
        library = real.parent.parent
        found = any(place.is_file() for one in versions for place in library.glob(f"lib*/{one}/os.py"))
        return real.is_file() and os.access(real, os.X_OK) and (found or not versions)
    except (OSError, RuntimeError, ValueError):  # it leads nowhere, or in a circle
        return False


def _places(program: Path, source: Path) -> Iterator[Path]:
    """Yield what must be seen for a program to be run, if it is a Python that is installed here.

    The environment is a stranger's: whatever is not a Python must not be shown because it says so.
    """
    try:
        real = real_path(program)
        prefix = real.parent.parent
        if not is_below(real, map(Path, SYSTEM)) and not _is_installation(real):
            return
        for step in (*_steps(program), real):
            if is_below(step, [source, source.resolve(), *map(Path, SYSTEM)]) or real_path(step) != real:
                continue
            here = step.parent.parent
            if step.parent.name != "bin" or real_path(here) != prefix:
                yield step
                continue
            yield here / "bin"
            yield from (here / name for name in ("lib", "lib64") if (here / name).is_dir())
    except (OSError, RuntimeError, ValueError):
        return


def _steps(program: Path) -> Iterator[Path]:
    """Yield a path, and those that it is a link to, one after the other."""
    for _ in range(LONGEST_CHAIN):
        yield program
        if not program.is_symlink():
            return
        program = Path(os.path.normpath(program.parent / program.readlink()))


def _is_installation(program: Path) -> bool:
    """Return whether a file is a Python with its library, that root or we have put there."""
    if program.parent.name != "bin" or not _PYTHON.fullmatch(program.name) or not os.access(program, os.X_OK):
        return False
    library = program.parent.parent.glob("lib*/python3.*/os.py")
    return program.stat().st_uid in (0, os.geteuid()) and any(
        path.is_file() and real_path(path) == path for path in library
    )
