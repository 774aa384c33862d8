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
_A: Final[i64] = 1
_B: Final[i64] = 1
_C: Final[i64] = 3
_D: Final[i64] = 1
_E: Final[i64] = 4


def _fitting() -> list[int]:
    has = [(low, high) for low, high in zip(_LOWS, _HIGHS, strict=True)]
    return [sum(1 << tile for tile in range(28) if number in has[tile]) for number in range(7)]


def _others() -> list[int]:
    return [
        _HIGHS[tile] if _LOWS[tile] == number else _LOWS[tile] for tile in range(28) for number in range(8)
    ]


def _places() -> list[int]:
    found = [0] * 32
    for bit in range(32):
        found[(((1 << bit) * 0x077CB531) & 0xFFFFFFFF) >> 27] = bit
    return found


FITTING: Final[vec[i64]] = vec[i64](_fitting())
"""By number, the tiles that have it."""
OTHERS: Final[vec[i64]] = vec[i64](_others())
"""By tile and number (tile * 8 + number): what is on the other half of a tile that has the number."""
PIPS: Final[vec[i64]] = vec[i64]([low + high for low, high in zip(_LOWS, _HIGHS, strict=True)])
"""By tile."""
PLACES: Final[vec[i64]] = vec[i64](_places())
"""Which bit is the only one set, by the top five of 32 bits of its product with a de Bruijn sequence."""
COUNT: Final[vec[i64]] = vec[i64]([int(half).bit_count() for half in range(1 << 14)])
"""How many of fourteen bits are set: there is no quicker way to count."""


@final
class Solver:
    """Solves positions of one world after another."""

    def __init__(self, points_decide: bool) -> None:
        self._points: bool = points_decide
        # a row of one's own is found faster than one of the module
        self._fits: vec[i64] = FITTING
        self._others: vec[i64] = OTHERS
        self._pips: vec[i64] = PIPS
        self._places: vec[i64] = PLACES
        self._count: vec[i64] = COUNT
        self._moves: vec[i64] = vec[i64]([0] * (TILES * _MOST_MOVES))
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
            if not self._reached(left, shown, kept, player, 0):
                return LOSS
        self._goal = WIN
        if self._reached(left, shown, kept, player, 0):
            return WIN
        return LOSS if self._points else DRAW

    def _reached(self, left: i64, end: i64, other: i64, laid_by: i64, depth: i64) -> bool:
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
        return self._reaches(left, end, other, player, depth)

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

    def _reaches(self, left: i64, end: i64, other: i64, player: i64, depth: i64) -> bool:
        """Whether the goal is reached from a position in which `player` can play."""
        self.nodes += 1
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
        answer: bool = not ours
        moves = self._moves
        first: i64 = depth * _MOST_MOVES
        last: i64 = self._listed(left, low, high, player, first)
        while last > first:
            # the most promising of those that are left
            best: i64 = first
            at: i64 = first + 1
            while at < last:
                if moves[at] > moves[best]:
                    best = at
                at += 1
            move: i64 = moves[best]
            last -= 1
            moves[best] = moves[last]
            tile: i64 = (move >> 1) & 31
            covered: i64 = low
            kept: i64 = high
            if move & 1:
                covered = high
                kept = low
            bit: i64 = 1
            shown: i64 = self._others[tile * 8 + covered]
            if self._reached(left & ~(bit << tile), shown, kept, player, depth + 1) == ours:
                answer = ours
                break
        self._table[slot] = (mark << 1) | (1 if answer else 0)
        return answer

    def _listed(self, left: i64, low: i64, high: i64, player: i64, at: i64) -> i64:
        """Write down the moves from `at` on, the more promising the greater; where they end."""
        own, fits, moves, count = self._own, self._fits, self._moves, self._count
        hand: i64 = left & own[player]
        following: i64 = left & own[(player + 1) & 3]
        partner: i64 = left & own[(player + 2) & 3]
        before: i64 = left & own[(player + 3) & 3]
        side: i64 = 0
        tiles: i64 = hand & fits[low]
        covered: i64 = low
        kept: i64 = high
        while True:
            while tiles != 0:
                bit: i64 = tiles & -tiles
                tiles ^= bit
                tile: i64 = self._places[((bit * _DE_BRUIJN) & _WORD) >> 27]
                fit: i64 = fits[self._others[tile * 8 + covered]] | fits[kept]
                theirs: i64 = following & fit
                rest: i64 = before & fit
                ours: i64 = partner & fit
                mine: i64 = (hand ^ bit) & fit
                score: i64 = 64 + _A * (count[mine & 16383] + count[mine >> 14])
                score += _B * (count[ours & 16383] + count[ours >> 14])
                score -= _C * (count[theirs & 16383] + count[theirs >> 14])
                score -= _D * (count[rest & 16383] + count[rest >> 14])
                if theirs == 0:
                    score += _E
                moves[at] = (score << 6) | (tile << 1) | side
                at += 1
            if side == 1 or low == high:
                return at
            side = 1
            tiles = hand & fits[high]
            covered = high
            kept = low
