"""The options of `botequim picture`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from botequim.cli.arguments import doing
from botequim.i18n import _


def add(commands: Any) -> argparse.ArgumentParser:
    """The command's options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "picture",
        description=_(
            "Draws a position of a recorded game as SVG or PNG, or the whole game as an animated GIF;\n"
            "the name of the file says which. PNG and GIF need the extra: pip install 'botequim[pictures]'."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim picture game.jsonl -o end.svg\n"
            "  botequim picture game.jsonl --move 12 --hands open -o twelve.png --theme dark\n"
            "  botequim picture game.jsonl -o game.gif --hands 1"
        ),
    )
    parser.add_argument("file", metavar=_("RECORD"), type=Path, help=_("a record"))
    parser.add_argument(
        "-o", "--output", metavar=_("FILE"), type=Path, required=True, help=_("where to: .svg, .png or .gif")
    )
    parser.add_argument("--move", metavar=_("N"), help=_("the position after this move; else the last one"))
    add_which_game(parser)
    parser.add_argument(
        "--hands",
        metavar=_("WHOSE"),
        default="none",
        help=_("which hands are shown: open, none, or a seat counted from 1 (default: none)"),
    )
    parser.add_argument(
        "--theme",
        choices=("light", "dark", "auto"),
        help=_("light or dark; auto, for SVG: as the reader's system is"),
    )
    parser.add_argument(
        "--shape",
        choices=("wide", "tall"),
        default="wide",
        help=_("wide for screens, tall for phones"),
    )
    parser.add_argument("--width", metavar=_("PIXELS"), help=_("of a PNG or GIF"))
    parser.add_argument("--frame-length", metavar="MS", help=_("how long a GIF shows each move (900)"))
    parser.set_defaults(run=doing("picture"))
    return parser


def add_which_game(parser: argparse.ArgumentParser) -> None:
    """Which record of a file that holds several."""
    parser.add_argument(
        "--game", metavar=_("N"), default="1", help=_("which game of a file that holds several (default: 1)")
    )
