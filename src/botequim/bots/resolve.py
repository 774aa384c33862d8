"""Find out which entrant a name means.

==============================  =====================================================================
``greedy``                      a built-in player of the game
``champion@hard``               a built-in player at a level; ``champion@0.5s`` thinks for half a second
``greedy+dummy``                a pair of two built-in players, in games of partners
``http://127.0.0.1:8000/``      a server that is running
``cmd:node src/index.mjs``      a command, run in the current folder
``path/to/bot``                 a folder, a file or an archive; its content decides how it is started
``image:registry/name:tag``     a container image
``https://host/bot.git#ref``    a Git repository; also ssh://, file://, git@, and a folder with a ``#ref``
``arena-lines:path/to/bot``     any of these, spoken to over that wire
==============================  =====================================================================

Without a wire, a bot uses the game's own wire. If that one does not fit, it uses `arena` over the same kind
of transport.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from botequim import registry
from botequim.bots.archive import ARCHIVES, is_archive, is_image, unpack
from botequim.bots.entrant import Entrant, Image, Origin
from botequim.bots.folders import Source, resolve_file, resolve_folder, resolve_image, resolve_program
from botequim.bots.interpreters import program_name, split_command
from botequim.bots.repositories import fetch_repository, is_repository, repository_name
from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.core.suggestions import with_suggestion
from botequim.core.wire import TransportKind

IMAGE: Final = "image:"
ADDRESS: Final = "http://"
COMMAND: Final = "cmd:"


def needs_isolation(given: str, game_name: str) -> bool:
    """Return whether a name may mean a program that runs here: no built-in player and no server's address."""
    wire, rest = _split_wire(given, game_name)
    built_in = wire is None and registry.is_player(game_name, rest)
    return not built_in and (is_repository(rest) or not rest.startswith(ADDRESS))


def resolve(
    given: str,
    game_name: str,
    *,
    workshop: Path,
    tell: Callable[[Message], None] = lambda said: None,
) -> Entrant:
    """Return the entrant that a name means. Archives are unpacked and repositories fetched to `workshop`."""
    wire, rest = _split_wire(given, game_name)
    source = Source(given, game_name, wire)
    if rest.startswith(COMMAND):
        words = split_command(rest.removeprefix(COMMAND), given)
        return resolve_program(source, program_name(words), words, Path.cwd())
    if rest.startswith(IMAGE):
        return _image(source, rest.removeprefix(IMAGE))
    if is_repository(rest):
        tell(msg("fetching {address}", address=rest))
        folder, commit = fetch_repository(rest, workshop)
        return replace(resolve_folder(source, folder, name=repository_name(rest)), commit=commit)
    if rest.startswith(ADDRESS):
        return _address(source, rest)
    if wire is None and registry.is_player(game_name, rest):
        registry.player(game_name, rest)  # raises UnknownName for an unknown level
        return Entrant(rest, given)
    path = Path(rest).expanduser()
    if path.is_symlink() and not path.exists():
        target = str(path.readlink())
        raise InputError(
            msg('"{given}" is a link to "{target}", which does not exist', given=given, target=target)
        )
    if not rest or not path.exists():
        raise InputError(_unknown(given, game_name))
    if path.is_file() and is_archive(path) and not path.name.lower().endswith(".zip") and is_image(path):
        image = Image(Origin.ARCHIVE, str(path.resolve()))
        return resolve_image(source, _stem(path), path.resolve().parent, image)
    if path.is_file() and is_archive(path):
        return resolve_folder(source, unpack(path, workshop), name=_stem(path))
    if path.is_dir():
        return resolve_folder(source, path.resolve(), name=path.resolve().name)
    if not path.is_file():
        raise InputError(msg('"{given}" is neither a file nor a folder', given=given))
    return resolve_file(source, path.resolve())


def _unknown(given: str, game_name: str) -> Message:
    known = registry.player_names(game_name)
    problem = msg(
        '"{given}" is neither a player of {game} (known: {known}) nor a file or folder; see '
        "docs/reference/bots.md",
        given=given,
        game=game_name,
        known=", ".join(known),
    )
    return with_suggestion(problem, given, known)


def _split_wire(given: str, game_name: str) -> tuple[str | None, str]:
    """Return the name of the wire that a name begins with, if it does, and the rest."""
    name, colon, rest = given.partition(":")
    if colon and name in registry.wire_names(game_name):
        return name, rest
    if colon and name.startswith("arena"):
        registry.wire(game_name, name)  # raises UnknownName, with the known ones
    return None, given


def _address(source: Source, url: str) -> Entrant:
    try:
        parts = urlsplit(url)
        good = bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    given = source.given
    if not good:
        raise InputError(msg('"{given}" is not an address such as http://127.0.0.1:8000/', given=given))
    wire = source.wire_over(TransportKind.HTTP)
    if wire.transport is not TransportKind.HTTP:
        raise InputError(
            msg('"{given}": the wire {wire} is not carried by HTTP', given=given, wire=wire.name)
        )
    return Entrant.bot(url.removeprefix(ADDRESS).rstrip("/"), given, wire, address=url)


def _image(source: Source, name: str) -> Entrant:
    path = Path(name).expanduser()
    if path.is_file():
        image, name = Image(Origin.ARCHIVE, str(path.resolve())), _stem(path)
    elif not name or name.startswith("-") or any(sign.isspace() for sign in name):
        raise InputError(msg('"{given}" is not the name of an image', given=source.given))
    else:
        image = Image(Origin.NAME, name)
    return resolve_image(source, name.rpartition("/")[2], Path.cwd(), image)


def _stem(path: Path) -> str:
    for ending in ARCHIVES:
        if path.name.lower().endswith(ending):
            return path.name[: -len(ending)]
    return path.stem
