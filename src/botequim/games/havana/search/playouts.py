"""Playouts for havana: samples hidden hands, and plays every move out in each of these worlds.

Hands are filled one after another from the tiles that each seat may hold. Such a sample is not uniform, but
its probability is known, so each world is weighted by the inverse of it (importance sampling). That is as
fair as uniform sampling, and a hundred times faster than counting all worlds. A world also contains whether
the opponents are greedy, as long as their moves allow it.
"""

from __future__ import annotations

from typing import Final, final

from botequim.core.compiling import i64, vec
from botequim.games.havana.search.policy import Policy, greedy_move
from botequim.games.havana.search.position import ALL, MOST_MOVES, TILES, UNKNOWN, Table
from botequim.search.bits import count_bits, place_of_bit
from botequim.search.chance import Dice

LIKE_GREED: Final = 0.7
"""The probability that a player who is not greedy makes the move of a greedy one."""
_WIDE: Final[i64] = 46


def _ways() -> list[float]:
    """Return a table of binomial coefficients, row by row."""
    rows = [[0.0] * 46 for _ in range(46)]
    for pool in range(46):
        rows[pool][0] = 1.0
        for taken in range(1, pool + 1):
            rows[pool][taken] = rows[pool - 1][taken - 1] + rows[pool - 1][taken]
    return [one for row in rows for one in row]


_WAYS: Final = vec[float](_ways())


@final
class Playouts:
    """Evaluates one table at a time, from the view of the seat that is to move there."""

    def __init__(self, policy: Policy, rival: Policy, dice: Dice) -> None:
        self._policy: Policy = policy
        self._rival: Policy = rival
        self._dice: Dice = dice
        self._world: Table = Table()
        self._play: Table = Table()
        self._bits: vec[i64] = vec[i64]([i64(0)] * int(TILES))
        self.moves: vec[i64] = vec[i64]([i64(0)] * int(MOST_MOVES))
        self.count: i64 = 0
        self._sums: vec[float] = vec[float]([0.0] * int(2 * MOST_MOVES))
        """By kind of opponents and move: the weighted shares of wins."""
        self._weights: vec[float] = vec[float]([0.0] * 2)
        """By kind of opponents: the weight of its worlds. The kinds are kept apart, because one has far more
        worlds."""
        self._held: vec[float] = vec[float]([0.0] * int(2 * TILES * 4))
        """By kind, tile and seat: the weight of the worlds in which the seat holds the tile."""
        self.greed: float = 0.0
        """The probability that the opponents are greedy."""

    def begin(self, table: Table) -> None:
        """Start with a new table. Moves are in the order of the policy, the pass last."""
        self._world.copy(table)
        self.count = self._policy.look(table)
        for at in range(self.count):
            self.moves[at] = self._policy.moves[at]
        for at in range(2 * MOST_MOVES):
            self._sums[at] = 0.0
        for place in range(2 * TILES * 4):
            self._held[place] = 0.0
        self._weights[0] = 0.0
        self._weights[1] = 0.0
        self.greed = self._likely_greedy(table)

    def _likely_greedy(self, table: Table) -> float:
        """Return the probability that the opponents are greedy; both are of the same kind."""
        one: i64 = (table.turn + 1) & 3
        other: i64 = (table.turn + 3) & 3
        if (table.beyond_greed >> one) & 1 or (table.beyond_greed >> other) & 1:
            return 0.0
        odds: float = 1.0
        for _ in range(20 - table.counts[one] - table.counts[other]):
            odds *= LIKE_GREED
        return 1.0 / (1.0 + odds)

    def think(self, worlds: i64) -> None:
        """Play out every move in `worlds` more worlds."""
        seat: i64 = self._world.turn
        for _ in range(worlds):
            greedy: bool = self._dice.unit() < self.greed
            weight: float = self._draw(greedy)
            kind: i64 = 1 if greedy else 0
            self._weights[kind] += weight
            for at in range(self.count):
                self._play.copy(self._world)
                self._play.play(self.moves[at])
                self._sums[kind * MOST_MOVES + at] += weight * self._play_out(seat & 1, greedy)
            for other in range(i64(1), i64(4)):
                place: i64 = (seat + other) & 3
                hand: i64 = self._world.hands[place]
                while hand:
                    tile: i64 = place_of_bit(hand & -hand)
                    self._held[(kind * TILES + tile) * 4 + place] += weight
                    hand &= hand - 1

    def chance(self, at: i64) -> float:
        """Return the probability that a move wins; a tie counts as half a win."""
        return self._over_kinds(self._sums, at, MOST_MOVES)

    def belief(self, tile: i64, seat: i64) -> float:
        """Return the probability that a seat holds a tile."""
        return self._over_kinds(self._held, tile * 4 + seat, TILES * 4)

    def _over_kinds(self, row: vec[float], at: i64, step: i64) -> float:
        """Return the mean over the worlds of each kind, weighted by the probabilities of the kinds."""
        if self._weights[0] == 0.0:
            return row[step + at] / self._weights[1]
        usual: float = row[at] / self._weights[0]
        if self._weights[1] == 0.0:
            return usual
        return self.greed * row[step + at] / self._weights[1] + (1.0 - self.greed) * usual

    def _draw(self, greedy: bool) -> float:
        """Sample new hands for the others; return the weight of this world."""
        for _ in range(i64(20)):
            weight: float = self._try(greedy)
            if weight > 0.0:
                return weight
        return self._anything()

    def _try(self, greedy: bool) -> float:
        world = self._world
        seat: i64 = world.turn
        left: i64 = ALL & ~world.laid & ~world.hands[seat]
        weight: float = 1.0
        for other in range(i64(1), i64(4)):
            place: i64 = (seat + other) & 3
            may: i64 = left & ~world.lacking[place]
            if greedy and other != 2:
                may &= ~world.tempted[place]
            pool: i64 = count_bits(may)
            size: i64 = world.counts[place]
            if pool < size:
                return 0.0
            weight *= _WAYS[pool * _WIDE + size]
            hand: i64 = self._some(may, pool, size)
            world.hands[place] = hand
            left &= ~hand
        return weight

    def _anything(self) -> float:
        """Sample any hands: the turns seen cannot all have been forced."""
        world = self._world
        seat: i64 = world.turn
        left: i64 = ALL & ~world.laid & ~world.hands[seat]
        for other in range(i64(1), i64(4)):
            place: i64 = (seat + other) & 3
            hand: i64 = self._some(left, count_bits(left), world.counts[place])
            world.hands[place] = hand
            left &= ~hand
        return 1.0

    def _some(self, may: i64, pool: i64, size: i64) -> i64:
        """Sample `size` of these tiles."""
        bits = self._bits
        at: i64 = 0
        while may:
            bits[at] = may & -may
            may &= may - 1
            at += 1
        hand: i64 = 0
        for place in range(size):
            other: i64 = place + self._dice.below(pool - place)
            hand |= bits[other]
            bits[other] = bits[place]
        return hand

    def _play_out(self, team: i64, greedy: bool) -> float:
        table = self._play
        while table.winner == UNKNOWN:
            if table.turn & 1 == team:
                table.play(self._policy.lay(table))
            elif greedy:
                table.play(greedy_move(table))
            else:
                table.play(self._rival.lay(table))
        return 0.5 if table.winner == 2 else 1.0 if table.winner == team else 0.0
