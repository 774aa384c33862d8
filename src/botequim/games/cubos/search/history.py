"""cubos: a game as everybody saw it, turn by turn."""

from __future__ import annotations

from typing import Final, final

from botequim.core.compiling import i64, vec
from botequim.search.cubos import NUMBERS, OTHERS

PASSED: Final[i64] = -1
MOST_TURNS: Final[i64] = 128

_DEALT: Final[i64] = 0o7777
"""Seven tiles each, three bits for each seat."""


@final
class Past:
    """A game as everybody saw it, from just after the opening 6-6 on."""

    def __init__(self, opener: i64) -> None:
        self.turns: i64 = 0
        self.seat: i64 = (opener + 1) & 3
        """Who is to move."""
        self.left: i64 = 6
        self.right: i64 = 6
        self.laid: i64 = 1 << 27
        """The tiles on the table."""
        self.by: vec[i64] = vec[i64]([0] * MOST_TURNS)
        self.tile: vec[i64] = vec[i64]([0] * MOST_TURNS)
        self.covered: vec[i64] = vec[i64]([0] * MOST_TURNS)
        """The number a tile was laid on."""
        self.kept: vec[i64] = vec[i64]([0] * MOST_TURNS)
        """The other end."""
        self.table: vec[i64] = vec[i64]([0] * MOST_TURNS)
        """The tiles on the table before the turn."""
        self.voids: vec[i64] = vec[i64]([0] * MOST_TURNS)
        """Before the turn: the numbers that each seat is known to lack, seven bits for each."""
        self.sizes: vec[i64] = vec[i64]([0] * MOST_TURNS)
        """Before the turn: how many tiles each seat has, three bits for each."""
        self.shown: vec[i64] = vec[i64]([0] * MOST_TURNS)
        """Before the turn: the numbers that each seat has brought to an end of the line by a tile."""
        self.hidden: vec[i64] = vec[i64]([0] * MOST_TURNS)
        """Before the turn: the numbers that each seat has laid another upon."""
        self.lacks: i64 = 0
        self.shows: i64 = 0
        self.hides: i64 = 0
        self.held: i64 = _DEALT - (1 << (opener * 3))
        self._others: vec[i64] = OTHERS

    def lay(self, tile: i64, on_left: bool) -> None:
        """The next player lays a tile."""
        covered: i64 = self.left if on_left else self.right
        kept: i64 = self.right if on_left else self.left
        number: i64 = self._others[tile * 8 + covered]
        self._note(tile, covered, kept)
        one: i64 = 1
        self.laid |= one << tile
        self.shows |= one << (self.seat * NUMBERS + number)
        if number != covered:
            self.hides |= one << (self.seat * NUMBERS + covered)
        self.held -= one << (self.seat * 3)
        if on_left:
            self.left = number
        else:
            self.right = number
        self.seat = (self.seat + 1) & 3

    def skip(self) -> None:
        """The next player has nothing that fits."""
        self._note(PASSED, self.left, self.right)
        one: i64 = 1
        self.lacks |= (one << (self.seat * NUMBERS + self.left)) | (one << (self.seat * NUMBERS + self.right))
        self.seat = (self.seat + 1) & 3

    def _note(self, tile: i64, covered: i64, kept: i64) -> None:
        at: i64 = self.turns
        self.by[at] = self.seat
        self.tile[at] = tile
        self.covered[at] = covered
        self.kept[at] = kept
        self.table[at] = self.laid
        self.voids[at] = self.lacks
        self.shown[at] = self.shows
        self.hidden[at] = self.hides
        self.sizes[at] = self.held
        self.turns += 1

    def now(self) -> i64:
        """Note the situation of whoever is to move, as a turn that is not made yet; its number."""
        at: i64 = self.turns
        self._note(PASSED, self.left, self.right)
        self.turns = at
        return at

    def had(self, seat: i64, turn: i64) -> i64:
        """The tiles that a seat laid from a turn on: it had them then, beside those it has now."""
        tiles: i64 = 0
        one: i64 = 1
        at: i64 = turn
        while at < self.turns:
            if self.by[at] == seat and self.tile[at] >= 0:
                tiles |= one << self.tile[at]
            at += 1
        return tiles
