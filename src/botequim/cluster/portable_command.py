"""Commands without paths: each path is replaced by what it means, and found again on another machine."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from botequim.bots.entrant import Entrant
from botequim.bots.environments import VIRTUAL_ENVIRONMENT, is_below
from botequim.bots.interpreters import SYSTEM, python
from botequim.bots.links import OWN
from botequim.bots.trees import printable
from botequim.cluster.platforms import is_interpreter
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.core.wire import Host


class Place(Enum):
    """A path that every machine finds for itself."""

    FOLDER = auto()
    """The folder with the files of the bot."""
    PYTHON = auto()
    """The interpreter that runs Botequim."""
    HOST = auto()
    """The program of the wire that loads the file of the bot; it comes with the game."""


Word = tuple[str | Place, ...]
"""A word of a command: texts and paths, to be put together."""


@dataclass(frozen=True, slots=True)
class NamedProgram:
    """A program that every machine looks up by its name, unless it has the program at the same place."""

    name: str
    path: str = ""
    """Its path below one of the folders that every system has, such as /usr/bin."""


def portable_word(text: str, own: Sequence[str], host: Host | None) -> Word:
    """Return a word of a command, with what it means instead of paths."""
    if host is not None and text == str(host.script):
        return (Place.HOST,)
    if not own:
        return (text,)
    pattern = rf"(?<![\w.-])(?:{'|'.join(map(re.escape, own))})(?![\w.-])"
    parts: list[str | Place] = []
    for number, part in enumerate(re.split(pattern, text)):
        parts += [Place.FOLDER] * (number > 0) + [part] * bool(part)
    return tuple(parts) or ("",)


def portable_program_word(entrant: Entrant, word: Word) -> NamedProgram | Word:
    """Return the program of a command. Raise InputError if it cannot be found on other machines."""
    if word[0] is Place.FOLDER:
        return word
    path = "".join(map(str, word))
    if path == str(python()):
        return (Place.PYTHON,)
    place, name = Path(path), Path(path).name
    if is_below(place, map(Path, SYSTEM)):
        return NamedProgram(name, path)
    on_path = shutil.which(name)
    environment = place.parent.parent / VIRTUAL_ENVIRONMENT
    if on_path == path or (is_interpreter(name) and not environment.exists()):
        return NamedProgram(name)
    raise _outside(entrant, path)


def require_inside(entrant: Entrant, word: Word) -> None:
    """Raise InputError if a word names a file that other machines do not have."""
    text = word[0] if isinstance(word[0], str) else ""
    path = Path(text.rpartition("=")[2])
    is_file = path.is_absolute() and os.path.isfile(path)  # noqa: PTH113 (Path raises for a long text)
    if is_file and not is_below(path, map(Path, (*SYSTEM, *OWN))):
        raise _outside(entrant, str(path))


def _outside(entrant: Entrant, path: str) -> InputError:
    return InputError(
        msg(
            '"{given}" cannot play on another machine: its command names {path}, which is not in its '
            "folder. Copy the file into that folder; if it is a program that every machine has, name it "
            "without a path",
            given=entrant.given,
            path=printable(path),
        )
    )


def local_text(word: Word, paths: Mapping[Place, str]) -> str:
    return "".join(part if isinstance(part, str) else paths[part] for part in word)


def local_program(program: NamedProgram) -> str:
    return program.path if program.path and shutil.which(program.path) else program.name
