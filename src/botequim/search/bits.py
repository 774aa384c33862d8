"""Sets of tiles or cards as the bits of a word, and tables about a set of dominoes.

Tiles are numbered as in `dominoes.tiles.tile_set`: 0-0, 0-1 and so on. A tile's bit is the one with its
number. A word has at most 62 bits, because mypyc does not store larger numbers as machine words. To iterate
over a set, take its lowest bit (`word & -word`) and clear it (`word &= word - 1`) until the word is 0.
Callers write this out, because a function call would cost more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from botequim.core.compiling import i64, vec

_MOST_BITS: Final = 62
APART: Final[i64] = 67
"""A modulus that leaves a different remainder for every power of two."""


def _places() -> list[int]:
    found = [-1] * int(APART)
    for place in range(_MOST_BITS):
        found[(1 << place) % int(APART)] = place
    return found


BIT: Final = vec[i64]([i64(1 << place) for place in range(_MOST_BITS)])
"""The bit by its position. Looked up, because a compiled `1 << place` is a 32-bit operation."""
PLACE: Final = vec[i64]([i64(place) for place in _places()])
"""The position of a bit by its remainder: `PLACE[bit % APART]` is `place_of_bit(bit)` without a call.

mypyc does not inline functions of other modules, and the call is too slow for loops that list moves.
"""


def place_of_bit(bit: i64) -> i64:
    """Return the position of the only bit that is set, from 0."""
    return PLACE[bit % APART]


def count_bits(word: i64) -> i64:
    """Return the number of bits that are set. It adds up pairs, groups of four, bytes, and so on."""
    word = word - ((word >> 1) & 0x1555555555555555)
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    word = word + (word >> 8)
    word = word + (word >> 16)
    return (word + (word >> 32)) & 127


def tiles_up_to(highest: int) -> list[tuple[int, int]]:
    """Return all tiles of a set in the order of their numbers, each with its lower half first."""
    return [(low, high) for low in range(highest + 1) for high in range(low, highest + 1)]


def tiles_with(number: int, tiles: Sequence[tuple[int, int]]) -> int:
    """Return the tiles that contain a number, as bits."""
    return sum([1 << at for at, halves in enumerate(tiles) if number in halves])


def pips_of(hand: i64, pips: vec[i64]) -> i64:
    """Return the sum of the pips of a hand; `pips` has the pips of each tile."""
    total: i64 = 0
    while hand != 0:
        total += pips[PLACE[(hand & -hand) % APART]]
        hand &= hand - 1
    return total
