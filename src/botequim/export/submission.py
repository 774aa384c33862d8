"""Finds a game's submission and writes it into a folder.

A game has one if there is a module of its name here; its `files()` says, by name, what the folder holds.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path

import botequim.export
from botequim import registry
from botequim.core.errors import InputError, UnknownName, os_reason
from botequim.core.messages import msg


def exported_games() -> list[str]:
    """The games whose champion can be entered elsewhere."""
    names = [module.name for module in pkgutil.iter_modules(botequim.export.__path__)]
    return sorted(set(names) & set(registry.game_names()))


def write_submission(game: str, folder: Path) -> list[Path]:
    """Write a game's submission into a new or empty folder; the files that were written."""
    known = exported_games()
    if game not in known:
        raise UnknownName(
            msg(
                'there is no submission for "{game}"; there are some for: {known}',
                game=game,
                known=", ".join(known),
            )
        )
    files: dict[str, bytes] = import_module(f"botequim.export.{game}").files()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = next(folder.iterdir(), None)
        if taken is None:
            return [_written(folder / name, content) for name, content in files.items()]
    except OSError as error:
        raise InputError(
            msg("the folder {path} cannot be used: {why}", path=str(folder), why=os_reason(error))
        ) from error
    raise InputError(
        msg("{path} is not empty ({name}); give an empty or a new folder", path=str(folder), name=taken.name)
    )


def _written(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    if content.startswith(b"#!"):
        path.chmod(0o755)
    return path
