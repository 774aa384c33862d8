"""`botequim gif`: art as an animated GIF, from a folder of frames or from a recorded game."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botequim.cli.index import ALIASES
from botequim.cli.options import command
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.i18n import _, _n, number, translate
from botequim.render.art.options import Theme

if TYPE_CHECKING:
    from botequim.records.reader import RawRecord
    from botequim.render.art.frames import Frame
    from botequim.render.art.options import GifOptions


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "gif",
        aliases=[name for name, command in ALIASES.items() if command == "gif"],
        description=_(
            "Makes an animated GIF from the *.ascii files of a folder, in alphabetical order. "
            "From a recorded game\n"
            "it makes one GIF per player, in a folder, from the art that the player showed.\n"
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
        help=_("the GIF file; for a record, a folder of GIFs (not needed with --preview)"),
    )
    add_gif_options(parser)
    parser.add_argument(
        "--seat", metavar="N", type=int, help=_("for a record: only the art of this seat, counted from 1")
    )
    parser.set_defaults(run=command(run))
    return parser


def add_gif_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--theme",
        choices=[theme.label for theme in Theme],
        default=Theme.PAPER.label,
        help=_("the colours: black on white, or a green or amber screen (paper)"),
    )
    parser.add_argument(
        "--scale", metavar="N", type=int, default=1, help=_("enlarge each pixel N times; 1 to 8 (1)")
    )
    parser.add_argument(
        "--frame-length", metavar="MS", type=int, default=200, help=_("milliseconds per frame (200)")
    )
    parser.add_argument(
        "--loop",
        metavar="N",
        type=int,
        help=_("how many times the GIF repeats; 0 means forever (0; 1 with --preview)"),
    )
    parser.add_argument("--preview", action="store_true", help=_("play the animation in this terminal"))


def gif_options_of(arguments: argparse.Namespace) -> GifOptions:
    from botequim.render.art.options import GifOptions, Theme

    return GifOptions(
        Theme[arguments.theme.upper()], arguments.scale, arguments.frame_length, arguments.loop or 0
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the GIF, show it, or both."""
    from botequim.cli.output import kind_of
    from botequim.render.art.frames import warnings

    options = gif_options_of(arguments)
    if arguments.out is None and not arguments.preview:
        raise InputError(msg("give an output file, or use --preview to see the GIF here"))
    # os.path returns False for names that are too long; pathlib raises an error
    if os.path.isdir(arguments.source):  # noqa: PTH112
        if arguments.seat is not None:
            raise InputError(
                msg("--seat applies only to records; {path} is a folder", path=str(arguments.source))
            )
        if arguments.out is not None:
            kind_of(arguments.out, (".gif",), arguments.source)
        films = [(arguments.out, _from_folder(arguments.source))]
    else:
        films = _from_records(arguments)
    for out, frames in films:
        _say(warnings(frames))
        if out is not None:
            _write(frames, options, out, folder=out != arguments.out)
        if arguments.preview:
            show(frames, options, arguments.loop)
    return 0


def show(frames: Sequence[Frame], options: GifOptions, loop: int | None) -> None:
    """Play frames in the terminal, once by default."""
    from dataclasses import replace

    from rich.console import Console

    from botequim.render.art.preview import play

    play(frames, replace(options, loop=1 if loop is None else loop), Console(highlight=False))


def _write(frames: Sequence[Frame], options: GifOptions, out: Path, *, folder: bool) -> None:
    from botequim.cli.output import write
    from botequim.render.art.drawing import write_gif

    buffer = BytesIO()
    write_gif(frames, options, buffer)
    size = buffer.tell()
    write(out, buffer.getvalue(), folder=folder)
    count = _n("{n} frame", "{n} frames", len(frames))
    print(_("{path}: {frames}, {size} kB", path=out, frames=count, size=number(f"{size / 1000:.1f}")))


def _say(messages: Sequence[Any]) -> None:
    for message in messages:
        print(_("warning: {text}", text=translate(message)), file=sys.stderr)


def _from_folder(folder: Path) -> list[Frame]:
    from botequim.render.art.frames import frame_files, order_warning, read_frame

    files = frame_files(folder)
    warning = order_warning(files)
    _say([] if warning is None else [warning])
    return [read_frame(path) for path in files]


def _from_records(arguments: argparse.Namespace) -> list[tuple[Path | None, list[Frame]]]:
    """Return the animations of a file, each with its output path."""
    from botequim.records.reader import read_records
    from botequim.render.art.frames import frames_of

    out = arguments.out
    if out is not None:
        _check_output(out, arguments.source)
    games = list(read_records(arguments.source))
    films = []
    for game, raw in enumerate(games, start=1):
        frames_by_seat = frames_of(raw)
        if arguments.seat is not None and not 1 <= arguments.seat <= len(frames_by_seat):
            raise InputError(
                msg(
                    "there is no seat {seat}; seats are 1 to {last}",
                    seat=arguments.seat,
                    last=len(frames_by_seat),
                )
            )
        for seat, frames in enumerate(frames_by_seat, start=1):
            if frames and arguments.seat in (None, seat):
                films.append((_file_name(raw, seat, game if len(games) > 1 else None), frames))
    if not films:
        raise InputError(msg("{path}: no art was shown", path=str(arguments.source)))
    if out is None:
        return [(None, frames) for _name, frames in films]
    if out.suffix.lower() != ".gif":
        return [(out / name, frames) for name, frames in films]
    if len(films) > 1:
        raise InputError(
            msg(
                "{path} is one file, but there are {count} GIFs; give a folder, or choose one with --seat",
                count=len(films),
                path=str(out),
            )
        )
    return [(out, films[0][1])]


def _check_output(out: Path, source: Path) -> None:
    """Raise InputError if the output for a record is neither a GIF nor a folder."""
    from botequim.cli.output import kind_of, require_other_file

    require_other_file(source, out)
    if out.suffix and not out.is_dir():
        if out.suffix.lower() != ".gif":
            raise InputError(msg('"{name}" must be a .gif file or a folder', name=out.name))
        kind_of(out, (".gif",), source)


def _file_name(raw: RawRecord, seat: int, game: int | None) -> str:
    """Return the name of a file. Seats are counted from 1, as people see them."""
    from botequim.storage.files import safe_name

    name = safe_name(raw.header.content["seats"][seat - 1]["name"])
    return f"{seat}-{name}.gif" if game is None else f"{game:04}-{seat}-{name}.gif"
