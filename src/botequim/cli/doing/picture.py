"""`botequim picture`: a position of a recorded game as SVG or PNG, or the whole game as a GIF."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator

from botequim.cli.doing.output import kind_of, write
from botequim.cli.doing.progress import counting
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.core.reading import read_records
from botequim.i18n import _, _n, number, say
from botequim.picture import OPEN, Look, Played, Shape, Sight, Theme, picture
from botequim.picture.layout import SIZES
from botequim.picture.raster import gif, png

KINDS = (".svg", ".png", ".gif")
WIDTHS = (100, 4000)
GIF_WIDTHS = {Shape.WIDE: 800, Shape.TALL: 480}
FRAME = "900"
LAST = 2500
"""Milliseconds."""


def run(arguments: argparse.Namespace) -> int:
    """Draw it."""
    kind = kind_of(arguments.output, KINDS, arguments.file)
    shape = Shape(arguments.shape)
    look = Look(shape, _theme(arguments.theme, kind))
    if kind == ".svg" and arguments.width is not None:
        raise InputError(msg("--width is for PNG and GIF; an SVG has any width"))
    if kind == ".gif" and arguments.move is not None:
        raise InputError(msg("--move is for SVG and PNG; a GIF shows the whole game"))
    if kind != ".gif" and arguments.frame_length is not None:
        raise InputError(msg("--frame-length is for GIF; SVG and PNG show one move"))
    every = whole("--frame-length", arguments.frame_length or FRAME, 20, 60_000)
    usual = GIF_WIDTHS[shape] if kind == ".gif" else SIZES[shape][0]
    width = usual if arguments.width is None else whole("--width", arguments.width, *WIDTHS)
    played = game_of(arguments)
    sight = _sight(arguments.hands, len(played.seats))
    last = len(played.steps)
    if kind == ".gif":
        with counting() as tell:
            drawn = gif(_frames(played, sight, look, tell), width, every, LAST)
        write(arguments.output, drawn)
        counted = _n("{n} move", "{n} moves", last)
        print(_("{path}: {frames}, {size} kB", path=arguments.output, frames=counted, size=_kilobytes(drawn)))
        return 0
    move = last if arguments.move is None else whole("--move", arguments.move, 1, last)
    svg = picture(played.scene(move, sight), look)
    drawn = svg.encode() if kind == ".svg" else png(svg, width)
    write(arguments.output, drawn)
    told = _("move {number} of {turns}", number=move, turns=last)
    print(_("{path}: {frames}, {size} kB", path=arguments.output, frames=told, size=_kilobytes(drawn)))
    return 0


def _kilobytes(content: bytes) -> str:
    return number(f"{len(content) / 1000:.1f}")


def game_of(arguments: argparse.Namespace) -> Played:
    """The record that was asked for, played again."""
    found = list(read_records(arguments.file))
    if not found:
        raise InputError(msg("there is no record in {path}", path=str(arguments.file)))
    played = Played(found[whole("--game", arguments.game, 1, len(found)) - 1])
    for warning in played.warnings:
        print(_("warning: {text}", text=say(warning)), file=sys.stderr)
    return played


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


def _frames(played: Played, sight: Sight, look: Look, tell: Callable[[str], None]) -> Iterator[str]:
    count = len(played.steps)
    for at in range(1, count + 1):
        tell(_("move {number} of {turns}", number=at, turns=count))
        yield picture(played.scene(at, sight), look)


def _sight(given: str, seats: int) -> Sight:
    if given == OPEN:
        return OPEN
    if given == "none":
        return None
    if given.isascii() and given.isdigit() and len(given) < 4 and 1 <= int(given) <= seats:
        return int(given) - 1
    raise InputError(
        msg('--hands takes open, none, or a seat from 1 to {most}, not "{given}"', most=seats, given=given)
    )


def _theme(given: str | None, kind: str) -> Theme:
    if given is None:
        return Theme.AUTO if kind == ".svg" else Theme.LIGHT
    if Theme(given) is Theme.AUTO and kind != ".svg":
        raise InputError(msg("only an SVG can have the theme auto: choose light or dark"))
    return Theme(given)
