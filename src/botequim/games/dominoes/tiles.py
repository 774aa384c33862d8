"""Domino tiles and deals: the values that domino games share."""

from __future__ import annotations

import re
from typing import Final, NamedTuple, TypeAlias, final

from botequim.core.errors import MoveSyntaxError
from botequim.core.messages import Message, msg
from botequim.core.rng import Rng


class Tile(NamedTuple):
    """A tile in a hand, lower number first: 3-6, never 6-3."""

    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.low}-{self.high}"


def require_tile(tile: object) -> None:
    """Raise TypeError unless this is a `Tile`. Equal values such as (3, 6) are refused too, and 3.0-6."""
    if type(tile) is not Tile or type(tile[0]) is not int or type(tile[1]) is not int:
        raise TypeError("a move is made with a Tile of two whole numbers")


Hand: TypeAlias = tuple[Tile, ...]


@final
class Deal:
    """CHANCE deals. Hands are by seat; in the events of a seat, the hands of others are None."""

    __slots__ = ("hands",)
    __match_args__ = ("hands",)

    def __init__(self, hands: tuple[Hand | None, ...]) -> None:
        self.hands: Final = hands

    def __str__(self) -> str:
        hands = ["?" if hand is None else " ".join([str(tile) for tile in hand]) for hand in self.hands]
        return "deal " + " | ".join(hands)

    def __repr__(self) -> str:
        return f"Deal({self})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Deal) and self.hands == other.hands

    def __hash__(self) -> int:
        return hash(self.hands)

    def __reduce__(self) -> tuple[type[Deal], tuple[object, ...]]:
        return Deal, (self.hands,)

    def seen_by(self, seat: int | None) -> Deal:
        """Return the deal as one seat sees it. Seat None, a spectator, sees no hand."""
        hands: list[Hand | None] = [None for _ in self.hands]
        if seat is not None:
            hands[seat] = self.hands[seat]
        return Deal(tuple(hands))


_TILE: Final = re.compile(r"([0-9])-([0-9])", re.ASCII)


def tile_set(highest: int) -> tuple[Tile, ...]:
    """Return all tiles from 0-0 to `highest`-`highest`."""
    return tuple(Tile(low, high) for low in range(highest + 1) for high in range(low, highest + 1))


def read_tile(text: str, highest: int) -> Tile:
    """Return the tile of a text such as `3-6` or `6-3`."""
    found = _TILE.fullmatch(text)
    if found is not None:
        low, high = sorted((int(found[1]), int(found[2])))
        if high <= highest:
            return Tile(low, high)
    raise MoveSyntaxError(
        msg('"{text}" is not a tile from 0-0 to {highest}-{highest}', text=text, highest=highest)
    )


def pips(hand: Hand) -> int:
    """Return the sum of all numbers in a hand."""
    total = 0
    for tile in hand:
        total += tile.low + tile.high
    return total


def read_deal(text: str, highest: int) -> Deal:
    """Return the deal of the text after the word `deal`: `0-1 3-6 | ? | ...`."""
    hands: list[Hand | None] = []
    for part in text.split("|"):
        words = part.split()
        hands.append(None if words == ["?"] else tuple([read_tile(word, highest) for word in words]))
    return Deal(tuple(hands))


def random_deal(rng: Rng, tiles: tuple[Tile, ...], *, seats: int, size: int) -> Deal:
    """Return a deal of these tiles in random order."""
    shuffled = rng.shuffled(tiles)
    return Deal(tuple([tuple(shuffled[seat * size : (seat + 1) * size]) for seat in range(seats)]))


def check_deal(move: object, tiles: tuple[Tile, ...], *, seats: int, size: int) -> Message | None:
    """Return why a move of CHANCE is not a deal of these tiles, or None."""
    if not isinstance(move, Deal):
        return msg("the tiles must be dealt first")
    hands = move.hands
    if [len(hand or ()) for hand in hands] != [size] * seats:
        return msg("a deal gives {size} tiles to each of {seats} seats", size=size, seats=seats)
    if len({tile for hand in hands for tile in hand or ()}.intersection(tiles)) != size * seats:
        return msg("a deal holds no tile twice")
    return None


def place_of(tile: Tile, hand: Hand) -> int:
    """Return the index of a tile in a hand, or -1."""
    # tiles are mostly identical objects, and comparing identities is faster than comparing numbers
    for at in range(len(hand)):
        if hand[at] is tile:
            return at
    return hand.index(tile) if tile in hand else -1


def without_tile(hand: Hand, tile: Tile) -> Hand:
    """Return a hand without one of its tiles."""
    at = place_of(tile, hand)
    return hand[:at] + hand[at + 1 :]


def without(hands: tuple[Hand, ...], seat: int, tile: Tile) -> tuple[Hand, ...]:
    """Return the hands after a seat has laid one of its tiles."""
    hand = hands[seat]
    rest = without_tile(hand, tile)
    return tuple(rest if other is hand else other for other in hands)
