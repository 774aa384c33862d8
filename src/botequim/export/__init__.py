"""Champions in the form that the real competitions take: files that need nothing of ours beside them.

Each game's module has a function `files()`: what is in every file, by its path in the folder. It takes those
options of the game that its champion does not learn from the wire. Nothing is written here; `botequim export`
does that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from botequim.export import cubos, havana, rps, uno

EXPORTS: Final[Mapping[str, Callable[..., Mapping[str, str | bytes]]]] = {
    "cubos": cubos.files,
    "havana": havana.files,
    "rps": rps.files,
    "uno": uno.files,
}

OPTIONS: Final[Mapping[str, tuple[str, ...]]] = {"cubos": ("blocked",)}
"""By game: the options that `files` takes."""
