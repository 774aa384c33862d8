"""The moves of uno, and how they are written. `rules.py` describes what they do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, final

from botequim.core.errors import MoveSyntaxError
from botequim.core.messages import msg
from botequim.games.cards.cards import CARDS, SUITS, Card, Rank, Suit, read_card, read_suit

MOST_SEATS: Final = 10
WILD: Final = (Rank.ACE, Rank.JOKER)
"""These always fit, and ask for a suit."""

Cards: TypeAlias = tuple[Card, ...]


@final
@dataclass(frozen=True)
class Deal:
    """CHANCE deals and turns up the table card. None stands for what a seat has not seen."""

    hands: tuple[Cards | None, ...]
    table: Card
    under: Cards | None = ()
    """Action cards turned before it, in their order under the pile."""


@final
@dataclass(frozen=True)
class Starter:
    """CHANCE names the seat that starts."""

    seat: int


@final
@dataclass(frozen=True)
class Discard:
    """A player discards a card. Use `discard` to create it."""

    card: Card
    suit: Suit | None = None
    """The suit asked for with an A or C; None with all other cards."""

    def __post_init__(self) -> None:
        if type(self.card) is not Card or type(self.suit) not in (Suit, type(None)):
            raise TypeError("a discard is made with a Card, and a Suit or None")


@final
@dataclass(frozen=True)
class Buy:
    """A player buys cards, which CHANCE then draws."""

    count: int

    def __post_init__(self) -> None:
        if type(self.count) is not int or abs(self.count) >= 10**9:
            raise TypeError("a number of cards is a whole number")


@final
@dataclass(frozen=True)
class Draw:
    """CHANCE draws what was just bought, or as many cards as there are. Only the buyer sees them."""

    cards: tuple[Card | None, ...]


@final
@dataclass(frozen=True)
class LostTurn:
    """The move that a refused move becomes: the turn is lost."""


@final
@dataclass(frozen=True)
class Out:
    """The move that no answer becomes, or a wrong answer to a debt: the player leaves the game."""

    debt: int = 0
    """What it owed. Others may be told that it was paid, because nobody owes it any more."""


Move: TypeAlias = Deal | Starter | Discard | Buy | Draw | LostTurn | Out

LOST: Final = LostTurn()
OUT: Final = {debt: Out(debt) for debt in (0, 2, 4)}
"""The moves by debt."""
BUYS: Final = tuple([Buy(count) for count in range(5)])
STARTERS: Final = tuple([Starter(seat) for seat in range(MOST_SEATS)])
DISCARDS: Final[tuple[tuple[Discard, ...], ...]] = tuple(
    [
        tuple([Discard(card, suit) for suit in SUITS]) if card.rank in WILD else (Discard(card),)
        for card in CARDS
    ]
)
"""The moves by the number of the card: one, or one for each suit that can be asked for."""
DRAWS: Final = tuple([Draw((card,)) for card in CARDS])
"""Draws of one card, by its number."""
UNSEEN_DRAWS: Final = tuple([Draw((None,) * count) for count in range(2 * len(CARDS) + 1)])
"""Draws as the others see them, by the number of cards."""


def discard(card: Card, suit: Suit | None = None) -> Discard:
    """Return the move. An A or C without a suit asks for its own; a suit with any other card is ignored."""
    moves = DISCARDS[card.number]
    return moves[0] if len(moves) == 1 else moves[SUITS.index(suit or card.suit)]


# --- in text ---------------------------------------------------------------------------------------

_PLAIN: Final[tuple[Move, ...]] = (LOST, *OUT.values(), *STARTERS)
_WHOLE: Final = re.compile(r"-?[0-9]{1,9}", re.ASCII)


def write(move: Move) -> str:
    if isinstance(move, Discard):
        # a record always contains the suit that is in force
        usual = discard(move.card, move.suit)
        return f"discard {usual.card}" if usual.suit is None else f"discard {usual.card} {usual.suit.value}"
    if isinstance(move, Buy):
        return f"buy {move.count}"
    if isinstance(move, Draw):
        return f"draw {_text(move.cards)}"
    if isinstance(move, Starter):
        return f"starter {move.seat}"
    if isinstance(move, LostTurn):
        return "lost"
    if isinstance(move, Out):
        return f"out owing {move.debt}" if move.debt else "out"
    parts = [_text(hand) for hand in move.hands]
    parts.append(f"table {move.table}")
    if move.under != ():
        parts.append(f"under {_text(move.under)}")
    return "deal " + " | ".join(parts)


def read(text: str) -> Move:
    words = text.split()
    verb, rest = (words[0], words[1:]) if words else ("", [])
    count = len(rest)
    if verb == "discard" and 1 <= count <= 2:
        return discard(read_card(rest[0]), read_suit(rest[1]) if count == 2 else None)
    if verb == "buy" and count == 1 and _WHOLE.fullmatch(rest[0]):
        return Buy(int(rest[0]))
    if verb == "draw" and count:
        return Draw(tuple([None if card == "?" else read_card(card) for card in rest]))
    if verb == "deal":
        return _read_deal(rest)
    for plain in _PLAIN:
        if " ".join(words) == write(plain):
            return plain
    raise MoveSyntaxError(
        msg('"{text}" is not a move of uno, such as "discard 7♣", "discard A♣ ♥" or "buy 1"', text=text)
    )


def _text(cards: Sequence[Card | None] | None) -> str:
    if cards is None:
        return "?"
    return " ".join(["?" if card is None else str(card) for card in cards])


def _read_deal(words: list[str]) -> Deal:
    parts = [part.split() for part in " ".join(words).split("|")]
    under = _read_cards(parts.pop()[1:]) if parts[-1][:1] == ["under"] else ()
    if len(parts) < 2 or len(parts[-1]) != 2 or parts[-1][0] != "table":
        raise MoveSyntaxError(
            msg('a deal is written "deal 2♥ 9♠ | V♦ 3♣ | table 8♦ | under R♠", a hand for each')
        )
    table = read_card(parts.pop()[1])
    return Deal(tuple([_read_cards(part) for part in parts]), table, under)


def _read_cards(words: list[str]) -> Cards | None:
    return None if words == ["?"] else tuple([read_card(word) for word in words])
