"""The likelihood that a hand would have made the choices that were seen in cubos.

There are three kinds of opponents. A *searcher* chooses by a small network that was trained on games of
searchers; the probability of a move is the softmax of the scores. A *greedy* player lays the heaviest tile,
and the third kind lays *any* tile. Our own pair is of a fourth kind: its network has the same form and was
trained by playing with itself as partner against searchers (`scripts/train_cubos.py` trains both).

The inputs do not depend on which number is which. For the number that a move shows, for the number at the
other end, for the number that it covers, and for all seven together, the network sees how many tiles with
this number are in the hand and how many are unseen, where the double is, which players are known to lack it,
and which have shown or covered it; besides that, how many tiles each player has. Each input selects a row of
weights. The units are sums of these rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import Final, final

from botequim.core.compiling import i64, vec
from botequim.games.cubos.search.history import MOST_TURNS, History
from botequim.games.cubos.search.solver import FITTING, NUMBERS, OTHERS, PIPS
from botequim.search.bits import count_bits, place_of_bit

SEARCHES: Final[i64] = 0
GREEDY: Final[i64] = 1
ANYTHING: Final[i64] = 2
KINDS: Final[i64] = 3
"""Kinds of opponents."""
PAIRED: Final[i64] = 3

UNITS: Final[i64] = 16
"""Hidden units; their activation is the positive part."""
WIDTH: Final[i64] = 17
"""The length of a row: a weight for each unit, and one that is added to the score directly."""
OF_A_NUMBER: Final[i64] = 27
"""Rows for a number: 0 to 6 tiles in hand; its double in hand, unseen or laid; 0 to 7 tiles unseen; three
players who lack it, three who have shown it and three who have covered it."""
PLACES_OF_NUMBERS: Final[i64] = 4
"""The number that is shown, the other end, the number that is covered, and the sum over all numbers."""
SIZES: Final[i64] = 108
"""The first row for 0 to 7 tiles of the next player, of the partner, and of the previous player."""
OWN_SIZE: Final[i64] = 132
FLAGS: Final[i64] = 140
"""The first row for: a double; both ends will be equal; both ends are equal."""
OUT: Final[i64] = 143
"""The row with the output weight of each unit."""
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
"""The slope of a greedy player: one pip more is 20 times as likely."""
_MOST_MOVES: Final[i64] = 16
_FACED: Final[i64] = 17
_HELD: Final[i64] = 8
_PICKED: Final[i64] = 10


@final
class Network:
    """The weights, with precomputed sums of rows."""

    def __init__(self, numbers: Sequence[float]) -> None:
        self.numbers: vec[float] = vec[float]([number for number in numbers])  # noqa: C416
        self.sums: vec[float] = vec[float]([0.0] * (SUMS * WIDTH))
        self.parts: vec[i64] = vec[i64]([row for part in _parts() for row in part])
        """Pairs of a sum and a row: which rows each sum consists of."""
        self.update_sums()

    def update_sums(self) -> None:
        """Compute the sums again after the weights have changed."""
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
    """Return the sums of all subsets of some rows."""
    return [(made + bits, first + bit) for bits in range(1 << rows) for bit in range(rows) if bits >> bit & 1]


def _others_of(bits: i64, seat: i64, number: i64) -> i64:
    """Return the bits of a number, of seven bits for each seat: next player, partner, previous player."""
    return (
        ((bits >> (((seat + 1) & 3) * NUMBERS + number)) & 1)
        | ((bits >> (((seat + 2) & 3) * NUMBERS + number)) & 1) << 1
        | ((bits >> (((seat + 3) & 3) * NUMBERS + number)) & 1) << 2
    )


@final
class MoveModel:
    """Models how players of each kind choose among the moves of a hand."""

    def __init__(self, past: History, network: Network) -> None:
        self._past: History = past
        self._rows: vec[float] = network.sums
        self._fits: vec[i64] = FITTING
        self._others: vec[i64] = OTHERS
        self._pips: vec[i64] = PIPS
        self.moves: vec[i64] = vec[i64]([0] * _MOST_MOVES)
        """The moves of the hand that was listed last: twice the tile's number, plus 1 on the right end."""
        self.scores: vec[float] = vec[float]([0.0] * _MOST_MOVES)
        """The network's scores of these moves, after `score`."""
        self.logs: vec[float] = vec[float]([0.0] * KINDS)
        """By kind: the result of `log_likelihoods`."""
        self._known: vec[i64] = vec[i64]([0] * MOST_TURNS)
        self._face: vec[float] = vec[float]([0.0] * (MOST_TURNS * WIDTH))
        """By turn: the sums of the public inputs."""
        self._free: vec[i64] = vec[i64]([0] * (MOST_TURNS * NUMBERS))
        """By turn and number: how many tiles with it are not on the table."""
        self._lack: vec[i64] = vec[i64]([0] * (MOST_TURNS * NUMBERS))
        """By turn and number: which players lack it; next player, partner and previous player as bits."""
        self._signs: vec[i64] = vec[i64]([0] * (MOST_TURNS * NUMBERS))
        """By turn and number: which players have shown it, and which have covered it."""
        self.faced: vec[i64] = vec[i64]([0] * _FACED)
        """The sums of the public inputs in the turn that was prepared last; training uses them."""
        self.held: vec[i64] = vec[i64]([0] * _HELD)
        """The sums that the hand adds which was scored last."""
        self.picked: vec[i64] = vec[i64]([0] * _PICKED)
        """The sums that the move adds which was scored last."""
        self._units: vec[float] = vec[float]([0.0] * WIDTH)
        self._own: vec[i64] = vec[i64]([0] * NUMBERS)
        self._double: vec[i64] = vec[i64]([0] * NUMBERS)

    def list_moves(self, hand: i64, left: i64, right: i64) -> i64:
        """Put the moves of a hand into `moves`; return their number."""
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

    def log_likelihoods(self, turn: i64, hand: i64) -> None:
        """Compute the log-likelihood that each kind of player with that hand makes the move of a turn.

        `covered` and `kept` serve as left and right here: the move of a turn is always on the left.
        """
        past, logs = self._past, self.logs
        logs[SEARCHES] = 0.0
        logs[GREEDY] = 0.0
        logs[ANYTHING] = 0.0
        covered: i64 = past.covered[turn]
        kept: i64 = past.kept[turn]
        count: i64 = self.list_moves(hand, covered, kept)
        if count <= 1:
            return
        if self._known[turn] == 0:
            self.prepare(turn)
        self.score(turn, hand, covered, kept, count)
        chosen: i64 = past.tile[turn] * 2
        searching: float = 0.0
        greedy: float = 0.0
        at: i64 = 0
        while at < count:
            move: i64 = self.moves[at]
            heavy: float = self.greedy_score(move)
            searching += exp(self.scores[at])
            greedy += exp(heavy)
            if move == chosen:
                logs[SEARCHES] = self.scores[at]
                logs[GREEDY] = heavy
            at += 1
        logs[SEARCHES] -= log(searching)
        logs[GREEDY] -= log(greedy)
        logs[ANYTHING] = -log(float(count))

    def greedy_score(self, move: i64) -> float:
        """Return the score of a move for a greedy player."""
        return _HEAVIER * float(self._pips[move >> 1])

    def prepare(self, turn: i64) -> None:
        """Compute the sums of the public inputs before a turn."""
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

    def score(self, turn: i64, hand: i64, left: i64, right: i64, count: i64) -> None:
        """Put the network's score of each listed move into `scores`; `turn` must be prepared."""
        rows, units = self._rows, self._units
        self._look(turn, hand)
        at: i64 = 0
        while at < count:
            self.note_move(turn, self.moves[at], left, right)
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

    def note_move(self, turn: i64, move: i64, left: i64, right: i64) -> None:
        """Put the sums that a move adds into `picked`."""
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
        """Compute the sums of the inputs of a hand before it moves, and count its tiles with each number."""
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
        """Return the sum for a number at a place, with `of` tiles in hand and its double at `where`."""
        unseen: i64 = self._free[turn * NUMBERS + number] - self._own[number]
        return place * _STATES + of * 24 + unseen * 3 + where
