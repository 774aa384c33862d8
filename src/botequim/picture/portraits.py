"""Portraits from pictures that entrants bring: small, still, and without what a camera writes into them."""

from __future__ import annotations

import io
import warnings
from typing import Final

from botequim.core.errors import InputError

LARGEST_PORTRAIT: Final = 300_000
IMAGES: Final = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"RIFF": "webp"}
"""How an image begins that is shown: no drawing that could hold a program."""
SIDE: Final = 256
"""Pixels of a portrait's longer side."""
MOST_PIXELS: Final = 40_000_000
FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP")


def portrait_of(content: bytes) -> bytes | None:
    """Return a PNG of a picture's first frame, or None if it is no picture.

    Without Pillow a picture is taken as it is, if a page can hold it.
    """
    if not content.startswith(tuple(IMAGES)):
        return None
    try:
        from botequim.art.pillow import Image, ImageOps
    except InputError:
        return content if len(content) <= LARGEST_PORTRAIT else None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(content), formats=FORMATS) as picture:
                if picture.width * picture.height > MOST_PIXELS:
                    return None
                picture.draft("RGB", (2 * SIDE, 2 * SIDE))  # a large photograph is read coarsely
                small = ImageOps.exif_transpose(picture).convert("RGBA")
                small.thumbnail((SIDE, SIDE))
                made = io.BytesIO()
                Image.frombytes("RGBA", small.size, small.tobytes()).save(made, "PNG")
                return made.getvalue()
    except Exception:  # whatever Pillow raises for a file that is broken: then there is no portrait
        return None
