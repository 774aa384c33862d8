"""Wraps long lines, without breaking tiles or cards."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from typing import Final

from rich.cells import cell_len, chop_cells

LEAST: Final = 40
"""The fewest columns that lines are wrapped to."""
PIECES: Final = re.compile(r"\[[^\[\]]*\] ?|\S+ ?| ")
"""A card in brackets or a word, with the space after it."""
LABEL: Final = re.compile(r"\S+: (?=\[|\d-\d)")
"""A label before tiles; wrapped tiles are indented below the first one."""


def columns() -> int:
    """Return the width of the terminal, or the value of COLUMNS; 80 for a pipe or a file."""
    return max(LEAST, shutil.get_terminal_size().columns)


def wrap_line(line: str, width: int, indent: int = 0) -> Iterator[str]:
    """Return the line as lines of at most `width` columns; all but the first are indented."""
    if cell_len(line) <= width:
        yield line
        return
    head, rest = line[:indent], line[indent:]
    label = LABEL.match(rest)
    if label is not None and len(label[0]) <= width // 3:
        head, rest = head + label[0], rest[label.end() :]
    below = " " * cell_len(head)
    row = head
    for piece in _pieces(rest, width - len(below)):
        if row != head and row != below and cell_len(row + piece.rstrip()) > width:
            yield row.rstrip()
            row = below
        row += piece
    yield row.rstrip()


def _pieces(text: str, most: int) -> Iterator[str]:
    for piece in PIECES.findall(text):
        if cell_len(piece.rstrip()) <= most:
            yield piece
        else:
            yield from chop_cells(piece, most)
