"""What a seat has learnt in one round of fives about the tiles it does not see.

The opponent's tiles came to it at different times: seven were dealt, others were drawn. Who draws or passes
holds nothing that fits at that moment, but what is drawn later may. So a tile that was dealt and one that
was drawn are told apart as different *holders* of `search.worlds`: each with the time from which it is
held, and a tile may be with a holder if it was never in the hand when it could not have been. That also
holds for tiles that have been laid since, of which it is not always known when they came.

A greedy opponent tells more: it held nothing that it would rather have laid. That is a *choice*, kept apart
from what must be so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from botequim.core.game import CHANCE
from botequim.games.boneyard import Draw, Drawn
from botequim.games.fives import HAND_SIZE, TILES, Open, Pass
from botequim.games.spinner import DIRECTIONS, Lay
from botequim.games.tiles import Deal, Tile
from botequim.search.fives import ALL, fitting, laid, points_on, tempting
from botequim.search.worlds import Worlds

NUMBER = {tile: at for at, tile in enumerate(TILES)}
DOUBLES = [at for at, tile in enumerate(TILES) if tile.low == tile.high]


def mask_of(tiles: Sequence[Tile]) -> int:
    """Tiles as bits."""
    return sum([1 << NUMBER[tile] for tile in tiles])


@dataclass(frozen=True, slots=True)
class Moment:
    """The opponent held none of these tiles at this time."""

    time: int
    tiles: int


@dataclass(slots=True)
class Seen:
    """One round, from the deal to now, as one seat saw it."""

    seat: int
    board: int = 0
    mine: int = 0
    shown: int = 0
    """Tiles on the table."""
    drawn_by_me: int = 0
    drawn_by_them: int = 0
    arrivals: list[tuple[int, int]] = field(default_factory=lambda: [(0, HAND_SIZE)])
    """Of the opponent's tiles of which it is not known which they were: from when, and how many."""
    lays: dict[int, int] = field(default_factory=dict)
    """The opponent's tiles that it laid out of those, and when."""
    needs: list[Moment] = field(default_factory=list)
    choices: list[Moment] = field(default_factory=list)
    not_dealt: int = 0
    """Higher doubles than the one that opened: nobody was dealt one."""
    greed_is_out: bool = False
    """A tile was laid where it scored less than it could have."""

    @classmethod
    def of(cls, events: Sequence[Any], seat: int) -> Seen:
        """From the events since the deal."""
        seen = cls(seat)
        pending = 0
        for time, event in enumerate(events):
            move = event.move
            if isinstance(move, Deal):
                seen.mine = mask_of(move.hands[seat] or ())
            elif isinstance(move, Open):
                seen._opened(move.tile)
            elif isinstance(move, Drawn):
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
        return int(ALL) & ~self.mine & ~self.shown

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
        self.board = int(laid(0, 4 * number))
        self.shown |= 1 << number

    def _lay(self, move: Lay) -> None:
        number = NUMBER[move.tile]
        self.board = int(laid(self.board, 4 * number + DIRECTIONS.index(move.side)))
        self.shown |= 1 << number

    def _their_turn(self, time: int, move: Lay | Pass, drawn: int) -> None:
        fits = int(fitting(self.board))
        if drawn or isinstance(move, Pass):
            # it is the last tile drawn that ends the drawing: those before it did not fit either
            stayed = drawn if isinstance(move, Pass) else drawn - 1
            self.drawn_by_them += drawn
            if stayed:
                self.arrivals.append((time, stayed))
            self.needs.append(Moment(time, fits))
        if not isinstance(move, Lay):
            return
        before = self.board
        self._lay(move)
        number = NUMBER[move.tile]
        if drawn:
            return
        self.lays[number] = time
        better = int(tempting(before, points_on(self.board), move.tile.low + move.tile.high))
        self.greed_is_out |= bool(better >> number & 1)
        self.choices.append(Moment(time, better))

    def worlds(self, *, greedy: bool) -> Worlds | None:
        """All ways in which the tiles can lie; None: there is none. The last holder is the boneyard."""
        if greedy and self.greed_is_out:
            return None
        moments = self.needs + self.choices if greedy else self.needs
        tiles = [at for at in range(len(TILES)) if self.unseen >> at & 1] + list(self.lays)
        sizes = [size for _, size in self.arrivals] + [self.boneyard]
        may = [self._may(tile, moments) for tile in tiles]
        worlds = Worlds(tiles, sizes, may)
        return worlds if worlds.count else None

    def _may(self, tile: int, moments: Sequence[Moment]) -> int:
        """The holders that can have a tile, as bits."""
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
        """The opponent's hand in a world."""
        hand = 0
        for tiles in hands[:-1]:
            hand |= tiles
        return hand & ~self.shown

    def greedy_turns(self, hands: Sequence[int]) -> int:
        """How many of the opponent's choices are those of a greedy player in a world."""
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
