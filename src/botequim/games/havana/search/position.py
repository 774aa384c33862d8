"""The rules of havana on bits, changed in place, and what every seat has revealed by its turns.

Tiles are numbered as in `games.dominoes.tiles.tile_set(9)`. A move is twice the tile's number, plus 1 for the
right end; PASS lays nothing. The first tile is always laid on the left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from botequim.core.compiling import i64, vec
from botequim.search.bits import APART, BIT, PLACE, count_bits, pips_of, tiles_up_to, tiles_with

NUMBERS: Final[i64] = 10
TILES: Final[i64] = 55
SEATS: Final[i64] = 4
HAND_SIZE: Final[i64] = 10
PASS: Final[i64] = 110
ALL: Final[i64] = (1 << 55) - 1
MOST_MOVES: Final[i64] = 21
"""Ten tiles on two ends, and the pass."""
UNKNOWN: Final[i64] = -1

_PAIRS: Final = tiles_up_to(9)
LOW: Final = vec[i64]([i64(low) for low, _ in _PAIRS])
HIGH: Final = vec[i64]([i64(high) for _, high in _PAIRS])
PIPS: Final = vec[i64]([i64(low + high) for low, high in _PAIRS])
WITH: Final = vec[i64]([i64(tiles_with(number, _PAIRS)) for number in range(10)])
"""By number: the tiles that have it."""
HEAVIER: Final = vec[i64](
    [i64(sum([1 << at for at, pair in enumerate(_PAIRS) if sum(pair) > pips])) for pips in range(19)]
)
"""By pips: the tiles that have more."""


@final
class Table:
    """One game with all hands open, and what the turns reveal to those who do not see the hands."""

    __slots__ = (
        "beyond_greed",
        "by_left",
        "by_right",
        "counts",
        "hands",
        "lacking",
        "laid",
        "left",
        "lost",
        "offered",
        "right",
        "tempted",
        "turn",
        "winner",
    )

    def __init__(self) -> None:
        self.hands: vec[i64] = vec[i64]([i64(0)] * 4)
        self.counts: vec[i64] = vec[i64]([i64(0)] * 4)
        self.lacking: vec[i64] = vec[i64]([i64(0)] * 4)
        """By seat: tiles that it did not hold when it lost a turn, if that was forced."""
        self.tempted: vec[i64] = vec[i64]([i64(0)] * 4)
        """By seat: tiles that a greedy player would have preferred."""
        self.offered: vec[i64] = vec[i64]([i64(0)] * 4)
        """By seat: a bit for each number that it has put at an end."""
        self.beyond_greed: i64 = 0
        """A bit for each seat that has made a move that a greedy player would not make."""
        self.laid: i64 = 0
        self.left: i64 = UNKNOWN
        self.right: i64 = UNKNOWN
        self.by_left: i64 = UNKNOWN
        """The seat that laid the tile at the left end."""
        self.by_right: i64 = UNKNOWN
        self.turn: i64 = 0
        self.lost: i64 = 0
        """The number of turns lost in a row."""
        self.winner: i64 = UNKNOWN
        """The pair that has won, 0 or 1; 2: a tie."""

    def deal(self, first: i64, one: i64, two: i64, three: i64, four: i64) -> None:
        """Start a new game with these hands."""
        self.hands[0] = one
        self.hands[1] = two
        self.hands[2] = three
        self.hands[3] = four
        for seat in range(i64(4)):
            self.counts[seat] = count_bits(self.hands[seat])
            self.lacking[seat] = 0
            self.tempted[seat] = 0
            self.offered[seat] = 0
        self.beyond_greed = 0
        self.laid = 0
        self.left = UNKNOWN
        self.right = UNKNOWN
        self.by_left = UNKNOWN
        self.by_right = UNKNOWN
        self.turn = first
        self.lost = 0
        self.winner = UNKNOWN

    def deal_own(self, first: i64, seat: i64, hand: i64) -> None:
        """Start a new game as one seat sees it: only the sizes of the other hands are known."""
        self.deal(first, 0, 0, 0, 0)
        self.hands[seat] = hand
        for other in range(SEATS):
            self.counts[other] = HAND_SIZE

    def copy(self, other: Table) -> None:
        for seat in range(i64(4)):
            self.hands[seat] = other.hands[seat]
            self.counts[seat] = other.counts[seat]
            self.lacking[seat] = other.lacking[seat]
            self.tempted[seat] = other.tempted[seat]
            self.offered[seat] = other.offered[seat]
        self.beyond_greed = other.beyond_greed
        self.laid = other.laid
        self.left = other.left
        self.right = other.right
        self.by_left = other.by_left
        self.by_right = other.by_right
        self.turn = other.turn
        self.lost = other.lost
        self.winner = other.winner

    def fitting(self) -> i64:
        """Return the tiles, whoever holds them, that can be laid now."""
        if self.left < 0:
            return ALL
        return WITH[self.left] | WITH[self.right]

    def moves(self, into: vec[i64]) -> i64:
        """Write the lays of the seat to move, in the order of tiles, left first; return their number."""
        found: i64 = 0
        hand: i64 = self.hands[self.turn] & self.fitting()
        on_left: i64 = ALL if self.left < 0 else WITH[self.left]
        on_right: i64 = 0 if self.left < 0 else WITH[self.right]
        while hand:
            bit: i64 = hand & -hand
            hand ^= bit
            tile: i64 = PLACE[bit % APART]
            if on_left & bit:
                into[found] = tile * 2
                found += 1
            if on_right & bit:
                into[found] = tile * 2 + 1
                found += 1
        return found

    def play(self, move: i64) -> None:
        """Play one turn."""
        seat: i64 = self.turn
        if move == PASS:
            self.lacking[seat] |= self.fitting()
            self.lost += 1
            if self.lost == SEATS:
                self._close()
            self.turn = (seat + 1) & 3
            return
        tile: i64 = move >> 1
        bit: i64 = BIT[tile]
        self.lost = 0
        self.hands[seat] &= ~bit
        self.counts[seat] -= 1
        self.laid |= bit
        if self.tempted[seat] & bit:
            self.beyond_greed |= BIT[seat]
        if self.lacking[seat] & bit:  # its pass was voluntary: what it lacks is not known
            self.lacking[seat] = 0
        self.tempted[seat] |= self.fitting() & HEAVIER[PIPS[tile]]
        self._lay(seat, tile, move & 1)
        if self.counts[seat] == 0:
            self.winner = seat & 1
        self.turn = (seat + 1) & 3

    def _lay(self, seat: i64, tile: i64, side: i64) -> None:
        low: i64 = LOW[tile]
        high: i64 = HIGH[tile]
        if self.left < 0:
            self.left = high
            self.right = low
            self.by_left = seat
            self.by_right = seat
            self.offered[seat] |= BIT[low] | BIT[high]
        elif side == 0:
            self.left = low + high - self.left
            self.by_left = seat
            self.offered[seat] |= BIT[self.left]
        else:
            self.right = low + high - self.right
            self.by_right = seat
            self.offered[seat] |= BIT[self.right]

    def _close(self) -> None:
        even: i64 = min(pips_of(self.hands[0], PIPS), pips_of(self.hands[2], PIPS))
        odd: i64 = min(pips_of(self.hands[1], PIPS), pips_of(self.hands[3], PIPS))
        self.winner = 2 if even == odd else 0 if even < odd else 1


def mask_of(tiles: Sequence[tuple[int, int]]) -> int:
    mask = 0
    for low, high in tiles:
        mask |= 1 << tile_number(low, high)
    return mask


def tile_number(low: int, high: int) -> int:
    """Return the index of a tile in the set."""
    return low * 10 - low * (low - 1) // 2 + high - low


def table_of(
    seat: int,
    hand: Sequence[tuple[int, int]],
    history: Sequence[tuple[int, tuple[int, ...], object, tuple[int, ...] | None]],
) -> Table:
    """Return the game as the seat to move has seen it, from the history that players are given."""
    own = [(tile[0], tile[1]) for by, _, _, tile in history if by == seat and tile is not None]
    table = Table()
    table.deal_own(history[0][0] if history else seat, seat, mask_of([*hand, *own]))
    for _, ends, side, tile in history:
        if tile is None:
            table.play(PASS)
            continue
        on_right = len(ends) > 0 and side != 0
        if len(ends) > 0 and ends[1 if on_right else 0] not in tile:
            on_right = not on_right
        table.play(2 * tile_number(tile[0], tile[1]) + (1 if on_right else 0))
    return table


def room() -> vec[i64]:
    """Return a vector for the moves of one turn."""
    return vec[i64]([i64(0)] * int(MOST_MOVES))
