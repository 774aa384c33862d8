"""Sets of tiles or cards as the bits of a word, and the tables of a set of dominoes.

Tiles are numbered as `games.tiles.tile_set` has them, 0-0, 0-1 and so on: the bit of a tile is its number's.
A word has room for 62, because larger numbers are not machine words to the compiler. Whoever goes through a
set takes the lowest bit of it (`word & -word`) and drops that (`word &= word - 1`) until nothing is left:
this is written out where it is needed, for it is no longer than a call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from botequim.core.compiling import i64, vec

_MOST_BITS: Final = 62
APART: Final[i64] = 67
"""Divided by it, every power of two leaves something else."""


def _places() -> list[int]:
    found = [-1] * int(APART)
    for place in range(_MOST_BITS):
        found[(1 << place) % int(APART)] = place
    return found


BIT: Final = vec[i64]([i64(1 << place) for place in range(_MOST_BITS)])
"""By place. Looked up, because a compiled `1 << place` is done in 32 bits."""
PLACE: Final = vec[i64]([i64(place) for place in _places()])
"""By what a bit leaves when divided by APART: `PLACE[bit % APART]` is `place_of_bit(bit)` without a call.

The compiler builds no function of another module into a loop, and those that list moves feel a call.
"""


def place_of_bit(bit: i64) -> i64:
    """Where the only bit that is set stands, from 0."""
    return PLACE[bit % APART]


def count_bits(word: i64) -> i64:
    """How many are set: summed up in pairs, in fours, in bytes, and all."""
    word = word - ((word >> 1) & 0x1555555555555555)
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    word = word + (word >> 8)
    word = word + (word >> 16)
    return (word + (word >> 32)) & 127


def tiles_up_to(highest: int) -> list[tuple[int, int]]:
    """All tiles of a set by their numbers, each with its lower half first."""
    return [(low, high) for low in range(highest + 1) for high in range(low, highest + 1)]


def tiles_with(number: int, tiles: Sequence[tuple[int, int]]) -> int:
    """The tiles of a set that have a number, as bits."""
    return sum([1 << at for at, halves in enumerate(tiles) if number in halves])


def pips_of(hand: i64, pips: vec[i64]) -> i64:
    """The sum of all numbers in a hand; `pips` has it by tile."""
    total: i64 = 0
    while hand != 0:
        total += pips[PLACE[(hand & -hand) % APART]]
        hand &= hand - 1
    return total
