"""`botequim art`: convert an image or a short GIF to frames of art that a bot can show."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from botequim.cli.gif import add_gif_options
from botequim.cli.options import command
from botequim.core.errors import InputError
from botequim.core.game import ART_SIZE
from botequim.core.messages import msg
from botequim.i18n import _, _n
from botequim.render.art.options import MOST_FRAMES, Style


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "art",
        description=_(
            "Converts an image, or the frames of a short GIF, to art that a bot can show beside its moves:\n"
            "a folder of *.ascii files, or one .json file with a list of frames."
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
        help=_("the characters of the art (ascii)"),
    )
    parser.add_argument(
        "--width", metavar="N", type=int, default=ART_SIZE, help=_("columns, at most {most}", most=ART_SIZE)
    )
    parser.add_argument(
        "--frames", metavar="N", type=int, default=MOST_FRAMES, help=_("the maximum number of frames (50)")
    )
    add_gif_options(parser)
    parser.set_defaults(run=command(run))
    return parser


def run(arguments: argparse.Namespace) -> int:
    from botequim.cli.gif import gif_options_of, show
    from botequim.render.art.converting import convert
    from botequim.render.art.frames import Frame
    from botequim.render.art.options import Style

    options = gif_options_of(arguments)
    out: Path | None = arguments.out
    if out is None and not arguments.preview:
        raise InputError(msg("give an output with -o, or use --preview to see the frames here"))
    if out is not None:
        _check_output(out, arguments.image)
    if arguments.frames < 1:
        raise InputError(msg("at least one frame is needed, not {given}", given=arguments.frames))
    conversion = convert(
        arguments.image,
        style=Style(arguments.style),
        width=arguments.width,
        most=arguments.frames,
        theme=options.theme,
    )
    if len(conversion.frames) < conversion.found:
        note = _("using {taken} of {found} frames", taken=len(conversion.frames), found=conversion.found)
        print(_("warning: {text}", text=note), file=sys.stderr)
    if out is not None:
        _write_frames(conversion.frames, out)
        count = _n("{n} frame", "{n} frames", len(conversion.frames))
        wide, high = len(conversion.frames[0][0]), len(conversion.frames[0])
        print(_("{path}: {frames} of {wide}x{high}", path=out, frames=count, wide=wide, high=high))
        if conversion.length is not None and out.suffix != ".json":
            print(f"  botequim gif {out} {out.name}.gif --frame-length {_valid_length(conversion.length)}")
    if arguments.preview:
        show([Frame.of(lines) for lines in conversion.frames], options, arguments.loop)
    return 0


def _check_output(out: Path, image: Path) -> None:
    from botequim.cli.output import require_other_file

    require_other_file(image, out)
    if out.suffix and out.suffix != ".json" and not out.is_dir():
        raise InputError(
            msg('"{name}" must be a .json file or a folder without a file extension', name=out.name)
        )


def _valid_length(length: int) -> int:
    from botequim.render.art.options import LONGEST, SHORTEST, STEP

    return min(LONGEST, max(SHORTEST, round(length / STEP) * STEP))


def _write_frames(frames: Any, out: Path) -> None:
    from botequim.cli.output import new_files, write
    from botequim.render.art.frames import SUFFIX

    if out.suffix == ".json":
        write(out, (json.dumps(frames, ensure_ascii=False, indent=1) + "\n").encode())
        return
    if out.exists() and any(out.glob(f"*{SUFFIX}")):
        raise InputError(msg("{path} already contains frames; choose a new folder", path=str(out)))
    digits = max(3, len(str(len(frames))))
    with new_files() as paths:
        paths += [] if out.exists() else [out]
        for number, lines in enumerate(frames, start=1):
            content = "".join(f"{line}\n" for line in lines).encode()
            paths.append(out / f"{number:0{digits}}{SUFFIX}")
            write(paths[-1], content, folder=True)
