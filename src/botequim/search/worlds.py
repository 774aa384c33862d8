"""Hidden hands: counts, samples or lists all the ways in which the unseen tiles can be distributed.

A *holder* is a hand that is not seen, or the tiles that were not dealt. The number of tiles of each holder is
known, and for each tile the holders that may have it. The ways are counted from the last tile to the first,
by how many tiles each holder still lacks. Then a world is sampled tile by tile: each holder gets the tile
with the probability of the ways that continue from there. So every world is equally likely, and no sample is
rejected. Counts are floats: exact below 2**53, and beyond that as precise as the 53 random bits that are
used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from botequim.core.compiling import i64, vec
from botequim.search.chance import Dice


@final
class Worlds:
    """The ways to deal `tiles` (numbers below 62: their bits in a hand) to holders of the given sizes.

    `may` has for each tile the holders that may have it, as bits: 0b101 is the first or the third.
    """

    __slots__ = (
        "_bits",
        "_digits",
        "_holders",
        "_may",
        "_sizes",
        "_states",
        "_strides",
        "_ways",
        "count",
        "hands",
    )

    def __init__(self, tiles: Sequence[int], sizes: Sequence[int], may: Sequence[int]) -> None:
        if sum(sizes) != len(tiles) or len(may) != len(tiles):
            raise ValueError("the sizes of the hands must add up to the tiles, each with its holders")
        # computed here, because a compiled `1 << tile` is a 32-bit operation
        self._bits: vec[i64] = vec[i64]([1 << tile for tile in tiles])
        self._sizes: vec[i64] = vec[i64]([size for size in sizes])  # noqa: C416
        self._may: vec[i64] = vec[i64]([holders for holders in may])  # noqa: C416
        self._holders: i64 = len(sizes)
        self.hands: vec[i64] = vec[i64]([0] * len(sizes))
        """The last sampled world as bits, by holder."""
        self._strides: vec[i64] = vec[i64]([0] * len(sizes))
        self._states: i64 = self._number_states()
        self._digits: vec[i64] = vec[i64]([0] * (self._holders * self._states))
        self._ways: vec[float] = vec[float]([0.0] * ((len(tiles) + 1) * self._states))
        self._count_ways()
        self.count: float = self._ways[self._states - 1]
        """The number of worlds."""

    def _number_states(self) -> i64:
        """Number the states. A state is what all holders but the last still lack; the last one lacks the
        rest."""
        states: i64 = 1
        holder: i64 = 0
        while holder < self._holders - 1:
            self._strides[holder] = states
            states *= self._sizes[holder] + 1
            holder += 1
        return states

    def _count_ways(self) -> None:
        states = self._states
        last: i64 = self._holders - 1
        tiles: i64 = len(self._bits)
        digits, ways, strides, may = self._digits, self._ways, self._strides, self._may
        holder: i64 = 0
        state: i64 = 0
        while state < states:
            left: i64 = state
            holder = last - 1
            while holder >= 0:
                digits[holder * states + state] = left // strides[holder]
                left = left % strides[holder]
                holder -= 1
            state += 1
        ways[tiles * states] = 1.0
        tile: i64 = tiles - 1
        while tile >= 0:
            here: i64 = tile * states
            after: i64 = here + states
            allowed: i64 = may[tile]
            state = 0
            while state < states:
                lacking: i64 = tiles - tile
                total: float = 0.0
                holder = 0
                while holder < last:
                    lacks: i64 = digits[holder * states + state]
                    lacking -= lacks
                    if lacks > 0 and (allowed >> holder) & 1:
                        total += ways[after + state - strides[holder]]
                    holder += 1
                if lacking > 0 and (allowed >> last) & 1:
                    total += ways[after + state]
                if lacking >= 0 and lacking <= self._sizes[last]:
                    ways[here + state] = total
                state += 1
            tile -= 1

    def draw(self, dice: Dice) -> None:
        """Sample a world into `hands`, each with the same probability. `count` must not be 0."""
        hands, ways, may, digits = self.hands, self._ways, self._may, self._digits
        states = self._states
        last: i64 = self._holders - 1
        holder: i64 = 0
        while holder <= last:
            hands[holder] = 0
            holder += 1
        state: i64 = states - 1
        tile: i64 = 0
        tiles: i64 = len(self._bits)
        while tile < tiles:
            after: i64 = (tile + 1) * states
            left: float = dice.unit() * ways[tile * states + state]
            chosen: i64 = -1
            holder = 0
            while holder <= last:
                if (may[tile] >> holder) & 1 and (holder == last or digits[holder * states + state] > 0):
                    share: float = ways[after + state - self._strides[holder]]
                    if share > 0.0:
                        chosen = holder
                        left -= share
                        if left < 0.0:
                            break
                holder += 1
            hands[chosen] |= self._bits[tile]
            state -= self._strides[chosen]
            tile += 1

    def every(self) -> vec[i64]:
        """Return all worlds in a row: the `hands` of the first, of the second, and so on. Only for small
        counts."""
        found: vec[i64] = vec[i64]([0] * (int(self.count) * self._holders))
        self._walk(0, self._states - 1, 0, found)
        return found

    def _walk(self, tile: i64, state: i64, first: i64, found: vec[i64]) -> i64:
        """Deal the tiles from `tile` on into the worlds from `first` on; return the number of worlds."""
        states = self._states
        if tile == len(self._bits):
            return 1
        done: i64 = 0
        holder: i64 = 0
        last: i64 = self._holders - 1
        bit: i64 = self._bits[tile]
        while holder <= last:
            if (self._may[tile] >> holder) & 1 and (
                holder == last or self._digits[holder * states + state] > 0
            ):
                onward: i64 = state - self._strides[holder]
                if self._ways[(tile + 1) * states + onward] > 0.0:
                    number: i64 = self._walk(tile + 1, onward, first + done, found)
                    at: i64 = first + done
                    while at < first + done + number:
                        found[at * self._holders + holder] |= bit
                        at += 1
                    done += number
            holder += 1
        return done
