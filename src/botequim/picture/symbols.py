"""What is drawn again and again: tiles, cards, hands. A drawing says `<use href="#v36"/>`, and the whole
picture defines each symbol that it uses once. A name says all of it, so equal names are equal drawings.

======  ==============================================================================================
``v36``  a tile that stands, 3 above 6; `TILE` wide and twice as high
``h36``  a tile that lies, 3 left of 6
``vb``   and ``hb``: a tile without pips; ``q3`` and ``r3``: pips of a half of a tile that stands or lies
``tb``   the back of a tile that stands
``c7h``  a card, by rank and suit (h, d, c, s)
``cb``   the back of a card
``sh``   a suit, 20 by 20
``rock`` and ``paper``, ``scissors``, ``missing``: 100 by 100
``mr``   and ``mp``, ``ms``, ``mm``: the same, 16 by 16
======  ==============================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Final

from botequim.picture.svg import css, text, use

TILE: Final = 20
CARD_WIDTH: Final = 60
CARD_HEIGHT: Final = 84

SUIT_LETTERS: Final = {"♥": "h", "♦": "d", "♣": "c", "♠": "s"}
_CLASS: Final = re.compile(r'class="([a-z0-9 ]+)"')
_USED: Final = re.compile(r'href="#(\w+)"')


def definitions(drawing: str) -> str:
    """`<defs>` for all symbols that a drawing uses, and those that they use."""
    known: dict[str, str] = {}
    wanted = used(drawing)
    while wanted:
        for name in wanted:
            known[name] = symbol(name)
        wanted = {inner for name in wanted for inner in used(known[name])} - known.keys()
    return f"<defs>{''.join(known[name] for name in sorted(known))}</defs>" if known else ""


def used(drawing: str) -> set[str]:
    return set(_USED.findall(drawing))


@cache
def symbol(name: str) -> str:
    """The definition of one symbol."""
    drawn = _CLASS.sub(lambda found: f'class="{css(found[1])}"', _drawn(name))
    return f'<g id="{name}">{drawn}</g>'


def _drawn(name: str) -> str:
    if name in _FIXED:
        return _FIXED[name]()
    if name[0] in "vh":
        return _tile(int(name[1]), int(name[2]), lies=name[0] == "h")
    return _card(name[1:-1], name[-1])


# --- tiles -------------------------------------------------------------------------------------------

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
"""By number: where the pips are on a half of a tile that stands."""


def _tile(first: int, second: int, *, lies: bool) -> str:
    """Its body, and the pips of its halves: symbols of their own, because many tiles share them."""
    body, half = ("hb", "r") if lies else ("vb", "q")
    drawn = use(body)
    if first:
        drawn += use(f"{half}{first}")
    if second:
        drawn += use(f"{half}{second}", TILE if lies else 0, 0 if lies else TILE)
    return drawn


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


# --- cards -------------------------------------------------------------------------------------------

_SUITS: Final = {
    "h": "M10 18C5 13.6 1.5 10.5 1.5 6.6A4.4 4.4 0 0 1 10 4.8A4.4 4.4 0 0 1 18.5 6.6"
    "C18.5 10.5 15 13.6 10 18z",
    "d": "M10 1.5Q13 6.5 17 10Q13 13.5 10 18.5Q7 13.5 3 10Q7 6.5 10 1.5z",
    "c": "M10 1.5A3.9 3.9 0 0 1 12.9 8A3.9 3.9 0 1 1 11.2 13.4Q11.4 16.5 13.5 18.5H6.5"
    "Q8.6 16.5 8.8 13.4A3.9 3.9 0 1 1 7.1 8A3.9 3.9 0 0 1 10 1.5z",
    "s": "M10 1.5C14.5 6 18 8.5 18 12A3.8 3.8 0 0 1 11.2 13.8Q11.4 16.5 13.5 18.5H6.5"
    "Q8.6 16.5 8.8 13.8A3.8 3.8 0 0 1 2 12C2 8.5 5.5 6 10 1.5z",
}


def colour(suit: str) -> str:
    return "red" if suit in "hd" else "black"


def _suit(suit: str) -> str:
    return f'<path class="{colour(suit)}" d="{_SUITS[suit]}"/>'


def _card(rank: str, suit: str) -> str:
    ink = colour(suit)
    size = 17 if rank == "10" else 20
    corner = text(rank, 11.5, 20, size, f"bold {ink}", anchor="middle")
    corner += f'<g transform="translate(4.5 23) scale(.7)"><use href="#s{suit}"/></g>'
    turned = f'<g transform="rotate(180 30 42)">{corner}</g>'
    body = '<rect class="card" x=".5" y=".5" width="59" height="83" rx="6"/>'
    return body + corner + turned + _middle(rank, suit, ink)


def _middle(rank: str, suit: str, ink: str) -> str:
    """What a card does is drawn on it."""
    large = f'<g transform="translate(14 26) scale(1.6)"><use href="#s{suit}"/></g>'
    match rank:
        case "V":
            return text("+2", 30, 49.5, 21, f"bold {ink}", anchor="middle")
        case "C":
            return text("+4", 30, 49.5, 21, f"bold {ink}", anchor="middle") + _four(24, 8, 0.3)
        case "A":
            return _four(18, 29, 0.6, rows=2)
        case "D":
            return (
                f'<path class="line {ink}line" stroke-width="4" d="M20 49V36a10 10 0 0 1 10-10h6'
                f'M40 35v13a10 10 0 0 1-10 10h-6"/>'
                f'<path class="{ink}" d="M34 18v16l9-8zM26 50v16l-9-8z"/>'
            )
        case "R":
            return (
                f'<path class="line {ink}line" stroke-width="4.5" d="M21 51L39 33"/>'
                + f'<circle class="line {ink}line" stroke-width="4.5" cx="30" cy="42" r="13"/>'
            )
    return large


def _four(x: float, y: float, scale: float, rows: int = 1) -> str:
    """All suits: any may be asked for."""
    step = 20 * scale + 1
    each = 4 // rows
    return "".join(
        f'<g transform="translate({x + at % each * step:g} {y + at // each * step:g}) scale({scale:g})">'
        f'<use href="#s{suit}"/></g>'
        for at, suit in enumerate("hscd")
    )


def _card_back() -> str:
    lines = "".join(f"M{x} 8v68" for x in range(12, 52, 9)) + "".join(f"M8 {y}h44" for y in range(14, 76, 9))
    return (
        '<rect class="card" x=".5" y=".5" width="59" height="83" rx="6"/>'
        '<rect class="back" x="5" y="5" width="50" height="74" rx="4"/>'
        f'<path class="backline" d="{lines}"/>'
    )


# --- rock, paper, scissors ---------------------------------------------------------------------------


def _rock() -> str:
    return (
        '<path class="stone" d="M14 70L22 40L44 20L70 24L88 46L86 72L66 86H30z"/>'
        '<path class="stoneline" d="M44 20L48 44L22 40M48 44L70 50L88 46M70 50L66 86M48 44L36 66L30 86"/>'
    )


def _paper() -> str:
    return (
        '<path class="sheet" d="M24 10H64L80 26V90H24z"/><path class="sheet" d="M64 10V26H80"/>'
        '<path class="sheetline" d="M34 40H70M34 52H70M34 64H70M34 76H56"/>'
    )


def _scissors() -> str:
    return (
        '<path class="blade" d="M47 52L70 8Q77 20 70 32L55 58z"/>'
        '<path class="blade" d="M53 52L30 8Q23 20 30 32L45 58z"/>'
        '<circle class="grip" cx="34" cy="76" r="13"/><circle class="grip" cx="66" cy="76" r="13"/>'
        '<path class="blade" d="M43 65L50 53L57 65L61 64L52 46H48L39 64z"/>'
        '<circle class="pin" cx="50" cy="52" r="3"/>'
    )


def _missing() -> str:
    return '<path class="gone" d="M20 50a30 30 0 1 1 60 0a30 30 0 1 1-60 0M30 70L70 30"/>'


_FIXED: Final[dict[str, Callable[[], str]]] = {
    "mr": lambda: '<path d="M3 11L5 4l5-2 4 4-1 6-5 2z"/>',
    "mp": lambda: '<path d="M3.5 1.5h6l3 3v10h-9z"/>',
    "ms": lambda: (
        '<path d="M3 1.6l1.8-.9 6.6 10.5-1.6 1zM13 1.6l-1.8-.9-6.6 10.5 1.6 1z"/>'
        '<circle cx="4" cy="12.7" r="2.6"/><circle cx="12" cy="12.7" r="2.6"/>'
    ),
    "mm": lambda: '<path d="M3 7h10v2h-10z"/>',
    "tb": _tile_back,
    "vb": partial(_body, lies=False),
    "hb": partial(_body, lies=True),
    **{f"q{number}": partial(_pips, number, lies=False) for number in range(1, len(PIPS))},
    **{f"r{number}": partial(_pips, number, lies=True) for number in range(1, len(PIPS))},
    "cb": _card_back,
    "rock": _rock,
    "paper": _paper,
    "scissors": _scissors,
    "missing": _missing,
    **{f"s{suit}": partial(_suit, suit) for suit in _SUITS},
}


def all_of(names: Iterable[str]) -> str:
    """`<defs>` for these names, and what they use."""
    return definitions("".join(f'href="#{name}"' for name in names))
