"""What a name means.

==============================  =====================================================================
``greedy``                      a built-in player of the game
``champion@hard``               one that has levels; ``champion@0.5s`` thinks so long
``greedy+dummy``                a pair of two built-in players, in games of partners
``http://127.0.0.1:8000/``      a server that is running
``cmd:node src/index.mjs``      a command, run in the current folder
``path/to/bot``                 a folder, a file or an archive: what it is, is seen from what is in it
``image:registry/name:tag``     a container image
``https://host/bot.git#ref``    a Git repository; also ssh://, file://, git@, and a folder with a ``#ref``
``arena-lines:path/to/bot``     any of these, spoken to over that wire
==============================  =====================================================================

Without a wire it is the game's own, or where that cannot be, `arena` over the same kind of transport.
"""

from __future__ import annotations

import json
import os
import shlex
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from botequim import registry
from botequim.core.errors import InputError, os_reason
from botequim.core.limits import MB
from botequim.core.messages import Message, msg
from botequim.core.process import Program
from botequim.core.wire import Carrier
from botequim.entrants.archive import ARCHIVES, is_archive, is_image, unpack
from botequim.entrants.entrant import Entrant, Image, Origin
from botequim.entrants.images import RECIPES
from botequim.entrants.interpreters import course_host, npm_script, program_name, resolved
from botequim.entrants.repositories import fetched, is_repository, name_of
from botequim.entrants.trees import LEFT_OUT, real_path

IMAGE: Final = "image:"
STUDENT: Final = "student_players.py"
MANIFEST: Final = "botequim.toml"
MANIFEST_KEYS: Final = ("build", "command", "name", "wire")
PROGRAMS: Final = (
    "bot", "run", "run.sh", "bot.sh", "bot.py", "main.py", "server.py", "app.py",
    "index.mjs", "index.js", "bot.mjs", "bot.js", "main.mjs", "main.js", "server.mjs", "server.js",
    "src/index.mjs", "src/index.js", "src/main.py",
)  # fmt: skip
"""Files that a folder's program is looked for in, in this order."""
LARGEST_TEXT: Final = MB
"""Of a file that we read ourselves, in bytes."""
MADE_TO_START: Final = PROGRAMS[:4]
"""Those that are there only to start the bot. Others may be started in a way that package.json knows."""
DEEPEST: Final = 3
"""Folders that a course's file may lie under, or a bot with nothing beside them."""


def recognise(
    given: str,
    game_name: str,
    *,
    workshop: Path,
    tell: Callable[[Message], None] = lambda said: None,
) -> Entrant:
    """The entrant that a name means; archives are unpacked, repositories fetched, into `workshop`."""
    wire, rest = _split_wire(given, game_name)
    if rest.startswith("cmd:"):
        return _command(given, rest.removeprefix("cmd:"), game_name, wire)
    if rest.startswith(IMAGE):
        return _image(given, rest.removeprefix(IMAGE), game_name, wire)
    if is_repository(rest):
        tell(msg("fetching {address}", address=rest))
        folder, commit = fetched(rest, workshop)
        return replace(_folder(given, folder, game_name, wire, name=name_of(rest)), commit=commit)
    if rest.startswith("http://"):
        return _address(given, rest, game_name, wire)
    if wire is None and registry.is_player(game_name, rest):
        registry.player(game_name, rest)  # says which levels there are
        return Entrant(rest, given)
    path = Path(rest).expanduser()
    if not rest or not path.exists():
        raise InputError(_unknown(given, rest, game_name))
    if path.is_file() and is_archive(path) and not path.name.lower().endswith(".zip") and is_image(path):
        image = Image(Origin.ARCHIVE, str(path.resolve()))
        return _of_image(_stem(path), given, path.resolve().parent, image, game_name, wire)
    if path.is_file() and is_archive(path):
        return _folder(given, unpack(path, workshop), game_name, wire, name=_stem(path))
    if path.is_dir():
        return _folder(given, path.resolve(), game_name, wire, name=path.resolve().name)
    if not path.is_file():
        raise InputError(msg('"{given}" is neither a file nor a folder', given=given))
    return _file(given, path.resolve(), game_name, wire)


