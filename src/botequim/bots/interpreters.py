"""Find the program of a command, and the folders outside of the system that it needs to see."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.core.wire import Host

SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib64")
"""Every sandbox shows these folders."""
INTERPRETERS: Final = (
    "bash", "bun", "deno", "java", "node", "nodejs", "perl", "php", "pypy", "python", "ruby", "sh", "tsx",
)  # fmt: skip
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_NPM_LINE: Final = re.compile(
    r'PATH="\$PWD/node_modules/\.bin:(?:[^"]*:)?\$PATH"; export PATH; (.*)', re.DOTALL
)


def find_program(
    words: list[str], folder: Path, *, given: str, later: bool = False
) -> tuple[tuple[str, ...], tuple[Path, ...]]:
    """Return the command with the path of its program, and the folders that it needs to see.

    With `later`, a program in the bot's own folder need not exist yet: it is built.
    """
    program = words[0]
    if program.startswith("./") or ("/" in program and not program.startswith("/")):
        path = folder / program
        if not later and path.is_symlink() and not path.exists():
            raise InputError(
                msg(
                    '"{given}": {program} is a link to {target}, which is not on this machine',
                    given=given,
                    program=program,
                    target=str(path.readlink()),
                )
            )
        if not later and not path.is_file():
            raise InputError(msg('"{given}": there is no {program}', given=given, program=program))
        return (str(path), *words[1:]), ()
    if program.startswith(f"{folder}/"):
        return tuple(words), ()
    found = _found(program)
    if found is None:
        raise InputError(
            msg('"{given}": the program {program} is not found on this machine', given=given, program=program)
        )
    return (str(found), *words[1:]), _homes(found)


def split_command(line: str, where: str) -> list[str]:
    """Split a command line into words as a shell does. Raise InputError if it is none."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise InputError(msg('"{where}" is not a command line: {why}', where=where, why=str(error))) from None
    if not words:
        raise InputError(msg('"{where}": the command is missing', where=where))
    return words


def program_name(words: list[str]) -> str:
    """Return a name for a command: its program, or the file that its interpreter runs."""
    rest = [word for word in words if word != "env" and not _ASSIGNMENT.match(word)] or words
    program = Path(rest[0]).name
    if program.rstrip(".0123456789") not in INTERPRETERS:
        return program
    for at, word in enumerate(rest[1:], start=1):
        if word in ("-c", "-e"):  # the program is the next word
            break
        if word == "-m" and len(rest) > at + 1:
            return rest[at + 1]
        if not word.startswith("-") and word != "run" and not word.isdecimal():
            return Path(word).name
    return program


def python() -> Path:
    """Return the interpreter that runs Botequim, outside of any virtual environment."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for path in (Path(sys.base_prefix) / "bin" / name, Path(sys.base_prefix) / "bin" / "python3"):
        if path.exists():
            return path
    return Path(sys.executable)


def host_command(host: Host, folder: Path) -> tuple[tuple[str, ...], tuple[Path, ...]]:
    """Return the command by which a host loads the file in a folder, and the folders that it needs to see."""
    interpreter = python()
    command = (str(interpreter), "-I", "-B", str(host.script), str(folder))
    return command, (*_homes(interpreter), host.script.parent)


def npm_script(script: str) -> tuple[tuple[str, ...], tuple[Path, ...]]:
    """Return the command that runs a script of package.json as npm would, and the folders it needs to see."""
    node = _found("node")
    places = ["$PWD/node_modules/.bin", *([str(node.parent)] if node is not None else []), "$PATH"]
    line = f'PATH="{":".join(places)}"; export PATH; {_script_line(script)}'
    return ("/bin/sh", "-c", line), (() if node is None else _homes(node))


def script_of(command: Sequence[str]) -> str | None:
    """Return the script of package.json that a command of `npm_script` runs; None for other commands."""
    if len(command) != 3 or tuple(command[:2]) != ("/bin/sh", "-c"):
        return None
    found = _NPM_LINE.fullmatch(command[2])
    if found is None:
        return None
    lines = (found[1].removeprefix("exec "), found[1])
    return next((script for script in lines if script.strip() and _script_line(script) == found[1]), None)


def _script_line(script: str) -> str:
    """Return a script for the shell, which becomes the program if the script is one command."""
    alone = "=" not in script.split()[0] and not set("&|;<>()`\n").intersection(script)
    return f"{'exec ' if alone else ''}{script}"


def _found(program: str) -> Path | None:
    found = shutil.which(program)
    if found is None:
        return None
    if "shims" in Path(found).parts and program.startswith("python"):
        return python()  # what a version manager puts there only works outside
    return Path(found).absolute()


def _homes(program: Path) -> tuple[Path, ...]:
    """Return the folders of a program outside of the system: its own, and that of the link's target."""
    homes: list[Path] = []
    for path in (program, program.resolve()):
        home = path.parent.parent if path.parent.name == "bin" else path.parent
        if not path.is_relative_to("/") or any(path.is_relative_to(root) for root in SYSTEM):
            continue
        if home not in homes:
            homes.append(home)
    return tuple(homes)
