"""Find out how the bot in a folder or a file is started.

In a folder the first of these decides: `botequim.toml`, the file that a host of the game loads, a Dockerfile,
a program that is there to start the bot, the `start` script or the `main` of package.json, a Makefile, C
files.
"""

from __future__ import annotations

import json
import os
import shlex
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from botequim import registry
from botequim.bots.entrant import Entrant, Image, Origin
from botequim.bots.environments import environment_python
from botequim.bots.interpreters import find_program, host_command, npm_script, split_command
from botequim.bots.trees import LEFT_OUT, real_path
from botequim.core.errors import InputError, os_reason
from botequim.core.limits import MB
from botequim.core.messages import Message, msg
from botequim.core.process import Program
from botequim.core.wire import TransportKind, Wire

RECIPES: Final = ("Dockerfile", "Containerfile")
MANIFEST: Final = "botequim.toml"
MANIFEST_KEYS: Final = ("build", "command", "name", "wire")
PROGRAMS: Final = (
    "bot", "run", "run.sh", "bot.sh", "bot.py", "main.py", "server.py", "app.py",
    "index.mjs", "index.js", "bot.mjs", "bot.js", "main.mjs", "main.js", "server.mjs", "server.js",
    "src/index.mjs", "src/index.js", "src/main.py",
)  # fmt: skip
"""The files that may start a folder's bot, the preferred one first."""
STARTERS: Final = PROGRAMS[:4]
"""Those of them that only start the bot. package.json is preferred to the others."""
OTHER_LANGUAGES: Final = {
    ".cpp": 'build = "c++ -O2 -o bot {file}" and command = "./bot"',
    ".go": 'build = "go build -o bot {file}" and command = "./bot"',
    ".java": 'build = "javac {file}" and command = "java {stem}"',
    ".lua": 'command = "lua {file}"',
    ".php": 'command = "php {file}"',
    ".pl": 'command = "perl {file}"',
    ".rb": 'command = "ruby {file}"',
    ".rs": 'build = "rustc -O -o bot {file}" and command = "./bot"',
}
"""What a manifest says for a bot whose only file has such an ending."""
LARGEST_TEXT: Final = MB
"""The largest file that we read ourselves, in bytes."""
DEEPEST: Final = 3
"""The depth at which a bot, or the file that a host loads, is found if nothing is beside its folders."""


@dataclass(frozen=True, slots=True)
class Source:
    """The user's description of a bot, before its files are read."""

    given: str
    game: str
    wire_name: str | None
    """The wire that the user wants; None: whichever fits."""

    def wires(self) -> list[Wire]:
        return [registry.wire(self.game, name) for name in registry.wire_names(self.game)]

    def wire_over(self, *transports: TransportKind) -> Wire:
        """Return the wire that the user wants; else the game's own, if it fits; else arena."""
        if self.wire_name is not None:
            return registry.wire(self.game, self.wire_name)
        wires = [wire for wire in self.wires() if not wire.hosted]
        own = [wire for wire in wires if wire.game == self.game and wire.transport in transports]
        fitting = [wire for transport in transports for wire in wires if wire.transport is transport]
        return (own or fitting)[0]

    def program_wire(self) -> Wire:
        return self.wire_over(TransportKind.LINES, TransportKind.HTTP, TransportKind.ONCE)

    def hosted_wires(self) -> list[Wire]:
        """Return the wires of the game that load an author's file, as far as the user may mean them."""
        return [wire for wire in self.wires() if wire.hosted and self.wire_name in (None, wire.name)]


def resolve_program(source: Source, name: str, words: list[str], folder: Path, *, build: str = "") -> Entrant:
    """Return the program that a command starts. If it is built, its file need not exist yet."""
    command, extra_paths = find_program(words, folder, given=source.given, later=bool(build))
    program = Program(command, folder, extra_paths=extra_paths)
    return Entrant.bot(name, source.given, source.program_wire(), program, build=build)


def resolve_image(source: Source, name: str, folder: Path, image: Image) -> Entrant:
    wire = source.program_wire()
    if wire.hosted:
        raise InputError(
            msg(
                '"{given}": a bot of the wire {wire} is a file, not an image',
                given=source.given,
                wire=wire.name,
            )
        )
    return Entrant.bot(name, source.given, wire, Program((), folder), image=image)


