"""Finds out whether the symbolic links of a bot work in the sandbox, after its files are copied.

Links are copied as they are. Two kinds that lead out of the bot's folder work: those to programs of the
system, and those of a virtual environment to the Python that made it, which the bot can see too. All others
are reported.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from botequim.bots.interpreters import SYSTEM
from botequim.bots.trees import Kind, open_tree, real_path, walk

VIRTUAL_ENVIRONMENT: Final = "pyvenv.cfg"
LARGEST_CONFIGURATION: Final = 1 << 16
LONGEST_CHAIN: Final = 20
MOST_LINKS: Final = 500
"""The most links that are examined, because following one can take a while."""
MOST_ENVIRONMENTS: Final = 20
OWN: Final = ("/dev", "/etc", "/proc")
"""Folders of which every sandbox has its own."""
_PYTHON: Final = re.compile(r"python(\d+(\.\d+)?)?t?")
_HOME: Final = re.compile(r"^\s*home\s*=\s*(/\S.*?)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Link:
    """A link to something that the bot cannot see."""

    path: str
    target: str


@dataclass(frozen=True, slots=True)
class Links:
    """The result of examining the links of a tree."""

    interpreters: tuple[Path, ...]
    """Folders that the bot must be able to see."""
    lost: tuple[Link, ...]


def examine_links(copy: Path, source: Path, extra_paths: Iterable[Path]) -> Links:
    """Find out where the links in a copy lead.

    `source` is the folder in which the links were made. `extra_paths` is what else the bot can see.
    """
    links: list[Link] = []
    environments: list[Path] = []
    with open_tree(copy) as top:
        for entry in walk(top):
            if entry.kind is Kind.LINK and len(links) < MOST_LINKS:
                links.append(Link(entry.path, entry.target()))
            elif entry.name == VIRTUAL_ENVIRONMENT and len(environments) < MOST_ENVIRONMENTS:
                environments.append(source / entry.path.removesuffix(VIRTUAL_ENVIRONMENT))
    shown = list(extra_paths)
    for environment in environments:
        shown += [place for place in _base_of(environment, source) if not _is_below(place, shown)]
    visible = [source.resolve(), *map(Path, (*SYSTEM, *OWN)), *shown, *(place.resolve() for place in shown)]
    lost = [link for link in links if not _leads_to(source / link.path, visible)]
    return Links(tuple(shown), tuple(lost))


def _is_below(path: Path, places: Iterable[Path]) -> bool:
    return any(path.is_relative_to(place) for place in places)


def _leads_to(link: Path, visible: Iterable[Path]) -> bool:
    try:
        return _is_below(real_path(link), visible)
    except (OSError, RuntimeError, ValueError):  # it leads nowhere, or in a circle
        return False


# --- virtual environments ----------------------------------------------------------------------------


def _base_of(environment: Path, source: Path) -> Iterator[Path]:
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


def _places(program: Path, source: Path) -> Iterator[Path]:
    """Yield what must be seen for a program to be run, if it is a Python that is installed here.

    The environment is a stranger's: whatever is not a Python must not be shown because it says so.
    """
    try:
        real = real_path(program)
        prefix = real.parent.parent
        if not _is_below(real, map(Path, SYSTEM)) and not _is_installation(real):
            return
        for step in (*_steps(program), real):
            if _is_below(step, [source, source.resolve(), *map(Path, SYSTEM)]) or real_path(step) != real:
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
