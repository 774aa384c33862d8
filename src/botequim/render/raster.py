"""Renders pictures as PNG, and games as animated GIF.

This needs the extra `pictures` (resvg renders, Pillow writes GIFs), and a font for texts. Pips, suits and
hands need no font.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from botequim.core.errors import InputError
from botequim.core.extras import extra_error
from botequim.core.messages import msg

FONTS: Final = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSans-Oblique.ttf", "DejaVuSansMono.ttf")
"""Preferred fonts: pictures are equal on all machines that have them, and they load fast."""
COLOURS: Final = 128


def png(svg: str, width: int | None = None) -> bytes:
    """Return a picture as PNG; the default width is that of the picture."""
    resvg = _require_module("resvg_py")
    files = fonts()
    families = (
        dict.fromkeys(("font_family", "sans_serif_family", "serif_family"), "DejaVu Sans") if files else {}
    )
    return bytes(
        resvg.svg_to_bytes(
            svg_string=svg,
            width=width,
            font_files=list(files) or None,
            skip_system_fonts=bool(files),
            **families,
        )
    )


def gif(svgs: Iterable[str], width: int, milliseconds: int, last: int) -> bytes:
    """Return pictures as an endless animation, `milliseconds` each; the last one is shown longer."""
    image = _require_module("PIL.Image")
    frames: list[Any] = []
    durations: list[int] = []
    before = ""
    for svg in svgs:
        if svg == before:
            durations[-1] += milliseconds  # the frame before is shown longer
            continue
        before = svg
        with image.open(BytesIO(png(svg, width))) as picture:
            frame = picture.convert("RGB")
        frames.append(frame)
        durations.append(milliseconds)
    durations[-1] += last
    palette = _palette(image, frames)
    pictures = [frame.quantize(palette=palette, dither=image.Dither.NONE) for frame in frames]
    output = BytesIO()
    # with `optimize`, unchanged pixels are not stored again, which saves more than half of the size
    pictures[0].save(
        output,
        format="GIF",
        save_all=True,
        append_images=pictures[1:],
        duration=durations,
        loop=0,
        optimize=True,
    )
    return output.getvalue()


def _palette(image: Any, frames: list[Any]) -> Any:
    """Return one palette for all frames, so that colours do not flicker. It is computed from some of them."""
    some = frames[:: max(1, len(frames) // 6)][-6:] + frames[-1:]
    width, height = frames[0].size
    sheet = image.new("RGB", (width, height * len(some)))
    for at, frame in enumerate(some):
        sheet.paste(frame, (0, at * height))
    return sheet.quantize(COLOURS)


@cache
def fonts() -> tuple[str, ...]:
    """Return the font files for pictures; an empty tuple to use the fonts of the system."""
    folders = [Path(root) / "dejavu" for root in ("/usr/share/fonts/truetype", "/usr/share/fonts")]
    folders += [Path(root) for root in ("/usr/share/fonts/TTF", "/usr/local/share/fonts")]
    for folder in folders:
        files = [folder / name for name in FONTS]
        if all(os.path.isfile(file) for file in files[:2]):  # noqa: PTH113
            return tuple(str(file) for file in files if file.is_file())
    if sys.platform.startswith("linux") and not any(_any_font(Path(root)) for root in _FONT_FOLDERS):
        raise InputError(
            msg("there is no font to write names with (Debian: apt-get install fonts-dejavu-core)")
        )
    return ()


_FONT_FOLDERS: Final = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")


def _any_font(folder: Path) -> bool:
    return any(path.suffix.lower() in (".ttf", ".otf", ".ttc") for path in folder.expanduser().rglob("*"))


def _require_module(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        problem = msg(
            "PNG and GIF need the extra `pictures` ({module} is missing)", module=module.split(".")[0]
        )
        raise extra_error(problem, "pictures") from error
