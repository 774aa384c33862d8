"""The tree of a knock-out: who meets whom, as far as it is known.

Matches are numbered from the top of the tree; the winners of two neighbours meet in the next round. A field
that is no power of two is filled up with nobody, whom the best seeds meet first: those are the byes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Slot: TypeAlias = int | None
"""A seed from 0, or nobody."""


@dataclass(frozen=True, slots=True)
class Match:
    """One match of the tree."""

    size: int
    """How many places its round has: 2 is the final, 4 the semi-finals."""
    number: int
    """In its round, from 1."""
    sides: tuple[Slot, Slot]
    winner: Slot
    """None while it is not known."""

    @property
    def loser(self) -> Slot:
        if self.winner is None:
            return None
        return self.sides[0] if self.sides[1] == self.winner else self.sides[1]


@dataclass(frozen=True, slots=True)
class Tree:
    """All matches of which both sides are known and neither is nobody, first rounds first."""

    matches: Sequence[Match]
    size: int
    """Of the first round: a power of two."""

    def round(self, size: int) -> list[Match]:
        return [match for match in self.matches if match.size == size]


def seeds(size: int) -> list[int]:
    """Seeds from the top of the tree: the best two can meet only in the final, the best four not before
    the semi-finals, and so on. Each first match is between seeds that add up to `size - 1`."""
    order = [0]
    while len(order) < size:
        total = 2 * len(order) - 1
        order = [seed for known in order for seed in (known, total - known)]
    return order


def tree(count: int, decide: Callable[[int, int, int, int], Slot]) -> Tree:
    """The tree of so many entrants.

    `decide(size, number, one, other)` gives the winner of a match, or None while it has none.
    """
    size = 1
    while size < count:
        size *= 2
    unknown = -1
    line: list[Slot] = [seed if seed < count else None for seed in seeds(size)]
    matches = []
    places = size
    while places > 1:
        winners: list[Slot] = []
        for number, (one, other) in enumerate(zip(line[::2], line[1::2], strict=True), start=1):
            if one is None or other is None:
                winners.append(other if one is None else one)
            elif unknown in (one, other):
                winners.append(unknown)
            else:
                winner = decide(places, number, one, other)
                matches.append(Match(places, number, (one, other), winner))
                winners.append(unknown if winner is None else winner)
        line, places = winners, places // 2
    return Tree(matches, size)
