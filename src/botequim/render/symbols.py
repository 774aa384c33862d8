"""Symbols: drawings that a picture contains many times, such as tiles and cards.

A drawing contains `<use href="#v36"/>`, and the picture defines each symbol that it uses once. A `Renderer`
has the symbols of its game in `symbols`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final, NoReturn

from botequim.core.errors import BrokenContract
from botequim.core.messages import msg
from botequim.render.svg import css

_CLASS: Final = re.compile(r'class="([a-z0-9 ]+)"')
_USE: Final = re.compile(r'href="#(\w+)"')


@dataclass(frozen=True, slots=True, eq=False)
class SymbolSet:
    """The symbols of a game. Symbols with equal names have equal drawings."""

    names: tuple[str, ...]
    """The symbols that boards use directly. A page with many boards defines all of them once."""
    draw: Callable[[str], str]
    """Returns the SVG of a symbol, which may use further symbols of the set."""


def _unknown(name: str) -> NoReturn:
    raise BrokenContract(
        msg('a picture uses the symbol "{name}", but its renderer has no symbols', name=name)
    )


NO_SYMBOLS: Final = SymbolSet((), _unknown)


def definitions(symbols: SymbolSet, names: Iterable[str]) -> str:
    """Return `<defs>` for these symbols, and for all symbols that they use."""
    drawings: dict[str, str] = {}
    missing = set(names)
    while missing:
        for name in missing:
            drawings[name] = _definition(symbols, name)
        missing = {inner for name in missing for inner in used_symbols(drawings[name])} - drawings.keys()
    return f"<defs>{''.join(drawings[name] for name in sorted(drawings))}</defs>" if drawings else ""


def used_symbols(drawing: str) -> set[str]:
    """Return the names of the symbols that a drawing uses."""
    return set(_USE.findall(drawing))


@cache
def _definition(symbols: SymbolSet, name: str) -> str:
    drawing = _CLASS.sub(lambda match: f'class="{css(match[1])}"', symbols.draw(name))
    return f'<g id="{name}">{drawing}</g>'
