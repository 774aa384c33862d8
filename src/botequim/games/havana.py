"""havana: partnership dominoes with the double-nine set, as in the streets of Havana (Projeto-02).

Four players sit clockwise in seats 0 to 3; 0 and 2 are one pair, 1 and 3 the other. CHANCE names who
starts (with the option `first` it can only name that seat: in a confronto each game starts a seat
further), then deals ten tiles to each; of the 55 fifteen stay unseen. The starter lays any tile; then,
clockwise, each lays a tile on either end or loses the turn. Who cannot play, does not want to, or tries
something invalid loses the turn and nothing more: a voluntary pass is legal, no fault is a forfeit.

A player gives a side and a tile. The first tile (a, b) is laid turned: the ends become (b, a). Side 0 is
the left end if the tile fits there, else the right; any other value is the right if it fits there, else
the left. The history keeps the side as given, also of a lost turn, as far as `sides.py` allows (with
`strict = "yes"`: 0 and 1); after an exception, a timeout or an answer of a wrong shape it is 0.

An empty hand wins for its pair. Four lost turns in a row, also before the first tile, close the game: the
pair that holds the single lowest hand wins; equal lowest hands are a tie. Partners' pips do not add up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias, final

from botequim.core.compiling import mypyc_attr
from botequim.core.errors import Fault, FaultKind, NotAMove
from botequim.core.game import CHANCE, CHANCE_TURN, NOBODY, Event, Outcome, Remark, check_say
from botequim.core.messages import Message, msg
from botequim.core.options import Choice, Option, Options
from botequim.core.rng import Rng
from botequim.games.sides import (
    Side,
    is_side,
    kept_side,
    read_side,
    require_side,
    shown,
    write_side,
)
from botequim.games.tiles import (
    Deal,
    Hand,
    Tile,
    check_deal,
    pips,
    place_of,
    read_deal,
    read_tile,
    require_tile,
    tile_set,
    without,
)

HIGHEST: Final = 9
TILES: Final = tile_set(HIGHEST)
SEATS: Final = 4
HAND_SIZE: Final = 10
TEAMS: Final = ((0, 2), (1, 3))

Numbers: TypeAlias = tuple[int, ...]
"""Of no length that is known to mypyc, which would make the tuple anew wherever it is looked into."""
Ends: TypeAlias = Numbers
"""The numbers at the left and the right end; empty before the first tile."""
Play: TypeAlias = tuple[int, Ends, Side, Numbers | None]
"""A turn as the history tells it: (seat, ends before, side as given, tile (low, high) or None)."""

_ALONE: Final[tuple[Numbers, ...]] = ((0,), (1,), (2,), (3,))
_PAIRS: Final[list[Numbers]] = [(one, other) for one in range(HIGHEST + 1) for other in range(HIGHEST + 1)]
"""All pairs that can be ends or a tile, so that no turn has to make one."""


class Ending(StrEnum):
    """How a game ends."""

    DOMINO = "domino"
    CLOSED = "closed"


# --- moves ---------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class First:
    """CHANCE names who starts."""

    seat: int


@final
@dataclass(frozen=True)
class Lay:
    """A player lays a tile."""

    side: Side
    tile: Tile

    def __post_init__(self) -> None:
        require_side(self.side)
        require_tile(self.tile)


@final
@dataclass(frozen=True)
class Pass:
    """A player lays nothing, of need or of choice."""

    side: Side

    def __post_init__(self) -> None:
        require_side(self.side)


@final
@dataclass(frozen=True)
class LostTurn:
    """What any fault becomes. Also what is refused when a player gives as its tile what is none."""

    side: Side
    tried: str = ""

    def __post_init__(self) -> None:
        require_side(self.side)


Move: TypeAlias = First | Deal | Lay | Pass | LostTurn

PASS: Final = Pass(0)
_LAY_LEFT: Final[dict[object, Lay]] = {tile: Lay(0, tile) for tile in TILES}
_LAY_RIGHT: Final[dict[object, Lay]] = {tile: Lay(1, tile) for tile in TILES}


def answered(side: object, tile: object, *, strict: bool) -> tuple[Move, Message | None]:
    """The move of a player that gave `side` and `tile`, and a warning where the side is not kept."""
    kept, warning = kept_side(side, strict=strict)
    if tile is None:
        return (PASS if kept is PASS.side else Pass(kept)), warning
    told, lays = False, _LAY_RIGHT
    if type(kept) is int and 0 <= kept <= 1:  # what players are told to give
        told, lays = True, _LAY_RIGHT if kept else _LAY_LEFT
    try:  # a turned tuple is no tile, and a list never is one
        lay = lays.get(tile) if isinstance(tile, tuple) else None
    except TypeError:  # a tuple of what has no hash
        lay = None
    if lay is None:
        return LostTurn(kept, shown(tile)), warning
    return lay if told else Lay(kept, lay.tile), warning


# --- what there is, and what a seat sees of it -----------------------------------------------------


@final
class Table:
    """What no turn changes: the options, and what CHANCE did before the first turn."""

    __slots__ = ("dealt", "first", "named", "strict")

    def __init__(self, strict: bool, first: int, named: int = -1, dealt: tuple[Hand, ...] = ()) -> None:
        self.strict: Final = strict
        self.first: Final = first
        """The seat that has to start, or -1: any."""
        self.named: Final = named
        """The seat that CHANCE named to start, or -1: none yet."""
        self.dealt: Final = dealt
        """By seat; empty before the deal."""


@final
@mypyc_attr(free_list_len=1)
class State:
    """A whole game, all hands open. Never changed: rules make a new one."""

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
        """Turns lost in a row, so far."""
        self.history: Final = [] if history is None else history
        """One list for all states of a game, where those after this one add their turns."""
        self.turns: Final = turns
        """How much of the history this state knows."""
        self.faults: Final = faults
        """A bit for each play that was lost by a fault, which the history does not tell from a pass."""

    @property
    def plays(self) -> tuple[Play, ...]:
        return tuple(self.history[: self.turns])

    def and_then(self, play: Play) -> list[Play]:
        """The history with one turn more. Of two states that follow this one, one has a list of its own."""
        history = self.history if len(self.history) == self.turns else self.history[: self.turns]
        history.append(play)
        return history


@final
@mypyc_attr(free_list_len=1)
class View:
    """What one seat has seen; seat None has seen no hand. (Made every turn: a frozen dataclass is slow.)"""

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
        """How much of the history there was."""
        self._faults: Final = faults
        self._first: Final = first
        """The seat that was named to start, or -1: none yet."""
        self._dealt: Final = dealt
        """The hand that this seat was dealt, which is empty for a spectator; None: before the deal."""
        self.strict: Final = strict
        """Whether only 0 and 1 are kept as sides."""

    @property
    def legal(self) -> tuple[Move, ...]:
        return _menu(self.hand, self.board_extremes) if self.to_move else ()

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
        """The history as a list of the player's own."""
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
    """The move that a turn of the history was."""
    if play[3] is not None:
        return Lay(play[2], Tile(*play[3]))
    return LostTurn(play[2]) if faults & 1 else Pass(play[2])


