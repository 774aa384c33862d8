"""Golden pictures: `python -m tests.support.golden_pictures` writes them anew; a folder gets them as PNG.

Look at every one that changed before it is kept.
"""

from __future__ import annotations

import sys
from pathlib import Path

from botequim import i18n
from botequim.render.drawing import render_svg
from botequim.render.raster import png
from tests import ROOT
from tests.support.picture_scenes import GOLDEN, SHOWN, Golden

FOLDER = ROOT / "tests" / "pictures"
DOCS = ROOT / "docs" / "pictures"


def golden_svg(golden: Golden) -> str:
    with i18n.use_language(golden.language):
        return render_svg(golden.make(), golden.look)


def files() -> dict[Path, Golden]:
    """Return every golden picture by its path."""
    kept = {FOLDER / f"{name}.svg": golden for name, golden in GOLDEN.items()}
    return kept | {DOCS / f"{name}.svg": golden for name, golden in SHOWN.items()}


if __name__ == "__main__":
    for path, golden in files().items():
        svg, name = golden_svg(golden), path.stem
        path.parent.mkdir(exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != svg:
            path.write_text(svg, encoding="utf-8")
            print(f"{name}: {len(svg)} bytes")
        if len(sys.argv) > 1:
            (Path(sys.argv[1]) / f"{name}.png").write_bytes(png(svg))
