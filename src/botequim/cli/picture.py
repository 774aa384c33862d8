"""`botequim picture`: a position of a recorded game as SVG or PNG, or the whole game as a GIF."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from botequim.core.errors import InputError, os_reason
from botequim.core.messages import msg
from botequim.core.reading import read_records
from botequim.i18n import _
from botequim.picture import OPEN, Look, Played, Shape, Sight, Theme, picture
from botequim.picture.layout import SIZES
from botequim.picture.raster import gif, png

KINDS = (".svg", ".png", ".gif")
WIDTHS = (100, 4000)
GIF_WIDTHS = {Shape.WIDE: 800, Shape.TALL: 480}
LAST = 2500


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
    add_game(parser)
    parser.add_argument(
        "--hands",
        metavar=_("WHOSE"),
        default="none",
        help=_("which hands are shown: open, none, or a seat counted from 1 (default: none)"),
    )
    parser.add_argument(
        "--theme",
        choices=[theme.value for theme in Theme],
        help=_("light or dark; auto, for SVG: as the reader's system is"),
    )
    parser.add_argument(
        "--shape",
        choices=[shape.value for shape in Shape],
        default=Shape.WIDE.value,
        help=_("wide for screens, tall for phones"),
    )
    parser.add_argument("--width", metavar=_("PIXELS"), help=_("of a PNG or GIF"))
    parser.add_argument(
        "--frame-length", metavar="MS", default="900", help=_("how long a GIF shows each move")
    )
    parser.set_defaults(run=run)
    return parser


def add_game(parser: argparse.ArgumentParser) -> None:
    """Which record of a file that holds several."""
    parser.add_argument(
        "--game", metavar=_("N"), default="1", help=_("which game of a file that holds several (default: 1)")
    )


def run(arguments: argparse.Namespace) -> int:
    """Draw it."""
    kind = arguments.output.suffix.lower()
    if kind not in KINDS:
        raise InputError(
            msg(
                '"{name}" must end in one of {known}, which says what to draw',
                name=arguments.output.name,
                known=", ".join(KINDS),
            )
        )
    shape = Shape(arguments.shape)
    look = Look(shape, _theme(arguments.theme, kind))
    if kind == ".svg" and arguments.width is not None:
        raise InputError(msg("--width is for PNG and GIF; an SVG has any width"))
    if kind == ".gif" and arguments.move is not None:
        raise InputError(msg("--move is for SVG and PNG; a GIF shows the whole game"))
    usual = GIF_WIDTHS[shape] if kind == ".gif" else SIZES[shape][0]
    width = usual if arguments.width is None else whole("--width", arguments.width, *WIDTHS)
    played = game_of(arguments)
    sight = _sight(arguments.hands, len(played.seats))
    last = len(played.steps)
    if kind == ".gif":
        every = whole("--frame-length", arguments.frame_length, 20, 60_000)
        write(arguments.output, gif(_frames(played, sight, look), width, every, LAST))
        return 0
    number = last if arguments.move is None else whole("--move", arguments.move, 1, last)
    svg = picture(played.scene(number, sight), look)
    write(arguments.output, svg.encode() if kind == ".svg" else png(svg, width))
    return 0


def game_of(arguments: argparse.Namespace) -> Played:
    """The record that was asked for, played again."""
    found = list(read_records(arguments.file))
    if not found:
        raise InputError(msg("there is no record in {path}", path=str(arguments.file)))
    return Played(found[whole("--game", arguments.game, 1, len(found)) - 1])


def whole(option: str, text: str, least: int, most: int) -> int:
    """A number of the command line, within its range."""
    if text.isascii() and text.isdigit() and least <= int(text[:9]) <= most and len(text) <= 9:
        return int(text)
    raise InputError(
        msg(
            '{option} takes a whole number from {least} to {most}, not "{given}"',
            option=option,
            least=least,
            most=most,
            given=text,
        )
    )


def write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise InputError(
            msg("{path} cannot be written: {why}", path=str(path), why=os_reason(error))
        ) from error


def _frames(played: Played, sight: Sight, look: Look) -> Iterator[str]:
    for number in range(1, len(played.steps) + 1):
        yield picture(played.scene(number, sight), look)


def _sight(given: str, seats: int) -> Sight:
    if given == OPEN:
        return OPEN
    return None if given == "none" else whole("--hands", given, 1, seats) - 1


def _theme(given: str | None, kind: str) -> Theme:
    if given is None:
        return Theme.AUTO if kind == ".svg" else Theme.LIGHT
    if Theme(given) is Theme.AUTO and kind != ".svg":
        raise InputError(msg("only an SVG can have the theme auto: choose light or dark"))
    return Theme(given)
