"""States and views of havana. `rules.py` describes the rules."""

from __future__ import annotations

from typing import Final, TypeAlias, final

from botequim.core.compiling import mypyc_attr
from botequim.core.game import CHANCE, Event
from botequim.games.dominoes.tiles import Deal, Hand, Tile
from botequim.games.havana.moves import (
    HIGHEST,
    LAY_LEFT,
    LAY_RIGHT,
    PASS,
    First,
    Lay,
    LostTurn,
    Move,
    Pass,
)
from botequim.games.havana.sides import Side

SEATS: Final = 4

Numbers: TypeAlias = tuple[int, ...]
"""A tuple without a fixed length, because mypyc would create a fixed-length tuple again at every access."""
Ends: TypeAlias = Numbers
"""The numbers at the left and the right end; empty before the first tile."""
Play: TypeAlias = tuple[int, Ends, Side, Numbers | None]
"""A turn in the history: (seat, ends before, side as given, tile (low, high) or None)."""

_PAIRS: Final[list[Numbers]] = [(one, other) for one in range(HIGHEST + 1) for other in range(HIGHEST + 1)]
"""All pairs that can be ends or a tile, so that no turn has to create one."""


@final
class Table:
    """The constant part of a state: the options, and the moves of CHANCE before the first turn."""

    __slots__ = ("dealt", "first", "named", "strict")

    def __init__(self, strict: bool, first: int, named: int = -1, dealt: tuple[Hand, ...] = ()) -> None:
        self.strict: Final = strict
        self.first: Final = first
        """The seat that must start, or -1 for any."""
        self.named: Final = named
        """The seat that CHANCE has chosen to start, or -1 before that."""
        self.dealt: Final = dealt
        """By seat; empty before the deal."""


@final
@mypyc_attr(free_list_len=1)
class State:
    """The state of a game, with all hands. It is immutable; the rules return a new one."""

    __slots__ = ("ends", "faults", "hands", "history", "lost", "table", "to_move", "turns")

    def __init__(
        self,
        table: Table,
        to_move: tuple[int, ...],
        hands: tuple[Hand, ...],
        ends: Ends = (),
        lost: int = 0,
        history: list[Play] | None = None,
        turns: int = 0,
        faults: int = 0,
    ) -> None:
        self.table: Final = table
        self.to_move: Final = to_move
        self.hands: Final = hands
        """By seat, in the order dealt; empty before the deal."""
        self.ends: Final = ends
        self.lost: Final = lost
        """The number of turns lost in a row."""
        self.history: Final = [] if history is None else history
        """One list for all states of a game; later states append their turns to it."""
        self.turns: Final = turns
        """The length of the history that belongs to this state."""
        self.faults: Final = faults
        """A bit for each turn that was lost by a fault, because in the history a fault looks like a pass."""

    @property
    def plays(self) -> tuple[Play, ...]:
        return tuple(self.history[: self.turns])

    def and_then(self, play: Play) -> list[Play]:
        """Return the history with one more turn. If two states follow this one, the second gets a list of its
        own."""
        history = self.history if len(self.history) == self.turns else self.history[: self.turns]
        history.append(play)
        return history


@final
@mypyc_attr(free_list_len=1)
class View:
    """Everything that one seat has seen. Seat None, a spectator, sees no hand. (Not a dataclass, for
    speed.)"""

    __slots__ = (
        "_dealt",
        "_faults",
        "_first",
        "_history",
        "_turns",
        "board_extremes",
        "hand",
        "seat",
        "strict",
        "to_move",
    )

    def __init__(
        self,
        seat: int | None,
        to_move: bool,
        hand: Hand,
        board_extremes: Ends,
        history: list[Play],
        turns: int,
        faults: int,
        first: int,
        dealt: Hand | None,
        strict: bool,
    ) -> None:
        self.seat: Final = seat
        self.to_move: Final = to_move
        self.hand: Final = hand
        self.board_extremes: Final = board_extremes
        self._history: Final = history
        self._turns: Final = turns
        """The length of the history that belongs to this view."""
        self._faults: Final = faults
        self._first: Final = first
        """The seat that CHANCE has chosen to start, or -1 before that."""
        self._dealt: Final = dealt
        """The hand that was dealt to this seat, empty for a spectator; None before the deal."""
        self.strict: Final = strict
        """Whether the history contains only 0 and 1 as sides."""

    @property
    def legal(self) -> tuple[Move, ...]:
        return menu(self.hand, self.board_extremes) if self.to_move else ()

    @property
    def events(self) -> tuple[Event[Move], ...]:
        seen: list[Event[Move]] = []
        if self._first >= 0:
            seen.append(Event(CHANCE, First(self._first)))
        if self._dealt is not None:
            hands = [self._dealt if at == self.seat else None for at in range(SEATS)]
            seen.append(Event(CHANCE, Deal(tuple(hands))))
        for at, play in enumerate(self.play_hist):
            seen.append(Event(play[0], _move_of(play, self._faults >> at)))
        return tuple(seen)

    @property
    def plays(self) -> tuple[Play, ...]:
        return tuple(self.play_hist)

    @property
    def play_hist(self) -> list[Play]:
        """Return the history as a new list."""
        return self._history[: self._turns]

    def _all(self) -> tuple[object, ...]:
        own = (self.seat, self.to_move, self.hand, self._dealt, self.strict)
        return (*own, self._first, self.board_extremes, self.plays, self._faults)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, View) and self._all() == other._all()

    def __hash__(self) -> int:
        return hash(self._all())

    def __reduce__(self) -> tuple[type[View], tuple[object, ...]]:
        own = (self.seat, self.to_move, self.hand, self.board_extremes)
        past = (self.play_hist, self._turns, self._faults, self._first, self._dealt, self.strict)
        return View, (*own, *past)


def _move_of(play: Play, faults: int) -> Move:
    """Return the move of a turn in the history."""
    if play[3] is not None:
        return Lay(play[2], Tile(*play[3]))
    return LostTurn(play[2]) if faults & 1 else Pass(play[2])


def fits(tile: Tile, end: int) -> bool:
    return tile.low == end or tile.high == end


def goes_left(ends: Ends, side: Side, tile: Numbers) -> bool:
    """Return whether a tile that fits goes to the left end."""
    wants_left = side == 0
    end = ends[0] if wants_left else ends[1]
    return (tile[0] == end or tile[1] == end) == wants_left


def menu(hand: Hand, ends: Ends) -> tuple[Move, ...]:
    """Return the legal moves: every tile on each end that it fits, then the pass. The first tile has one
    side."""
    if not ends:
        return (*[LAY_LEFT[tile] for tile in hand], PASS)
    left, right = ends
    moves: list[Move] = []
    for tile in hand:
        low, high = tile
        if low == left or high == left:
            moves.append(LAY_LEFT[tile])
        if low == right or high == right:
            moves.append(LAY_RIGHT[tile])
    moves.append(PASS)
    return tuple(moves)


def pair(one: int, other: int) -> Numbers:
    return _PAIRS[one * (HIGHEST + 1) + other]
