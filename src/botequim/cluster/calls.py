"""Find the interpreters that the scripts of a bot call by name, so that it plays where they are installed.

A bot that is started by a script of the shell often consists of one line: `exec python3 bot.py`. On a machine
without that interpreter it would end at once. The scripts are not run or fully understood here: every word
counts that names an interpreter, if it is a program of this system.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from botequim.bots.environments import is_below
from botequim.bots.interpreters import script_of
from botequim.bots.trees import real_path
from botequim.cluster.platforms import SANDBOX_PATH, is_interpreter
from botequim.core.process import Program

LARGEST_SCRIPT: Final = 1 << 16
SHELLS: Final = ("sh", "bash", "dash")
_BETWEEN_WORDS: Final = re.compile(r"[\s;&|()`\"'$]+")
_SYSTEM_PROGRAM: Final = re.compile(r"(?:(?:/usr|/usr/local)?/bin/)?([a-z]+[0-9.]*)")


def called_programs(program: Program) -> tuple[str, ...]:
    """Return the interpreters that the command of a bot calls besides its program, sorted by name."""
    found = {name for text in _texts(program) for name in _names(text)}
    return tuple(sorted(name for name in found if shutil.which(name, path=SANDBOX_PATH) is not None))


def _texts(program: Program) -> Iterator[str]:
    """Yield the parts of scripts that call programs."""
    script = script_of(program.command)
    if script is not None:
        yield re.sub(r"(?<!\S)node(?!\S)", "", script)  # it is also found outside of the system
        return
    match program.command:
        case (shell, "-c", line, *_) if Path(shell).name in SHELLS:
            yield line
    for word in program.command:
        path = program.folder / word
        if not is_below(path, [program.folder]) or path == program.folder:
            continue
        head, *lines = _script(path, program.folder).splitlines() or [""]
        is_program = word == program.command[0] and head.startswith("#!")
        if is_program:
            yield head.removeprefix("#!")
        shell_runs_it = Path(program.command[0]).name in SHELLS or (
            is_program and any(Path(part).name in SHELLS for part in head.removeprefix("#!").split())
        )
        if shell_runs_it:
            yield "\n".join(line for line in (head, *lines) if not line.lstrip().startswith("#"))


def _script(path: Path, folder: Path) -> str:
    """Return the text of a script in the folder of a bot; "" if it is none."""
    try:
        real = real_path(path)
        if not is_below(real, [folder.resolve()]) or not real.is_file():
            return ""
        with real.open("rb") as file:
            return file.read(LARGEST_SCRIPT).decode()
    except (OSError, RuntimeError, ValueError):
        return ""


def _names(text: str) -> Iterator[str]:
    for word in _BETWEEN_WORDS.split(text):
        found = _SYSTEM_PROGRAM.fullmatch(word)
        if found is not None and is_interpreter(found[1]):
            yield found[1]
