"""Reads the text files with the results of the training of champions."""

from __future__ import annotations

from importlib.resources import files


def table_lines(package: str, name: str) -> list[str]:
    """Return the lines of a table beside the modules of `package`, without comments."""
    text = files(package).joinpath(name).read_text(encoding="ascii")
    return [line for line in text.splitlines() if line and not line.startswith("#")]
