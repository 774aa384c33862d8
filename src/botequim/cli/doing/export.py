"""`botequim export`: a champion in the form that its competition takes."""

from __future__ import annotations

import argparse
from pathlib import Path

from botequim import registry
from botequim.cli.doing.bots import read_options
from botequim.cli.doing.output import new_files
from botequim.core.errors import InputError, OptionError, UnknownName, os_reason
from botequim.core.messages import msg
from botequim.core.options import Value, settle
from botequim.export import EXPORTS, OPTIONS
from botequim.i18n import _


def run(arguments: argparse.Namespace) -> int:
    """Write it."""
    if arguments.game not in EXPORTS:
        raise UnknownName(
            msg(
                'there is no champion to export for "{name}"; known: {known}',
                name=arguments.game,
                known=", ".join(sorted(EXPORTS)),
            )
        )
    options = _options(arguments.game, arguments.option)
    folder: Path = arguments.folder
    try:
        if folder.exists() and any(folder.iterdir()):
            raise InputError(msg("{path} is not empty; give an empty or a new folder", path=str(folder)))
        with new_files() as made:
            for name, content in EXPORTS[arguments.game](**options).items():
                _write(folder / name, content.encode() if isinstance(content, str) else content, made)
    except OSError as error:
        raise InputError(
            msg("the folder {path} cannot be used: {why}", path=str(folder), why=os_reason(error))
        ) from error
    print(_("{game}: the champion is in {path}", game=arguments.game, path=str(folder)))
    return 0


def _options(game: str, pairs: list[str]) -> dict[str, Value]:
    """Those that were given; each must be one of the game's, and one that its export knows."""
    given = read_options(pairs)
    settled = settle(game, registry.game(game).options, given)
    for name in given:
        if name not in OPTIONS.get(game, ()):
            raise OptionError(
                msg(
                    'the exported champion of {game} is the same whatever "{name}" is; options that count: '
                    "{known}",
                    game=game,
                    name=name,
                    known=", ".join(OPTIONS.get(game, ())) or "-",
                )
            )
    return {name: settled[name] for name in given}


def _write(path: Path, content: bytes, made: list[Path]) -> None:
    made += [place for place in reversed(path.parents) if not place.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    made.append(path)
    path.write_bytes(content)
    if content.startswith(b"#!"):
        path.chmod(0o755)
