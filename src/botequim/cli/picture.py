"""`botequim picture`: a position of a recorded game as SVG or PNG, or the whole game as a GIF."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botequim.cli.options import command
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.i18n import _, _n, number, translate

if TYPE_CHECKING:
    from botequim.records.replay import Replay
    from botequim.render.drawing import RenderOptions
    from botequim.render.scene import Perspective
    from botequim.render.theme import Theme


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "picture",
        description=_(
            "Draws a position of a recorded game as SVG or PNG, or the whole game as an animated "
            "GIF.\n"
            "The file extension selects the format. PNG and GIF need the extra `pictures`."
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
        "-o",
        "--output",
        metavar=_("FILE"),
        type=Path,
        required=True,
        help=_("the output file: .svg, .png or .gif"),
    )
    parser.add_argument(
        "--move", metavar=_("N"), help=_("the position after this move (default: the last one)")
    )
    add_which_game(parser)
    parser.add_argument(
        "--hands",
        metavar=_("WHOSE"),
        default="none",
        help=_("the hands to show: open (all), none, or the number of a seat, from 1 (default: none)"),
    )
    parser.add_argument(
        "--theme",
        choices=("light", "dark", "auto"),
        help=_("light, dark or auto (SVG only: follows the reader's system)"),
    )
    parser.add_argument(
        "--shape",
        choices=("wide", "tall", "hall"),
        default="wide",
        help=_("wide for screens, tall for phones, hall for a projector"),
    )
    parser.add_argument("--width", metavar=_("PIXELS"), help=_("width of the PNG or GIF"))
    parser.add_argument("--frame-length", metavar="MS", help=_("milliseconds per move in a GIF (900)"))
    parser.set_defaults(run=command(run))
    return parser


def add_which_game(parser: argparse.ArgumentParser) -> None:
    """Add the option that chooses one of several records in a file."""
    parser.add_argument(
        "--game", metavar=_("N"), default="1", help=_("the number of the game in the file (default: 1)")
    )


KINDS = (".svg", ".png", ".gif")
WIDTHS = (100, 4000)
GIF_WIDTHS = {"WIDE": 800, "TALL": 480, "HALL": 800, "DESK": 800, "TABLE": 480}
FRAME = "900"
LAST = 2500
"""The duration of the last frame in milliseconds."""


def run(arguments: argparse.Namespace) -> int:
    from botequim.cli.output import kind_of, write
    from botequim.cli.progress import counting
    from botequim.render.drawing import RenderOptions, render_svg
    from botequim.render.layout import SIZES, Shape
    from botequim.render.raster import gif, png
    from botequim.render.scene import scene_at

    kind = kind_of(arguments.output, KINDS, arguments.file)
    shape = Shape(arguments.shape)
    options = RenderOptions(shape, _theme(arguments.theme, kind))
    if kind == ".svg" and arguments.width is not None:
        raise InputError(msg("--width applies only to PNG and GIF; an SVG scales to any width"))
    if kind == ".gif" and arguments.move is not None:
        raise InputError(msg("--move applies only to SVG and PNG; a GIF shows the whole game"))
    if kind != ".gif" and arguments.frame_length is not None:
        raise InputError(msg("--frame-length applies only to GIF; SVG and PNG show one move"))
    every = whole("--frame-length", arguments.frame_length or FRAME, 20, 60_000)
    usual = GIF_WIDTHS[shape.name] if kind == ".gif" else SIZES[shape][0]
    width = usual if arguments.width is None else whole("--width", arguments.width, *WIDTHS)
    replay = replay_of(arguments)
    perspective = _perspective(arguments.hands, len(replay.seats))
    last = len(replay)
    if kind == ".gif":
        with counting() as tell:
            content = gif(_frames(replay, perspective, options, tell), width, every, LAST)
        write(arguments.output, content)
        count = _n("{n} move", "{n} moves", last)
        print(_("{path}: {frames}, {size} kB", path=arguments.output, frames=count, size=_kilobytes(content)))
        return 0
    move = last if arguments.move is None else whole("--move", arguments.move, 1, last)
    svg = render_svg(scene_at(replay, move, perspective), options)
    content = svg.encode() if kind == ".svg" else png(svg, width)
    write(arguments.output, content)
    title = _("move {number} of {turns}", number=move, turns=last)
    print(_("{path}: {frames}, {size} kB", path=arguments.output, frames=title, size=_kilobytes(content)))
    return 0


def _kilobytes(content: bytes) -> str:
    return number(f"{len(content) / 1000:.1f}")


def replay_of(arguments: argparse.Namespace) -> Replay:
    """Return the game that the options choose from the file. Print warnings about its portraits."""
    from botequim.records.reader import read_records
    from botequim.records.replay import Replay
    from botequim.render.scene import portrait_warnings

    records = list(read_records(arguments.file))
    if not records:
        raise InputError(msg("there is no record in {path}", path=str(arguments.file)))
    replay = Replay.load(records[whole("--game", arguments.game, 1, len(records)) - 1])
    for warning in portrait_warnings(replay):
        print(_("warning: {text}", text=translate(warning)), file=sys.stderr)
    return replay


def whole(option: str, text: str, least: int, most: int) -> int:
    """Return an integer of the command line. Raise InputError if it is out of range."""
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


def _frames(
    replay: Replay, perspective: Perspective, options: RenderOptions, tell: Callable[[str], None]
) -> Iterator[str]:
    from botequim.render.drawing import render_svg
    from botequim.render.scene import scene_at

    count = len(replay)
    for at in range(1, count + 1):
        tell(_("move {number} of {turns}", number=at, turns=count))
        yield render_svg(scene_at(replay, at, perspective), options)


def _perspective(text: str, seats: int) -> Perspective:
    from botequim.render.scene import OPEN

    if text == OPEN:
        return OPEN
    if text == "none":
        return None
    if text.isascii() and text.isdigit() and len(text) < 4 and 1 <= int(text) <= seats:
        return int(text) - 1
    raise InputError(
        msg('--hands takes open, none, or a seat from 1 to {most}, not "{given}"', most=seats, given=text)
    )


def _theme(name: str | None, kind: str) -> Theme:
    from botequim.render.theme import Theme

    if name is None:
        return Theme.AUTO if kind == ".svg" else Theme.LIGHT
    if Theme(name) is Theme.AUTO and kind != ".svg":
        raise InputError(msg("only an SVG can have the theme auto: choose light or dark"))
    return Theme(name)
