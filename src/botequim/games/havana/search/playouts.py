"""havana by playouts: hidden hands are drawn, and every move is played out in each of these worlds.

Hands are filled one after another from the tiles that each seat may hold. A world that comes about so is
not as likely as any other, but it is known how likely it was: so each counts as much as it came too seldom,
which is as fair as drawing them all alike, and a hundred times quicker than counting them. A world also
says whether the opponents are greedy, as long as nothing they did speaks against it.
"""

from __future__ import annotations

from typing import Final, final

from botequim.core.compiling import i64, vec
from botequim.search.bits import count_bits, place_of_bit
from botequim.search.chance import Dice
from botequim.search.havana import ALL, MOST_MOVES, TILES, UNKNOWN, Table
from botequim.search.havana_policy import Policy, greedy_move

LIKE_GREED: Final = 0.7
"""How often a player who is not greedy lays what a greedy one would."""
_WIDE: Final[i64] = 46


def _ways() -> list[float]:
    """By row: in how many ways some of so many tiles can be taken."""
    rows = [[0.0] * 46 for _ in range(46)]
    for pool in range(46):
        rows[pool][0] = 1.0
        for taken in range(1, pool + 1):
            rows[pool][taken] = rows[pool - 1][taken - 1] + rows[pool - 1][taken]
    return [one for row in rows for one in row]


_WAYS: Final = vec[float](_ways())


@final
class Playouts:
    """Thinks about one table at a time, as the seat that is to move there sees it."""

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
        """By kind of opponents and move: the shares of wins, each as heavy as its world."""
        self._weights: vec[float] = vec[float]([0.0] * 2)
        """By kind of opponents: of its worlds. There are far more of one kind, so they are not added up."""
        self._held: vec[float] = vec[float]([0.0] * int(2 * TILES * 4))
        """By kind, tile and seat: the weight of the worlds in which the seat holds it."""
        self.greed: float = 0.0
        """How likely the opponents are greedy."""

    def begin(self, table: Table) -> None:
        """Forget the last table and look at this one. Moves are in the order of the policy, the pass last."""
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
        """That the opponents are greedy: a pair is of one kind."""
        one: i64 = (table.turn + 1) & 3
        other: i64 = (table.turn + 3) & 3
        if (table.beyond_greed >> one) & 1 or (table.beyond_greed >> other) & 1:
            return 0.0
        odds: float = 1.0
        for _ in range(20 - table.counts[one] - table.counts[other]):
            odds *= LIKE_GREED
        return 1.0 / (1.0 + odds)

    def think(self, worlds: i64) -> None:
        """Play out every move in so many worlds more."""
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
        """That a move wins, a tie counting as half."""
        return self._over_kinds(self._sums, at, MOST_MOVES)

    def believed(self, tile: i64, seat: i64) -> float:
        """That a seat holds a tile."""
        return self._over_kinds(self._held, tile * 4 + seat, TILES * 4)

    def _over_kinds(self, row: vec[float], at: i64, step: i64) -> float:
        """The mean over the worlds of each kind, and of both as likely as they are."""
        if self._weights[0] == 0.0:
            return row[step + at] / self._weights[1]
        usual: float = row[at] / self._weights[0]
        if self._weights[1] == 0.0:
            return usual
        return self.greed * row[step + at] / self._weights[1] + (1.0 - self.greed) * usual

    def _draw(self, greedy: bool) -> float:
        """New hands for the others; how much this world counts."""
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
        """What they showed cannot all have been of need: any hands, then."""
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
        """So many of these tiles, by chance."""
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
