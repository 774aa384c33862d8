"""Converts images and short GIFs to frames of art, within the limits of bots."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from botequim.core.errors import InputError, os_reason
from botequim.core.game import ART_SIZE
from botequim.core.messages import Message, msg, plain
from botequim.render.art.font import glyphs
from botequim.render.art.options import MOST_FRAMES, Style, Theme
from botequim.render.art.pillow import Image, ImageOps, ImageSequence, UnidentifiedImageError
from botequim.render.art.shapes import HEIGHT, WIDTH

TONES: Final = " .,:-~=+*coxaXOS#%&8M@$"
"""Characters for the style `ascii`, whose ink is about evenly distributed."""
LEVELS: Final = 32
QUARTERS: Final = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
DOTS: Final = (0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80)
"""The bits of braille, row by row."""
IGNORED: Final = 0.01
"""The share of darkest and lightest pixels that are ignored when the contrast is stretched."""


GRAINS: Final = {Style.ASCII: (1, 1), Style.BLOCKS: (2, 2), Style.BRAILLE: (2, 4)}
"""The pixels of a cell, across and down."""


@dataclass(frozen=True, slots=True)
class ConvertedImage:
    """An image as art."""

    frames: Sequence[Sequence[str]]
    found: int
    """The number of frames of the image; some are left out if there are too many."""
    length: int | None
    """The average duration of a frame in milliseconds, including those left out."""


def convert(
    path: Path,
    *,
    style: Style = Style.ASCII,
    width: int = ART_SIZE,
    most: int = MOST_FRAMES,
    theme: Theme = Theme.PAPER,
) -> ConvertedImage:
    """Return the frames of an image. Dark pixels become ink; on a dark theme, light pixels do."""
    if not 1 <= width <= ART_SIZE:
        raise InputError(msg("the width is {given}; it must be from 1 to {most}", given=width, most=ART_SIZE))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(path) as image:
                return _convert(image, style, width, most, theme)
    # the errors of Pillow for files that are not images, or are broken
    except (OSError, ValueError, SyntaxError, EOFError, Warning, Image.DecompressionBombError) as error:
        raise InputError(
            msg("{path} cannot be read as an image: {why}", path=str(path), why=_reason(error))
        ) from error


def _reason(error: BaseException) -> Message:
    if isinstance(error, OSError) and error.errno is not None:
        return os_reason(error)
    if isinstance(error, UnidentifiedImageError):
        return msg("Pillow does not know its format")
    if isinstance(error, Image.DecompressionBombError | Warning):
        return msg("it has too many pixels")
    return plain(error)


def _convert(image: Image.Image, style: Style, width: int, most: int, theme: Theme) -> ConvertedImage:
    count: int = getattr(image, "n_frames", 1)
    frame_count = min(count, most)
    indexes = {at * count // frame_count for at in range(frame_count)}
    columns, rows = _cells(ImageOps.exif_transpose(image).size, width)
    across, down = GRAINS[style]
    small, lengths = [], []
    for at, frame in enumerate(ImageSequence.Iterator(image)):
        lengths.append(int(frame.info.get("duration", 0)))
        if at in indexes:
            whole = _eight_bits(ImageOps.exif_transpose(frame)).convert("RGBA")
            # transparent pixels are ground
            below = Image.new("RGBA", whole.size, "black" if theme.dark else "white")
            grey = Image.alpha_composite(below, whole).convert("L")
            small.append(grey.resize((columns * across, rows * down), Image.Resampling.BOX))
    pictures = _stretch(small, invert=not theme.dark)
    draw = {Style.ASCII: _ascii, Style.BLOCKS: _blocks, Style.BRAILLE: _braille}[style]
    frames = [list(draw(picture)) for picture in pictures]
    length = round(sum(lengths) / frame_count) if any(lengths) else None
    return ConvertedImage(frames, count, length)


def _eight_bits(image: Image.Image) -> Image.Image:
    """Return an image with 8 bits for each pixel. Pillow alone would clip greys of more bits at 255."""
    if not image.mode.startswith(("I", "F")):
        return image
    fine = image.convert("F")
    least, most = cast(tuple[float, float], fine.getextrema())
    if image.mode.startswith("I;16") or (image.mode == "I" and least >= 0 and 255 < most <= 65535):
        least, most = 0.0, 65535.0
    elif image.mode == "I" and least >= 0 and most <= 255:
        least, most = 0.0, 255.0
    scale = 255 / (most - least) if most > least else 1.0
    return fine.point(lambda tone: tone * scale - least * scale).convert("L")


def _cells(size: tuple[int, int], width: int) -> tuple[int, int]:
    """Return the number of columns and rows of the art, with the proportions of the image."""
    per_column = size[1] / size[0] * WIDTH / HEIGHT
    if width * per_column > ART_SIZE:
        return max(1, round(ART_SIZE / per_column)), ART_SIZE
    return width, max(1, round(width * per_column))


def _stretch(pictures: Sequence[Image.Image], *, invert: bool) -> Iterator[Image.Image]:
    """Yield the frames with full contrast. All have the same scale, so that the animation does not
    flicker."""
    counts = [sum(column) for column in zip(*(picture.histogram() for picture in pictures), strict=True)]
    least, most = _edge(counts), 255 - _edge(counts[::-1])
    span = max(1, most - least)
    table = [min(255, max(0, (tone - least) * 255 // span)) for tone in range(256)]
    if most <= least:  # an image of one tone is not changed
        table = list(range(256))
    for picture in pictures:
        yield picture.point([255 - tone for tone in table] if invert else table)


def _edge(counts: Sequence[int]) -> int:
    total, limit = 0, sum(counts) * IGNORED
    for tone, count in enumerate(counts):
        total += count
        if total > limit:
            return tone
    return 0


# --- styles: 0 is ground, 255 is ink -------------------------------------------------------------------


def _ascii(picture: Image.Image) -> Iterator[str]:
    tones = _tones()
    pixels = picture.tobytes()
    for row in range(picture.height):
        yield "".join(
            tones[tone * LEVELS // 256] for tone in pixels[row * picture.width : (row + 1) * picture.width]
        )


def _tones() -> str:
    """Return for each level the character of the font with the most similar amount of ink."""
    ink = {sign: int.from_bytes(glyphs()[sign]).bit_count() for sign in TONES}
    darkest = max(ink.values())
    levels = [darkest * level / (LEVELS - 1) for level in range(LEVELS)]
    return "".join(min(TONES, key=lambda sign: abs(ink[sign] - level)) for level in levels)


def _blocks(picture: Image.Image) -> Iterator[str]:
    for cells in _dither(picture, Style.BLOCKS):
        yield "".join(QUARTERS[sum(1 << at for at, ink in enumerate(cell) if ink)] for cell in cells)


def _braille(picture: Image.Image) -> Iterator[str]:
    for cells in _dither(picture, Style.BRAILLE):
        codes = [sum(bit for bit, ink in zip(DOTS, cell, strict=True) if ink) for cell in cells]
        # a blank, because the empty braille pattern is not blank in every font
        yield "".join(chr(0x2800 + code) if code else " " for code in codes)


def _dither(picture: Image.Image, style: Style) -> Iterator[list[bytes]]:
    """Yield each row of cells, a cell as its pixels row by row."""
    across, down = GRAINS[style]
    pixels = picture.convert("1").convert("L").tobytes()
    width = picture.width
    for top in range(0, picture.height, down):
        rows = [pixels[(top + row) * width : (top + row + 1) * width] for row in range(down)]
        yield [b"".join(row[left : left + across] for row in rows) for left in range(0, width, across)]
