"""Champions in the form that the real competitions take: files that need nothing of ours beside them.

Each game's module has a function `files()`: the text of every file by its path in the folder. Nothing is
written here; `botequim export` does that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from botequim.export import cubos, havana

EXPORTS: Final[Mapping[str, Callable[[], Mapping[str, str]]]] = {
    "cubos": cubos.files,
    "havana": havana.files,
}