def _fits(tile: Tile, end: int) -> bool:
    return tile.low == end or tile.high == end


def goes_left(ends: Ends, side: Side, tile: Numbers) -> bool:
    """Whether a tile that fits goes to the left end."""
    wants_left = side == 0
    end = ends[0] if wants_left else ends[1]
    return (tile[0] == end or tile[1] == end) == wants_left


# --- the rules -------------------------------------------------------------------------------------


@final
class Havana:
    """The rules of havana."""

    name: Final = "havana"
    options: Final[tuple[Option, ...]] = (
        Choice("first", ("random", "0", "1", "2", "3"), msg("the seat that starts, counted from 0")),
        Choice("strict", ("no", "yes"), msg("whether a side other than 0 and 1 is kept as 1")),
    )

    def teams(self, options: Options) -> tuple[tuple[int, ...], ...]:
        return TEAMS

    def start(self, options: Options) -> State:
        first = -1 if options["first"] == "random" else int(options["first"])
        return State(Table(options["strict"] == "yes", first), CHANCE_TURN, ())

    def to_move(self, state: State) -> tuple[int, ...]:
        return state.to_move

    def chance(self, state: State, rng: Rng) -> Move:
        if state.table.named < 0:
            return First(rng.below(SEATS) if state.table.first < 0 else state.table.first)
        tiles = rng.shuffled(TILES)
        cuts = range(0, SEATS * HAND_SIZE, HAND_SIZE)
        return Deal(tuple([tuple(tiles[at : at + HAND_SIZE]) for at in cuts]))

    def legal(self, state: State, seat: int) -> tuple[Move, ...]:
        return _menu(state.hands[seat], state.ends)

    def check(self, state: State, seat: int, move: object) -> Message | None:
        if seat == CHANCE:
            return _check_chance(state.table, move)
        if isinstance(move, Lay):
            tile = move.tile
            if place_of(tile, state.hands[seat]) < 0:
                return msg("{tile} is not in the hand", tile=str(tile))
            if state.ends and not _fits(tile, state.ends[0]) and not _fits(tile, state.ends[1]):
                return msg("{tile} fits neither end: {ends}", tile=str(tile), ends=str(state.ends))
        elif not isinstance(move, Pass):
            if isinstance(move, LostTurn) and move.tried:
                return msg("{tried} is not a tile such as (3, 6), lower number first", tried=move.tried)
            return msg("only laying a tile or passing can be chosen")
        if is_side(move.side, strict=state.table.strict):
            return None
        return msg("{side} is not a side that can be kept", side=repr(move.side)[:40])

    def on_fault(self, state: State, seat: int, fault: Fault) -> Move:
        refused = fault.move
        if fault.kind == FaultKind.ILLEGAL and isinstance(refused, Lay | Pass | LostTurn):
            return LostTurn(kept_side(refused.side, strict=state.table.strict)[0])
        return LostTurn(0)

    def apply(self, state: State, moves: Mapping[int, Move]) -> State:
        seat = state.to_move[0]
        move = moves[seat]
        if seat == CHANCE:
            return _by_chance(state, move)
        if isinstance(move, Lay):
            tile = move.tile
            hands = without(state.hands, seat, tile)
            history = state.and_then((seat, state.ends, move.side, _pair(tile.low, tile.high)))
            to_move = _ALONE[(seat + 1) % SEATS] if hands[seat] else NOBODY
            ends = _laid(state.ends, move)
            return State(state.table, to_move, hands, ends, 0, history, state.turns + 1, state.faults)
        assert isinstance(move, (Pass, LostTurn))
        lost = state.lost + 1
        to_move = _ALONE[(seat + 1) % SEATS] if lost < SEATS else NOBODY
        faults = state.faults | (1 << state.turns) if isinstance(move, LostTurn) else state.faults
        history = state.and_then((seat, state.ends, move.side, None))
        return State(state.table, to_move, state.hands, state.ends, lost, history, state.turns + 1, faults)

    def outcome(self, state: State) -> Outcome | None:
        if state.to_move:
            return None
        points = tuple([pips(hand) for hand in state.hands])
        for seat in range(SEATS):
            if not state.hands[seat]:
                return Outcome(Ending.DOMINO.value, (2, 1) if seat % 2 else (1, 2), points)
        even, odd = min(points[0], points[2]), min(points[1], points[3])
        places = (1, 1) if even == odd else (1, 2) if even < odd else (2, 1)
        return Outcome(Ending.CLOSED.value, places, points)

    def view(self, state: State, seat: int | None) -> View:
        hand = state.hands[seat] if state.hands and seat is not None else ()
        table = state.table
        dealt: Hand | None = None
        if table.dealt:
            dealt = () if seat is None else table.dealt[seat]
        return View(
            seat,
            seat in state.to_move,
            hand,
            state.ends,
            state.history,
            state.turns,
            state.faults,
            table.named,
            dealt,
            table.strict,
        )

    def write(self, move: Move) -> str:
        if isinstance(move, Lay):
            return f"{move.tile} {write_side(move.side)}"
        if isinstance(move, Pass):
            return f"pass {write_side(move.side)}"
        if isinstance(move, LostTurn):
            return f"lost {write_side(move.side, *([move.tried] if move.tried else []))}"
        return f"first {move.seat}" if isinstance(move, First) else str(move)

    def read(self, text: str) -> Move:
        word, _, rest = text.partition(" ")
        if word == "deal":
            return read_deal(rest, HIGHEST)
        if word == "first" and rest in ("0", "1", "2", "3"):
            return First(int(rest))
        found = read_side(rest)
        if found is not None:
            side, more = found
            if word == "lost" and len(more) < 2:
                return LostTurn(side, *more)
            if word == "pass" and not more:
                return Pass(side)
            if "-" in word and not more:
                tile = read_tile(word, HIGHEST)
                # 6-3 stays refused: turned right here, it would be another move when a record is replayed
                return Lay(side, tile) if str(tile) == word else LostTurn(side, word)
        raise NotAMove(msg('"{text}" is not a move of havana, such as "3-6 1" or "pass 0"', text=text))

    def check_remark(self, remark: Remark) -> Message | None:
        return check_say(remark)

    def pieces(self, state: State) -> tuple[str, ...]:
        dealt = {tile for hand in state.table.dealt for tile in hand}
        unseen = [tile for tile in TILES if tile not in dealt]
        laid = _tiles_laid(state)
        return tuple([str(tile) for tiles in (unseen, laid, *state.hands) for tile in tiles])

    def redeal(self, state: State, seat: int | None, rng: Rng) -> State:
        table = state.table
        if not table.dealt:
            return state
        seen = set(_tiles_laid(state))
        seen.update(() if seat is None else state.hands[seat])
        unseen = rng.shuffled([tile for tile in TILES if tile not in seen])
        hands, dealt = list(state.hands), list(table.dealt)
        for at, hand in enumerate(state.hands):
            if at != seat:
                hands[at] = tuple([unseen.pop() for _ in hand])
                dealt[at] = (*hands[at], *[tile for tile in dealt[at] if tile not in hand])
        table = Table(table.strict, table.first, table.named, tuple(dealt))
        history, turns = list(state.plays), state.turns
        return State(table, state.to_move, tuple(hands), state.ends, state.lost, history, turns, state.faults)


