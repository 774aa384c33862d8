"""Sources of Botequim for a submission, unchanged or with one replacement."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

_EMPTY: Final = '"""Part of Botequim, so that it runs without the rest of it."""\n'


def with_packages(*modules: str) -> dict[str, str]:
    """Return the texts of modules such as `core.rng` and of their packages, by path."""
    texts = {}
    for module in modules:
        *packages, name = module.split(".")
        folder = files("botequim")
        path = "botequim"
        texts[f"{path}/__init__.py"] = _EMPTY
        for package in packages:
            folder, path = folder / package, f"{path}/{package}"
            texts[f"{path}/__init__.py"] = _EMPTY
        texts[f"{path}/{name}.py"] = (folder / f"{name}.py").read_text(encoding="utf-8")
    return texts


def replace_once(text: str, old: str, new: str) -> str:
    """Return the text with `old` replaced; `old` must occur exactly once."""
    count = text.count(old)
    assert count == 1, f"{old!r} occurs {count} times in the text of a submission"
    return text.replace(old, new)
