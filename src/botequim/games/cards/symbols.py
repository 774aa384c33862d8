"""Cards as symbols of pictures.

=======  =============================================================================================
``c7h``  a card, by rank and suit (h, d, c, s); `CARD_WIDTH` by `CARD_HEIGHT`
``cb``   the back of a card
``sh``   a suit, 20 by 20
=======  =============================================================================================
"""

from __future__ import annotations

from typing import Final

from botequim.games.cards.cards import CARDS as DECK
from botequim.render.svg import text
from botequim.render.symbols import SymbolSet

CARD_WIDTH: Final = 60
CARD_HEIGHT: Final = 84
SUIT_LETTERS: Final = {"♥": "h", "♦": "d", "♣": "c", "♠": "s"}
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
    corner = text(rank, 11.8, 20, 20, f"bold {ink}", anchor="middle")
    if rank == "10":  # set to the width of the other ranks, in any font
        corner = corner.replace("<text ", '<text textLength="16.5" lengthAdjust="spacingAndGlyphs" ')
    corner += f'<g transform="translate(4.5 23) scale(.7)"><use href="#s{suit}"/></g>'
    upside_down = f'<g transform="rotate(180 30 42)">{corner}</g>'
    body = '<rect class="card" x=".5" y=".5" width="59" height="83" rx="6"/>'
    return body + corner + upside_down + _middle(rank, suit, ink)


def _middle(rank: str, suit: str, ink: str) -> str:
    """Return the middle of a card, which shows its effect."""
    large = f'<g transform="translate(14 26) scale(1.6)"><use href="#s{suit}"/></g>'
    match rank:
        case "V":
            return text("+2", 30, 47.5, 18, f"bold {ink}", anchor="middle")
        case "C":
            return text("+4", 30, 47.5, 18, f"bold {ink}", anchor="middle") + _four(24, 8, 0.3)
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
    """Return all suits, because the player may ask for any of them."""
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


def _draw(name: str) -> str:
    if name == "cb":
        return _card_back()
    if name[0] == "s":
        return _suit(name[1:])
    return _card(name[1:-1], name[-1])


CARDS: Final = SymbolSet(("cb", *(f"c{card.rank}{SUIT_LETTERS[card.suit]}" for card in DECK)), _draw)
"""All cards of a French deck."""
