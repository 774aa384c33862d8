"""Tiles as symbols of pictures.

=======  =============================================================================================
``v36``  a tile that stands, 3 above 6; `TILE` wide and twice as high
``h36``  a tile that lies, 3 left of 6
``vb``   the body of a tile that stands; ``hb``: of a tile that lies
``q3``   the pips of half a tile that stands; ``r3``: of a tile that lies
``tb``   the back of a tile that stands
=======  =============================================================================================
"""

from __future__ import annotations

from typing import Final

from botequim.render.svg import use
from botequim.render.symbols import SymbolSet

TILE: Final = 20
"""The width of half a tile."""

_LOW, _MIDDLE, _HIGH = 5.2, 10, 14.8
_CORNERS: Final = ((_LOW, _LOW), (_HIGH, _HIGH), (_HIGH, _LOW), (_LOW, _HIGH))
_SIDES: Final = ((_LOW, _MIDDLE), (_HIGH, _MIDDLE))
_ENDS: Final = ((_MIDDLE, _LOW), (_MIDDLE, _HIGH))
_CENTRE: Final = ((_MIDDLE, _MIDDLE),)

PIPS: Final = (
    (),
    _CENTRE,
    _CORNERS[:2],
    (*_CORNERS[:2], *_CENTRE),
    _CORNERS,
    (*_CORNERS, *_CENTRE),
    (*_CORNERS, *_SIDES),
    (*_CORNERS, *_SIDES, *_CENTRE),
    (*_CORNERS, *_SIDES, *_ENDS),
    (*_CORNERS, *_SIDES, *_ENDS, *_CENTRE),
)
"""By number: the positions of the pips on half of a standing tile."""


def _tile(first: int, second: int, *, lies: bool) -> str:
    """Return a tile. The pips of each half are a symbol of their own, because many tiles share it."""
    body, half = ("hb", "r") if lies else ("vb", "q")
    svg = use(body)
    if first:
        svg += use(f"{half}{first}")
    if second:
        svg += use(f"{half}{second}", TILE if lies else 0, 0 if lies else TILE)
    return svg


def _body(*, lies: bool) -> str:
    width, height = (2 * TILE, TILE) if lies else (TILE, 2 * TILE)
    return (
        f'<rect class="tile" x=".7" y=".7" width="{width - 1.4:g}" height="{height - 1.4:g}" rx="3.2"/>'
        f'<path class="groove" d="{"M20 4v12" if lies else "M4 20h12"}"/>'
        f'<circle class="pin" cx="{width / 2:g}" cy="{height / 2:g}" r="1.7"/>'
    )


def _pips(number: int, *, lies: bool) -> str:
    dots = "".join(
        f"M{down if lies else across:g} {TILE - across if lies else down:g}h0"
        for across, down in PIPS[number]
    )
    size = 4.3 if number < 7 else 3.8
    return f'<path class="pip p{number}" stroke-width="{size:g}" d="{dots}"/>'


def _tile_back() -> str:
    return (
        '<rect class="back" x=".7" y=".7" width="18.6" height="38.6" rx="3.2"/>'
        '<path class="backline" d="M10 8l5 12-5 12-5-12z"/>'
    )


def _draw(name: str) -> str:
    kind, number = name[0], name[1:]
    if name == "tb":
        return _tile_back()
    if number == "b":
        return _body(lies=kind == "h")
    if kind in "qr":
        return _pips(int(number), lies=kind == "r")
    return _tile(int(number[0]), int(number[1]), lies=kind == "h")


_HALVES: Final = range(len(PIPS))
TILES: Final = SymbolSet(
    ("tb", *(f"{lies}{one}{other}" for lies in "vh" for one in _HALVES for other in _HALVES)), _draw
)
"""All tiles up to the double nine."""
