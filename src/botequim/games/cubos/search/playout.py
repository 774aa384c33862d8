"""cubos: games played on to their end, each seat seeing no more than it would."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Final, final

from botequim.core.compiling import i64, vec
from botequim.search.bits import pips_of
from botequim.search.chance import Dice
from botequim.search.cubos import DRAW, LOSS, PIPS, WIN
from botequim.search.cubos_past import Past
from botequim.search.cubos_policy import ANYTHING, GREEDY, PAIRED, Judge

GOES_ON: Final[i64] = -1
_SEATS: Final[i64] = 4


def result(past: Past, hands: vec[i64], passes: i64, points_decide: bool) -> i64:
    """How the game ended for seats 0 and 2, or GOES_ON; `passes` are those in a row."""
    last: i64 = (past.seat + 3) & 3
    if hands[last] == 0:
        return WIN if last & 1 == 0 else LOSS
    if passes < _SEATS:
        return GOES_ON
    if not points_decide:
        return DRAW
    difference: i64 = pips_of(hands[0] | hands[2], PIPS) - pips_of(hands[1] | hands[3], PIPS)
    if difference == 0:
        # four passes went round: whoever moved last of all laid the last tile, and loses
        return LOSS if last & 1 == 0 else WIN
    return WIN if difference < 0 else LOSS


def outcome(past: Past, hands: Sequence[int], passes: int, points_decide: bool) -> int:
    """The same of hands in a list."""
    return result(past, vec[i64]([hand for hand in hands]), passes, points_decide)  # noqa: C416


@final
class Playouts:
    """Plays on from where a `Past` stands, and puts it back."""

    def __init__(self, past: Past, searcher: Judge, pair: Judge, dice: Dice, points_decide: bool) -> None:
        """`searcher` and `pair` say what players of these kinds like."""
        self._past: Past = past
        self._searcher: Judge = searcher
        self._pair: Judge = pair
        self._dice: Dice = dice
        self._points: bool = points_decide
        self.hands: vec[i64] = vec[i64]([0] * 4)
        """By seat: what the next game is played with; it is used up."""
        self.kinds: vec[i64] = vec[i64]([0] * 4)
        """By seat, the kind of player."""

    def play(self, move: i64) -> i64:
        """Whoever is to move makes that move (the tile times 2, plus 1 on the right), then all play on.

        How it ends for seats 0 and 2.
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
        """All play on; how it ends for seats 0 and 2. The `Past` is not put back."""
        past, hands = self._past, self.hands
        one: i64 = 1
        passes: i64 = 0
        ended: i64 = result(past, hands, passes, self._points)
        while ended == GOES_ON:
            player: i64 = past.seat
            chosen: i64 = self._chosen(hands[player], self.kinds[player])
            if chosen < 0:
                passes += 1
                past.skip()
            else:
                passes = 0
                hands[player] &= ~(one << (chosen >> 1))
                past.lay(chosen >> 1, chosen & 1 == 0)
            ended = result(past, hands, passes, self._points)
        return ended

    def _chosen(self, hand: i64, kind: i64) -> i64:
        """A move that a player of that kind may make; -1: none fits."""
        past, judge = self._past, self._pair if kind == PAIRED else self._searcher
        count: i64 = judge.listed(hand, past.left, past.right)
        if count == 0:
            return -1
        if count == 1:
            return judge.moves[0]
        scores = judge.scores
        at: i64 = 0
        if kind == ANYTHING:
            return judge.moves[self._dice.below(count)]
        if kind == GREEDY:
            while at < count:
                scores[at] = judge.heavy(judge.moves[at])
                at += 1
        else:
            turn: i64 = past.now()
            judge.face(turn)
            judge.like(turn, hand, past.left, past.right, count)
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
        return judge.moves[at]
