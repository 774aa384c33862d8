"""The options of `botequim replay`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from botequim.cli.arguments import doing
from botequim.cli.picture import add_which_game
from botequim.i18n import _


def add(commands: Any) -> argparse.ArgumentParser:
    """The command's options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "replay",
        description=_(
            "Makes one HTML file that plays a recorded game in any browser, from disk, without a network:\n"
            "play, pause, step, speed; open hands or one seat's sight; English and Portuguese."
        ),
        epilog=_("Examples:\n  botequim replay game.jsonl -o game.html"),
    )
    parser.add_argument("file", metavar=_("RECORD"), type=Path, help=_("a record"))
    parser.add_argument(
        "-o", "--output", metavar=_("FILE"), type=Path, required=True, help=_("where to: an .html file")
    )
    add_which_game(parser)
    parser.set_defaults(run=doing("replay"))
    return parser
