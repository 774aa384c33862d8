"""Portraits made from pictures of entrants: small, not animated, and without metadata.

Pictures are untrusted input. Each is decoded in a separate process with limits, `python -m
botequim.render.portraits`, so that an attack on the decoder affects only that process.
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
"""The first bytes of the supported formats. None of them can contain scripts."""
SIDE: Final = 256
"""The pixels of a portrait's longer side."""
SMALL_SIDE: Final = 96
"""The pixels of the longer side of a portrait that is embedded in a picture of a game."""
MOST_PIXELS: Final = 40_000_000
SMALL: Final = "small"
FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP")
MEMORY: Final = 1 << 30
PROCESSOR_SECONDS: Final = 30
SECONDS: Final = 300.0


def portrait_of(content: bytes) -> bytes | None:
    """Return a PNG of a picture's first frame, or None if it cannot be decoded.

    Without Pillow, the picture itself is returned if a page can show it.
    """
    return _decode_in_process(content, [])


def small_portrait_of(content: bytes) -> bytes | None:
    """Return a smaller PNG that Pillow made, or None. The original file is never returned."""
    return _decode_in_process(content, [SMALL])


def _decode_in_process(content: bytes, arguments: Sequence[str]) -> bytes | None:
    if not content.startswith(tuple(IMAGES)):
        return None
    command = [sys.executable, "-m", "botequim.render.portraits", *arguments]
    try:
        result = subprocess.run(
            command, input=content, capture_output=True, timeout=SECONDS, check=True, start_new_session=True
        )
    except (subprocess.SubprocessError, OSError):
        return None
    return result.stdout if result.stdout.startswith(tuple(IMAGES)) else None


def shrink(content: bytes, *, small: bool) -> bytes:
    """Return the portrait. Raise an error of Pillow if the picture cannot be decoded."""
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
            picture.draft("RGB", (2 * side, 2 * side))  # decode a large photograph at a lower resolution
            small_picture = ImageOps.exif_transpose(picture).convert("RGBA")
            small_picture.thumbnail((side, side))
            output = io.BytesIO()
            Image.frombytes("RGBA", small_picture.size, small_picture.tobytes()).save(output, "PNG")
            return output.getvalue()


def main() -> None:
    """Shrink the picture on standard input."""
    for kind, value in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, PROCESSOR_SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # macOS does not support a memory limit
            resource.setrlimit(kind, (value, value))
    sys.stdout.buffer.write(shrink(sys.stdin.buffer.read(), small=SMALL in sys.argv[1:]))


if __name__ == "__main__":
    main()
