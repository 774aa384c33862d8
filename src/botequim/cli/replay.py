"""`botequim replay`: write a recorded game as one web page."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from botequim.cli.options import command
from botequim.cli.picture import add_which_game
from botequim.i18n import _


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "replay",
        description=_(
            "Writes one HTML file that replays a recorded game in any browser, without a "
            "network.\n"
            "It can play, pause, step and change the speed, show all hands or those of one seat, "
            "and switch between\n"
            "English and Portuguese."
        ),
        epilog=_("Examples:\n  botequim replay game.jsonl -o game.html"),
    )
    parser.add_argument("file", metavar=_("RECORD"), type=Path, help=_("a record"))
    parser.add_argument(
        "-o", "--output", metavar=_("FILE"), type=Path, required=True, help=_("the output file: .html")
    )
    add_which_game(parser)
    parser.set_defaults(run=command(run))
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Write the page, and print its size."""
    from botequim.cli.output import kind_of, write
    from botequim.cli.picture import replay_of
    from botequim.render.replay_page import page

    kind_of(arguments.output, (".html", ".htm"), arguments.file)
    content = page(replay_of(arguments)).encode()
    write(arguments.output, content)
    print(_("{path}: {size} kB", path=str(arguments.output), size=round(len(content) / 1000)))
    return 0
