"""Tables with whole names: what a terminal is too narrow for goes on below, and nothing is cut."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console

from botequim.narration.wrapping import columns, wrap_line

WIDE = 160
"""Of what is written to a file or a pipe, which has no width of its own."""
SHARE = 3
"""Names may take a third of the width before they are folded."""


def table_console() -> Console:
    console = Console(highlight=False)
    if console.is_terminal or os.environ.get("COLUMNS"):
        return console
    return Console(highlight=False, width=WIDE)


def print_wrapped(line: str, indent: int = 0) -> None:
    """A line for people; what does not fit goes on below, some columns in."""
    for row in wrap_line(line, columns(), indent):
        print(row, flush=True)


def name_column(names: Sequence[str]) -> dict[str, Any]:
    """How the column of these names is made: the last to be made narrower, and then folded."""
    longest = max(map(cell_len, names), default=0)
    return {"overflow": "fold", "min_width": min(longest, table_console().width // SHARE)}
