"""Searches one round of fives with all hands open, for the probability of winning the game.

All moves are searched to a depth, then both players play greedily to the end of the round. An opponent who is
assumed to be greedy has only one move in each turn, which makes the search deep at little cost. There is no
choice in drawing, because the order of the boneyard is part of the world.
"""

from __future__ import annotations

from typing import Final, final

from botequim.core.compiling import i64, vec
from botequim.games.fives.search.board import (
    NO_MOVE,
    PIPS,
    board_after,
    greedy_move,
    moves_on,
    nearest_five,
    points_on,
    tiles_that_fit,
)
from botequim.games.fives.search.standing import HIGHEST_DOUBLE, I_OPEN, Standings
from botequim.search.bits import BIT, pips_of

DEEPEST: Final = 60
ROOM: Final = 64
"""The largest number of moves in one turn: 21 tiles on up to three different ends, less those that are
played."""


@final
class Round:
    """A world: all hands, and the boneyard in the order in which it will be drawn."""

    def __init__(self, standings: Standings) -> None:
        self._standings: Standings = standings
        self.yard: vec[i64] = vec[i64]([i64(0)] * 28)
        self.yard_size: i64 = 0
        self.nodes: i64 = 0
        self.limit: i64 = 0
        """After so many nodes the rest of the round is played out greedily."""
        self.greedy: bool = False
        """Whether the opponent always takes the most points."""
        self._room: vec[i64] = vec[i64]([i64(0)] * (ROOM * DEEPEST))

    def worth(
        self, board: i64, mine: i64, theirs: i64, my_score: i64, their_score: i64, move: i64, depth: i64
    ) -> float:
        """Return my probability of winning the game if I make this move with a tile that I hold."""
        return self._after(
            board, mine, theirs, my_score, their_score, i64(0), depth + 1, 0.0, 1.0, True, i64(-1), move
        )

    def _search(
        self,
        board: i64,
        hand: i64,
        other: i64,
        score: i64,
        other_score: i64,
        drawn: i64,
        passed: bool,
        depth: i64,
        alpha: float,
        beta: float,
        me: bool,
        level: i64,
    ) -> float:
        """Return the probability for the player to move, who holds `hand`.

        This stays one function: one more call at each node, with so many arguments, costs 7 % of the speed.
        """
        self.nodes += 1
        fits: i64 = tiles_that_fit(board)
        while hand & fits == 0:
            if drawn == self.yard_size:
                if passed:
                    return self._locked(hand, other, score, other_score)
                low: float = 1.0 - beta
                high: float = 1.0 - alpha
                return 1.0 - self._search(
                    board, other, hand, other_score, score, drawn, True, depth, low, high, not me, level
                )
            hand |= BIT[self.yard[drawn]]
            drawn += 1
        if depth <= 0 or self.nodes >= self.limit:
            return self._played_out(board, hand, other, score, other_score, drawn)
        move: i64 = NO_MOVE
        if self.greedy and not me:
            move = greedy_move(board, hand)
            return self._after(
                board, hand, other, score, other_score, drawn, depth, alpha, beta, me, level, move
            )
        start: i64 = level * ROOM
        stop: i64 = self._order_moves(board, hand, start)
        best: float = -1.0
        for at in range(start, stop):
            move = self._room[at] & 127
            least: float = max(alpha, best)
            value: float = self._after(
                board, hand, other, score, other_score, drawn, depth, least, beta, me, level, move
            )
            if value > best:
                best = value
                if best >= beta:
                    break
        return best

    def _after(
        self,
        board: i64,
        hand: i64,
        other: i64,
        score: i64,
        other_score: i64,
        drawn: i64,
        depth: i64,
        alpha: float,
        beta: float,
        me: bool,
        level: i64,
        move: i64,
    ) -> float:
        """Return the probability for the player who makes this move."""
        board = board_after(board, move)
        hand &= ~BIT[move >> 2]
        score += points_on(board)
        if hand == 0:
            return self._standings.chance(score + nearest_five(pips_of(other, PIPS)), other_score, I_OPEN)
        low: float = 1.0 - beta
        high: float = 1.0 - alpha
        return 1.0 - self._search(
            board, other, hand, other_score, score, drawn, False, depth - 1, low, high, not me, level + 1
        )

    def _order_moves(self, board: i64, hand: i64, start: i64) -> i64:
        """List the moves from `start` on, those with the most points first."""
        stop: i64 = moves_on(board, hand, self._room, start)
        for at in range(start, stop):
            self._room[at] += points_on(board_after(board, self._room[at])) * 128
        for at in range(start + 1, stop):
            one: i64 = self._room[at]
            place: i64 = at
            while place > start and self._room[place - 1] < one:
                self._room[place] = self._room[place - 1]
                place -= 1
            self._room[place] = one
        return stop

    def _played_out(
        self, board: i64, hand: i64, other: i64, score: i64, other_score: i64, drawn: i64
    ) -> float:
        """Return the probability for the player to move if both play greedily from here on."""
        turned: bool = False
        passed: bool = False
        while True:
            move: i64 = greedy_move(board, hand)
            while move == NO_MOVE and drawn < self.yard_size:
                hand |= BIT[self.yard[drawn]]
                drawn += 1
                move = greedy_move(board, hand)
            if move == NO_MOVE:
                if passed:
                    value: float = self._locked(hand, other, score, other_score)
                    return 1.0 - value if turned else value
                passed = True
            else:
                passed = False
                board = board_after(board, move)
                hand &= ~BIT[move >> 2]
                score += points_on(board)
                if hand == 0:
                    won: float = self._standings.chance(
                        score + nearest_five(pips_of(other, PIPS)), other_score, I_OPEN
                    )
                    return 1.0 - won if turned else won
            hand, other = other, hand
            score, other_score = other_score, score
            turned = not turned

    def _locked(self, hand: i64, other: i64, score: i64, other_score: i64) -> float:
        more: i64 = pips_of(other, PIPS) - pips_of(hand, PIPS)
        if more > 0:
            score += nearest_five(more)
        else:
            other_score += nearest_five(-more)
        return self._standings.chance(score, other_score, HIGHEST_DOUBLE)
