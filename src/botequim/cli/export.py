"""The options of `botequim export`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from botequim.cli.arguments import add_game, doing
from botequim.i18n import _


def add(commands: Any) -> argparse.ArgumentParser:
    """The command's options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "export",
        description=_(
            "Writes a champion as a submission of its own, which needs nothing of Botequim: for cubos a "
            "folder with a Dockerfile and a server, for rps one with a Dockerfile and a program that is run "
            "for each round, for uno a program that reads and writes lines, for havana a student_players.py "
            "and a text on its strategy."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim export cubos my-champion/\n"
            "  botequim export cubos my-champion/ --option blocked=points"
        ),
    )
    add_game(parser)
    parser.add_argument("folder", metavar=_("FOLDER"), type=Path, help=_("a new or an empty folder"))
    parser.add_argument(
        "--option",
        metavar=_("NAME=VALUE"),
        action="append",
        default=[],
        help=_("an option of the game that its champion is to reckon with (cubos: blocked)"),
    )
    parser.set_defaults(run=doing("export"))
    return parser
