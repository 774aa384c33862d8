"""Draws hands of cards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from botequim.games.cards.symbols import CARD_HEIGHT, CARD_WIDTH, SUIT_LETTERS
from botequim.render.svg import Box, Part, group_at, use

HEIGHT: Final = 88
_ORDER: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "V", "D", "R", "C")
_CORNER: Final = 22.5
"""The part of a card that must be visible to read it."""
_GAP: Final = 4


def card_symbol(card: str) -> str:
    """Return the symbol of a card such as `10♥`."""
    return f"c{card[:-1]}{SUIT_LETTERS[card[-1]]}"


def sorted_cards(hand: Iterable[str]) -> list[str]:
    """Return cards in the order in which a hand is drawn: by suit."""
    return sorted(hand, key=lambda card: ("♥♠♦♣".index(card[-1]), _ORDER.index(card[:-1])))


def hand_of_cards(hand: Sequence[str], area: Box) -> Part:
    """Draw cards by suit, overlapping, as large as possible with every corner visible."""
    cards = sorted_cards(hand)
    return _rows(len(cards), area, lambda at: card_symbol(cards[at]), _CORNER)


def card_backs(count: int, area: Box) -> Part:
    return _rows(count, area, lambda at: "cb", 7)


def _rows(count: int, area: Box, name: Callable[[int], str], corner: float) -> Part:
    if not count:
        return ()
    scale, fewer = max((_scale(count, rows, area, corner), -rows) for rows in (1, 2, 3))
    rows = -fewer
    each = -(-count // rows)
    step = min(CARD_WIDTH + _GAP, (area.width / scale - CARD_WIDTH) / max(each - 1, 1))
    down = CARD_HEIGHT + _GAP
    pieces = "".join(use(name(at), round(at % each * step, 1), at // each * down) for at in range(count))
    height = (rows * down - _GAP) * scale
    return group_at(round(area.x, 1), round(area.y + (area.height - height) / 2, 1), pieces, scale)


def _scale(count: int, rows: int, area: Box, corner: float) -> float:
    """Return the scale at which cards fit in so many rows that do not overlap."""
    each = -(-count // rows)
    return min(
        area.height / (rows * (CARD_HEIGHT + _GAP) - _GAP), area.width / (CARD_WIDTH + (each - 1) * corner)
    )
