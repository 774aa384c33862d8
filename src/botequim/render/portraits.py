"""Portraits made from pictures of entrants: small, not animated, and without metadata.

A stranger's picture is decoded in a process of its own with limits, `python -m botequim.render.portraits`:
whatever it does to the decoder, only that process is affected.
"""

from __future__ import annotations

import io
import resource
import subprocess
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from botequim.core.errors import InputError

LARGEST_PORTRAIT: Final = 300_000
IMAGES: Final = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"RIFF": "webp"}
"""The first bytes of the supported images. No format that could contain a program is among them."""
SIDE: Final = 256
"""The pixels of a portrait's longer side."""
SMALL_SIDE: Final = 96
"""The same for a portrait that is embedded in a picture of a game."""
MOST_PIXELS: Final = 40_000_000
SMALL: Final = "small"
FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP")
MEMORY: Final = 1 << 30
PROCESSOR_SECONDS: Final = 30
SECONDS: Final = 300.0


def portrait_of(content: bytes) -> bytes | None:
    """Return a PNG of a picture's first frame, or None if it cannot be decoded.

    Without Pillow a picture is returned as it is, if a page can show it.
    """
    return _decode_apart(content, [])


def small_portrait_of(content: bytes) -> bytes | None:
    """Return a smaller PNG that Pillow made, or None. A stranger's own file is never returned."""
    return _decode_apart(content, [SMALL])


def _decode_apart(content: bytes, arguments: Sequence[str]) -> bytes | None:
    if not content.startswith(tuple(IMAGES)):
        return None
    command = [sys.executable, "-m", "botequim.render.portraits", *arguments]
    try:
        ran = subprocess.run(
            command, input=content, capture_output=True, timeout=SECONDS, check=True, start_new_session=True
        )
    except (subprocess.SubprocessError, OSError):
        return None
    return ran.stdout if ran.stdout.startswith(tuple(IMAGES)) else None


def shrink(content: bytes, *, small: bool) -> bytes:
    """Return the portrait; raise whatever Pillow raises if there is none."""
    try:
        from botequim.render.art.pillow import Image, ImageOps
    except InputError:
        return content if len(content) <= LARGEST_PORTRAIT and not small else b""
    side = SMALL_SIDE if small else SIDE
    with warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        with Image.open(io.BytesIO(content), formats=FORMATS) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                raise ValueError("it has too many pixels")
            picture.draft("RGB", (2 * side, 2 * side))  # a large photograph is read coarsely
            shrunk = ImageOps.exif_transpose(picture).convert("RGBA")
            shrunk.thumbnail((side, side))
            made = io.BytesIO()
            Image.frombytes("RGBA", shrunk.size, shrunk.tobytes()).save(made, "PNG")
            return made.getvalue()


def main() -> None:
    """Shrink the picture on standard input."""
    for kind, value in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, PROCESSOR_SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # macOS limits no memory
            resource.setrlimit(kind, (value, value))
    sys.stdout.buffer.write(shrink(sys.stdin.buffer.read(), small=SMALL in sys.argv[1:]))


if __name__ == "__main__":
    main()
