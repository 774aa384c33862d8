"""Whether mypyc compiled the rules and the search. pyproject.toml lists the modules, setup.py builds them."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

SAMPLES: Final = ("botequim.engine.referee", "botequim.search.worlds")
"""One module of each library that the build makes; a library is compiled as a whole or not at all."""


def is_compiled(module: str) -> bool:
    """Return whether a module was compiled when the package was built."""
    spec = find_spec(module)
    return spec is not None and spec.origin is not None and not spec.origin.endswith(".py")
