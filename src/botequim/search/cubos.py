"""cubos with all hands open: who wins if everybody plays as well as can be?

A tile is a number from 0 (0-0) to 27 (6-6), and a bit of a hand. The owner of each tile is fixed in a world, so
a position is nothing but the tiles that are left, the two ends of the line and who is to move. Passes are never
positions: whoever cannot play is skipped, and a blocked game is seen when the tile that blocks it is laid.

The search asks for one goal at a time (at least a draw; a win), so every answer is yes or no. A table remembers
the answers of one world; its entries carry the world's stamp, so that it never has to be emptied.
"""

from __future__ import annotations

from typing import Final, final

from botequim.core.compiling import i64, vec

NUMBERS: Final[i64] = 7
TILES: Final[i64] = 28
LOSS: Final[i64] = 0
DRAW: Final[i64] = 1
WIN: Final[i64] = 2

_LOWS: Final = [low for low in range(7) for high in range(low, 7)]
_HIGHS: Final = [high for low in range(7) for high in range(low, 7)]
_DE_BRUIJN: Final[i64] = 0x077CB531
_WORD: Final[i64] = 0xFFFFFFFF
_TABLE_BITS: Final[i64] = 16
_SLOTS: Final[i64] = 1 << 16
_STAMPS: Final[i64] = 1 << 23
_MOST_MOVES: Final[i64] = 16


def fitting() -> vec[i64]:
    """By number, the tiles that have it."""
    return vec[i64](
        [sum(1 << tile for tile in range(28) if number in (_LOWS[tile], _HIGHS[tile])) for number in range(7)]
    )


def others() -> vec[i64]:
    """By tile and number: what is on the other half of a tile that has the number. (tile * 8 + number)"""
    return vec[i64](
        [
            (_HIGHS[tile] if _LOWS[tile] == number else _LOWS[tile]) if tile < 28 else 0
            for tile in range(28)
            for number in range(8)
        ]
    )


def weights() -> vec[i64]:
    """By tile, its pips."""
    return vec[i64]([_LOWS[tile] + _HIGHS[tile] for tile in range(28)])


def places() -> vec[i64]:
    """Which bit of a word of 32 is set, by the top five bits of its product with the sequence."""
    found = [0] * 32
    for bit in range(32):
        found[(((1 << bit) * 0x077CB531) & 0xFFFFFFFF) >> 27] = bit
    return vec[i64](found)


@final
class Solver:
    """Solves positions of one world after another."""

    def __init__(self, points_decide: bool) -> None:
        self._points: bool = points_decide
        self._fits: vec[i64] = fitting()
        self._others: vec[i64] = others()
        self._pips: vec[i64] = weights()
        self._places: vec[i64] = places()
        self._table: vec[i64] = vec[i64]([0] * _SLOTS)
        self._stamp: i64 = 0
        self._own: vec[i64] = vec[i64]([0] * 4)
        self._team: i64 = 0
        self._goal: i64 = 0
        self.nodes: i64 = 0
        """Positions looked at so far."""

    def world(self, first: i64, second: i64, third: i64, fourth: i64, team: i64) -> None:
        """The hands of seats 0 to 3, and the team (0 or 1) that is asked about."""
        own = self._own
        own[0] = first
        own[1] = second
        own[2] = third
        own[3] = fourth
        self._team = team
        self._stamp += 1
        if self._stamp == _STAMPS:
            self._stamp = 1
            at: i64 = 0
            while at < _SLOTS:
                self._table[at] = 0
                at += 1

    def after(self, tile: i64, covered: i64, kept: i64, player: i64) -> i64:
        """What the team gets when `player` lays `tile` on the end `covered`, the other end being `kept`."""
        own = self._own
        bit: i64 = 1
        left: i64 = (own[0] | own[1] | own[2] | own[3]) & ~(bit << tile)
        shown: i64 = self._others[tile * 8 + covered]
        if not self._points:
            self._goal = DRAW
            if not self._reached(left, shown, kept, player):
                return LOSS
        self._goal = WIN
        if self._reached(left, shown, kept, player):
            return WIN
        return LOSS if self._points else DRAW

    def _reached(self, left: i64, end: i64, other: i64, laid_by: i64) -> bool:
        """Whether the goal is reached from where `laid_by` has just laid a tile."""
        own = self._own
        team: i64 = self._team
        if left & own[laid_by] == 0:
            return (laid_by & 1) == team
        fits: i64 = self._fits[end] | self._fits[other]
        if left & fits == 0:
            return self._blocked(left, laid_by)
        player: i64 = (laid_by + 1) & 3
        while left & own[player] & fits == 0:
            player = (player + 1) & 3
        return self._reaches(left, end, other, player)

    def _blocked(self, left: i64, laid_by: i64) -> bool:
        if not self._points:
            return self._goal == DRAW
        own = self._own
        difference: i64 = self._sum(left & (own[0] | own[2])) - self._sum(left & (own[1] | own[3]))
        if difference == 0:
            return (laid_by & 1) != self._team
        return (difference < 0) == (self._team == 0)

    def _sum(self, tiles: i64) -> i64:
        total: i64 = 0
        while tiles != 0:
            bit: i64 = tiles & -tiles
            total += self._pips[self._places[((bit * _DE_BRUIJN) & _WORD) >> 27]]
            tiles ^= bit
        return total

    def _reaches(self, left: i64, end: i64, other: i64, player: i64) -> bool:
        """Whether the goal is reached from a position in which `player` can play."""
        self.nodes += 1
        own = self._own
        fits = self._fits
        low: i64 = end
        high: i64 = other
        if low > high:
            low = other
            high = end
        key: i64 = (((left * 8 + low) * 8 + high) * 4 + player) * 2 + self._goal - 1
        slot: i64 = (
            (left * 0x2545F491) ^ (low * 0x1B873593) ^ (high * 0x3C6EF372) ^ (player * 0x05EBCA6B)
        ) >> 7
        slot = (slot ^ (slot >> 17) ^ self._goal) & (_SLOTS - 1)
        entry: i64 = self._table[slot]
        mark: i64 = (self._stamp << 37) | key
        if entry >> 1 == mark:
            return (entry & 1) == 1
        ours: bool = (player & 1) == self._team
        hand: i64 = left & own[player]
        answer: bool = not ours
        # first what leaves the next player without a tile that fits, then all else
        first: i64 = hand & fits[low]
        second: i64 = hand & fits[high]
        if low == high:
            second = 0
        following: i64 = left & own[(player + 1) & 3]
        partner: i64 = left & own[(player + 2) & 3]
        phase: i64 = 0
        while phase < 3:
            side: i64 = 0
            while side < 2:
                tiles: i64 = first if side == 0 else second
                covered: i64 = low if side == 0 else high
                kept: i64 = high if side == 0 else low
                while tiles != 0:
                    bit: i64 = tiles & -tiles
                    tiles ^= bit
                    tile: i64 = self._places[((bit * _DE_BRUIJN) & _WORD) >> 27]
                    shown: i64 = self._others[tile * 8 + covered]
                    open_now: i64 = fits[shown] | fits[kept]
                    rank: i64 = 2
                    if following & open_now == 0:
                        rank = 0
                    elif partner & open_now & ~bit != 0 and hand & open_now & ~bit != 0:
                        rank = 1
                    if rank == phase:
                        if self._reached(left ^ bit, shown, kept, player) == ours:
                            answer = ours
                            phase = 9
                            side = 9
                            break
                side += 1
            phase += 1
        self._table[slot] = (mark << 1) | (1 if answer else 0)
        return answer
