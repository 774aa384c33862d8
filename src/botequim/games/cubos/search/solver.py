"""Solves cubos with all hands open: who wins if everybody plays perfectly?

A tile is a number from 0 (0-0) to 27 (6-6), and a bit of a hand. In a world the owner of each tile is fixed,
so a position consists of the tiles that are left, the two ends of the line and the seat to move. A pass is
never a position: seats that cannot play are skipped, and a blocked game is detected when the tile that blocks
it is laid.

The search tests one goal at a time (at least a draw; a win), so every answer is yes or no. A transposition
table stores the lower and upper bound of each position of one world. Its entries carry the number of the
world, so it never has to be cleared.
"""

from __future__ import annotations

from typing import Final, final

from botequim.core.compiling import i64, vec
from botequim.search.bits import pips_of, place_of_bit, tiles_up_to, tiles_with

NUMBERS: Final[i64] = 7
TILES: Final[i64] = 28
LOSS: Final[i64] = 0
DRAW: Final[i64] = 1
WIN: Final[i64] = 2

_PAIRS: Final = tiles_up_to(6)
_SLOTS: Final[i64] = 1 << 16
_STAMPS: Final[i64] = 1 << 23
_MOST_MOVES: Final[i64] = 16


def _fitting() -> list[int]:
    return [tiles_with(number, _PAIRS) for number in range(7)]


def _others() -> list[int]:
    return [high if low == number else low for low, high in _PAIRS for number in range(8)]


FITTING: Final[vec[i64]] = vec[i64](_fitting())
"""By number: the tiles that have it."""
EITHER: Final[vec[i64]] = vec[i64](
    [
        _fitting()[one] | _fitting()[other] if one < 7 and other < 7 else 0
        for one in range(8)
        for other in range(8)
    ]
)
"""By two numbers (one * 8 + other): the tiles that have either."""
OTHERS: Final[vec[i64]] = vec[i64](_others())
"""By tile and number (tile * 8 + number): the other half of a tile that has the number."""
AFTER: Final[vec[i64]] = vec[i64](
    [
        _fitting()[_others()[tile * 8 + covered]] | _fitting()[kept] if covered < 7 and kept < 7 else 0
        for tile in range(28)
        for covered in range(8)
        for kept in range(8)
    ]
)
"""By tile, the number it covers and the other end (tile * 64 + covered * 8 + kept): the tiles that fit next.
"""
PIPS: Final[vec[i64]] = vec[i64]([low + high for low, high in _PAIRS])
"""By tile."""


