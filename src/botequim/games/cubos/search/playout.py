"""Plays games of cubos to their end. Each seat uses only what it would see."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Final, final

from botequim.core.compiling import i64, vec
from botequim.games.cubos.search.history import History
from botequim.games.cubos.search.policy import ANYTHING, GREEDY, PAIRED, MoveModel
from botequim.games.cubos.search.solver import DRAW, LOSS, PIPS, WIN
from botequim.search.bits import pips_of
from botequim.search.chance import Dice

GOES_ON: Final[i64] = -1
_SEATS: Final[i64] = 4


def result(past: History, hands: vec[i64], passes: i64, points_decide: bool) -> i64:
    """Return how the game ended for seats 0 and 2, or GOES_ON; `passes` counts the last passes in a row."""
    last: i64 = (past.seat + 3) & 3
    if hands[last] == 0:
        return WIN if last & 1 == 0 else LOSS
    if passes < _SEATS:
        return GOES_ON
    if not points_decide:
        return DRAW
    difference: i64 = pips_of(hands[0] | hands[2], PIPS) - pips_of(hands[1] | hands[3], PIPS)
    if difference == 0:
        # all four passed: the seat that laid the last tile loses
        return LOSS if last & 1 == 0 else WIN
    return WIN if difference < 0 else LOSS


def outcome(past: History, hands: Sequence[int], passes: int, points_decide: bool) -> int:
    """Return the same for hands in a list."""
    return result(past, vec[i64]([hand for hand in hands]), passes, points_decide)  # noqa: C416


@final
class Playouts:
    """Plays on from a `History`, and restores it afterwards."""

    def __init__(
        self, past: History, searcher: MoveModel, pair: MoveModel, dice: Dice, points_decide: bool
    ) -> None:
        """`searcher` and `pair` are the models of these kinds of players."""
        self._past: History = past
        self._searcher: MoveModel = searcher
        self._pair: MoveModel = pair
        self._dice: Dice = dice
        self._points: bool = points_decide
        self.hands: vec[i64] = vec[i64]([0] * 4)
        """By seat: the hands of the next game. Playing changes them."""
        self.kinds: vec[i64] = vec[i64]([0] * 4)
        """By seat: the kind of player."""

    def play(self, move: i64) -> i64:
        """Make a move (twice the tile's number, plus 1 on the right) and play on to the end.

        Return how the game ends for seats 0 and 2.
        """
        past = self._past
        turns: i64 = past.turns
        seat: i64 = past.seat
        left: i64 = past.left
        right: i64 = past.right
        laid: i64 = past.laid
        lacks: i64 = past.lacks
        held: i64 = past.held
        shows: i64 = past.shows
        hides: i64 = past.hides
        one: i64 = 1
        self.hands[seat] &= ~(one << (move >> 1))
        past.lay(move >> 1, move & 1 == 0)
        ended: i64 = self.to_the_end()
        past.turns = turns
        past.seat = seat
        past.left = left
        past.right = right
        past.laid = laid
        past.lacks = lacks
        past.held = held
        past.shows = shows
        past.hides = hides
        return ended

    def to_the_end(self) -> i64:
        """Play on to the end; return how it ends for seats 0 and 2. The history is not restored."""
        past, hands = self._past, self.hands
        one: i64 = 1
        passes: i64 = 0
        ended: i64 = result(past, hands, passes, self._points)
        while ended == GOES_ON:
            player: i64 = past.seat
            chosen: i64 = self._choose(hands[player], self.kinds[player])
            if chosen < 0:
                passes += 1
                past.pass_turn()
            else:
                passes = 0
                hands[player] &= ~(one << (chosen >> 1))
                past.lay(chosen >> 1, chosen & 1 == 0)
            ended = result(past, hands, passes, self._points)
        return ended

    def _choose(self, hand: i64, kind: i64) -> i64:
        """Sample a move of a player of that kind; -1 if no tile fits."""
        past, model = self._past, self._pair if kind == PAIRED else self._searcher
        count: i64 = model.list_moves(hand, past.left, past.right)
        if count == 0:
            return -1
        if count == 1:
            return model.moves[0]
        scores = model.scores
        at: i64 = 0
        if kind == ANYTHING:
            return model.moves[self._dice.below(count)]
        if kind == GREEDY:
            while at < count:
                scores[at] = model.greedy_score(model.moves[at])
                at += 1
        else:
            turn: i64 = past.note_turn()
            model.prepare(turn)
            model.score(turn, hand, past.left, past.right, count)
        total: float = 0.0
        at = 0
        while at < count:
            scores[at] = exp(scores[at])
            total += scores[at]
            at += 1
        left: float = self._dice.unit() * total
        at = 0
        while at < count - 1:
            left -= scores[at]
            if left < 0.0:
                break
            at += 1
        return model.moves[at]
