"""`botequim export`: a champion as a submission to its game's own competition."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from botequim.export.submission import exported_games, write_submission
from botequim.i18n import _


def add(commands: Any) -> argparse.ArgumentParser:
    """The command's options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "export",
        help=_("write a champion as a submission to its competition"),
        description=_(
            "Writes the champion of a game into a folder, in the form that the game's own competition wants. "
            "Nothing of Botequim is needed to run it."
        ),
        epilog=_("Examples:\n  botequim export rps my-image\n  botequim export uno my-bot"),
    )
    parser.add_argument(
        "game", metavar=_("GAME"), help=_("one of: {names}", names=", ".join(exported_games()))
    )
    parser.add_argument("folder", metavar=_("DIR"), type=Path, help=_("a new or empty folder"))
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Write it, and say what was written."""
    for path in write_submission(arguments.game, arguments.folder):
        print(path)
    return 0
