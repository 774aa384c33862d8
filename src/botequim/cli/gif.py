"""The options of `botequim gif`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from botequim.art.look import Theme
from botequim.cli.arguments import doing
from botequim.cli.commands import ALIASES
from botequim.i18n import _


def add(commands: Any) -> argparse.ArgumentParser:
    """The command's options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "gif",
        aliases=[name for name, command in ALIASES.items() if command == "gif"],
        description=_(
            "Makes an animated GIF of a folder's *.ascii files, in alphabetical order, or of the art that\n"
            "the players of a recorded game of rps showed: then one GIF for each player, in a folder.\n"
            "Frames of different size are centred on one canvas."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim gif frames/ out.gif --theme amber\n"
            "  botequim gif frames/ --preview --loop 3\n"
            "  botequim gif game.jsonl gifs/\n"
            "  botequim gif game.jsonl mine.gif --seat 1 --frame-length 120"
        ),
    )
    parser.add_argument(
        "source", metavar=_("SOURCE"), type=Path, help=_("a folder of *.ascii files, or a record")
    )
    parser.add_argument(
        "out",
        metavar=_("OUT"),
        nargs="?",
        type=Path,
        help=_("the GIF; of a record, a folder for them (not needed with --preview)"),
    )
    add_look(parser)
    parser.add_argument(
        "--seat", metavar="N", type=int, help=_("of a record: this seat's art alone, counted from 1")
    )
    parser.set_defaults(run=doing("gif"))
    return parser


def add_look(parser: argparse.ArgumentParser) -> None:
    """How it looks, and whether it is shown."""
    parser.add_argument(
        "--theme",
        choices=[theme.label for theme in Theme],
        default=Theme.PAPER.label,
        help=_("the colours: ink on paper, or a green or amber screen (paper)"),
    )
    parser.add_argument(
        "--scale", metavar="N", type=int, default=1, help=_("each pixel N by N times; 1 to 8 (1)")
    )
    parser.add_argument(
        "--frame-length", metavar="MS", type=int, default=200, help=_("milliseconds to a frame (200)")
    )
    parser.add_argument(
        "--loop", metavar="N", type=int, help=_("how often it is played; 0 is for ever (0; 1 with --preview)")
    )
    parser.add_argument("--preview", action="store_true", help=_("play it here in the terminal"))