def _unknown(given: str, rest: str, game_name: str) -> Message:
    return msg(
        'cannot tell what "{given}" is. It is no built-in player of {game} (known: {known}), there is no '
        "file or folder of that name, and it begins with none of http://, cmd: for a command line, image: "
        "for a container image, https:// for a Git repository",
        given=given,
        game=game_name,
        known=", ".join(registry.player_names(game_name)),
    )


# --- wires -----------------------------------------------------------------------------------------


def _split_wire(given: str, game_name: str) -> tuple[str | None, str]:
    name, colon, rest = given.partition(":")
    if colon and name in registry.wire_names(game_name):
        return name, rest
    if colon and name.startswith("arena"):
        registry.wire(game_name, name)  # says which there are
    return None, given


def _wire_for(game_name: str, wanted: str | None, *carriers: Carrier) -> str:
    """The wire asked for; else the game's own if it is carried so; else arena."""
    if wanted is not None:
        return wanted
    wires = [registry.wire(game_name, name) for name in registry.wire_names(game_name)]
    fitting = [wire.name for carrier in carriers for wire in wires if wire.carrier is carrier]
    own = [wire.name for wire in wires if wire.game == game_name and wire.carrier in carriers]
    own = [name for name in own if not registry.wire(game_name, name).hosted]
    fitting = [name for name in fitting if not registry.wire(game_name, name).hosted]
    return (own or fitting)[0]


def _program_wire(game_name: str, wanted: str | None) -> str:
    return _wire_for(game_name, wanted, Carrier.LINES, Carrier.HTTP, Carrier.ONCE)


# --- addresses and commands ------------------------------------------------------------------------


def _address(given: str, url: str, game_name: str, wire: str | None) -> Entrant:
    try:
        parts = urlsplit(url)
        good = bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good:
        raise InputError(msg('"{given}" is not an address such as http://127.0.0.1:8000/', given=given))
    name = _wire_for(game_name, wire, Carrier.HTTP)
    if registry.wire(game_name, name).carrier is not Carrier.HTTP:
        raise InputError(msg('"{given}": the wire {wire} is not carried by HTTP', given=given, wire=name))
    return Entrant(url.removeprefix("http://").rstrip("/"), given, name, address=url)


def _command(given: str, line: str, game_name: str, wire: str | None) -> Entrant:
    words = _words(line, given)
    return _program(program_name(words), given, words, Path.cwd(), _program_wire(game_name, wire))


def _words(line: str, where: str) -> list[str]:
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise InputError(msg('"{where}" is not a command line: {why}', where=where, why=str(error))) from None
    if not words:
        raise InputError(msg('"{where}": the command is missing', where=where))
    return words


def _program(name: str, given: str, words: list[str], folder: Path, wire: str, *, build: str = "") -> Entrant:
    """The program that `words` start, its interpreter made visible. What is built need not be there yet."""
    command, also = resolved(words, folder, given=given, later=bool(build))
    return Entrant(name, given, wire, Program(command, folder, also=also), build=build)


# --- images ----------------------------------------------------------------------------------------


def _image(given: str, name: str, game_name: str, wire: str | None) -> Entrant:
    path = Path(name).expanduser()
    if path.is_file():
        image, name = Image(Origin.ARCHIVE, str(path.resolve())), _stem(path)
    elif not name or name.startswith("-") or any(sign.isspace() for sign in name):
        raise InputError(msg('"{given}" is not the name of an image', given=given))
    else:
        image = Image(Origin.NAME, name)
    return _of_image(name.rpartition("/")[2], given, Path.cwd(), image, game_name, wire)


