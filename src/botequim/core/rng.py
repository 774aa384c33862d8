"""Chance that is the same on every Python.

The generator underneath is the standard library's Mersenne Twister, whose raw bits never change;
what is built on the bits (`below`, `shuffled`, `choice`) is ours, because the library's own is not
promised from one version to the next.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")


class Rng:
    """A seeded generator. The seed is a text, so that a record can say it."""

    __slots__ = ("_bits", "seed")

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self._bits = random.Random(int.from_bytes(sha256(seed.encode()).digest())).getrandbits

    def below(self, n: int) -> int:
        """A fair whole number from 0 to `n - 1`."""
        width = n.bit_length()
        value = self._bits(width)
        while value >= n:
            value = self._bits(width)
        return value

    def choice(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """A new list of the same items in a fair random order."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            other = self.below(last + 1)
            result[last], result[other] = result[other], result[last]
        return result


def derive(seed: str, *path: object) -> str:
    """The seed of a part: `derive("7", "deal", 3)` is `"7/deal/3"`."""
    return "/".join([seed, *map(str, path)])