def _tiles_laid(state: State) -> list[Tile]:
    return [Tile(*play[3]) for play in state.plays if play[3] is not None]


def _menu(hand: Hand, ends: Ends) -> tuple[Move, ...]:
    """Every tile on each end it fits, then the pass. The first tile has but one place to go."""
    if not ends:
        return (*[_LAY_LEFT[tile] for tile in hand], PASS)
    left, right = ends
    moves: list[Move] = []
    for tile in hand:
        low, high = tile
        if low == left or high == left:
            moves.append(_LAY_LEFT[tile])
        if low == right or high == right:
            moves.append(_LAY_RIGHT[tile])
    moves.append(PASS)
    return tuple(moves)


def _laid(ends: Ends, move: Lay) -> Ends:
    """The ends after a tile was laid."""
    low, high = move.tile.low, move.tile.high
    if not ends:
        return _pair(high, low)
    left, right = ends[0], ends[1]
    if goes_left(ends, move.side, move.tile):
        return _pair(low if high == left else high, right)
    return _pair(left, high if low == right else low)


def _pair(one: int, other: int) -> Numbers:
    return _PAIRS[one * (HIGHEST + 1) + other]


def _check_chance(table: Table, move: object) -> Message | None:
    if table.named < 0:
        if not isinstance(move, First) or move.seat not in range(SEATS):
            return msg("one of the seats 0 to 3 must be named to start")
        return None if table.first in (-1, move.seat) else msg("seat {seat} must start", seat=table.first)
    if not isinstance(move, Deal):
        return msg("the tiles must be dealt first")
    return check_deal(move.hands, TILES, seats=SEATS, size=HAND_SIZE)


def _by_chance(state: State, move: Move) -> State:
    table = state.table
    if isinstance(move, First):
        return State(Table(table.strict, table.first, move.seat), CHANCE_TURN, ())
    assert isinstance(move, Deal)
    dealt = tuple([hand or () for hand in move.hands])
    return State(Table(table.strict, table.first, table.named, dealt), _ALONE[table.named], dealt)


GAME: Final = Havana()