def _of_image(name: str, given: str, folder: Path, image: Image, game_name: str, wire: str | None) -> Entrant:
    spoken = _program_wire(game_name, wire)
    if registry.wire(game_name, spoken).hosted:
        raise InputError(
            msg('"{given}": a bot of the wire {wire} is a file, not an image', given=given, wire=spoken)
        )
    return Entrant(name, given, spoken, Program((), folder), image=image)


# --- files and folders -----------------------------------------------------------------------------


def _file(given: str, path: Path, game_name: str, wire: str | None) -> Entrant:
    if path.suffix == ".py" and _is_course(path, game_name) and wire in (None, game_name):
        return _course(given, path, path.parent, path.parent.name if path.name == STUDENT else path.stem)
    spoken = _program_wire(game_name, wire)
    if path.suffix == ".c":
        build = f"cc -O2 -o bot {shlex.quote(path.name)} -lm"
        return _program(path.stem, given, ["./bot"], path.parent, spoken, build=build)
    starter = _starter(path)
    if starter is None:
        raise InputError(
            msg(
                '"{given}" is a file that cannot be started: it is not executable, and its ending is none of '
                ".py .js .mjs .sh .c; make it executable, or name its command with cmd:",
                given=given,
            )
        )
    return _program(path.stem, given, starter, path.parent, spoken)


def _starter(path: Path) -> list[str] | None:
    match path.suffix:
        case ".py":
            return ["python3", str(path)]
        case ".js" | ".mjs":
            return ["node", str(path)]
        case ".sh" if not os.access(path, os.X_OK):
            return ["sh", str(path)]
    return [str(path)] if os.access(path, os.X_OK) else None


def _folder(given: str, folder: Path, game_name: str, wire: str | None, *, name: str) -> Entrant:
    for _ in range(DEEPEST):
        only = _only(folder)
        if only is None or any((folder / known).exists() for known in (MANIFEST, STUDENT, *RECIPES)):
            break
        folder = only  # an archive of a folder
    if (folder / MANIFEST).is_file():
        return _from_manifest(given, folder, game_name, wire, name)
    if game_name == "havana" and wire in (None, "havana"):
        student = _student_file(folder, given)
        if student is not None:
            return _course(given, student, folder, name)
    for recipe in RECIPES:
        if (folder / recipe).is_file():
            return _of_image(name, given, folder, Image(Origin.FOLDER, recipe), game_name, wire)
    spoken = _program_wire(game_name, wire)
    if (found := _started_by(folder, MADE_TO_START)) is not None:
        return _program(name, given, found, folder, spoken)
    package = _package(folder)
    if (script := package.get("scripts", {}).get("start")) is not None:
        command, also = npm_script(script)
        return Entrant(name, given, spoken, Program(command, folder, also=also))
    found = _started_by(folder, PROGRAMS)
    if found is None and (main := folder / package.get("main", ".")).is_file():
        found = ["node", str(main)]
    if found is not None:
        return _program(name, given, found, folder, spoken)
    sources = sorted(path.name for path in folder.glob("*.c"))
    if (folder / "Makefile").is_file():
        return _program(name, given, ["./bot"], folder, spoken, build="make")
    if sources:
        build = f"cc -O2 -o bot {' '.join(map(shlex.quote, sources))} -lm"
        return _program(name, given, ["./bot"], folder, spoken, build=build)
    raise InputError(_nothing_to_start(given, folder, game_name))


def _nothing_to_start(given: str, folder: Path, game_name: str) -> Message:
    looked = (
        (f"{STUDENT}, " if game_name == "havana" else "")
        + f"{MANIFEST}, {', '.join(RECIPES)}, package.json, "
        + ", ".join(PROGRAMS)
    )
    for name in ("bot", "run"):
        if (folder / name).is_file():
            return msg(
                'the folder "{given}" has a file {name}, but it is not executable', given=given, name=name
            )
    return msg(
        'the folder "{given}" has nothing that can be started. Looked for: {looked}, Makefile and *.c. To '
        'say how it is started, write a file {manifest} there: command = "./my-bot"',
        given=given,
        looked=looked,
        manifest=MANIFEST,
    )


