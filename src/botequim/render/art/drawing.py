"""Writes frames as one GIF.

A row of a glyph is one byte, so a line of text becomes pixels by joining and striding bytes, eight at a time;
Pillow only widens bits and compresses. We write the file around the compressed frames: Pillow would join
equal frames into one, and a round would be missing.
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
"""The margin in cells, left and right; half as many above and below, where cells are twice as long."""
GROUND, INK, SAME = 0, 1, 2
"""The values of a pixel; SAME keeps the pixel of the frame before."""
CODE_SIZE: Final = 2
"""The bits for these three values."""
FEW: Final = 6
"""If fewer than one pixel in so many changes, only the changes are drawn."""


def write_gif(frames: Sequence[Frame], look: GifOptions, file: BinaryIO) -> None:
    """Write all frames, centred on a canvas as large as the largest."""
    if not frames:
        raise InputError(msg("there are no frames to draw"))
    columns = max(1, *(frame.width for frame in frames)) + 2 * MARGIN
    rows = max(1, *(len(frame.lines) for frame in frames)) + MARGIN
    size = columns * WIDTH, rows * HEIGHT
    file.write(_header((size[0] * look.scale, size[1] * look.scale), look))
    before = None
    for frame in frames:
        canvas = _bits(frame, columns, rows)
        file.write(_control(look) + _picture(before, canvas, size, look.scale))
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
    # half a cell to the right; there is ground enough for no line to reach into the next
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
        changed = int.from_bytes(before) ^ int.from_bytes(now)
        mask = Image.frombytes("1", size, changed.to_bytes(len(now)))
        # an unchanged frame still needs one pixel
        box = mask.getbbox() or (0, 0, 1, 1)
        left, top = box[:2]
        picture = picture.crop(box)
        if changed.bit_count() * FEW < picture.width * picture.height:
            whole, picture = picture, Image.new("P", picture.size, SAME)
            picture.paste(whole, mask=mask.crop(box))
    if scale > 1:
        picture = picture.resize((picture.width * scale, picture.height * scale), Image.Resampling.NEAREST)
    place = pack("<4H", left * scale, top * scale, *picture.size)
    return b"," + place + b"\0" + bytes([CODE_SIZE]) + picture.tobytes("gif", "P", CODE_SIZE, 0) + b"\0"


# --- the file ----------------------------------------------------------------------------------------


def _header(size: tuple[int, int], look: GifOptions) -> bytes:
    colours = bytes((*look.theme.ground, *look.theme.ink, *look.theme.ground, *look.theme.ground))
    # a table of four colours for the whole file, the first of them the ground
    screen = pack("<2H", *size) + bytes([0x80 | 0x10 | 1, GROUND, 0])
    if look.loop == 1:
        return b"GIF89a" + screen + colours
    # the extension counts how often it is played again
    again = look.loop - 1 if look.loop else 0
    return b"GIF89a" + screen + colours + b"!\xff\x0bNETSCAPE2.0\x03\x01" + pack("<H", again) + b"\0"


def _control(look: GifOptions) -> bytes:
    """Return the control block: a frame stays after its time, and SAME shows it."""
    return b"!\xf9\x04" + bytes([0x04 | 0x01]) + pack("<H", look.frame_length // STEP) + bytes([SAME, 0])
