"""Draws art in a picture, as one image with the same pixels as its GIF.

Text would depend on the reader's fonts: the width of letters, gaps between blocks, and missing glyphs.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Sequence
from functools import lru_cache
from struct import pack
from typing import Final

from botequim.render.art.font import glyphs
from botequim.render.art.frames import drawable
from botequim.render.art.options import Theme
from botequim.render.art.shapes import HEIGHT, WIDTH
from botequim.render.svg import Box, Part, css, group_at, rect

EDGE: Final = 8
"""The pixels of paper around the art."""


def draw_art(lines: Sequence[str], area: Box) -> Part:
    """Return the art in the middle of the area, as large as fits, each character in a cell of its own."""
    text_lines = tuple(drawable(line) for line in lines)
    columns = max(map(len, text_lines), default=0)
    if not columns:
        return ()
    width, height = columns * WIDTH + 2 * EDGE, len(text_lines) * HEIGHT + 2 * EDGE
    scale = min(area.width / width, area.height / height, 3)
    x, y = area.centre
    # when enlarged, pixels have sharp edges
    near = f' class="{css("near")}"' if scale >= 1 else ""
    image = (
        f'<image x="{EDGE}" y="{EDGE}" width="{width - 2 * EDGE}" height="{height - 2 * EDGE}"{near} href="',
        _png(text_lines, columns),
        '"/>',
    )
    paper = rect("art", Box(0, 0, width, height), 6)
    return group_at(round(x - width * scale / 2, 1), round(y - height * scale / 2, 1), [paper, *image], scale)


@lru_cache(200)
def _png(lines: tuple[str, ...], columns: int) -> str:
    """Return a `data:` URL with a bit for each pixel."""
    glyph_table = glyphs()
    rows = []
    for line in lines:
        cells = b"".join([glyph_table[sign] for sign in line.ljust(columns)])
        rows += [b"\0" + cells[row::HEIGHT] for row in range(HEIGHT)]
    colours = bytes((*Theme.PAPER.ground, *Theme.PAPER.ink))
    chunks = [
        (b"IHDR", pack(">2I5B", columns * WIDTH, len(rows), 1, 3, 0, 0, 0)),
        (b"PLTE", colours),
        (b"IDAT", zlib.compress(b"".join(rows), 9)),
        (b"IEND", b""),
    ]
    file = b"\x89PNG\r\n\x1a\n" + b"".join(
        pack(">I", len(content)) + kind + content + pack(">I", zlib.crc32(kind + content))
        for kind, content in chunks
    )
    return f"data:image/png;base64,{b64encode(file).decode()}"
