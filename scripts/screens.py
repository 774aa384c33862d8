"""Takes pictures of the terminal: every game as a person sees it, at 80 and at 160 columns.

`python -m scripts.screens FOLDER` runs `botequim play` in a real terminal, types a few commands and writes
what is seen as SVG, cell by cell.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from tests.support.terminal import Terminal, terminal

CELL_WIDTH, CELL_HEIGHT, BASELINE, MARGIN = 8.4, 17, 13, 12
PAPER, INK = "#16181d", "#e6e1d3"
NAMES = {"default": INK, "brown": "#c9a227", "cyan": "#5fb3b3", "green": "#6aa84f", "red": "#d06a6a"}
GAMES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "fives": (("--seed", "3", "--best-of", "1"), ("m 2 l", "m 3 l", "a")),
    "cubos": (("--seed", "1", "--seat", "3"), ("m 1 r", "a")),
    "havana": (("--seed", "1"), ("m 3 l", "a")),
    "uno": (("--seed", "1", "--option", "players=3"), ("m 1 s", "a")),
    "rps": (("--seed", "1", "--option", "rounds=10"), ("m 0", "m 1", "m 2")),
}
Look = tuple[Any, ...]
SIZES = ((80, 30), (160, 45))


def colour(name: str, other: str) -> str:
    if name == "default":
        return other
    return NAMES.get(name, f"#{name}")


def runs(row: Any, columns: int, look: Callable[[Any], Look]) -> Iterator[tuple[int, str, Look]]:
    """Pieces of a row that look alike: where, what, and how."""
    cells = [row[at] for at in range(columns)]
    for key, group in groupby(range(columns), key=lambda at: look(cells[at])):
        places = list(group)
        yield places[0], "".join(cells[at].data for at in places), key


def picture(screen: Terminal, title: str) -> str:
    """What is seen, as SVG."""
    columns, rows = screen.screen.columns, screen.screen.lines
    last = max((at for at, line in enumerate(screen.lines) if line), default=rows - 1)
    width, height = columns * CELL_WIDTH + 2 * MARGIN, (last + 1) * CELL_HEIGHT + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" '
        f'font-size="14"><title>{escape(title)}</title>'
        f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>'
    ]
    for at in range(last + 1):
        row = screen.screen.buffer[at]
        for column, text, look in runs(row, columns, lambda cell: (cell.bg,)):
            parts += _ground(column, at, len(text), colour(look[0], ""))
        for column, text, look in runs(row, columns, lambda cell: (cell.fg, cell.bold, cell.italics)):
            parts += _run(column, at, text, colour(look[0], INK), bold=look[1], italic=look[2])
    return "".join([*parts, "</svg>\n"])


def _ground(column: int, row: int, length: int, paper: str) -> Sequence[str]:
    if not paper:
        return ()
    x, y = MARGIN + column * CELL_WIDTH, MARGIN + row * CELL_HEIGHT
    size = f'width="{length * CELL_WIDTH:g}" height="{CELL_HEIGHT}" shape-rendering="crispEdges"'
    return (f'<rect x="{x:g}" y="{y:g}" {size} fill="{paper}"/>',)


def _run(column: int, row: int, text: str, ink: str, *, bold: bool, italic: bool) -> Sequence[str]:
    if not text.strip():
        return ()
    before = len(text) - len(text.lstrip())
    text = text.strip()
    x, y = MARGIN + (column + before) * CELL_WIDTH, MARGIN + row * CELL_HEIGHT + BASELINE
    how = (' font-weight="bold"' if bold else "") + (' font-style="italic"' if italic else "")
    length = f'textLength="{len(text) * CELL_WIDTH:g}" xml:space="preserve"'
    return (f'<text x="{x:g}" y="{y:g}" {length} fill="{ink}"{how}>{escape(text)}</text>',)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for game, (words, typed) in GAMES.items():
        for columns, rows in SIZES:
            with (
                tempfile.TemporaryDirectory() as state,
                terminal("play", game, *words, state=Path(state), columns=columns, rows=rows) as screen,
            ):
                screen.ready()
                for command in typed:
                    screen.type(command)
                    screen.ready()
                path = folder / f"terminal-{game}-{columns}.svg"
                path.write_text(picture(screen, f"botequim play {game}"), encoding="utf-8")
                print(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
