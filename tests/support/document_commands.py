"""The commands that a document shows, in the order in which a reader would type them."""

from __future__ import annotations

import re
from pathlib import Path


def command_blocks(path: Path) -> list[list[str]]:
    """Return the lines of every block of commands of a document, without their comments."""
    blocks = re.findall(r"^```\n(.*?)^```", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return [[re.sub(r"\s+# .*", "", line) for line in block.splitlines()] for block in blocks]


def block_with(path: Path, text: str) -> list[str]:
    """Return the only block of commands that contains a text."""
    (found,) = [block for block in command_blocks(path) if any(text in line for line in block)]
    return found
