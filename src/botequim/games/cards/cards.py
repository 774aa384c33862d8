"""Playing cards: a French pack with two jokers, with Portuguese letters (A, V, D, R, C)."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from botequim.core.errors import MoveSyntaxError
from botequim.core.messages import msg


class Suit(StrEnum):
    """One of the four suits."""

    HEARTS = "♥"
    DIAMONDS = "♦"
    CLUBS = "♣"
    SPADES = "♠"


class Rank(StrEnum):
    """The rank of a card: V is valete (jack), D dama (queen), R rei (king), C coringa (joker)."""

    ACE = "A"
    TWO = "2"
    THREE = "3"
    FOUR = "4"
    FIVE = "5"
    SIX = "6"
    SEVEN = "7"
    EIGHT = "8"
    NINE = "9"
    TEN = "10"
    JACK = "V"
    QUEEN = "D"
    KING = "R"
    JOKER = "C"


class Card(NamedTuple):
    """A card. CARDS has one object for each card."""

    number: int
    """The index in CARDS. Rules store cards by this number."""
    rank: Rank
    suit: Suit

    def __str__(self) -> str:
        return self.rank.value + self.suit.value


SUITS: Final[tuple[Suit, ...]] = tuple(Suit)
_SUITED: Final = [(rank, suit) for suit in Suit for rank in Rank if rank != Rank.JOKER]
_JOKERS: Final = [(Rank.JOKER, Suit.HEARTS), (Rank.JOKER, Suit.CLUBS)]

CARDS: Final[tuple[Card, ...]] = tuple(
    [Card(number, rank, suit) for number, (rank, suit) in enumerate(_SUITED + _JOKERS)]
)
"""The pack of 54: A 2-10 V D R of each suit, then C♥ and C♣."""

_BY_TEXT: Final = {str(card): card for card in CARDS}
_SUIT_BY_TEXT: Final = {suit.value: suit for suit in Suit}
# an emoji keyboard or font may add this character to a suit: ♥ and ♥️ are the same suit
_EMOJI_MARK: Final = "\ufe0f"


def read_card(text: str) -> Card:
    """Return the card of a text such as `10♥`."""
    card = _BY_TEXT.get(text.replace(_EMOJI_MARK, ""))
    if card is None:
        raise MoveSyntaxError(msg('"{text}" is not a card, such as 7♣, 10♥, V♠ or C♣', text=text))
    return card


def read_suit(text: str) -> Suit:
    """Return the suit of a text such as `♥`."""
    suit = _SUIT_BY_TEXT.get(text.replace(_EMOJI_MARK, ""))
    if suit is None:
        raise MoveSyntaxError(msg('"{text}" is not a suit: ♥, ♦, ♣ or ♠', text=text))
    return suit
