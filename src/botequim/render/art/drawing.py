"""Writes frames as one GIF.

A row of a glyph is one byte, so a line of text becomes pixels by joining and slicing bytes, eight pixels at a
time. Pillow only expands the bits and compresses. The file format is written here, because Pillow would merge
equal frames, so that a round would be missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from struct import pack
from typing import BinaryIO, Final

from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.render.art.font import glyphs
from botequim.render.art.frames import Frame
from botequim.render.art.options import STEP, GifOptions
from botequim.render.art.pillow import Image
from botequim.render.art.shapes import HEIGHT, WIDTH

MARGIN: Final = 1
"""The margin in cells on the left and right; half as many above and below, because cells are twice as
high."""
GROUND, INK, SAME = 0, 1, 2
"""The values of a pixel; SAME keeps the pixel of the frame before."""
CODE_SIZE: Final = 2
"""The bits for these three values."""
FEW: Final = 6
"""If fewer than one in this many pixels change, only the changes are drawn."""


def write_gif(frames: Sequence[Frame], options: GifOptions, file: BinaryIO) -> None:
    """Write all frames, centred on a canvas as large as the largest."""
    if not frames:
        raise InputError(msg("there are no frames to draw"))
    columns = max(1, *(frame.width for frame in frames)) + 2 * MARGIN
    rows = max(1, *(len(frame.lines) for frame in frames)) + MARGIN
    size = columns * WIDTH, rows * HEIGHT
    file.write(_header((size[0] * options.scale, size[1] * options.scale), options))
    before = None
    for frame in frames:
        canvas = _bits(frame, columns, rows)
        file.write(_control(options) + _picture(before, canvas, size, options.scale))
        before = canvas
    file.write(b";")


# --- pixels ------------------------------------------------------------------------------------------


def _bits(frame: Frame, columns: int, rows: int) -> bytes:
    """Return the canvas with the frame in its middle, a bit for each pixel."""
    left, half = divmod(columns - frame.width, 2)
    above = (rows - len(frame.lines)) * HEIGHT // 2
    strips = b"".join([_strip(line, left, columns) for line in frame.lines])
    canvas = bytes(above * columns) + strips + bytes(above * columns)
    if not half:
        return canvas
    # Shift everything by half a cell. The margin is wide enough that no line runs into the next.
    return (int.from_bytes(canvas) >> WIDTH // 2).to_bytes(len(canvas))


@lru_cache(maxsize=4096)
def _strip(line: str, left: int, columns: int) -> bytes:
    """Return a line of text as sixteen rows of pixels."""
    cells = b"".join(map(glyphs().__getitem__, (" " * left + line).ljust(columns)))
    return b"".join([cells[row::HEIGHT] for row in range(HEIGHT)])


def _picture(before: bytes | None, now: bytes, size: tuple[int, int], scale: int) -> bytes:
    """Return the changed part of a frame as a picture at its position."""
    picture = Image.frombytes("P", size, now, "raw", "P;1")
    left = top = 0
    if before is not None:
        difference = int.from_bytes(before) ^ int.from_bytes(now)
        mask = Image.frombytes("1", size, difference.to_bytes(len(now)))
        # an unchanged frame still needs one pixel
        box = mask.getbbox() or (0, 0, 1, 1)
        left, top = box[:2]
        picture = picture.crop(box)
        if difference.bit_count() * FEW < picture.width * picture.height:
            whole, picture = picture, Image.new("P", picture.size, SAME)
            picture.paste(whole, mask=mask.crop(box))
    if scale > 1:
        picture = picture.resize((picture.width * scale, picture.height * scale), Image.Resampling.NEAREST)
    position = pack("<4H", left * scale, top * scale, *picture.size)
    return b"," + position + b"\0" + bytes([CODE_SIZE]) + picture.tobytes("gif", "P", CODE_SIZE, 0) + b"\0"


# --- the file ----------------------------------------------------------------------------------------


def _header(size: tuple[int, int], options: GifOptions) -> bytes:
    colours = bytes((*options.theme.ground, *options.theme.ink, *options.theme.ground, *options.theme.ground))
    # one table of four colours for the whole file, beginning with the ground
    screen = pack("<2H", *size) + bytes([0x80 | 0x10 | 1, GROUND, 0])
    if options.loop == 1:
        return b"GIF89a" + screen + colours
    # the extension has the number of repetitions after the first time
    again = options.loop - 1 if options.loop else 0
    return b"GIF89a" + screen + colours + b"!\xff\x0bNETSCAPE2.0\x03\x01" + pack("<H", again) + b"\0"


def _control(options: GifOptions) -> bytes:
    """Return the control block: the next frame is drawn over this one, with SAME as transparent."""
    return b"!\xf9\x04" + bytes([0x04 | 0x01]) + pack("<H", options.frame_length // STEP) + bytes([SAME, 0])
