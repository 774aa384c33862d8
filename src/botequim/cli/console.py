"""Tables for the terminal. Names that do not fit are wrapped, never cut."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console

from botequim.narration.wrapping import columns, wrap_line

WIDE = 160
"""The width of output to a file or a pipe."""
SHARE = 3
"""Names may take a third of the width before they are wrapped."""


def table_console() -> Console:
    console = Console(highlight=False)
    if console.is_terminal or os.environ.get("COLUMNS"):
        return console
    return Console(highlight=False, width=WIDE)


def print_wrapped(line: str, indent: int = 0) -> None:
    """Print a line for people; further lines are indented."""
    for row in wrapped_lines(line, indent):
        print(row, flush=True)


def wrapped_lines(line: str, indent: int = 0) -> Sequence[str]:
    """Return a line as rows that fit the terminal; the second and later ones are indented."""
    return list(wrap_line(line, columns(), indent))


def name_column(names: Sequence[str]) -> dict[str, Any]:
    """Return the settings of the column for these names, which is narrowed after all others."""
    longest = max(map(cell_len, names), default=0)
    return {"overflow": "fold", "min_width": min(longest, table_console().width // SHARE)}