@final
class Solver:
    """Solves positions, one world after another."""

    def __init__(self, points_decide: bool) -> None:
        self.points: bool = points_decide
        # an attribute is faster to access than a global of the module
        self._either: vec[i64] = EITHER
        self._after: vec[i64] = AFTER
        self._others: vec[i64] = OTHERS
        self._pips: vec[i64] = PIPS
        self._moves: vec[i64] = vec[i64]([0] * (TILES * _MOST_MOVES))
        self._table: vec[i64] = vec[i64]([0] * _SLOTS)
        self._stamp: i64 = 0
        self._own: vec[i64] = vec[i64]([0] * 4)
        self._team: i64 = 0
        self._goal: i64 = 0
        self.nodes: i64 = 0
        """Positions visited so far."""

    def set_world(self, first: i64, second: i64, third: i64, fourth: i64, team: i64) -> None:
        """Set the hands of seats 0 to 3, and the team (0 or 1) whose result is computed."""
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

    def result_of(self, tile: i64, covered: i64, kept: i64, player: i64) -> i64:
        """Return the team's result if `player` lays `tile` on the end `covered`; the other end is `kept`."""
        own = self._own
        bit: i64 = 1
        left: i64 = (own[0] | own[1] | own[2] | own[3]) & ~(bit << tile)
        shown: i64 = self._others[tile * 8 + covered]
        if not self.points:
            self._goal = DRAW
            if not self._reaches_after(left, shown, kept, player, 0):
                return LOSS
        self._goal = WIN
        if self._reaches_after(left, shown, kept, player, 0):
            return WIN
        return LOSS if self.points else DRAW

    def _reaches_after(self, left: i64, end: i64, other: i64, laid_by: i64, depth: i64) -> bool:
        """Return whether the goal is reached after `laid_by` has laid a tile."""
        if left & self._own[laid_by] == 0:
            return (laid_by & 1) == self._team
        ends: i64 = end * 8 + other
        left_fit: i64 = left & self._either[ends]
        if left_fit == 0:
            return self._blocked(left, laid_by)
        player: i64 = (laid_by + 1) & 3
        while left_fit & self._own[player] == 0:
            player = (player + 1) & 3
        return self._reaches(left, end, other, player, depth)

    def _blocked(self, left: i64, laid_by: i64) -> bool:
        if not self.points:
            return self._goal == DRAW
        own = self._own
        even: i64 = pips_of(left & (own[0] | own[2]), self._pips)
        difference: i64 = even - pips_of(left & (own[1] | own[3]), self._pips)
        if difference == 0:
            return (laid_by & 1) != self._team
        return (difference < 0) == (self._team == 0)

    def _reaches(self, left: i64, end: i64, other: i64, player: i64, depth: i64) -> bool:
        """Return whether the goal is reached from a position in which `player` can play."""
        self.nodes += 1
        low: i64 = end
        high: i64 = other
        if low > high:
            low = other
            high = end
        key: i64 = ((left * 8 + low) * 8 + high) * 4 + player
        slot: i64 = (left * 0x2545F491) ^ (low * 0x1B873593) ^ (high * 0x3C6EF372) ^ (player * 0x05EBCA6B)
        slot = ((slot >> 7) ^ (slot >> 24)) & (_SLOTS - 1)
        entry: i64 = self._table[slot]
        mark: i64 = (self._stamp << 36) | key
        sure: i64 = LOSS
        most: i64 = WIN
        if entry >> 4 == mark:
            sure = (entry >> 2) & 3
            most = entry & 3
            if self._goal <= sure:
                return True
            if self._goal > most:
                return False
        ours: bool = (player & 1) == self._team
        answer: bool = not ours
        first: i64 = depth * _MOST_MOVES
        last: i64 = self._list_moves(left, low, high, player, first)
        while last > first:
            move: i64 = self._take_best(first, last)
            last -= 1
            tile: i64 = (move >> 1) & 31
            covered: i64 = low
            kept: i64 = high
            if move & 1:
                covered = high
                kept = low
            bit: i64 = 1
            turned: i64 = tile * 8 + covered
            shown: i64 = self._others[turned]
            if self._reaches_after(left & ~(bit << tile), shown, kept, player, depth + 1) == ours:
                answer = ours
                break
        if answer:
            sure = self._goal
        else:
            most = self._goal - 1
        entry = (mark << 4) | (sure << 2) | most
        self._table[slot] = entry
        return answer

    def _take_best(self, first: i64, last: i64) -> i64:
        """Return the most promising move from `first` to before `last`; the last one takes its place."""
        best: i64 = first
        move: i64 = self._moves[first]
        at: i64 = first + 1
        while at < last:
            rival: i64 = self._moves[at]
            if rival > move:
                move = rival
                best = at
            at += 1
        at -= 1
        rival = self._moves[at]
        self._moves[best] = rival
        return move

    def _list_moves(self, left: i64, low: i64, high: i64, player: i64, at: i64) -> i64:
        """Write the moves from `at` on, with more promising ones as larger numbers; return where they end.

        A move is promising if it leaves the next player few tiles that fit, ideally none, and the team many.
        """
        other: i64 = (player + 1) & 3
        hand: i64 = left & self._own[player]
        following: i64 = left & self._own[other]
        other = (player + 2) & 3
        team: i64 = hand | (left & self._own[other])
        side: i64 = 0
        covered: i64 = low
        kept: i64 = high
        ends: i64 = low * 9
        tiles: i64 = hand & self._either[ends]
        while True:
            while tiles != 0:
                bit: i64 = tiles & -tiles
                tiles ^= bit
                tile: i64 = place_of_bit(bit)
                laid: i64 = tile * 64 + covered * 8 + kept
                fit: i64 = self._after[laid]
                # counts both at once, each in its half of the word
                ones: i64 = ((team ^ bit) & fit) | ((following & fit) << 32)
                ones -= (ones >> 1) & 0x0555555555555555
                ones = (ones & 0x0333333333333333) + ((ones >> 2) & 0x0333333333333333)
                ones = (ones + (ones >> 4)) & 0x0F0F0F0F0F0F0F0F
                ones += ones >> 8
                ones += ones >> 16
                theirs: i64 = (ones >> 32) & 63
                score: i64 = 64 + (ones & 63) - 3 * theirs
                if theirs == 0:
                    score += 4
                move: i64 = (score << 6) | (tile << 1) | side
                self._moves[at] = move
                at += 1
            if side == 1 or low == high:
                return at
            side = 1
            ends = high * 9
            tiles = hand & self._either[ends]
            covered = high
            kept = low
