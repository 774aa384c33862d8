"""Trains the policy of havana: every move of a turn is played out from the same deal, and the policy learns
from the differences.

The deal is the true one, which the policy does not see. Over many deals this averages out, and what remains
is the value of a move for a player who sees no more than the policy does.
"""

from __future__ import annotations

import math
from typing import Final, final

from botequim.core.compiling import i64, vec
from botequim.games.havana.search.policy import STAGES, WIDTH, Policy, any_move, greedy_move
from botequim.games.havana.search.position import TILES, UNKNOWN, Table
from botequim.search.bits import BIT
from botequim.search.chance import Dice

GREEDY: Final[i64] = 0
DUMMY: Final[i64] = 1
LIKE_ME: Final[i64] = 2


@final
class School:
    """Deals, plays and collects the gradient of a policy's expected wins."""

    def __init__(self, policy: Policy, rival: Policy, dice: Dice, warmth: float) -> None:
        self.policy: Policy = policy
        self.rival: Policy = rival
        self._eyes: Policy = Policy([0.0] * int(WIDTH * STAGES))
        self._dice: Dice = dice
        self._warmth: float = warmth
        self.gradient: vec[float] = vec[float]([0.0] * int(WIDTH * STAGES))
        self._table: Table = Table()
        self._after: Table = Table()
        self._pack: vec[i64] = vec[i64]([i64(tile) for tile in range(int(TILES))])
        self._chances: vec[float] = vec[float]([0.0] * 21)
        self._results: vec[float] = vec[float]([0.0] * 21)

    def deal(self, table: Table) -> None:
        hands = vec[i64]([i64(0)] * 4)
        for at in range(i64(40)):
            other: i64 = at + self._dice.below(TILES - at)
            tile: i64 = self._pack[other]
            self._pack[other] = self._pack[at]
            self._pack[at] = tile
            hands[at // 10] |= BIT[tile]
        table.deal(self._dice.below(4), hands[0], hands[1], hands[2], hands[3])

    def play_out(self, table: Table, team: i64, rivals: i64) -> float:
        """Play to the end, `team` by the policy; return its share of the win."""
        while table.winner == UNKNOWN:
            table.play(self._chosen(table, team, rivals))
        return 0.5 if table.winner == 2 else 1.0 if table.winner == team else 0.0

    def _chosen(self, table: Table, team: i64, rivals: i64) -> i64:
        """Return the move that the policy, or rivals of that kind, make now."""
        if table.turn & 1 == team:
            return self.policy.choose(table)
        if rivals == GREEDY:
            return greedy_move(table)
        if rivals == DUMMY:
            return any_move(table, self._dice)
        return self.rival.choose(table)

    def match(self, deals: i64, rivals: i64) -> float:
        """Return the policy's share of wins, each deal from both sides."""
        total: float = 0.0
        for _ in range(deals):
            self.deal(self._table)
            self._after.copy(self._table)
            total += self.play_out(self._after, 0, rivals)
            self._after.copy(self._table)
            total += self.play_out(self._after, 1, rivals)
        return total / float(2 * deals)

    def lesson(self, games: i64, rivals: i64, astray: float, looked_at: float) -> None:
        """Play games in which some turns are examined and some moves are random."""
        table = self._table
        for _ in range(games):
            self.deal(table)
            team: i64 = self._dice.below(2)
            while table.winner == UNKNOWN:
                mine: bool = table.turn & 1 == team
                if mine and table.hands[table.turn] & table.fitting() and self._dice.unit() < looked_at:
                    self._look_at(table, team, rivals)
                if self._dice.unit() < astray:
                    table.play(any_move(table, self._dice))
                else:
                    table.play(self._chosen(table, team, rivals))

    def _look_at(self, table: Table, team: i64, rivals: i64) -> None:
        eyes = self._eyes
        eyes.weights = self.policy.weights
        count: i64 = eyes.look(table)
        best: float = eyes.values[0]
        for at in range(count):
            best = max(best, eyes.values[at])
        total: float = 0.0
        for at in range(count):
            self._chances[at] = math.exp((eyes.values[at] - best) * self._warmth)
            total += self._chances[at]
        expected: float = 0.0
        differ: bool = False
        for at in range(count):
            self._chances[at] /= total
            self._after.copy(table)
            self._after.play(eyes.moves[at])
            self._results[at] = self.play_out(self._after, team, rivals)
            expected += self._results[at] * self._chances[at]
            if self._results[at] != self._results[0]:
                differ = True
        if not differ:
            return
        base: i64 = eyes.stage * WIDTH
        for at in range(count):
            gain: float = self._chances[at] * (self._results[at] - expected)
            row: i64 = at * WIDTH
            for column in range(WIDTH):
                self.gradient[base + column] += gain * eyes.features[row + column]
