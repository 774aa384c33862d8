"""The options of `botequim art`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from botequim.art.look import MOST_FRAMES, Style
from botequim.cli.arguments import doing
from botequim.cli.gif import add_look
from botequim.games.rps import ART_SIZE
from botequim.i18n import _


def add(commands: Any) -> argparse.ArgumentParser:
    """The command's options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "art",
        description=_(
            "Turns an image, or the frames of a short GIF, into art within the limits of rps: a folder of\n"
            "*.ascii files, or one .json file with a list of frames, each of which a bot can show as its art."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim art cat.png -o frames/\n"
            "  botequim art cat.gif -o cat.json --style braille\n"
            "  botequim art cat.gif --preview --style blocks --theme green"
        ),
    )
    parser.add_argument("image", metavar=_("IMAGE"), type=Path, help=_("a PNG, JPEG, GIF, ..."))
    parser.add_argument("-o", "--out", metavar=_("OUT"), type=Path, help=_("a new folder, or a .json file"))
    parser.add_argument(
        "--style",
        choices=[str(style) for style in Style],
        default=str(Style.ASCII),
        help=_("what it is made of (ascii)"),
    )
    parser.add_argument(
        "--width", metavar="N", type=int, default=ART_SIZE, help=_("columns, at most {most}", most=ART_SIZE)
    )
    parser.add_argument(
        "--frames", metavar="N", type=int, default=MOST_FRAMES, help=_("at most so many frames (50)")
    )
    add_look(parser)
    parser.set_defaults(run=doing("art"))
    return parser
