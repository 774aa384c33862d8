"""Reads GIFs with libvips, which shares no code with what wrote them.

`python -m tests.support.gifs` draws the golden pictures that are missing; look at what it draws.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pyvips

from botequim.cli import main
from botequim.render.art.options import Theme
from tests import ROOT

PICTURES = ROOT / "tests" / "golden_art"
FILM = (
    "┌──────────┐\n│ Olá, ção │\n└┬───┬────┬┘\n ╰─╼━┷━╾──╯\n",
    "╔═══╦══╗\n║ ♥ ║░▒║\n╠═══╬══╣\n║▁▄█║▓▚║\n╚═══╩══╝\n",
    "{[(<@&%$#>)]}\n/\\|_-+=~^*'\"`\nÀÑŠž ßøłđ 0O1l\n",
)

Pixels = list[list[tuple[int, int, int]]]


@dataclass
class Gif:
    """What another library finds in a file."""

    size: tuple[int, int]
    frames: list[Pixels]
    delays: list[int]
    loop: int


def read_gif(path: Path) -> Gif:
    # n=-1: all frames, one below the other, each as it is seen; a file would be remembered by its name
    image: Any = pyvips.Image.gifload_buffer(path.read_bytes(), n=-1)
    count = image.get("n-pages") if "n-pages" in image.get_fields() else 1
    height = image.height // count
    data = cast(bytes, image.extract_band(0, n=3).write_to_memory())
    rows = [data[at : at + 3 * image.width] for at in range(0, len(data), 3 * image.width)]
    pixels = [list(zip(row[0::3], row[1::3], row[2::3], strict=True)) for row in rows]
    frames = [pixels[at : at + height] for at in range(0, len(pixels), height)]
    delays = image.get("delay") if "delay" in image.get_fields() else []
    return Gif((image.width, height), frames, delays, image.get("loop"))


def as_pbm(frame: Pixels, ink: tuple[int, int, int]) -> str:
    """Return a frame as a picture in plain text, which image viewers open."""
    rows = ["".join("1" if pixel == ink else "0" for pixel in row) for row in frame]
    return f"P1\n{len(frame[0])} {len(frame)}\n" + "\n".join(rows) + "\n"


def write_frames(folder: Path, *texts: str) -> Path:
    folder.mkdir(exist_ok=True)
    for number, text in enumerate(texts):
        (folder / f"{number:03}.ascii").write_text(text, encoding="utf-8")
    return folder


def draw_missing() -> None:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.gif"
        main(["gif", str(write_frames(Path(folder) / "film", *FILM)), str(out)])
        frames = read_gif(out).frames
    for name, frame in (("first", frames[0]), ("last", frames[-1])):
        path = PICTURES / f"{name}.pbm"
        if not path.exists():
            path.write_text(as_pbm(frame, Theme.PAPER.ink), encoding="utf-8")


if __name__ == "__main__":
    draw_missing()
