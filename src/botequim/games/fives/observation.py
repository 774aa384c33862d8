"""Inferences of a seat about the hidden tiles in one round of fives.

The opponent received its tiles at different times: seven were dealt, others were drawn. A player who draws or
passes has no tile that fits at that time, but may draw one later. So the dealt tiles and each group of drawn
tiles are different *holders* of `search.worlds`. Each holder has the time from which its tiles are in the
hand. A tile can belong to a holder unless it would then be in the hand at a time when it was excluded. This
includes tiles that have been laid since, because it is not always known when they were received.

A greedy opponent reveals more: it had no tile that it would have preferred. That is a *choice*. Choices are
stored separately from certain facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from botequim.core.game import CHANCE
from botequim.games.dominoes.tiles import Deal, Tile
from botequim.games.fives.boneyard import Draw, DrawnTile
from botequim.games.fives.rules import HAND_SIZE, TILES, Open, Pass
from botequim.games.fives.search.board import ALL, better_for_greedy, board_after, points_on, tiles_that_fit
from botequim.games.fives.spinner import DIRECTIONS, Lay
from botequim.search.worlds import Worlds

NUMBER = {tile: at for at, tile in enumerate(TILES)}
DOUBLES = [at for at, tile in enumerate(TILES) if tile.low == tile.high]


def mask_of(tiles: Sequence[Tile]) -> int:
    return sum([1 << NUMBER[tile] for tile in tiles])


@dataclass(frozen=True, slots=True)
class Exclusion:
    """The fact that the opponent had none of these tiles at this time."""

    time: int
    tiles: int


@dataclass(slots=True)
class RoundView:
    """One round, from the deal until now, as one seat saw it."""

    seat: int
    board: int = 0
    mine: int = 0
    on_table: int = 0
    """The tiles on the table."""
    drawn_by_me: int = 0
    drawn_by_them: int = 0
    arrivals: list[tuple[int, int]] = field(default_factory=lambda: [(0, HAND_SIZE)])
    """The unknown tiles of the opponent: the time of each group, and its number of tiles."""
    lays: dict[int, int] = field(default_factory=dict)
    """The tiles that the opponent has laid, with the times."""
    certain: list[Exclusion] = field(default_factory=list)
    choices: list[Exclusion] = field(default_factory=list)
    not_dealt: int = 0
    """The doubles above the opening one, which were not dealt to anybody."""
    greed_is_out: bool = False
    """Whether a tile was laid where it scored less than it could have, which a greedy player never does."""

    @classmethod
    def of(cls, events: Sequence[Any], seat: int) -> RoundView:
        observation = cls(seat)
        pending = 0
        for time, event in enumerate(events):
            move = event.move
            if isinstance(move, Deal):
                observation.mine = mask_of(move.hands[seat] or ())
            elif isinstance(move, Open):
                observation._open(move.tile)
            elif isinstance(move, DrawnTile):
                if move.tile is not None:
                    observation.mine |= 1 << NUMBER[move.tile]
                    observation.drawn_by_me += 1
                else:
                    pending += 1
            elif event.by == seat:
                if isinstance(move, Lay):
                    observation._lay(move)
                    observation.mine &= ~(1 << NUMBER[move.tile])
            elif isinstance(move, Lay | Pass):
                observation._their_turn(time, move, pending)
                pending = 0
            else:
                assert isinstance(move, Draw) or event.by == CHANCE
        return observation

    @property
    def unseen(self) -> int:
        return int(ALL) & ~self.mine & ~self.on_table

    @property
    def boneyard(self) -> int:
        return len(TILES) - 2 * HAND_SIZE - self.drawn_by_me - self.drawn_by_them

    def _open(self, tile: Tile) -> None:
        number = NUMBER[tile]
        self.not_dealt = sum([1 << double for double in DOUBLES if double > number])
        if self.mine >> number & 1:
            self.mine &= ~(1 << number)
        else:
            self.arrivals = [(0, HAND_SIZE - 1)]
        self.board = int(board_after(0, 4 * number))
        self.on_table |= 1 << number

    def _lay(self, move: Lay) -> None:
        number = NUMBER[move.tile]
        self.board = int(board_after(self.board, 4 * number + DIRECTIONS.index(move.side)))
        self.on_table |= 1 << number

    def _their_turn(self, time: int, move: Lay | Pass, draws: int) -> None:
        fits = int(tiles_that_fit(self.board))
        if draws or isinstance(move, Pass):
            # drawing ends with the first tile that fits, so the tiles before it did not fit
            in_hand = draws if isinstance(move, Pass) else draws - 1
            self.drawn_by_them += draws
            if in_hand:
                self.arrivals.append((time, in_hand))
            self.certain.append(Exclusion(time, fits))
        if not isinstance(move, Lay):
            return
        before = self.board
        self._lay(move)
        number = NUMBER[move.tile]
        if draws:
            return
        self.lays[number] = time
        better = int(better_for_greedy(before, points_on(self.board), move.tile.low + move.tile.high))
        self.greed_is_out |= bool(better >> number & 1)
        self.choices.append(Exclusion(time, better))

    def worlds(self, *, greedy: bool) -> Worlds | None:
        """Return all possible distributions of the tiles, or None if there is none. The boneyard is the last
        holder."""
        if greedy and self.greed_is_out:
            return None
        moments = self.certain + self.choices if greedy else self.certain
        tiles = [at for at in range(len(TILES)) if self.unseen >> at & 1] + list(self.lays)
        sizes = [size for _, size in self.arrivals] + [self.boneyard]
        may = [self._may(tile, moments) for tile in tiles]
        worlds = Worlds(tiles, sizes, may)
        return worlds if worlds.count else None

    def _may(self, tile: int, moments: Sequence[Exclusion]) -> int:
        """Return the holders that can have a tile, as bits."""
        until = self.lays.get(tile)
        holders = 0 if until is not None else 1 << len(self.arrivals)
        for at, (since, _) in enumerate(self.arrivals):
            if until is not None and since >= until:
                continue
            if since == 0 and self.not_dealt >> tile & 1:
                continue
            relevant = [one for one in moments if one.time >= since and (until is None or one.time < until)]
            if not any(one.tiles >> tile & 1 for one in relevant):
                holders |= 1 << at
        return holders

    def hand_in(self, hands: Sequence[int]) -> int:
        """Return the opponent's hand in a world."""
        hand = 0
        for tiles in hands[:-1]:
            hand |= tiles
        return hand & ~self.on_table

    def greedy_turns(self, hands: Sequence[int]) -> int:
        """Return how many of the opponent's choices a greedy player would have made in a world."""
        count = 0
        for moment in self.choices:
            tiles_held = 0
            for (since, _), tiles in zip(self.arrivals, hands, strict=False):
                if since < moment.time:
                    tiles_held |= int(tiles)
            for tile, time in self.lays.items():
                if time < moment.time or (time == moment.time and not self.greed_is_out):
                    tiles_held &= ~(1 << tile)
            count += not tiles_held & moment.tiles
        return count
