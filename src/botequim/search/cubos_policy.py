"""cubos: how likely a hand would have made the choices that were seen.

A *policy* scores each move that a hand could make by a few dozen features of it, with weights that depend on
how many tiles the hand has; the chance of a move is its share of the exponentials of the scores. Weights are
learned from games (`scripts/train_cubos.py`); several policies stand side by side in one row of numbers.

The past of a game is told turn by turn to `Past`, which keeps of each turn what everybody saw then.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import Final, final

from botequim.core.compiling import i64, vec
from botequim.search.cubos import COUNT, FITTING, NUMBERS, OTHERS, PIPS, PLACES

FEATURES: Final[i64] = 30
SIZES: Final[i64] = 7
"""Weights are by the number of tiles in hand, 1 to 7."""
POLICY: Final[i64] = 210
"""The numbers that a policy has."""
PASSED: Final[i64] = -1

_DE_BRUIJN: Final[i64] = 0x077CB531
_WORD: Final[i64] = 0xFFFFFFFF
_MOST_TURNS: Final[i64] = 128
_MOST_MOVES: Final[i64] = 16
_MOST_POLICIES: Final[i64] = 8


@final
class Past:
    """A game as everybody saw it, from just after the opening 6-6 on."""

    def __init__(self, opener: i64) -> None:
        self.turns: i64 = 0
        self.seat: i64 = (opener + 1) & 3
        """Who is to move."""
        self.left: i64 = 6
        self.right: i64 = 6
        self.laid: i64 = 1 << 27
        """The tiles on the table."""
        self.by: vec[i64] = vec[i64]([0] * _MOST_TURNS)
        self.tile: vec[i64] = vec[i64]([0] * _MOST_TURNS)
        self.covered: vec[i64] = vec[i64]([0] * _MOST_TURNS)
        """The number a tile was laid on."""
        self.kept: vec[i64] = vec[i64]([0] * _MOST_TURNS)
        """The other end."""
        self.table: vec[i64] = vec[i64]([0] * _MOST_TURNS)
        """The tiles on the table before the turn."""
        self.voids: vec[i64] = vec[i64]([0] * _MOST_TURNS)
        """Before the turn: the numbers that each seat is known to lack, seven bits for each."""
        self.shown: vec[i64] = vec[i64]([0] * _MOST_TURNS)
        """Before the turn: the numbers that each seat has shown at an end, seven bits for each."""
        self.lacks: i64 = 0
        self.showed: i64 = 0
        self._others: vec[i64] = OTHERS

    def lay(self, tile: i64, on_left: bool) -> None:
        """The next player lays a tile."""
        covered: i64 = self.left if on_left else self.right
        kept: i64 = self.right if on_left else self.left
        number: i64 = self._others[tile * 8 + covered]
        self._note(tile, covered, kept)
        one: i64 = 1
        self.laid |= one << tile
        self.showed |= one << (self.seat * NUMBERS + number)
        if on_left:
            self.left = number
        else:
            self.right = number
        self.seat = (self.seat + 1) & 3

    def skip(self) -> None:
        """The next player has nothing that fits."""
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
        self.shown[at] = self.showed
        self.turns += 1

    def now(self) -> i64:
        """Note the situation of whoever is to move, as a turn that is not made yet; its number."""
        at: i64 = self.turns
        self._note(PASSED, self.left, self.right)
        self.turns = at
        return at

    def had(self, seat: i64, turn: i64) -> i64:
        """The tiles that a seat laid from a turn on: it had them then, beside those it has now."""
        tiles: i64 = 0
        one: i64 = 1
        at: i64 = turn
        while at < self.turns:
            if self.by[at] == seat and self.tile[at] >= 0:
                tiles |= one << self.tile[at]
            at += 1
        return tiles


@final
class Policies:
    """The numbers of policies, one after another."""

    def __init__(self, numbers: Sequence[float]) -> None:
        self.numbers: vec[float] = vec[float]([number for number in numbers])  # noqa: C416


@final
class Judge:
    """Scores moves of hands by policies."""

    def __init__(self, past: Past, policies: Policies) -> None:
        self._past: Past = past
        self._numbers: vec[float] = policies.numbers
        self._fits: vec[i64] = FITTING
        self._others: vec[i64] = OTHERS
        self._pips: vec[i64] = PIPS
        self._places: vec[i64] = PLACES
        self.feature: vec[float] = vec[float]([0.0] * FEATURES)
        """Of the move that was described last."""
        self.moves: vec[i64] = vec[i64]([0] * _MOST_MOVES)
        """Those of the hand that was listed last: the tile times 2, plus 1 where the right end is covered."""
        self.scores: vec[float] = vec[float]([0.0] * _MOST_MOVES)
        self.logs: vec[float] = vec[float]([0.0] * _MOST_POLICIES)
        """By policy, what `judge` found."""
        self._totals: vec[float] = vec[float]([0.0] * _MOST_POLICIES)
        self._count: vec[i64] = COUNT
        self._used: vec[i64] = vec[i64]([0] * _MOST_POLICIES)
        """By policy: features from here on never count, as with one who lays anything, or by pips alone."""
        at: i64 = 0
        while at < len(self._numbers):
            if self._numbers[at] != 0.0 and at % FEATURES >= self._used[at // POLICY]:
                self._used[at // POLICY] = at % FEATURES + 1
            at += 1

    def listed(self, hand: i64, left: i64, right: i64) -> i64:
        """Put the moves that a hand can make into `moves`; how many."""
        count: i64 = 0
        tiles: i64 = hand & self._fits[left]
        while tiles != 0:
            bit: i64 = tiles & -tiles
            tiles ^= bit
            self.moves[count] = self._places[((bit * _DE_BRUIJN) & _WORD) >> 27] * 2
            count += 1
        if left != right:
            tiles = hand & self._fits[right]
            while tiles != 0:
                bit = tiles & -tiles
                tiles ^= bit
                self.moves[count] = self._places[((bit * _DE_BRUIJN) & _WORD) >> 27] * 2 + 1
                count += 1
        return count

    def likelihood(self, turn: i64, hand: i64, policy: i64) -> float:
        """The logarithm of the chance that a policy with that hand makes the move of a turn."""
        self.judge(turn, hand, policy, policy + 1)
        return self.logs[policy]

    def judge(self, turn: i64, hand: i64, first: i64, stop: i64) -> None:
        """The same for policies from `first` up to but not including `stop`, put into `logs`."""
        past = self._past
        covered: i64 = past.covered[turn]
        kept: i64 = past.kept[turn]
        chosen: i64 = past.tile[turn] * 2
        totals, logs, feature, numbers = self._totals, self.logs, self.feature, self._numbers
        policy: i64 = first
        while policy < stop:
            totals[policy] = 0.0
            logs[policy] = 0.0
            policy += 1
        count: i64 = self.listed(hand, covered, kept)
        if count <= 1:
            return
        base: i64 = (self._size(hand) - 1) * FEATURES
        at: i64 = 0
        while at < count:
            move: i64 = self.moves[at]
            if move & 1:
                self.describe(turn, hand, move >> 1, kept, covered)
            else:
                self.describe(turn, hand, move >> 1, covered, kept)
            policy = first
            while policy < stop:
                number: i64 = policy * POLICY + base
                score: float = 0.0
                k: i64 = 0
                while k < self._used[policy]:
                    score += feature[k] * numbers[number + k]
                    k += 1
                totals[policy] += exp(score)
                if move == chosen:
                    logs[policy] = score
                policy += 1
            at += 1
        policy = first
        while policy < stop:
            logs[policy] -= log(totals[policy])
            policy += 1

    def score(self, turn: i64, hand: i64, tile: i64, covered: i64, kept: i64, policy: i64) -> float:
        """How a policy likes a move."""
        self.describe(turn, hand, tile, covered, kept)
        feature, numbers = self.feature, self._numbers
        base: i64 = policy * POLICY + (self._size(hand) - 1) * FEATURES
        total: float = 0.0
        at: i64 = 0
        while at < FEATURES:
            total += feature[at] * numbers[base + at]
            at += 1
        return total

    def _size(self, tiles: i64) -> i64:
        return self._count[tiles & 16383] + self._count[tiles >> 14]

    def describe(self, turn: i64, hand: i64, tile: i64, covered: i64, kept: i64) -> None:
        """Put the features of a move into `feature`."""
        past, feature, fits = self._past, self.feature, self._fits
        one: i64 = 1
        rest: i64 = hand & ~(one << tile)
        shown: i64 = self._others[tile * 8 + covered]
        seen: i64 = past.table[turn] | hand
        seat: i64 = past.by[turn]
        voids: i64 = past.voids[turn]
        showed: i64 = past.shown[turn]
        after: i64 = ((seat + 1) & 3) * NUMBERS
        partner: i64 = ((seat + 2) & 3) * NUMBERS
        before: i64 = ((seat + 3) & 3) * NUMBERS
        own: i64 = seat * NUMBERS
        mobile: i64 = rest & (fits[shown] | fits[kept])
        unseen: i64 = NUMBERS - self._size(seen & fits[shown])
        feature[0] = float(self._pips[tile]) * 0.1
        feature[1] = 1.0 if shown == covered else 0.0
        feature[2] = float(self._size(rest & fits[shown])) * 0.5
        feature[3] = float(self._size(rest & fits[kept])) * 0.5
        feature[4] = float(self._size(rest & fits[covered])) * 0.5
        feature[5] = float(self._size(mobile)) * 0.5
        feature[6] = 1.0 if mobile == 0 else 0.0
        feature[7] = 1.0 if shown == kept else 0.0
        feature[8] = float(unseen) * 0.25
        feature[9] = float(NUMBERS - self._size(seen & fits[kept])) * 0.25
        feature[10] = float((voids >> (after + shown)) & 1)
        feature[11] = float((voids >> (after + shown)) & (voids >> (after + kept)) & 1)
        feature[12] = float((voids >> (partner + shown)) & 1)
        feature[13] = float((voids >> (partner + shown)) & (voids >> (partner + kept)) & 1)
        feature[14] = float((voids >> (before + shown)) & 1)
        feature[15] = float((voids >> (before + shown)) & (voids >> (before + kept)) & 1)
        feature[16] = float((showed >> (partner + shown)) & 1)
        feature[17] = float((showed >> (after + shown)) & 1)
        feature[18] = float((showed >> (before + shown)) & 1)
        feature[19] = float((showed >> (partner + covered)) & 1)
        feature[20] = float((showed >> (after + covered)) & 1)
        feature[21] = float((showed >> (before + covered)) & 1)
        feature[22] = float((showed >> (own + shown)) & 1)
        feature[23] = float((showed >> (own + covered)) & 1)
        feature[24] = float(self._variety(rest)) * 0.25
        feature[25] = float(NUMBERS - self._size(seen & fits[covered])) * 0.25
        feature[26] = float((voids >> (partner + covered)) & 1)
        feature[27] = float((voids >> (after + covered)) & 1)
        feature[28] = float((voids >> (before + covered)) & 1)
        feature[29] = 1.0 if unseen == 0 else 0.0

    def _variety(self, tiles: i64) -> i64:
        """How many numbers there are among tiles."""
        found: i64 = 0
        number: i64 = 0
        while number < NUMBERS:
            if tiles & self._fits[number] != 0:
                found += 1
            number += 1
        return found

    def learn(self, turn: i64, hand: i64, policy: i64, rate: float) -> float:
        """Move a policy a step towards the move of a turn; how unlikely it was: minus its logarithm.

        The policy's numbers are changed where they are.
        """
        past = self._past
        covered: i64 = past.covered[turn]
        kept: i64 = past.kept[turn]
        count: i64 = self.listed(hand, covered, kept)
        if count <= 1:
            return 0.0
        total: float = 0.0
        at: i64 = 0
        while at < count:
            self.scores[at] = exp(self._scored(turn, hand, self.moves[at], covered, kept, policy))
            total += self.scores[at]
            at += 1
        chosen: i64 = past.tile[turn] * 2
        base: i64 = policy * POLICY + (self._size(hand) - 1) * FEATURES
        loss: float = 0.0
        at = 0
        while at < count:
            share: float = self.scores[at] / total
            step: float = -share
            if self.moves[at] == chosen:
                step += 1.0
                loss = -log(share)
            self._scored(turn, hand, self.moves[at], covered, kept, policy)
            k: i64 = 0
            while k < FEATURES:
                self._numbers[base + k] += rate * step * self.feature[k]
                k += 1
            at += 1
        return loss

    def _scored(self, turn: i64, hand: i64, move: i64, covered: i64, kept: i64, policy: i64) -> float:
        if move & 1:
            return self.score(turn, hand, move >> 1, kept, covered, policy)
        return self.score(turn, hand, move >> 1, covered, kept, policy)
