"""Hands of cards, for the games that have them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from botequim.picture.svg import Box, Part, moved, use
from botequim.picture.symbols import CARD_HEIGHT, CARD_WIDTH, SUIT_LETTERS

HEIGHT = 84
_ORDER = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "V", "D", "R", "C")
_CORNER = 23
"""So much of a card must be seen to read it."""
_TOP = 42
"""And so much of one in a row behind."""


def card_symbol(card: str) -> str:
    """The symbol of a card as it is written, 10♥."""
    return f"c{card[:-1]}{SUIT_LETTERS[card[-1]]}"


def hand_of_cards(hand: Sequence[str], area: Box) -> Part:
    """Cards by suit, one over the other, in as many rows as keep every corner in sight."""
    cards = sorted(hand, key=lambda card: ("♥♠♦♣".index(card[-1]), _ORDER.index(card[:-1])))
    return _rows(len(cards), area, lambda at: card_symbol(cards[at]), _CORNER)


def card_backs(count: int, area: Box) -> Part:
    return _rows(count, area, lambda at: "cb", 7)


def _rows(count: int, area: Box, name: Callable[[int], str], corner: float) -> Part:
    if not count:
        return ()
    rows, scale, step = 1, 1.0, 0.0
    for rows in (1, 2, 3):
        scale = min(1.0, area.height / (CARD_HEIGHT + (rows - 1) * _TOP))
        each = -(-count // rows)
        room = area.width / scale - CARD_WIDTH
        step = min(CARD_WIDTH + 4, room / max(each - 1, 1))
        if step >= corner:
            break
    each = -(-count // rows)
    pieces = "".join(use(name(at), round(at % each * step, 1), at // each * _TOP) for at in range(count))
    height = (CARD_HEIGHT + (rows - 1) * _TOP) * scale
    return moved(round(area.x, 1), round(area.y + (area.height - height) / 2, 1), pieces, scale)
