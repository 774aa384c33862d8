"""Lines that are too long to read go on below, where they can be broken without breaking what they say."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from typing import Final

from rich.cells import cell_len, chop_cells

LEAST: Final = 40
"""Columns; with less nothing could be read anyway."""
PIECES: Final = re.compile(r"\[[^\[\]]*\](?: -)? ?|\S+ ?| ")
"""A tile or card with what follows it, or a word."""
LABEL: Final = re.compile(r"\S+: (?=\[)")
"""Before tiles: the rest of them stand below the first."""


def columns() -> int:
    """How wide what is written may be: as the terminal, or as COLUMNS says; a pipe or a file 80."""
    return max(LEAST, shutil.get_terminal_size().columns)


def wrapped(line: str, width: int, indent: int = 0) -> Iterator[str]:
    """The line, or several of at most `width`; all but the first begin `indent` columns in."""
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
