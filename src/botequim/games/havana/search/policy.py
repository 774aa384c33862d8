"""A linear policy for havana: each move gets a score from its features, and the best one is made.

It uses only what the player can know: its own hand, the tiles on the table, and what the turns of the others
reveal. The probability that another player cannot play at two numbers is that of a random hand of the tiles
it may hold; for an opponent who has always played greedily so far, the tiles that a greedy player would have
laid are excluded too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from botequim.core.compiling import i64, vec
from botequim.games.havana.search.position import ALL, HEAVIER, HIGH, LOW, MOST_MOVES, PASS, PIPS, WITH, Table
from botequim.search.bits import BIT, count_bits, pips_of, place_of_bit
from botequim.search.chance import Dice

FEATURES: Final = (
    "pass",
    "pips",
    "double",
    "next blocked",
    "partner blocked",
    "last blocked",
    "playable",
    "nothing playable",
    "mine of new end",
    "mine of other end",
    "new end held by none of mine",
    "unseen of new end",
    "unseen of other end",
    "covers partner",
    "covers opponent",
    "covers own",
    "partner offered new end",
    "opponent offered new end",
    "equal ends",
    "pips when an opponent is near the end",
    "closes, lighter",
    "new end all mine",
    "other end all mine",
    "mine of covered end",
    "numbers left in hand",
    "next blocked, partner not",
    "partner near the end and not blocked",
    "next near the end and not blocked",
    "last near the end and not blocked",
    "pass that may close",
)
WIDTH: Final[i64] = 30
STAGES: Final[i64] = 4
_STAGE: Final = vec[i64]([0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 3])
"""By the number of tiles in the hand."""

_SIDE: Final[i64] = 46
_WINS: Final = 1000.0
"""The score of laying the last tile, which outweighs everything else."""


def _chances_of_none() -> list[float]:
    """Return, by hand size, number of possible tiles and number of tiles that fit, the probability that none
    fits."""
    table = [1.0] * (11 * 46 * 46)
    for size in range(11):
        for pool in range(46):
            for fit in range(pool + 1):
                chance = 1.0
                for at in range(min(size, pool)):
                    chance *= max(0, pool - fit - at) / (pool - at)
                table[(size * 46 + pool) * 46 + fit] = chance
    return table


_NONE: Final = vec[float](_chances_of_none())


@final
class Policy:
    """Scores moves; `weights` has a row of `WIDTH` for each stage of the game."""

    def __init__(self, weights: Sequence[float]) -> None:
        if len(weights) != WIDTH * STAGES:
            raise ValueError(f"a policy has {STAGES} rows of {WIDTH} weights")
        self.weights: vec[float] = vec[float]([float(weight) for weight in weights])
        self.moves: vec[i64] = vec[i64]([i64(0)] * int(MOST_MOVES))
        """The moves of the last table, the pass last."""
        self.features: vec[float] = vec[float]([0.0] * int(MOST_MOVES * WIDTH))
        self.values: vec[float] = vec[float]([0.0] * int(MOST_MOVES))
        self.stage: i64 = 0
        self._may: vec[i64] = vec[i64]([i64(0)] * 4)
        """By number of seats on: the tiles that a player may hold."""
        self._none: vec[i64] = vec[i64]([i64(0)] * 4)
        """The same: the offset of its probabilities in `_NONE`."""

    def look(self, table: Table) -> i64:
        """Compute the moves of the seat to move, with features and scores; return their number."""
        count: i64 = table.moves(self.moves)
        self.moves[count] = PASS
        count += 1
        self._weigh(table, count)
        return count

    def _weigh(self, table: Table, count: i64) -> None:
        self.stage = _STAGE[table.counts[table.turn]]
        self._fill(table, count)
        base: i64 = self.stage * WIDTH
        for at in range(count):
            value: float = 0.0
            row: i64 = at * WIDTH
            for column in range(WIDTH):
                value += self.features[row + column] * self.weights[base + column]
            if table.counts[table.turn] == 1 and self.moves[at] != PASS:
                value += _WINS
            self.values[at] = value

    def choose(self, table: Table) -> i64:
        """Return the best move."""
        if table.hands[table.turn] & table.fitting() == 0:
            return PASS
        return self._heaviest(self.look(table))

    def lay(self, table: Table) -> i64:
        """Return the best move that lays a tile, if there is one: for playouts, where speed matters."""
        count: i64 = table.moves(self.moves)
        if count == 0:
            return PASS
        if count == 1:
            return self.moves[0]
        self._weigh(table, count)
        return self._heaviest(count)

    def _heaviest(self, count: i64) -> i64:
        best: i64 = 0
        for at in range(i64(1), count):
            if self.values[at] > self.values[best]:
                best = at
        return self.moves[best]

    def _fill(self, table: Table, count: i64) -> None:
        """Compute the features of `count` moves."""
        seat: i64 = table.turn
        hand: i64 = table.hands[seat]
        unseen: i64 = ALL & ~table.laid & ~hand
        for other_seat in range(i64(1), i64(4)):
            place: i64 = (seat + other_seat) & 3
            may: i64 = possible(table, place, unseen, other_seat != 2)
            self._may[other_seat] = may
            self._none[other_seat] = (table.counts[place] * _SIDE + count_bits(may)) * _SIDE
        for at in range(count):
            row: i64 = at * WIDTH
            for column in range(WIDTH):
                self.features[row + column] = 0.0
            move: i64 = self.moves[at]
            rest: i64 = hand
            new: i64 = table.left
            other: i64 = table.right
            if move == PASS:
                self.features[row] = 1.0
                self.features[row + 29] = float(table.lost)
                if new < 0:
                    continue
            else:
                tile: i64 = move >> 1
                rest = hand & ~BIT[tile]
                if table.left < 0:
                    new = HIGH[tile]
                    other = LOW[tile]
                elif move & 1:
                    new = LOW[tile] + HIGH[tile] - table.right
                    other = table.left
                else:
                    new = LOW[tile] + HIGH[tile] - table.left
                self._fill_lay(table, row, move, rest, unseen, new, other)
            self._fill_blocked(table, row, WITH[new] | WITH[other])
            self._fill_rest(table, row, rest, unseen, new, other)

    def _fill_lay(
        self, table: Table, row: i64, move: i64, rest: i64, unseen: i64, new: i64, other: i64
    ) -> None:
        """Compute the features of a tile that is laid: what it leaves at its end, and what it covers."""
        features = self.features
        seat: i64 = table.turn
        tile: i64 = move >> 1
        pips: float = float(PIPS[tile]) / 18.0
        features[row + 1] = pips
        if _nearest(table) <= 3:
            features[row + 19] = pips
        if LOW[tile] == HIGH[tile]:
            features[row + 2] = 1.0
        if table.left >= 0:
            covered: i64 = table.right if move & 1 else table.left
            by: i64 = table.by_right if move & 1 else table.by_left
            if by == (seat + 2) & 3:
                features[row + 13] = 1.0
            elif by == seat:
                features[row + 15] = 1.0
            else:
                features[row + 14] = 1.0
            features[row + 23] = float(count_bits(rest & WITH[covered])) / 10.0
        of_new: i64 = count_bits(rest & WITH[new])
        left_of_new: i64 = count_bits(unseen & WITH[new])
        features[row + 8] = float(of_new) / 10.0
        if of_new == 0:
            features[row + 10] = 1.0
        elif left_of_new == 0:
            features[row + 21] = 1.0
        features[row + 11] = float(left_of_new) / 10.0
        bit: i64 = BIT[new]
        if table.offered[(seat + 2) & 3] & bit:
            features[row + 16] = 1.0
        if (table.offered[(seat + 1) & 3] | table.offered[(seat + 3) & 3]) & bit:
            features[row + 17] = 1.0
        if new == other:
            features[row + 18] = 1.0

    def _fill_blocked(self, table: Table, row: i64, fits: i64) -> None:
        """Compute the probability that each of the others cannot lay any of the tiles that fit."""
        features = self.features
        seat: i64 = table.turn
        no_after: float = _NONE[self._none[1] + count_bits(self._may[1] & fits)]
        no_partner: float = _NONE[self._none[2] + count_bits(self._may[2] & fits)]
        no_last: float = _NONE[self._none[3] + count_bits(self._may[3] & fits)]
        features[row + 3] = no_after
        features[row + 4] = no_partner
        features[row + 5] = no_last
        features[row + 25] = no_after * (1.0 - no_partner)
        if table.counts[(seat + 2) & 3] <= 2:
            features[row + 26] = 1.0 - no_partner
        if table.counts[(seat + 1) & 3] <= 2:
            features[row + 27] = 1.0 - no_after
        if table.counts[(seat + 3) & 3] <= 2:
            features[row + 28] = 1.0 - no_last

    def _fill_rest(self, table: Table, row: i64, rest: i64, unseen: i64, new: i64, other: i64) -> None:
        """Compute the features of the tiles that stay in the hand."""
        features = self.features
        fits: i64 = WITH[new] | WITH[other]
        playable: i64 = count_bits(rest & fits)
        features[row + 6] = float(playable) / 10.0
        if playable == 0:
            features[row + 7] = 1.0
            if unseen & fits == 0:
                features[row + 20] = (7.0 * float(_nearest(table)) - float(pips_of(rest, PIPS))) / 20.0
        of_other: i64 = count_bits(rest & WITH[other])
        left_of_other: i64 = count_bits(unseen & WITH[other])
        features[row + 9] = float(of_other) / 10.0
        features[row + 12] = float(left_of_other) / 10.0
        if of_other and left_of_other == 0:
            features[row + 22] = 1.0
        numbers: i64 = 0
        for number in range(i64(10)):
            if rest & WITH[number]:
                numbers += 1
        features[row + 24] = float(numbers) / 10.0


def _nearest(table: Table) -> i64:
    """Return the smaller number of tiles of the two opponents."""
    return min(table.counts[(table.turn + 1) & 3], table.counts[(table.turn + 3) & 3])


def possible(table: Table, seat: i64, unseen: i64, opponent: bool) -> i64:
    """Return the unseen tiles that a seat may hold. If its turns exclude too many, they cannot have been
    forced."""
    may: i64 = unseen & ~table.lacking[seat]
    if opponent and not (table.beyond_greed >> seat) & 1:
        greedy: i64 = may & ~table.tempted[seat]
        if count_bits(greedy) >= table.counts[seat]:
            may = greedy
    return may if count_bits(may) >= table.counts[seat] else unseen


def greedy_move(table: Table) -> i64:
    """Return the heaviest tile that fits, among equals the first, on the left if it fits both ends."""
    hand: i64 = table.hands[table.turn] & table.fitting()
    if hand == 0:
        return PASS
    best: i64 = -1
    while hand:
        tile: i64 = place_of_bit(hand & -hand)
        hand &= HEAVIER[PIPS[tile]]
        best = tile
    return _on_the_left(table, best)


def any_move(table: Table, dice: Dice) -> i64:
    """Return a random tile that fits, on the left if it fits both ends."""
    hand: i64 = table.hands[table.turn] & table.fitting()
    if hand == 0:
        return PASS
    for _ in range(dice.below(count_bits(hand))):
        hand &= hand - 1
    return _on_the_left(table, place_of_bit(hand & -hand))


def _on_the_left(table: Table, tile: i64) -> i64:
    if table.left < 0 or (WITH[table.left] >> tile) & 1:
        return tile * 2
    return tile * 2 + 1
