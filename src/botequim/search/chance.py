"""A fast random generator for searches: the same numbers compiled and uncompiled, on every machine.

It is Marsaglia's xorshift with four words of 32 bits. It uses shifts only, so nothing can overflow. Deals
that others must be able to reproduce come from `core.rng`; this generator serves searches and is seeded from
that one.
"""

from __future__ import annotations

from typing import Final, final

from botequim.core.compiling import i64, vec
from botequim.core.rng import Rng

_WORD: Final[i64] = 0xFFFFFFFF
_PARTS: Final = 1.0 / (1 << 53)


@final
class Dice:
    """A generator with a state of four words, not all of them 0."""

    __slots__ = ("_w", "_x", "_y", "_z")

    def __init__(self, x: i64, y: i64, z: i64, w: i64) -> None:
        self._x: i64 = x & _WORD
        self._y: i64 = y & _WORD
        self._z: i64 = z & _WORD
        self._w: i64 = (w & _WORD) | 1

    def word(self) -> i64:
        """Return 32 random bits."""
        mixed: i64 = self._x ^ ((self._x << 11) & _WORD)
        self._x = self._y
        self._y = self._z
        self._z = self._w
        self._w = self._w ^ (self._w >> 19) ^ mixed ^ (mixed >> 8)
        return self._w

    def below(self, n: i64) -> i64:
        """Return an integer from 0 to `n - 1` for a small n, with a bias of at most n / 2**32."""
        return (self.word() * n) >> 32

    def unit(self) -> float:
        """Return a float from 0 up to but not including 1, with 53 random bits."""
        high: i64 = self.word() >> 5
        low: i64 = self.word() >> 6
        return float(high * 67108864 + low) * _PARTS

    def shuffle(self, row: vec[i64], first: i64, end: i64) -> None:
        """Shuffle the items from `first` up to but not including `end`."""
        while end - first > 1:
            other: i64 = first + self.below(end - first)
            end -= 1
            kept: i64 = row[end]
            row[end] = row[other]
            row[other] = kept


def dice(rng: Rng) -> Dice:
    """Return a fast generator that is seeded by a slow one."""
    return Dice(rng.below(1 << 32), rng.below(1 << 32), rng.below(1 << 32), rng.below(1 << 32))
