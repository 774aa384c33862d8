"""The board of fives as one word, for searches.

Four bits for the outer number of each arm (left, right, up, down; one more than the number, 0 for none), then
one bit for each arm that ends in a double, then four bits for the spinner in the same form. While there is no
spinner, left and right are the two ends of the line. An empty board is 0.

Tiles are numbered as in `games.dominoes.tiles.tile_set(6)`; a move is four times the tile's number plus the
direction.
"""

from __future__ import annotations

from typing import Final

from botequim.core.compiling import i64, vec
from botequim.search.bits import APART, BIT, PLACE, tiles_up_to, tiles_with

TILES: Final[i64] = 28
ALL: Final[i64] = (1 << 28) - 1
NO_MOVE: Final[i64] = -1
MOST_MOVES: Final[i64] = 112

_PAIRS: Final = tiles_up_to(6)
LOW: Final = vec[i64]([i64(low) for low, _ in _PAIRS])
HIGH: Final = vec[i64]([i64(high) for _, high in _PAIRS])
PIPS: Final = vec[i64]([i64(low + high) for low, high in _PAIRS])
WITH: Final = vec[i64]([i64(tiles_with(number, _PAIRS)) for number in range(7)])
"""By number: the tiles that have it."""


def nearest_five(points: i64) -> i64:
    return (points + 2) // 5 * 5


def takes(board: i64, side: i64) -> i64:
    """Return the number that a direction takes now, or -1 if it is closed, as on an empty board."""
    end: i64 = (board >> (4 * side)) & 15
    if end:
        return end - 1
    spinner: i64 = (board >> 20) - 1
    if side == 0:
        return spinner
    if board & 15 == 0 or (side > 1 and (board >> 4) & 15 == 0):
        return -1
    return spinner


def tiles_that_fit(board: i64) -> i64:
    """Return the tiles, whoever holds them, that can be laid now."""
    if board == 0:
        return ALL
    tiles: i64 = 0
    for side in range(i64(4)):
        number: i64 = takes(board, side)
        if number >= 0:
            tiles |= WITH[number]
    return tiles


def counts_for(board: i64) -> i64:
    """Return the sum of the open ends."""
    left: i64 = board & 15
    spinner: i64 = board >> 20
    if left == 0:
        return 2 * (spinner - 1) if spinner else 0
    right: i64 = (board >> 4) & 15
    if spinner == 0:
        return left - 1 + right - 1
    total: i64 = left - 1
    if (board >> 16) & 1:
        total *= 2
    if right == 0:
        return total + 2 * (spinner - 1)
    for side in range(i64(1), i64(4)):
        end: i64 = (board >> (4 * side)) & 15
        if end:
            total += (end - 1) * (1 + ((board >> (16 + side)) & 1))
    return total


def points_on(board: i64) -> i64:
    """Return the points for the tile that was just laid."""
    total: i64 = counts_for(board)
    return total if total % 5 == 0 else 0


def board_after(board: i64, move: i64) -> i64:
    """Return the board with one more tile, which must fit."""
    tile: i64 = move >> 2
    side: i64 = move & 3
    low: i64 = LOW[tile]
    high: i64 = HIGH[tile]
    if board == 0:
        if low == high:
            return (low + 1) << 20
        return (high + 1) | ((low + 1) << 4)
    spinner: i64 = board >> 20
    if spinner == 0:
        if low == high:  # the line so far becomes the left arm of the spinner
            other: i64 = (board >> 4) & 15 if side == 0 else board & 15
            return ((low + 1) << 20) | other
        end: i64 = (board >> (4 * side)) & 15
        new: i64 = low + high - (end - 1) + 1
        return (board & ~(15 << (4 * side))) | (new << (4 * side))
    outer: i64 = low + high - takes(board, side) + 1
    after: i64 = (board & ~(15 << (4 * side))) | (outer << (4 * side))
    if low == high:
        return after | (65536 << side)
    return after & ~(65536 << side)


def moves_on(board: i64, hand: i64, into: vec[i64], start: i64) -> i64:
    """Write the moves of a hand from `start` on; return where they end. Equivalent moves are written once."""
    found: i64 = start
    if board == 0:
        while hand:
            into[found] = 4 * PLACE[(hand & -hand) % APART]
            hand &= hand - 1
            found += 1
        return found
    for side in range(i64(4)):
        number: i64 = takes(board, side)
        if number < 0 or _is_repeated(board, side):
            continue
        fits: i64 = hand & WITH[number]
        while fits:
            into[found] = 4 * PLACE[(fits & -fits) % APART] + side
            fits &= fits - 1
            found += 1
    return found


def _is_repeated(board: i64, side: i64) -> bool:
    """Return whether an earlier direction is equivalent to this one."""
    end: i64 = (board >> (4 * side)) & 15
    double: i64 = (board >> (16 + side)) & 1
    for earlier in range(side):
        if (board >> (4 * earlier)) & 15 == end and (board >> (16 + earlier)) & 1 == double:
            # empty right and left arms differ, but empty upper and lower arms are equivalent
            return end > 0 or earlier > 1
    return False


def greedy_move(board: i64, hand: i64) -> i64:
    """Return the move with the most points; among equals, the heaviest tile, then the lowest number; NO_MOVE
    if no tile fits."""
    best: i64 = NO_MOVE
    best_worth: i64 = -1
    if board == 0:
        while hand:
            tile: i64 = PLACE[(hand & -hand) % APART]
            hand &= hand - 1
            worth: i64 = points_on(board_after(0, 4 * tile)) * 16 + PIPS[tile]
            if worth > best_worth:
                best_worth = worth
                best = 4 * tile
        return best
    for side in range(i64(4)):
        number: i64 = takes(board, side)
        if number < 0 or _is_repeated(board, side):
            continue
        fits: i64 = hand & WITH[number]
        while fits:
            at: i64 = PLACE[(fits & -fits) % APART]
            fits &= fits - 1
            value: i64 = points_on(board_after(board, 4 * at + side)) * 16 + PIPS[at]
            if value > best_worth:
                best_worth = value
                best = 4 * at + side
    return best


def better_for_greedy(board: i64, points: i64, pips: i64) -> i64:
    """Return the tiles that a greedy player prefers to one that scores `points` and has `pips`."""
    tiles: i64 = 0
    for tile in range(TILES):
        for side in range(i64(4)):
            if board == 0 and side > 0:
                break
            number: i64 = takes(board, side)
            if board and (number < 0 or WITH[number] & BIT[tile] == 0):
                continue
            gain: i64 = points_on(board_after(board, 4 * tile + side))
            if gain > points or (gain == points and PIPS[tile] > pips):
                tiles |= BIT[tile]
                break
    return tiles


def move_buffer() -> vec[i64]:
    """Return a vector for the moves of one turn."""
    return vec[i64]([i64(0)] * int(MOST_MOVES))
