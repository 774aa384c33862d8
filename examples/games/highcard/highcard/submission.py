"""The champion as a program of its own: `botequim export highcard FOLDER`."""

from __future__ import annotations

from importlib.resources import files as resources


def files() -> dict[str, str]:
    """Return the files of the submission by path."""
    return {"bot.py": (resources("highcard") / "bot.py.txt").read_text(encoding="utf-8")}
