"""`botequim export`: write a champion in the form of its competition."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botequim.cli.options import add_game, command, examples
from botequim.core.errors import InputError, OptionError, UnknownName, os_reason
from botequim.core.messages import msg
from botequim.core.suggestions import with_suggestion
from botequim.i18n import _

if TYPE_CHECKING:
    from botequim.core.options import Value


def add(commands: Any) -> argparse.ArgumentParser:
    from botequim import registry

    parser: argparse.ArgumentParser = commands.add_parser(
        "export",
        description=_(
            "Writes the champion of a game as a submission that runs without Botequim: the files "
            "that the game's competition accepts. Games with such a champion: {games}.",
            games=", ".join(plugin.name for plugin in registry.plugins() if plugin.submission is not None),
        ),
        epilog=examples("export"),
    )
    add_game(parser)
    parser.add_argument("folder", metavar=_("FOLDER"), type=Path, help=_("a new or an empty folder"))
    parser.add_argument(
        "--option",
        metavar=_("NAME=VALUE"),
        action="append",
        default=[],
        help=_("an option of the game that the champion must know"),
    )
    parser.set_defaults(run=command(run))
    return parser


Submission = Callable[..., Mapping[str, str | bytes]]


def run(arguments: argparse.Namespace) -> int:
    """Write the files of a champion into a folder."""
    from botequim.cli.output import new_files

    submission = _submission(arguments.game)
    options = _options(arguments.game, submission, arguments.option)
    folder: Path = arguments.folder
    try:
        if folder.exists() and any(folder.iterdir()):
            raise InputError(msg("{path} is not empty; give an empty or a new folder", path=str(folder)))
        with new_files() as paths:
            for name, content in submission(**options).items():
                _write(folder / name, content.encode() if isinstance(content, str) else content, paths)
    except OSError as error:
        raise InputError(
            msg("the folder {path} cannot be used: {why}", path=str(folder), why=os_reason(error))
        ) from error
    print(_("{game}: the champion is in {path}", game=arguments.game, path=str(folder)))
    return 0


def _submission(game: str) -> Submission:
    """Return the function that returns the files of a game's champion."""
    from botequim import registry

    games = [plugin.name for plugin in registry.plugins() if plugin.submission is not None]
    submission = registry.submission(game) if game in games else None
    if submission is None:
        problem = msg(
            'there is no champion to export for "{name}"; known: {known}', name=game, known=", ".join(games)
        )
        raise UnknownName(with_suggestion(problem, game, games))
    return submission


def _options(game: str, submission: Submission, pairs: list[str]) -> dict[str, Value]:
    """Return the options of the command line. Raise OptionError if the game or its submission lacks one."""
    from botequim import registry
    from botequim.cli.bots import read_options
    from botequim.core.options import resolve_options

    parameters = list(inspect.signature(submission).parameters)
    values = read_options(pairs)
    resolved = resolve_options(game, registry.game(game).options, values)
    for name in values:
        if name not in parameters:
            raise OptionError(
                msg(
                    'the exported champion of {game} does not depend on the option "{name}"; options '
                    "that it uses: {known}",
                    game=game,
                    name=name,
                    known=", ".join(parameters) or "-",
                )
            )
    return {name: resolved[name] for name in values}


def _write(path: Path, content: bytes, paths: list[Path]) -> None:
    paths += [folder for folder in reversed(path.parents) if not folder.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    paths.append(path)
    path.write_bytes(content)
    if content.startswith(b"#!"):
        path.chmod(0o755)
