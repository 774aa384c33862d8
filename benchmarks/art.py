"""GIFs of art beside a plain Pillow loop: the same frames drawn with `ImageDraw.text` and saved by Pillow.

`python -m benchmarks.art` prints, in one run and by turns, the best of each, for films of 50 frames of
60 by 60: waves (every cell's tone changes, in a box), a ball that rolls (little changes), and noise (any
ASCII sign anywhere: no art, but the most that can be asked). Pillow's loop has every advantage that keeps the
picture: black on white without grey levels, and a font that is on this machine.
"""

from __future__ import annotations

import math
import random
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from botequim.render.art.drawing import write_gif
from botequim.render.art.frames import Frame
from botequim.render.art.options import GifOptions

ROUNDS = 5
FRAMES = 50
SIZE = 60
TONES = " .:-=+*#%@"
LARGEST = 1_000_000
FONTS = ("DejaVuSansMono.ttf", "LiberationMono-Regular.ttf")


def boxed(tone: Callable[[int, int], float]) -> list[str]:
    """A frame of tones from 0 to 1 in a box."""
    inside = range(SIZE - 2)
    rows = ["".join(TONES[min(9, int(tone(x, y) * 10))] for x in inside) for y in inside]
    return ["╔" + "═" * (SIZE - 2) + "╗", *(f"║{row}║" for row in rows), "╚" + "═" * (SIZE - 2) + "╝"]


def waves(at: int) -> list[str]:
    return boxed(
        lambda x, y: (math.sin(x / 7 + at / 5) + math.sin(y / 9 - at / 7) + math.sin((x + y) / 11) + 3) / 6
    )


def ball(at: int) -> list[str]:
    return boxed(lambda x, y: max(0.0, 0.99 - math.hypot(x - at - 4, 2 * (y - 40)) / 9))


def noise(at: int) -> list[str]:
    rng = random.Random(at)
    return ["".join(chr(rng.randrange(32, 127)) for _ in range(SIZE)) for _ in range(SIZE)]


def ours(film: Sequence[Sequence[str]]) -> bytes:
    file = BytesIO()
    write_gif([Frame.of(lines) for lines in film], GifOptions(), file)
    return file.getvalue()


def plain(film: Sequence[Sequence[str]], font: ImageFont.FreeTypeFont) -> bytes:
    pictures = []
    for lines in film:
        picture = Image.new("1", (62 * 8, 61 * 16), 1)
        draw = ImageDraw.Draw(picture)
        for row, line in enumerate(lines):
            draw.text((8, 8 + 16 * row), line, fill=0, font=font)
        pictures.append(picture)
    file = BytesIO()
    pictures[0].save(file, "GIF", save_all=True, append_images=pictures[1:], duration=200, loop=0)
    return file.getvalue()


def fixed_width() -> ImageFont.FreeTypeFont:
    for name in FONTS:
        try:
            return ImageFont.truetype(name, 13)
        except OSError:
            continue
    default = ImageFont.load_default(13)
    assert isinstance(default, ImageFont.FreeTypeFont)
    return default


def best(draw: Callable[[], bytes], until: float) -> tuple[float, int]:
    began = time.perf_counter()
    size = len(draw())
    return min(until, time.perf_counter() - began), size


def verdict(failed: bool, over: Sequence[tuple[str, int]]) -> str:
    """The claims in one line, with what they are not made for."""
    if failed:
        return "claims do not hold"
    larger = [f"{name}, which is no art, has {size / 1000:.0f} kB" for name, size in over]
    return "; ".join(["no slower than the plain loop", "films of art are under 1 MB", *larger])


def main() -> int:
    """Print the table, and whether the claims hold."""
    font = fixed_width()
    failed = False
    over: list[tuple[str, int]] = []
    print(f"{FRAMES} frames of {SIZE}x{SIZE}; Pillow's loop draws with {font.getname()[0]}")
    for name, make, claimed in (("waves", waves, True), ("ball", ball, True), ("noise", noise, False)):
        film = [make(at) for at in range(FRAMES)]
        mine = theirs = math.inf
        for _ in range(ROUNDS):
            mine, size = best(partial(ours, film), mine)
            theirs, their_size = best(partial(plain, film, font), theirs)
        print(
            f"{name:6} ours {mine * 1000:5.0f} ms {size / 1000:5.0f} kB   "
            f"plain {theirs * 1000:5.0f} ms {their_size / 1000:5.0f} kB   ratio {mine / theirs:.2f}"
        )
        failed |= mine > theirs or (claimed and size >= LARGEST)
        if size >= LARGEST:
            over.append((name, size))
    print(verdict(failed, over))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
