"""The tree of a knock-out bracket, as far as it is known.

Matches are numbered from the top of the tree; the winners of two neighbours meet in the next round. If the
number of entrants is not a power of two, the best seeds have byes in the first round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Slot: TypeAlias = int | None
"""A seed from 0; None for a bye or an unknown entrant."""


@dataclass(frozen=True, slots=True)
class Match:
    """One match of the tree."""

    size: int
    """The number of places in its round: 2 is the final, 4 the semi-finals."""
    number: int
    """The number in its round, from 1."""
    sides: tuple[Slot, Slot]
    winner: Slot
    """None if the match is not decided."""

    @property
    def loser(self) -> Slot:
        if self.winner is None:
            return None
        return self.sides[0] if self.sides[1] == self.winner else self.sides[1]


@dataclass(frozen=True, slots=True)
class Tree:
    """All matches of two known entrants, first rounds first."""

    matches: Sequence[Match]
    size: int
    """The number of places in the first round, a power of two."""

    def round(self, size: int) -> list[Match]:
        return [match for match in self.matches if match.size == size]


def seeds(size: int) -> list[int]:
    """Return the seeds from the top of the tree.

    The best two can meet only in the final, the best four not before the semi-finals, and so on. Each first
    match is between seeds that add up to `size - 1`.
    """
    order = [0]
    while len(order) < size:
        total = 2 * len(order) - 1
        order = [seed for better in order for seed in (better, total - better)]
    return order


def tree(count: int, decide: Callable[[int, int, int, int], Slot]) -> Tree:
    """Return the tree of so many entrants.

    `decide(size, number, one, other)` returns the winner of a match, or None if it is not decided.
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