def _only(folder: Path) -> Path | None:
    """The one folder that a folder consists of."""
    inside = [path for path in folder.iterdir() if path.name not in LEFT_OUT]
    if len(inside) != 1 or inside[0].is_symlink() or not inside[0].is_dir():
        return None
    return inside[0]


def _started_by(folder: Path, names: Sequence[str]) -> list[str] | None:
    for name in names:
        path = folder / name
        if path.is_file() and (starter := _starter(path)) is not None:
            return starter
    return None


def _package(folder: Path) -> dict[str, Any]:
    """What package.json says of how the bot is started, as far as it can be understood."""
    try:
        package = json.loads(_text_in(folder, "package.json"))
    except (ValueError, RecursionError, OSError, InputError):
        return {}
    if not isinstance(package, dict):
        return {}
    told: dict[str, Any] = {}
    if isinstance(package.get("main"), str):
        told["main"] = package["main"]
    scripts = package.get("scripts")
    if isinstance(scripts, dict) and isinstance(scripts.get("start"), str) and scripts["start"].strip():
        told["scripts"] = {"start": scripts["start"].strip()}
    return told


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


def _from_manifest(given: str, folder: Path, game_name: str, wire: str | None, name: str) -> Entrant:
    where = f"{given}/{MANIFEST}"
    try:
        manifest: dict[str, Any] = tomllib.loads(_text_in(folder, MANIFEST))
    except OSError as error:
        raise InputError(msg("{where}: cannot be read: {why}", where=where, why=os_reason(error))) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(msg("{where}: not a TOML file: {why}", where=where, why=str(error))) from error
    for key, value in manifest.items():
        if key not in MANIFEST_KEYS or not isinstance(value, str):
            raise InputError(
                msg(
                    '{where}: "{key}" is not known or is no text; known, all texts: {known}',
                    where=where,
                    key=key,
                    known=", ".join(MANIFEST_KEYS),
                )
            )
    if "command" not in manifest:
        raise InputError(msg('{where}: the key "command" is missing', where=where))
    if wire is None and "wire" in manifest:
        wire = registry.wire(game_name, manifest["wire"]).name
    build = manifest.get("build", "")
    words = _words(manifest["command"], where)
    spoken = _program_wire(game_name, wire)
    return _program(manifest.get("name", name), given, words, folder, spoken, build=build)


# --- the course's classes --------------------------------------------------------------------------


def _course(given: str, student: Path, folder: Path, name: str) -> Entrant:
    command, also = course_host(student)
    program = Program(command, folder, also=also)
    return Entrant(name, given, "havana", program, by_member=True)


def _is_course(path: Path, game_name: str) -> bool:
    if game_name != "havana":
        return False
    if path.name == STUDENT:
        return True
    with path.open("rb") as file:
        return b"def create_pair" in file.read(LARGEST_TEXT)


def _student_file(folder: Path, given: str) -> Path | None:
    """The shallowest one; which of several is meant cannot be guessed."""
    for depth in range(DEEPEST + 1):
        found = [
            path
            for path in sorted(folder.glob("*/" * depth + STUDENT))
            if "__MACOSX" not in path.parts and path.is_file()
        ]
        if len(found) > 1:
            raise InputError(
                msg(
                    '"{given}" holds {count} files {file}; name the folder of the one that is meant',
                    given=given,
                    count=len(found),
                    file=STUDENT,
                )
            )
        if found:
            return found[0]
    return None


def _stem(path: Path) -> str:
    for ending in ARCHIVES:
        if path.name.lower().endswith(ending):
            return path.name[: -len(ending)]
    return path.stem
