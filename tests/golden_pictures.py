"""Golden pictures: `python -m tests.golden_pictures` writes them anew; with a folder, there as PNG too.

Look at every one that changed before it is kept.
"""

from __future__ import annotations

import sys
from pathlib import Path

from botequim import i18n
from botequim.picture import picture
from botequim.picture.raster import png
from tests.picture_scenes import GOLDEN, Golden

FOLDER = Path(__file__).parent / "pictures"


def drawn(golden: Golden) -> str:
    with i18n.speaking(golden.language):
        return picture(golden.make(), golden.look)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, golden in GOLDEN.items():
        svg = drawn(golden)
        path = FOLDER / f"{name}.svg"
        if not path.exists() or path.read_text(encoding="utf-8") != svg:
            path.write_text(svg, encoding="utf-8")
            print(f"{name}: {len(svg)} bytes")
        if len(sys.argv) > 1:
            (Path(sys.argv[1]) / f"{name}.png").write_bytes(png(svg))
