"""`botequim art`: an image or a short GIF as frames of art that a bot can show."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from botequim.art.frames import SUFFIX, Frame
from botequim.art.look import LONGEST, SHORTEST, STEP, Style
from botequim.cli.doing.gif import look_of, show
from botequim.cli.doing.output import keep, new_files, write
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.i18n import _, _n


def run(arguments: argparse.Namespace) -> int:
    """Convert, keep, show."""
    from botequim.art.converting import convert

    look = look_of(arguments)
    out: Path | None = arguments.out
    if out is None and not arguments.preview:
        raise InputError(msg("say where the frames go (-o), or --preview to see them here"))
    if out is not None:
        _check_place(out, arguments.image)
    if arguments.frames < 1:
        raise InputError(msg("at least one frame is needed, not {given}", given=arguments.frames))
    made = convert(
        arguments.image,
        style=Style(arguments.style),
        width=arguments.width,
        most=arguments.frames,
        theme=look.theme,
    )
    if len(made.frames) < made.found:
        said = _("{taken} of {found} frames are taken", taken=len(made.frames), found=made.found)
        print(_("warning: {text}", text=said), file=sys.stderr)
    if out is not None:
        _keep(made.frames, out)
        counted = _n("{n} frame", "{n} frames", len(made.frames))
        wide, high = len(made.frames[0][0]), len(made.frames[0])
        print(_("{path}: {frames} of {wide}x{high}", path=out, frames=counted, wide=wide, high=high))
        if made.length is not None and out.suffix != ".json":
            print(f"  botequim gif {out} {out.name}.gif --frame-length {_possible(made.length)}")
    if arguments.preview:
        show([Frame.of(lines) for lines in made.frames], look, arguments.loop)
    return 0


def _check_place(out: Path, image: Path) -> None:
    keep(image, out)
    if out.suffix and out.suffix != ".json" and not out.is_dir():
        raise InputError(
            msg('"{name}" must end in .json, or be a folder, whose name has no ending', name=out.name)
        )


def _possible(length: int) -> int:
    return min(LONGEST, max(SHORTEST, round(length / STEP) * STEP))


def _keep(frames: Any, out: Path) -> None:
    if out.suffix == ".json":
        write(out, (json.dumps(frames, ensure_ascii=False, indent=1) + "\n").encode())
        return
    if out.exists() and any(out.glob(f"*{SUFFIX}")):
        raise InputError(msg("{path} has frames already: choose a new folder", path=str(out)))
    digits = max(3, len(str(len(frames))))
    with new_files() as made:
        made += [] if out.exists() else [out]
        for number, lines in enumerate(frames, start=1):
            content = "".join(f"{line}\n" for line in lines).encode()
            made.append(out / f"{number:0{digits}}{SUFFIX}")
            write(made[-1], content, folder=True)
