"""cubos: how likely a hand would have made the choices that were seen.

Opponents are of three kinds. One who *searches* likes each move of a hand as much as a small network says
that learned from games of searchers; the chance of a move is its share of the exponentials. One who is
*greedy* lays the heaviest tile, and another lays *anything*. We ourselves are of a fourth: *paired*, as a
network of the same form has it that learned by playing with itself as partner, against the first
(`scripts/train_cubos.py` teaches both).

The network sees nothing but numbers: of the number that a move shows, of the one at the other end and of the
one it covers, and of all seven together, how many tiles with it the hand has, how many nobody has seen, where
its double is, who is known to lack it and who has shown or hidden it; beside that how many tiles everybody
has. What it sees picks rows
of weights, and their sums are the units. So it does not matter which number is which.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import Final, final

from botequim.core.compiling import i64, vec
from botequim.search.bits import count_bits, place_of_bit
from botequim.search.cubos import FITTING, NUMBERS, OTHERS, PIPS
from botequim.search.cubos_past import MOST_TURNS, Past

SEARCHES: Final[i64] = 0
GREEDY: Final[i64] = 1
ANYTHING: Final[i64] = 2
KINDS: Final[i64] = 3
"""Of those that opponents are thought to be."""
PAIRED: Final[i64] = 3

UNITS: Final[i64] = 16
"""A unit counts where it is above nothing."""
WIDTH: Final[i64] = 17
"""A row has a weight for each unit, and one that counts as it is."""
OF_A_NUMBER: Final[i64] = 27
"""Rows: 0 to 6 tiles in hand, its double in hand, unseen or laid, 0 to 7 tiles unseen, three who lack it,
three who have shown it and three who have hidden it."""
PLACES_OF_NUMBERS: Final[i64] = 4
"""The number that is shown, the other end, the one that is covered; and the sum over all."""
SIZES: Final[i64] = 108
"""From here on: 0 to 7 tiles of the next player, of the partner, of the one before."""
OWN_SIZE: Final[i64] = 132
FLAGS: Final[i64] = 140
"""A double; both ends will be alike; both ends are alike."""
OUT: Final[i64] = 143
"""What each unit counts."""
NUMBERS_OF_A_NETWORK: Final[i64] = 2448

# sums of rows: by place, 7 x 8 x 3 states of a number, then 8 sets of seats that lack it, and 8 x 8 that have
# shown and hidden it; sizes; flags
_STATES: Final[i64] = 168
_LACKS: Final[i64] = 672
_SIGNS: Final[i64] = 704
_SIZES: Final[i64] = 960
_OWN_SIZE: Final[i64] = 984
_FLAGS: Final[i64] = 992
OUT_SUM: Final[i64] = 1000
SUMS: Final[i64] = 1001

_HEAVIER: Final = 3.0
"""A pip more is 20 times as likely for one who is greedy."""
_MOST_MOVES: Final[i64] = 16
_FACED: Final[i64] = 17
_HELD: Final[i64] = 8
_PICKED: Final[i64] = 10


@final
class Network:
    """The weights, with the sums that are needed again and again."""

    def __init__(self, numbers: Sequence[float]) -> None:
        self.numbers: vec[float] = vec[float]([number for number in numbers])  # noqa: C416
        self.sums: vec[float] = vec[float]([0.0] * (SUMS * WIDTH))
        self.parts: vec[i64] = vec[i64]([row for part in _parts() for row in part])
        """Sum and row in turn: which rows make which sum."""
        self.settle()

    def settle(self) -> None:
        """Work out the sums again: numbers have changed."""
        at: i64 = 0
        while at < SUMS * WIDTH:
            self.sums[at] = 0.0
            at += 1
        part: i64 = 0
        while part < len(self.parts):
            to: i64 = self.parts[part] * WIDTH
            of: i64 = self.parts[part + 1] * WIDTH
            at = 0
            while at < WIDTH:
                self.sums[to + at] += self.numbers[of + at]
                at += 1
            part += 2


def _parts() -> list[tuple[int, int]]:
    parts: list[tuple[int, int]] = []
    for place in range(int(PLACES_OF_NUMBERS)):
        first = place * int(OF_A_NUMBER)
        for state in range(int(_STATES)):
            made = place * int(_STATES) + state
            parts += [(made, first + state // 24), (made, first + 7 + state % 3)]
            parts += [(made, first + 10 + state // 3 % 8)]
        parts += _bits(int(_LACKS) + place * 8, first + 18, 3)
        parts += _bits(int(_SIGNS) + place * 64, first + 21, 6)
    parts += [(int(_SIZES) + at, int(SIZES) + at) for at in range(24)]
    parts += [(int(_OWN_SIZE) + at, int(OWN_SIZE) + at) for at in range(8)]
    return [*parts, *_bits(int(_FLAGS), int(FLAGS), 3), (int(OUT_SUM), int(OUT))]


def _bits(made: int, first: int, rows: int) -> list[tuple[int, int]]:
    """The sums of some rows that may or may not be there."""
    return [(made + bits, first + bit) for bits in range(1 << rows) for bit in range(rows) if bits >> bit & 1]


def _others_of(bits: i64, seat: i64, number: i64) -> i64:
    """Of seven bits for each seat those of a number: of the next player, the partner and the one before."""
    return (
        ((bits >> (((seat + 1) & 3) * NUMBERS + number)) & 1)
        | ((bits >> (((seat + 2) & 3) * NUMBERS + number)) & 1) << 1
        | ((bits >> (((seat + 3) & 3) * NUMBERS + number)) & 1) << 2
    )


@final
class Judge:
    """Says how players of each kind like the moves of hands."""

    def __init__(self, past: Past, network: Network) -> None:
        self._past: Past = past
        self._rows: vec[float] = network.sums
        self._fits: vec[i64] = FITTING
        self._others: vec[i64] = OTHERS
        self._pips: vec[i64] = PIPS
        self.moves: vec[i64] = vec[i64]([0] * _MOST_MOVES)
        """Those of the hand that was listed last: the tile times 2, plus 1 where the right end is covered."""
        self.scores: vec[float] = vec[float]([0.0] * _MOST_MOVES)
        """How one who plays by the network likes them, after `like`."""
        self.logs: vec[float] = vec[float]([0.0] * KINDS)
        """By kind, what `judge` found."""
        self._known: vec[i64] = vec[i64]([0] * MOST_TURNS)
        self._face: vec[float] = vec[float]([0.0] * (MOST_TURNS * WIDTH))
        """By turn: the sums of what everybody sees."""
        self._free: vec[i64] = vec[i64]([0] * (MOST_TURNS * NUMBERS))
        """By turn and number: how many tiles with it are not on the table."""
        self._lack: vec[i64] = vec[i64]([0] * (MOST_TURNS * NUMBERS))
        """By turn and number: who lacks it, the next player, the partner and the one before as bits."""
        self._signs: vec[i64] = vec[i64]([0] * (MOST_TURNS * NUMBERS))
        """By turn and number: who has shown it, and who has hidden it."""
        self.faced: vec[i64] = vec[i64]([0] * _FACED)
        """The sums that everybody's view of the turn that was faced last is made of, to be learned by."""
        self.held: vec[i64] = vec[i64]([0] * _HELD)
        """Those that the hand which was looked at last adds."""
        self.picked: vec[i64] = vec[i64]([0] * _PICKED)
        """Those that the move which was looked at last adds."""
        self._units: vec[float] = vec[float]([0.0] * WIDTH)
        self._own: vec[i64] = vec[i64]([0] * NUMBERS)
        self._double: vec[i64] = vec[i64]([0] * NUMBERS)

    def listed(self, hand: i64, left: i64, right: i64) -> i64:
        """Put the moves that a hand can make into `moves`; how many."""
        count: i64 = 0
        tiles: i64 = hand & self._fits[left]
        while tiles != 0:
            self.moves[count] = place_of_bit(tiles & -tiles) * 2
            tiles &= tiles - 1
            count += 1
        if left != right:
            tiles = hand & self._fits[right]
            while tiles != 0:
                self.moves[count] = place_of_bit(tiles & -tiles) * 2 + 1
                tiles &= tiles - 1
                count += 1
        return count

    def judge(self, turn: i64, hand: i64) -> None:
        """The logarithm of the chance that each kind of player with that hand makes the move of a turn.

        `covered` and `kept` stand for left and right here: the move of a turn is always on the left.
        """
        past, logs = self._past, self.logs
        logs[SEARCHES] = 0.0
        logs[GREEDY] = 0.0
        logs[ANYTHING] = 0.0
        covered: i64 = past.covered[turn]
        kept: i64 = past.kept[turn]
        count: i64 = self.listed(hand, covered, kept)
        if count <= 1:
            return
        if self._known[turn] == 0:
            self.face(turn)
        self.like(turn, hand, covered, kept, count)
        chosen: i64 = past.tile[turn] * 2
        searching: float = 0.0
        greedy: float = 0.0
        at: i64 = 0
        while at < count:
            move: i64 = self.moves[at]
            heavy: float = self.heavy(move)
            searching += exp(self.scores[at])
            greedy += exp(heavy)
            if move == chosen:
                logs[SEARCHES] = self.scores[at]
                logs[GREEDY] = heavy
            at += 1
        logs[SEARCHES] -= log(searching)
        logs[GREEDY] -= log(greedy)
        logs[ANYTHING] = -log(float(count))

    def heavy(self, move: i64) -> float:
        """How one who is greedy likes a move."""
        return _HEAVIER * float(self._pips[move >> 1])

    def face(self, turn: i64) -> None:
        """Sum up what everybody sees before a turn."""
        past, face, rows = self._past, self._face, self._rows
        table: i64 = past.table[turn]
        seat: i64 = past.by[turn]
        sizes: i64 = past.sizes[turn]
        after: i64 = (seat + 1) & 3
        partner: i64 = (seat + 2) & 3
        before: i64 = (seat + 3) & 3
        faced = self.faced
        faced[0] = _SIZES + ((sizes >> (after * 3)) & 7)
        faced[1] = _SIZES + 8 + ((sizes >> (partner * 3)) & 7)
        faced[2] = _SIZES + 16 + ((sizes >> (before * 3)) & 7)
        number: i64 = 0
        while number < NUMBERS:
            self._free[turn * NUMBERS + number] = NUMBERS - count_bits(table & self._fits[number])
            lack: i64 = _others_of(past.voids[turn], seat, number)
            signs: i64 = (
                _others_of(past.shown[turn], seat, number) | _others_of(past.hidden[turn], seat, number) << 3
            )
            self._lack[turn * NUMBERS + number] = lack
            self._signs[turn * NUMBERS + number] = signs
            faced[3 + number] = _LACKS + 24 + lack
            faced[10 + number] = _SIGNS + 192 + signs
            number += 1
        base: i64 = turn * WIDTH
        at: i64 = 0
        while at < WIDTH:
            face[base + at] = 0.0
            at += 1
        part: i64 = 0
        while part < _FACED:
            if faced[part] != _LACKS + 24 and faced[part] != _SIGNS + 192:  # sums of nothing
                row: i64 = faced[part] * WIDTH
                at = 0
                while at < WIDTH:
                    face[base + at] += rows[row + at]
                    at += 1
            part += 1
        self._known[turn] = 1

    def like(self, turn: i64, hand: i64, left: i64, right: i64, count: i64) -> None:
        """Put into `scores` how the network likes each of the moves listed; `turn` was faced."""
        rows, units = self._rows, self._units
        self._look(turn, hand)
        at: i64 = 0
        while at < count:
            self.pick(turn, self.moves[at], left, right)
            first: i64 = self.picked[0] * WIDTH
            second: i64 = self.picked[1] * WIDTH
            third: i64 = self.picked[2] * WIDTH
            fourth: i64 = self.picked[3] * WIDTH
            fifth: i64 = self.picked[4] * WIDTH
            sixth: i64 = self.picked[5] * WIDTH
            seventh: i64 = self.picked[6] * WIDTH
            eighth: i64 = self.picked[7] * WIDTH
            ninth: i64 = self.picked[8] * WIDTH
            tenth: i64 = self.picked[9] * WIDTH
            total: float = 0.0
            unit: i64 = 0
            while unit < WIDTH:
                found: float = (
                    units[unit]
                    + rows[first + unit]
                    + rows[second + unit]
                    + rows[third + unit]
                    + rows[fourth + unit]
                    + rows[fifth + unit]
                    + rows[sixth + unit]
                    + rows[seventh + unit]
                    + rows[eighth + unit]
                    + rows[ninth + unit]
                    + rows[tenth + unit]
                )
                if found > 0.0 or unit == UNITS:
                    total += found * rows[OUT_SUM * WIDTH + unit]
                unit += 1
            self.scores[at] = total
            at += 1

    def pick(self, turn: i64, move: i64, left: i64, right: i64) -> None:
        """Put into `picked` what a move of the hand that was looked at last adds."""
        own, double, picked = self._own, self._double, self.picked
        covered: i64 = right if move & 1 else left
        kept: i64 = left if move & 1 else right
        shown: i64 = self._others[(move >> 1) * 8 + covered]
        twin: bool = shown == covered
        lost: i64 = 1 if kept == shown else (1 if kept == covered else 0)
        picked[0] = self._state(0, turn, shown, own[shown] - 1, 2 if twin else double[shown])
        picked[1] = self._state(
            1, turn, kept, own[kept] - lost, 2 if twin and kept == shown else double[kept]
        )
        picked[2] = self._state(2, turn, covered, own[covered] - 1, 2 if twin else double[covered])
        picked[3] = _LACKS + self._lack[turn * NUMBERS + shown]
        picked[4] = _LACKS + 8 + self._lack[turn * NUMBERS + kept]
        picked[5] = _LACKS + 16 + self._lack[turn * NUMBERS + covered]
        picked[6] = _SIGNS + self._signs[turn * NUMBERS + shown]
        picked[7] = _SIGNS + 64 + self._signs[turn * NUMBERS + kept]
        picked[8] = _SIGNS + 128 + self._signs[turn * NUMBERS + covered]
        picked[9] = _FLAGS + (
            (1 if twin else 0) | (2 if shown == kept else 0) | (4 if kept == covered else 0)
        )

    def _look(self, turn: i64, hand: i64) -> None:
        """Sum up what a hand sees before it moves, and count what it has of each number."""
        rows, units, face = self._rows, self._units, self._face
        table: i64 = self._past.table[turn]
        one: i64 = 1
        self.held[NUMBERS] = _OWN_SIZE + count_bits(hand)
        number: i64 = 0
        while number < NUMBERS:
            twin: i64 = one << (number * (15 - number) // 2)
            where: i64 = 0 if hand & twin != 0 else (2 if table & twin != 0 else 1)
            self._own[number] = count_bits(hand & self._fits[number])
            self._double[number] = where
            self.held[number] = self._state(3, turn, number, self._own[number], where)
            number += 1
        at: i64 = 0
        while at < WIDTH:
            units[at] = face[turn * WIDTH + at]
            at += 1
        part: i64 = 0
        while part < _HELD:
            row: i64 = self.held[part] * WIDTH
            at = 0
            while at < WIDTH:
                units[at] += rows[row + at]
                at += 1
            part += 1

    def _state(self, place: i64, turn: i64, number: i64, of: i64, where: i64) -> i64:
        """The sum for a number at a place, with so many tiles in hand and its double there."""
        unseen: i64 = self._free[turn * NUMBERS + number] - self._own[number]
        return place * _STATES + of * 24 + unseen * 3 + where
