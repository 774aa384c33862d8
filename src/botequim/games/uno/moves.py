"""The moves of uno, and their notation. `rules.py` describes their effects."""

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
"""The ranks that always fit. Their player asks for a suit."""

Cards: TypeAlias = tuple[Card, ...]


@final
@dataclass(frozen=True)
class Deal:
    """CHANCE deals, and turns the first table card up. Cards that a seat has not seen are None."""

    hands: tuple[Cards | None, ...]
    table: Card
    under: Cards | None = ()
    """The action cards that were turned up before it, in their order under the pile."""


@final
@dataclass(frozen=True)
class Starter:
    """CHANCE chooses the seat that starts."""

    seat: int


@final
@dataclass(frozen=True)
class Discard:
    """A player discards a card. Use `discard` to create it."""

    card: Card
    suit: Suit | None = None
    """The suit that the player asks for with an A or C; None for all other cards."""

    def __post_init__(self) -> None:
        if type(self.card) is not Card or type(self.suit) not in (Suit, type(None)):
            raise TypeError("a discard is made with a Card, and a Suit or None")


@final
@dataclass(frozen=True)
class Buy:
    """A player buys cards. CHANCE then draws them."""

    count: int

    def __post_init__(self) -> None:
        if type(self.count) is not int or abs(self.count) >= 10**9:
            raise TypeError("a number of cards is a whole number")


@final
@dataclass(frozen=True)
class Draw:
    """CHANCE draws the cards that were bought, or as many as there are. Only the buyer sees them."""

    cards: tuple[Card | None, ...]


@final
@dataclass(frozen=True)
class LostTurn:
    """The move of the rules after a refused move: the player loses the turn."""


@final
@dataclass(frozen=True)
class Out:
    """The move of the rules if a player does not answer, or does not pay a debt: it is out of the game."""

    debt: int = 0
    """The debt of the player. For the other players it counts as paid, because nobody owes it any more."""


Move: TypeAlias = Deal | Starter | Discard | Buy | Draw | LostTurn | Out

LOST: Final = LostTurn()
OUT: Final = {debt: Out(debt) for debt in (0, 2, 4)}
"""The moves `Out` by debt."""
BUYS: Final = tuple([Buy(count) for count in range(5)])
STARTERS: Final = tuple([Starter(seat) for seat in range(MOST_SEATS)])
DISCARDS: Final[tuple[tuple[Discard, ...], ...]] = tuple(
    [
        tuple([Discard(card, suit) for suit in SUITS]) if card.rank in WILD else (Discard(card),)
        for card in CARDS
    ]
)
"""The moves `Discard` by the number of the card: one, or for an A or C one for each suit."""
DRAWS: Final = tuple([Draw((card,)) for card in CARDS])
"""The moves `Draw` of one card, by its number."""
UNSEEN_DRAWS: Final = tuple([Draw((None,) * count) for count in range(2 * len(CARDS) + 1)])
"""The moves `Draw` as other players see them, by the number of cards."""


def discard(card: Card, suit: Suit | None = None) -> Discard:
    """Return the move. An A or C without a suit asks for its own suit. A suit with any other card is
    ignored."""
    moves = DISCARDS[card.number]
    return moves[0] if len(moves) == 1 else moves[SUITS.index(suit or card.suit)]


# --- notation --------------------------------------------------------------------------------------

_PLAIN: Final[tuple[Move, ...]] = (LOST, *OUT.values(), *STARTERS)
_WHOLE: Final = re.compile(r"-?[0-9]{1,9}", re.ASCII)


def write(move: Move) -> str:
    if isinstance(move, Discard):
        # a record always contains the suit to follow
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