def resolve_file(source: Source, path: Path) -> Entrant:
    """Return the bot that is one file."""
    for wire in source.hosted_wires():
        if path.suffix == ".py" and _is_for_host(path, wire):
            assert wire.host is not None
            name = path.parent.name if path.name == wire.host.file_name else path.stem
            return _hosted_bot(source, wire, path, path.parent, name)
    if path.suffix == ".c":
        build = f"cc -O2 -o bot {shlex.quote(path.name)} -lm"
        return resolve_program(source, path.stem, ["./bot"], path.parent, build=build)
    starter = _starter(path, path.parent)
    if starter is None:
        raise InputError(
            msg(
                '"{given}" is a file that cannot be started: it is not executable, and its file '
                "extension is not .py, .js, .mjs, .sh or .c. Make it executable, or give its "
                "command with cmd:",
                given=source.given,
            )
        )
    return resolve_program(source, path.stem, starter, path.parent)


def resolve_folder(source: Source, folder: Path, *, name: str) -> Entrant:
    """Return the bot that is in a folder."""
    marks = (MANIFEST, *(wire.host.file_name for wire in source.wires() if wire.host), *RECIPES)
    for _ in range(DEEPEST):
        only = _only(folder)
        if only is None or any((folder / known).exists() for known in marks):
            break
        folder = only  # an archive of a folder
    if (folder / MANIFEST).is_file():
        return _from_manifest(source, folder, name)
    for wire in source.hosted_wires():
        if (file := _file_for_host(folder, wire, source.given)) is not None:
            return _hosted_bot(source, wire, file, folder, name)
    for recipe in RECIPES:
        if (folder / recipe).is_file():
            return resolve_image(source, name, folder, Image(Origin.FOLDER, recipe))
    if (found := _started_by(folder, STARTERS)) is not None:
        return resolve_program(source, name, found, folder)
    package = _package(folder)
    if (script := package.get("scripts", {}).get("start")) is not None:
        command, extra_paths = npm_script(script)
        program = Program(command, folder, extra_paths=extra_paths)
        return Entrant.bot(name, source.given, source.program_wire(), program)
    found = _started_by(folder, PROGRAMS)
    if found is None and (main := folder / package.get("main", ".")).is_file():
        found = ["node", str(main)]
    if found is not None:
        return resolve_program(source, name, found, folder)
    sources = sorted(path.name for path in folder.glob("*.c"))
    if (folder / "Makefile").is_file():
        return resolve_program(source, name, ["./bot"], folder, build="make")
    if sources:
        build = f"cc -O2 -o bot {' '.join(map(shlex.quote, sources))} -lm"
        return resolve_program(source, name, ["./bot"], folder, build=build)
    raise InputError(_nothing_to_start(source, folder))


def _nothing_to_start(source: Source, folder: Path) -> Message:
    hosted = [wire.host.file_name for wire in source.wires() if wire.host]
    looked = ", ".join((*hosted, MANIFEST, *RECIPES, "package.json", *PROGRAMS))
    for name in ("bot", "run"):
        if (folder / name).is_file():
            return msg(
                'the folder "{given}" has a file {name}, but it is not executable',
                given=source.given,
                name=name,
            )
    return msg(
        'the folder "{given}" has nothing that can be started. Looked for: {looked}, Makefile and *.c. To '
        "say how it is started, write a file {manifest} there: {lines}",
        given=source.given,
        looked=looked,
        manifest=MANIFEST,
        lines=_suggested_manifest(folder),
    )


def _suggested_manifest(folder: Path) -> str:
    """Return lines for a manifest, by the first source file in a folder whose language is known."""
    for path in sorted(folder.iterdir()):
        if (lines := OTHER_LANGUAGES.get(path.suffix)) is not None and path.is_file():
            return lines.format(file=path.name, stem=path.stem)
    return 'command = "./my-bot"'


def _starter(path: Path, folder: Path) -> list[str] | None:
    """Return the command that starts a file of the bot in a folder; None if it cannot be started."""
    match path.suffix:
        case ".py":
            return [str(environment_python(folder) or "python3"), str(path)]
        case ".js" | ".mjs":
            return ["node", str(path)]
        case ".sh" if not os.access(path, os.X_OK):
            return ["sh", str(path)]
    return [str(path)] if os.access(path, os.X_OK) else None


