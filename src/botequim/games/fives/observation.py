"""What a seat can infer in one round of fives about the tiles it does not see.

The opponent received its tiles at different times: seven were dealt, others were drawn. A player who draws or
passes has no tile that fits at that time, but may draw one later. So the dealt tiles and each group of drawn
tiles are different *holders* of `search.worlds`. Each holder has the time from which its tiles are in the
hand, and a tile may be with a holder if it is never in the hand at a time when it cannot have been. This
includes tiles that have been laid since, because it is not always known when they came.

A greedy opponent reveals more: it had no tile that it would have preferred. That is a *choice*, stored apart
from what is certain.
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
    """At this time the opponent had none of these tiles."""

    time: int
    tiles: int


@dataclass(slots=True)
class RoundView:
    """One round, from the deal to now, as one seat saw it."""

    seat: int
    board: int = 0
    mine: int = 0
    on_table: int = 0
    """The tiles on the table."""
    drawn_by_me: int = 0
    drawn_by_them: int = 0
    arrivals: list[tuple[int, int]] = field(default_factory=lambda: [(0, HAND_SIZE)])
    """The opponent's tiles that are not known: from which time on, and how many."""
    lays: dict[int, int] = field(default_factory=dict)
    """The tiles of these that the opponent has laid, and when."""
    certain: list[Exclusion] = field(default_factory=list)
    choices: list[Exclusion] = field(default_factory=list)
    not_dealt: int = 0
    """Doubles higher than the one that opened: nobody was dealt one."""
    greed_is_out: bool = False
    """Whether a tile was laid where it scored less than it could have, which a greedy player never does."""

    @classmethod
    def of(cls, events: Sequence[Any], seat: int) -> RoundView:
        seen = cls(seat)
        pending = 0
        for time, event in enumerate(events):
            move = event.move
            if isinstance(move, Deal):
                seen.mine = mask_of(move.hands[seat] or ())
            elif isinstance(move, Open):
                seen._opened(move.tile)
            elif isinstance(move, DrawnTile):
                if move.tile is not None:
                    seen.mine |= 1 << NUMBER[move.tile]
                    seen.drawn_by_me += 1
                else:
                    pending += 1
            elif event.by == seat:
                if isinstance(move, Lay):
                    seen._lay(move)
                    seen.mine &= ~(1 << NUMBER[move.tile])
            elif isinstance(move, Lay | Pass):
                seen._their_turn(time, move, pending)
                pending = 0
            else:
                assert isinstance(move, Draw) or event.by == CHANCE
        return seen

    @property
    def unseen(self) -> int:
        return int(ALL) & ~self.mine & ~self.on_table

    @property
    def boneyard(self) -> int:
        return len(TILES) - 2 * HAND_SIZE - self.drawn_by_me - self.drawn_by_them

    def _opened(self, tile: Tile) -> None:
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

    def _their_turn(self, time: int, move: Lay | Pass, drawn: int) -> None:
        fits = int(tiles_that_fit(self.board))
        if drawn or isinstance(move, Pass):
            # drawing ends with the first tile that fits: those before it did not fit
            stayed = drawn if isinstance(move, Pass) else drawn - 1
            self.drawn_by_them += drawn
            if stayed:
                self.arrivals.append((time, stayed))
            self.certain.append(Exclusion(time, fits))
        if not isinstance(move, Lay):
            return
        before = self.board
        self._lay(move)
        number = NUMBER[move.tile]
        if drawn:
            return
        self.lays[number] = time
        better = int(better_for_greedy(before, points_on(self.board), move.tile.low + move.tile.high))
        self.greed_is_out |= bool(better >> number & 1)
        self.choices.append(Exclusion(time, better))

    def worlds(self, *, greedy: bool) -> Worlds | None:
        """Return all distributions of the tiles, or None if there is none. The boneyard is the last
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
            held = [one for one in moments if one.time >= since and (until is None or one.time < until)]
            if not any(one.tiles >> tile & 1 for one in held):
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
        agreed = 0
        for moment in self.choices:
            held = 0
            for (since, _), tiles in zip(self.arrivals, hands, strict=False):
                if since < moment.time:
                    held |= int(tiles)
            for tile, time in self.lays.items():
                if time < moment.time or (time == moment.time and not self.greed_is_out):
                    held &= ~(1 << tile)
            agreed += not held & moment.tiles
        return agreed
