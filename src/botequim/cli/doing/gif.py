"""`botequim gif`: art as an animated GIF, from a folder of frames or from a recorded game."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from botequim.art.frames import Frame, frame_files, frames_of, misordered, read_frame, warnings
from botequim.art.look import Look, Theme
from botequim.cli.doing.output import keep, kind_of, write
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.core.reading import Found, read_records
from botequim.cup.output import safe_name
from botequim.i18n import _, _n, number, say


def look_of(arguments: argparse.Namespace) -> Look:
    """What was chosen."""
    return Look(Theme[arguments.theme.upper()], arguments.scale, arguments.frame_length, arguments.loop or 0)


def run(arguments: argparse.Namespace) -> int:
    """Draw, or show, or both."""
    look = look_of(arguments)
    if arguments.out is None and not arguments.preview:
        raise InputError(msg("say where the GIF goes, or --preview to see it here"))
    # os.path, because pathlib raises for names that are too long to be any
    if os.path.isdir(arguments.source):  # noqa: PTH112
        if arguments.seat is not None:
            raise InputError(msg("--seat is for records; {path} is a folder", path=str(arguments.source)))
        if arguments.out is not None:
            kind_of(arguments.out, (".gif",), arguments.source)
        films = [(arguments.out, _from_folder(arguments.source))]
    else:
        films = _from_records(arguments)
    for out, frames in films:
        _say(warnings(frames))
        if out is not None:
            _write(frames, look, out, folder=out != arguments.out)
        if arguments.preview:
            show(frames, look, arguments.loop)
    return 0


def show(frames: Sequence[Frame], look: Look, loop: int | None) -> None:
    """Play frames in the terminal: once, unless it was said how often."""
    from dataclasses import replace

    from rich.console import Console

    from botequim.art.preview import play

    play(frames, replace(look, loop=1 if loop is None else loop), Console(highlight=False))


def _write(frames: Sequence[Frame], look: Look, out: Path, *, folder: bool) -> None:
    from botequim.art.drawing import write_gif

    drawn = BytesIO()
    write_gif(frames, look, drawn)
    size = drawn.tell()
    write(out, drawn.getvalue(), folder=folder)
    counted = _n("{n} frame", "{n} frames", len(frames))
    print(_("{path}: {frames}, {size} kB", path=out, frames=counted, size=number(f"{size / 1000:.1f}")))


def _say(messages: Sequence[Any]) -> None:
    for message in messages:
        print(_("warning: {text}", text=say(message)), file=sys.stderr)


def _from_folder(folder: Path) -> list[Frame]:
    files = frame_files(folder)
    odd = misordered(files)
    _say([] if odd is None else [odd])
    return [read_frame(path) for path in files]


def _from_records(arguments: argparse.Namespace) -> list[tuple[Path | None, list[Frame]]]:
    """Each film of the file, and where it goes."""
    out = arguments.out
    if out is not None:
        _check_place(out, arguments.source)
    games = list(read_records(arguments.source))
    films = []
    for game, found in enumerate(games, start=1):
        shown = frames_of(found)
        if arguments.seat is not None and not 1 <= arguments.seat <= len(shown):
            raise InputError(
                msg("there is no seat {seat}; seats are 1 to {last}", seat=arguments.seat, last=len(shown))
            )
        for seat, frames in enumerate(shown, start=1):
            if frames and arguments.seat in (None, seat):
                films.append((_file_name(found, seat, game if len(games) > 1 else None), frames))
    if not films:
        raise InputError(msg("{path}: no art was shown", path=str(arguments.source)))
    if out is None:
        return [(None, frames) for _name, frames in films]
    if out.suffix.lower() != ".gif":
        return [(out / name, frames) for name, frames in films]
    if len(films) > 1:
        raise InputError(
            msg(
                "{count} GIFs do not fit into {path}: give a folder, or --seat of a single game",
                count=len(films),
                path=str(out),
            )
        )
    return [(out, films[0][1])]


def _check_place(out: Path, source: Path) -> None:
    """Of a record: a GIF, or a folder for several."""
    keep(source, out)
    if out.suffix and not out.is_dir():
        if out.suffix.lower() != ".gif":
            raise InputError(msg('"{name}" must end in .gif, or be a folder for them', name=out.name))
        kind_of(out, (".gif",), source)


def _file_name(found: Found, seat: int, game: int | None) -> str:
    """Seats are counted from 1, as people see them."""
    name = safe_name(found.header.content["seats"][seat - 1]["name"])
    return f"{seat}-{name}.gif" if game is None else f"{game:04}-{seat}-{name}.gif"