def _only(folder: Path) -> Path | None:
    """Return the folder that is all that a folder contains, or None."""
    inside = [path for path in folder.iterdir() if path.name not in LEFT_OUT]
    if len(inside) != 1 or inside[0].is_symlink() or not inside[0].is_dir():
        return None
    return inside[0]


def _started_by(folder: Path, names: Sequence[str]) -> list[str] | None:
    for name in names:
        path = folder / name
        if path.is_file() and (starter := _starter(path, folder)) is not None:
            return starter
    return None


def _package(folder: Path) -> dict[str, Any]:
    """Return what package.json says about how the bot is started, as far as it can be understood."""
    try:
        package = json.loads(_text_in(folder, "package.json"))
    except (ValueError, RecursionError, OSError, InputError):
        return {}
    if not isinstance(package, dict):
        return {}
    found: dict[str, Any] = {}
    if isinstance(package.get("main"), str):
        found["main"] = package["main"]
    scripts = package.get("scripts")
    if isinstance(scripts, dict) and isinstance(scripts.get("start"), str) and scripts["start"].strip():
        found["scripts"] = {"start": scripts["start"].strip()}
    return found


def _text_in(folder: Path, name: str) -> str:
    """Return the content of a small file in a bot's folder, which may be a link to another one there."""
    path = real_path(folder / name)
    if not path.is_relative_to(folder.resolve()):
        raise InputError(msg("{path} is a link that leads out of its folder", path=str(folder / name)))
    with path.open("rb") as file:
        content = file.read(LARGEST_TEXT + 1)
    if len(content) > LARGEST_TEXT:
        raise InputError(msg("{path} is larger than {size} MB", path=str(path), size=LARGEST_TEXT // MB))
    return content.decode("utf-8")


def _from_manifest(source: Source, folder: Path, name: str) -> Entrant:
    where = f"{source.given}/{MANIFEST}"
    try:
        manifest: dict[str, Any] = tomllib.loads(_text_in(folder, MANIFEST))
    except OSError as error:
        raise InputError(msg("{where}: cannot be read: {why}", where=where, why=os_reason(error))) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(msg("{where}: not a TOML file: {why}", where=where, why=str(error))) from error
    for key, value in manifest.items():
        if key not in MANIFEST_KEYS:
            known = ", ".join(MANIFEST_KEYS)
            raise InputError(
                msg('{where}: unknown key "{key}"; known: {known}', where=where, key=key, known=known)
            )
        if not isinstance(value, str):
            raise InputError(msg('{where}: "{key}" must be a text in quotes', where=where, key=key))
    if "command" not in manifest:
        raise InputError(msg('{where}: the key "command" is missing', where=where))
    if source.wire_name is None and "wire" in manifest:
        source = replace(source, wire_name=registry.wire(source.game, manifest["wire"]).name)
    words = split_command(manifest["command"], where)
    build = manifest.get("build", "")
    return resolve_program(source, manifest.get("name", name), words, folder, build=build)


# --- files that a host loads -------------------------------------------------------------------------


def _hosted_bot(source: Source, wire: Wire, file: Path, folder: Path, name: str) -> Entrant:
    assert wire.host is not None
    command, extra_paths = host_command(wire.host, file.parent)
    program = Program(command, folder, extra_paths=extra_paths)
    return Entrant.bot(name, source.given, wire, program, by_member=True)


def _is_for_host(path: Path, wire: Wire) -> bool:
    assert wire.host is not None
    if path.name == wire.host.file_name:
        return True
    with path.open("rb") as file:
        return wire.host.marker in file.read(LARGEST_TEXT)


def _file_for_host(folder: Path, wire: Wire, given: str) -> Path | None:
    """Return the file nearest to the top. Raise InputError if there are several at that depth."""
    assert wire.host is not None
    for depth in range(DEEPEST + 1):
        found = [
            path
            for path in sorted(folder.glob("*/" * depth + wire.host.file_name))
            if "__MACOSX" not in path.parts and path.is_file()
        ]
        if len(found) > 1:
            raise InputError(
                msg(
                    '"{given}" contains {count} files {file}; give the folder of the one that you mean',
                    given=given,
                    count=len(found),
                    file=wire.host.file_name,
                )
            )
        if found:
            return found[0]
    return None
