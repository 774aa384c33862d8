"""A random generator with the same results on every machine and in every version, and easy to implement.

The stream of a seed is the SHA-512 of `seed`, a line feed and 0, then the same with 1, 2, and so on. A random
number below n is read from this stream: as many bytes as n - 1 has, the highest first, of which only as many
low bits are kept as n - 1 has. This is repeated until the number is below n. So if the digest of a seed is
published before a competition and the seed after it, everybody can verify all deals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha512
from typing import Final, TypeVar, final

T = TypeVar("T")

_MASKS: Final = bytes([(1 << most.bit_length()) - 1 for most in range(256)])
"""The mask of the low bits, for each largest number below 256."""


@final
class Rng:
    """A seeded generator. The seed is a text, so that a record can contain it."""

    __slots__ = ("_at", "_block", "_blocks", "seed")

    def __init__(self, seed: str) -> None:
        self.seed: Final = seed
        self._blocks = 0
        self._block = b""
        self._at = 0

    def below(self, n: int) -> int:
        """Return a fair random integer from 0 to `n - 1`."""
        if n < 1:
            raise ValueError(f"there is no whole number from 0 to {n - 1}")
        most = n - 1
        if most < 256:
            mask = _MASKS[most]
            value = self._byte() & mask if mask else 0
            while value > most:
                value = self._byte() & mask
            return value
        mask = (1 << most.bit_length()) - 1
        while True:
            value, rest = 0, mask
            while rest:
                value = value << 8 | self._byte()
                rest >>= 8
            value &= mask
            if value <= most:
                return value

    def choice(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """Return a new list of the items in a fair random order (Fisher-Yates, from the end)."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            other = self.below(last + 1)
            result[last], result[other] = result[other], result[last]
        return result

    def _byte(self) -> int:
        if self._at == len(self._block):
            # a seed from a command line may contain a lone surrogate
            text = f"{self.seed}\n{self._blocks}".encode("utf-8", "surrogatepass")
            self._block = sha512(text).digest()
            self._blocks += 1
            self._at = 0
        self._at += 1
        return self._block[self._at - 1]


def private(seed: str, *path: object) -> str:
    """Return a seed for one player. It is derived from the game's seed, but does not reveal it."""
    return sha512(f"private\n{derive(seed, *path)}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def derive(seed: str, *path: object) -> str:
    """Return the seed of a part: `derive("7", "deal", 3)` is `"7/deal/3"`."""
    return "/".join([seed, *map(str, path)])
