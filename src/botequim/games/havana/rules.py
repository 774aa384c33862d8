"""havana: partnership dominoes with the double-nine set, as in the streets of Havana (Projeto-02).

Four players sit clockwise in seats 0 to 3. Seats 0 and 2 are one pair, 1 and 3 the other. CHANCE chooses the
seat that starts. The option `first` sets this seat; in a confronto each game starts one seat further. Then
CHANCE deals ten tiles to each player; fifteen of the 55 tiles stay unseen. The first player lays any tile.
Then the players move clockwise. A player lays a tile on either end, or loses the turn: because no tile fits,
because it passes although it could play, or because its move is invalid. A voluntary pass is legal, and no
fault costs more than the turn.

The move of a player is a side and a tile. The first tile (a, b) is laid reversed: the ends become (b, a).
Side 0 is the left end if the tile fits there, otherwise the right end; any other value is the right end if
the tile fits there, otherwise the left end. The history contains the side as the player gave it, also for a
lost turn, if `sides.py` allows this value (with `strict = "yes"`, only 0 and 1). After an exception, a
timeout or an answer of a wrong form, the side in the history is 0.

The first player with an empty hand wins for its pair. Four lost turns in a row, also before the first tile,
end the game: the pair of the player with the fewest pips wins. If players of both pairs have the fewest, it
is a tie. The pips of partners are not added.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, final

from botequim.core.errors import Fault, FaultKind, MoveSyntaxError
from botequim.core.game import CHANCE, CHANCE_TURN, NOBODY, Outcome, Remark, check_say
from botequim.core.messages import Message, msg
from botequim.core.options import ChoiceOption, Option, Options
from botequim.core.rng import Rng
from botequim.games.dominoes.tiles import (
    Deal,
    Hand,
    Tile,
    check_deal,
    pips,
    place_of,
    random_deal,
    read_deal,
    read_tile,
    without,
)
from botequim.games.havana.moves import HIGHEST, TILES, First, Lay, LostTurn, Move, Pass
from botequim.games.havana.sides import is_side, kept_side, read_side, write_side
from botequim.games.havana.state import (
    SEATS,
    Ends,
    Numbers,
    State,
    Table,
    View,
    fits,
    goes_left,
    menu,
    pair,
)

HAND_SIZE: Final = 10
TEAMS: Final = ((0, 2), (1, 3))
_ALONE: Final[tuple[Numbers, ...]] = ((0,), (1,), (2,), (3,))


class Ending(StrEnum):
    """How a game ends."""

    DOMINO = "domino"
    CLOSED = "closed"


@final
class Havana:
    """The rules of havana."""

    name: Final = "havana"
    options: Final[tuple[Option, ...]] = (
        ChoiceOption("first", ("random", "0", "1", "2", "3"), msg("the seat that starts, counted from 0")),
        ChoiceOption("strict", ("no", "yes"), msg("whether a side other than 0 and 1 is recorded as 1")),
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
        return random_deal(rng, TILES, seats=SEATS, size=HAND_SIZE)

    def legal(self, state: State, seat: int) -> tuple[Move, ...]:
        return menu(state.hands[seat], state.ends)

    def check(self, state: State, seat: int, move: object) -> Message | None:
        if seat == CHANCE:
            return _check_chance(state.table, move)
        if isinstance(move, Lay):
            tile = move.tile
            if place_of(tile, state.hands[seat]) < 0:
                return msg("{tile} is not in the hand", tile=str(tile))
            if state.ends and not fits(tile, state.ends[0]) and not fits(tile, state.ends[1]):
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
            history = state.and_then((seat, state.ends, move.side, pair(tile.low, tile.high)))
            to_move = _ALONE[(seat + 1) % SEATS] if hands[seat] else NOBODY
            ends = _ends_after(state.ends, move)
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
                # 6-3 is refused, because a correction here would change the move in a replayed record
                return Lay(side, tile) if str(tile) == word else LostTurn(side, word)
        raise MoveSyntaxError(msg('"{text}" is not a move of havana, such as "3-6 1" or "pass 0"', text=text))

    def check_remark(self, remark: Remark) -> Message | None:
        return check_say(remark)

    def pieces(self, state: State) -> tuple[str, ...]:
        dealt = {tile for hand in state.table.dealt for tile in hand}
        unseen = [tile for tile in TILES if tile not in dealt]
        laid = _tiles_laid(state)
        return tuple([str(tile) for tiles in (unseen, laid, *state.hands) for tile in tiles])

    def resample_hidden(self, state: State, seat: int | None, rng: Rng) -> State:
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


def _ends_after(ends: Ends, move: Lay) -> Ends:
    """Return the ends after a tile was laid."""
    low, high = move.tile.low, move.tile.high
    if not ends:
        return pair(high, low)
    left, right = ends[0], ends[1]
    if goes_left(ends, move.side, move.tile):
        return pair(low if high == left else high, right)
    return pair(left, high if low == right else low)


def _check_chance(table: Table, move: object) -> Message | None:
    if table.named < 0:
        if not isinstance(move, First) or move.seat not in range(SEATS):
            return msg("one of the seats 0 to 3 must be named to start")
        return None if table.first in (-1, move.seat) else msg("seat {seat} must start", seat=table.first)
    return check_deal(move, TILES, seats=SEATS, size=HAND_SIZE)


def _by_chance(state: State, move: Move) -> State:
    table = state.table
    if isinstance(move, First):
        return State(Table(table.strict, table.first, move.seat), CHANCE_TURN, ())
    assert isinstance(move, Deal)
    dealt = tuple([hand or () for hand in move.hands])
    return State(Table(table.strict, table.first, table.named, dealt), _ALONE[table.named], dealt)


GAME: Final = Havana()
