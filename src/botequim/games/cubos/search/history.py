"""The public history of a game of cubos, turn by turn."""

from __future__ import annotations

from typing import Final, final

from botequim.core.compiling import i64, vec
from botequim.games.cubos.search.solver import NUMBERS, OTHERS

PASSED: Final[i64] = -1
MOST_TURNS: Final[i64] = 128

_DEALT: Final[i64] = 0o7777
"""Seven tiles each, three bits for each seat."""


@final
class History:
    """What everybody has seen, from just after the opening 6-6 on."""

    def __init__(self, opener: i64) -> None:
        self.turns: i64 = 0
        self.seat: i64 = (opener + 1) & 3
        """The seat that is to move."""
        self.left: i64 = 6
        self.right: i64 = 6
        self.laid: i64 = 1 << 27
        """The tiles on the table, as bits."""
        self.by: vec[i64] = vec[i64]([0] * MOST_TURNS)
        self.tile: vec[i64] = vec[i64]([0] * MOST_TURNS)
        self.covered: vec[i64] = vec[i64]([0] * MOST_TURNS)
        """By turn: the number that the tile was laid on."""
        self.kept: vec[i64] = vec[i64]([0] * MOST_TURNS)
        """By turn: the number at the other end."""
        self.table: vec[i64] = vec[i64]([0] * MOST_TURNS)
        """By turn: the tiles on the table before it."""
        self.voids: vec[i64] = vec[i64]([0] * MOST_TURNS)
        """By turn: the numbers that each seat was known to lack before it, seven bits for each."""
        self.sizes: vec[i64] = vec[i64]([0] * MOST_TURNS)
        """By turn: the number of tiles of each seat before it, three bits for each."""
        self.shown: vec[i64] = vec[i64]([0] * MOST_TURNS)
        """By turn: the numbers that each seat had brought to an end of the line before it."""
        self.hidden: vec[i64] = vec[i64]([0] * MOST_TURNS)
        """By turn: the numbers that each seat had covered before it."""
        self.lacks: i64 = 0
        self.shows: i64 = 0
        self.hides: i64 = 0
        self.held: i64 = _DEALT - (1 << (opener * 3))
        self._others: vec[i64] = OTHERS

    def lay(self, tile: i64, on_left: bool) -> None:
        """Let the seat to move lay a tile."""
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

    def pass_turn(self) -> None:
        """Let the seat to move pass, because it has no tile that fits."""
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

    def note_turn(self) -> i64:
        """Store the situation of the seat to move as a turn that is not made yet; return its number."""
        at: i64 = self.turns
        self._note(PASSED, self.left, self.right)
        self.turns = at
        return at

    def tiles_laid_since(self, seat: i64, turn: i64) -> i64:
        """Return the tiles that a seat laid from a turn on: it held them then, besides those it holds now."""
        tiles: i64 = 0
        one: i64 = 1
        at: i64 = turn
        while at < self.turns:
            if self.by[at] == seat and self.tile[at] >= 0:
                tiles |= one << self.tile[at]
            at += 1
        return tiles
