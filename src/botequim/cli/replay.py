"""`botequim replay`: a recorded game in one page that opens anywhere."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from botequim.cli.output import kind_of, write
from botequim.cli.picture import add_game, game_of
from botequim.i18n import _
from botequim.picture.replay import page


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
    add_game(parser)
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Write the page, and say how large it is."""
    kind_of(arguments.output, (".html", ".htm"), arguments.file)
    written = page(game_of(arguments)).encode()
    write(arguments.output, written)
    print(_("{path}: {size} kB", path=str(arguments.output), size=round(len(written) / 1000)))
    return 0
