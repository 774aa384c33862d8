"""cubos: partnership block dominoes with the double-six set (Rinha Cubos: Dominó).

Four players sit clockwise in seats 0 to 3. Seats 0 and 2 are one team, 1 and 3 the other. The 28 tiles are
dealt, seven to each player. 6-6 is laid first. Its holder has no choice, so this is a move of CHANCE. Then
the players move clockwise. A player lays a tile on the left or the right end of the line, and passes only if
no tile fits.

The first player with an empty hand wins for its team. Four passes in a row block the game. By default, a
blocked game is a draw. With `blocked = "points"`, the team with fewer pips in its two hands wins it; if both
have the same number, the team that did not lay the last tile wins. After any fault, including an illegal
move, the team of the player loses the game at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias, final

from botequim.core.errors import Fault, MoveSyntaxError
from botequim.core.game import CHANCE, CHANCE_TURN, NOBODY, Event, Outcome, Remark, check_say
from botequim.core.messages import Message, msg
from botequim.core.options import ChoiceOption, Option, Options
from botequim.core.rng import Rng
from botequim.games.dominoes.tiles import (
    Deal,
    Hand,
    Tile,
    check_deal,
    pips,
    random_deal,
    read_deal,
    read_tile,
    require_tile,
    tile_set,
    without,
)

HIGHEST: Final = 6
TILES: Final = tile_set(HIGHEST)
DOUBLE_SIX: Final = Tile(6, 6)
SEATS: Final = 4
HAND_SIZE: Final = 7
TEAMS: Final = ((0, 2), (1, 3))
_ALONE: Final = ((0,), (1,), (2,), (3,))

Halves: TypeAlias = tuple[int, int]
"""A tile on the table: (left number, right number)."""


class Side(StrEnum):
    """An end of the line."""

    LEFT = "left"
    RIGHT = "right"


class Ending(StrEnum):
    """How a game ends."""

    DOMINO = "domino"
    BLOCKED = "blocked"
    FORFEIT = "forfeit"


# --- moves ---------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class Open:
    """CHANCE lays 6-6 for the seat that holds it."""


@final
@dataclass(frozen=True)
class Lay:
    """A player lays a tile on an end."""

    tile: Tile
    side: Side

    def __post_init__(self) -> None:
        require_tile(self.tile)
        if type(self.side) is not Side:
            raise TypeError("a side is Side.LEFT or Side.RIGHT")


@final
@dataclass(frozen=True)
class Pass:
    """A player has no tile that fits."""


@final
@dataclass(frozen=True)
class Forfeit:
    """The move of the rules after any fault: the team loses at once."""


Move: TypeAlias = Deal | Open | Lay | Pass | Forfeit

OPEN: Final = Open()
PASS: Final = Pass()
FORFEIT: Final = Forfeit()
_LAY_LEFT: Final = {tile: Lay(tile, Side.LEFT) for tile in TILES}
_LAY_RIGHT: Final = {tile: Lay(tile, Side.RIGHT) for tile in TILES}
_ONLY_PASS: Final[tuple[Move, ...]] = (PASS,)


# --- states and views ------------------------------------------------------------------------------


@final
class State:
    """The state of a game, with all hands. It is immutable; the rules return a new one."""

    __slots__ = ("events", "forfeiter", "hands", "line", "passes", "points_decide", "seat")

    def __init__(
        self,
        points_decide: bool,
        hands: tuple[Hand, ...],
        line: tuple[Halves, ...],
        seat: int,
        passes: int,
        forfeiter: int,
        events: tuple[Event[Move], ...],
    ) -> None:
        self.points_decide: Final = points_decide
        self.hands: Final = hands
        """By seat, in the order dealt; empty before the deal."""
        self.line: Final = line
        self.seat: Final = seat
        """The seat that is to move."""
        self.passes: Final = passes
        """The number of passes in a row."""
        self.forfeiter: Final = forfeiter
        """The seat whose fault ended the game, or -1."""
        self.events: Final = events


@final
@dataclass(frozen=True)
class View:
    """Everything that one seat has seen. Seat None, a spectator, sees no hand."""

    seat: int | None
    legal: tuple[Move, ...]
    events: tuple[Event[Move], ...]
    hand: Hand
    line: tuple[Halves, ...]
    """From left to right, each tile as it lies."""
    counts: tuple[int, ...]
    """The number of tiles in each hand, by seat."""
    blocked: str
    """The option for a blocked game: `draw` or `points`."""


# --- the rules -------------------------------------------------------------------------------------


@final
class Cubos:
    """The rules of cubos."""

    name: Final = "cubos"
    options: Final[tuple[Option, ...]] = (
        ChoiceOption(
            "blocked",
            ("draw", "points"),
            msg("whether a blocked game is a draw, or the team with fewer pips wins it"),
        ),
    )

    def teams(self, options: Options) -> tuple[tuple[int, ...], ...]:
        return TEAMS

    def start(self, options: Options) -> State:
        return State(options["blocked"] == "points", (), (), 0, 0, -1, ())

    def to_move(self, state: State) -> tuple[int, ...]:
        if not state.line:
            return CHANCE_TURN
        if _is_over(state):
            return NOBODY
        return _ALONE[state.seat]

    def chance(self, state: State, rng: Rng) -> Move:
        if state.hands:
            return OPEN
        return random_deal(rng, TILES, seats=SEATS, size=HAND_SIZE)

    def legal(self, state: State, seat: int) -> tuple[Move, ...]:
        left, right = state.line[0][0], state.line[-1][1]
        moves: list[Move] = []
        for tile in state.hands[seat]:
            low, high = tile
            if low == left or high == left:
                moves.append(_LAY_LEFT[tile])
            if low == right or high == right:
                moves.append(_LAY_RIGHT[tile])
        return tuple(moves) if moves else _ONLY_PASS

    def check(self, state: State, seat: int, move: object) -> Message | None:
        if seat == CHANCE:
            return _check_chance(state, move)
        if isinstance(move, Lay):
            if move.tile not in state.hands[seat]:
                return msg("{tile} is not in the hand", tile=str(move.tile))
            if move.side == Side.LEFT:
                if state.line[0][0] not in move.tile:
                    return msg(
                        "{tile} does not fit the left end, {end}", tile=str(move.tile), end=state.line[0][0]
                    )
            elif state.line[-1][1] not in move.tile:
                return msg(
                    "{tile} does not fit the right end, {end}", tile=str(move.tile), end=state.line[-1][1]
                )
            return None
        if isinstance(move, Pass):
            menu = self.legal(state, seat)
            if menu is not _ONLY_PASS:
                fitting = menu[0]
                assert isinstance(fitting, Lay)
                return msg("passes, but {tile} fits", tile=str(fitting.tile))
            return None
        return msg("only laying a tile or passing can be chosen")

    def on_fault(self, state: State, seat: int, fault: Fault) -> Move:
        return FORFEIT

    def apply(self, state: State, moves: Mapping[int, Move]) -> State:
        if not state.line:
            return _by_chance(state, moves[CHANCE])
        seat = state.seat
        move = moves[seat]
        # adding tuples compiles to one copy; unpacking them makes a list first
        events = state.events + (Event(seat, move),)
        after = (seat + 1) % SEATS
        if isinstance(move, Lay):
            hands = without(state.hands, seat, move.tile)
            line = _line_after(state.line, move)
            return State(state.points_decide, hands, line, after, 0, -1, events)
        if isinstance(move, Pass):
            passes = state.passes + 1
            return State(state.points_decide, state.hands, state.line, after, passes, -1, events)
        return State(state.points_decide, state.hands, state.line, after, state.passes, seat, events)

    def outcome(self, state: State) -> Outcome | None:
        if not state.line or not _is_over(state):
            return None
        points = tuple([pips(hand) for hand in state.hands])
        if state.forfeiter >= 0:
            return _won_by(1 - state.forfeiter % 2, Ending.FORFEIT, points)
        for seat in range(SEATS):
            if not state.hands[seat]:
                return _won_by(seat % 2, Ending.DOMINO, points)
        if not state.points_decide:
            return Outcome(Ending.BLOCKED.value, (1, 1), points)
        even, odd = points[0] + points[2], points[1] + points[3]
        if even == odd:
            return _won_by(1 - _last_to_lay(state) % 2, Ending.BLOCKED, points)
        return _won_by(0 if even < odd else 1, Ending.BLOCKED, points)

    def view(self, state: State, seat: int | None) -> View:
        events = state.events
        hand: Hand = ()
        legal: tuple[Move, ...] = ()
        if state.hands:
            dealt = events[0].move
            assert isinstance(dealt, Deal)
            own: Event[Move] = Event(CHANCE, dealt.seen_by(seat))
            events = (own,) + events[1:]
            if seat is not None:
                hand = state.hands[seat]
                if state.line and state.seat == seat and not _is_over(state):
                    legal = self.legal(state, seat)
        counts = tuple([len(held) for held in state.hands])
        blocked = "points" if state.points_decide else "draw"
        return View(seat, legal, events, hand, state.line, counts, blocked)

    def write(self, move: Move) -> str:
        if isinstance(move, Lay):
            return f"{move.tile} {move.side.value}"
        if isinstance(move, Pass):
            return "pass"
        if isinstance(move, Open):
            return f"open {DOUBLE_SIX}"
        if isinstance(move, Forfeit):
            return "forfeit"
        return str(move)

    def read(self, text: str) -> Move:
        words = text.split()
        if len(words) == 2 and words[1] in ("left", "right"):
            tile = read_tile(words[0], HIGHEST)
            return _LAY_LEFT[tile] if words[1] == "left" else _LAY_RIGHT[tile]
        if words == ["pass"]:
            return PASS
        if words == ["open", str(DOUBLE_SIX)]:
            return OPEN
        if words == ["forfeit"]:
            return FORFEIT
        if words and words[0] == "deal":
            return read_deal(" ".join(words[1:]), HIGHEST)
        raise MoveSyntaxError(
            msg('"{text}" is not a move of cubos, such as "3-6 left", "3-6 right" or "pass"', text=text)
        )

    def check_remark(self, remark: Remark) -> Message | None:
        return check_say(remark)

    def pieces(self, state: State) -> tuple[str, ...]:
        laid = [str(Tile(min(halves), max(halves))) for halves in state.line]
        return (*laid, *(str(tile) for hand in state.hands for tile in hand))

    def resample_hidden(self, state: State, seat: int | None, rng: Rng) -> State:
        if not state.hands:
            return state
        others = [at for at in range(SEATS) if at != seat]
        unseen = rng.shuffled([tile for at in others for tile in state.hands[at]])
        hands = list(state.hands)
        dealt = state.events[0].move
        assert isinstance(dealt, Deal)
        before = list(dealt.hands)
        for at in others:
            size = len(hands[at])
            laid = [tile for tile in before[at] or () if tile not in state.hands[at]]
            hands[at], unseen = tuple(unseen[:size]), unseen[size:]
            before[at] = (*hands[at], *laid)
        redealt: Move = Deal(tuple(before))
        events = (Event(CHANCE, redealt), *state.events[1:])
        return State(
            state.points_decide,
            tuple(hands),
            state.line,
            state.seat,
            state.passes,
            state.forfeiter,
            events,
        )


def _check_chance(state: State, move: object) -> Message | None:
    if state.hands:
        return None if isinstance(move, Open) else msg("the holder of 6-6 must open with it")
    return check_deal(move, TILES, seats=SEATS, size=HAND_SIZE)


def _by_chance(state: State, move: Move) -> State:
    events = (*state.events, Event(CHANCE, move))
    if isinstance(move, Deal):
        return State(state.points_decide, tuple(hand or () for hand in move.hands), (), 0, 0, -1, events)
    opener = next(seat for seat in range(SEATS) if DOUBLE_SIX in state.hands[seat])
    hands = tuple(tuple(tile for tile in hand if tile != DOUBLE_SIX) for hand in state.hands)
    return State(state.points_decide, hands, ((6, 6),), (opener + 1) % SEATS, 0, -1, events)


def _is_over(state: State) -> bool:
    if state.passes == SEATS or state.forfeiter >= 0:
        return True
    # only the seat that has just moved can have an empty hand
    return not state.hands[(state.seat + SEATS - 1) % SEATS]


def _line_after(line: tuple[Halves, ...], move: Lay) -> tuple[Halves, ...]:
    low, high = move.tile.low, move.tile.high
    if move.side is Side.LEFT:
        return ((low, high) if high == line[0][0] else (high, low),) + line
    return line + ((low, high) if low == line[-1][1] else (high, low),)


def _last_to_lay(state: State) -> int:
    """Return the seat that laid the last tile. After four passes it is the one before the seat to move."""
    return (state.seat + SEATS - 1) % SEATS


def _won_by(team: int, how: Ending, points: tuple[int, ...]) -> Outcome:
    return Outcome(how.value, (1, 2) if team == 0 else (2, 1), points)


GAME: Final = Cubos()
