"""fives: All Fives with a spinner, double-six, two players (dominoes_bot).

A game consists of many rounds. In each round, seven of the 28 tiles are dealt to each player; the others are
the boneyard. In the first round, and after a locked round, the player with the highest double opens with this
double. There is no choice, so it is a move of CHANCE. If nobody has a double, the tiles are dealt again.
After a round that ended in dominoes, its winner opens with any tile; the direction of this tile has no
meaning.

Then the players lay tiles in turn. The first double on the board is the spinner. Before there is a spinner,
a tile is laid on an end of the line; after that, on one of the four arms of the spinner (`spinner.py` has the
board). A player without a tile that fits draws one from the boneyard and continues the turn. CHANCE chooses
the tile, and only the player who draws sees it. If the boneyard is empty, the player passes.

The board score is the sum of the open ends. A double counts both halves. If there is only one tile, both its
numbers count. The spinner counts both halves until it has two arms, and nothing after that. A player whose
tile makes the board score a multiple of five gets that many points. The first and the last tile of a round
score too.

A round ends in dominoes when a hand is empty: its player gets the pips of the other hand, rounded to the
nearest multiple of five. Two passes in a row lock the round: the player with fewer pips gets the difference,
also rounded. The game ends at the end of a round, if a player has more than 150 points (`target`) and more
than the other. With `target_rule = "reach"`, 150 points are enough. After any fault, the player loses the
game at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Final, TypeAlias, final

from botequim.core.errors import Fault, MoveSyntaxError
from botequim.core.game import CHANCE, CHANCE_TURN, NOBODY, Event, Outcome, Remark, check_say
from botequim.core.messages import Message, msg
from botequim.core.options import ChoiceOption, IntOption, Option, Options
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
    tile_set,
    without_tile,
)
from botequim.games.fives.boneyard import (
    DRAW,
    Draw,
    DrawnTile,
    events_seen_by,
    read_drawn,
    resample_events,
    swap_tiles,
)
from botequim.games.fives.spinner import EMPTY, LAYS, Board, Lay, read_lay

HIGHEST: Final = 6
TILES: Final = tile_set(HIGHEST)
HAND_SIZE: Final = 7
HIGHEST_DOUBLE: Final = -1
"""Used instead of a seat: the round is opened by the player with the highest double."""
_ALONE: Final = ((0,), (1,))

Hands: TypeAlias = tuple[Hand, Hand]
Scores: TypeAlias = tuple[int, int]


class Ending(StrEnum):
    """How a game ends."""

    TARGET = "target"
    FORFEIT = "forfeit"


# --- moves ---------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class Open:
    """CHANCE lays the highest double for the seat that holds it."""

    tile: Tile


@final
@dataclass(frozen=True)
class Pass:
    """A player has no tile that fits, and the boneyard is empty."""


@final
@dataclass(frozen=True)
class Forfeit:
    """The move of the rules after any fault: the player loses the game at once."""


Move: TypeAlias = Deal | Open | Lay | Draw | DrawnTile | Pass | Forfeit
Events: TypeAlias = tuple[Event[Move], ...]

PASS: Final = Pass()
FORFEIT: Final = Forfeit()
_ONLY_DRAW: Final[tuple[Move, ...]] = (DRAW,)
_ONLY_PASS: Final[tuple[Move, ...]] = (PASS,)


# --- states and views ------------------------------------------------------------------------------


class Phase(Enum):
    """The kind of the next move."""

    DEAL = 0
    """The tiles of the last round stay on the table until the deal."""
    OPEN = 1
    PLAY = 2
    DRAW = 3
    OVER = 4
    FORFEITED = 5


@final
class State:
    """The state of a game, with all hands. It is immutable; the rules return a new one."""

    __slots__ = ("board", "boneyard", "events", "hands", "options", "phase", "round", "scores", "seat")

    def __init__(
        self,
        options: Options,
        round: int,
        scores: Scores,
        hands: Hands,
        boneyard: Hand,
        board: Board,
        phase: Phase,
        seat: int,
        events: Events,
    ) -> None:
        self.options: Final = options
        self.round: Final = round
        """Counted from 1; 0 before the first deal."""
        self.scores: Final = scores
        self.hands: Final = hands
        """By seat, in the order in which the player received the tiles."""
        self.boneyard: Final = boneyard
        """The tiles of the boneyard, in the order of TILES, which reveals nothing."""
        self.board: Final = board
        self.phase: Final = phase
        self.seat: Final = seat
        """The seat that moves, draws or has forfeited; before a deal, the seat that opens, or
        HIGHEST_DOUBLE."""
        self.events: Final = events


@final
@dataclass(frozen=True)
class View:
    """Everything that one seat has seen. Seat None, a spectator, sees no hand."""

    seat: int | None
    legal: tuple[Move, ...]
    events: Events
    """The events of all rounds. The other player's hand and the tiles that it drew are None."""
    hand: Hand
    scores: Scores
    board: Board
    board_score: int
    boneyard: int
    """The number of tiles in the boneyard."""
    counts: tuple[int, int]
    """The number of tiles in each hand, by seat."""
    round: int
    """Counted from 1; 0 before the first deal."""
    target: int
    target_rule: str
    """With `over`, a player needs more points than the target; with `reach`, as many are enough."""


def score_after(board: Board, move: Move) -> int:
    """Return the points that a player's move scores at once on this board."""
    return _points(board.with_lay(move)) if isinstance(move, Lay) else 0


# --- the rules -------------------------------------------------------------------------------------


@final
class Fives:
    """The rules of fives."""

    name: Final = "fives"
    options: Final[tuple[Option, ...]] = (
        IntOption(
            "target", 150, 5, 1000, msg("the score that ends the game, checked at the end of each round")
        ),
        ChoiceOption(
            "target_rule",
            ("over", "reach"),
            msg("whether the score must exceed the target (over), or reaching it is enough (reach)"),
        ),
    )

    def teams(self, options: Options) -> tuple[tuple[int, ...], ...]:
        return _ALONE

    def start(self, options: Options) -> State:
        return State(options, 0, (0, 0), ((), ()), TILES, EMPTY, Phase.DEAL, HIGHEST_DOUBLE, ())

    def to_move(self, state: State) -> tuple[int, ...]:
        if state.phase is Phase.PLAY:
            return _ALONE[state.seat]
        return NOBODY if state.phase is Phase.OVER or state.phase is Phase.FORFEITED else CHANCE_TURN

    def chance(self, state: State, rng: Rng) -> Move:
        if state.phase is Phase.DRAW:
            return DrawnTile(rng.choice(state.boneyard))
        double = _highest_double(state.hands)
        if state.phase is Phase.OPEN and double is not None:
            return Open(double)
        return random_deal(rng, TILES, seats=2, size=HAND_SIZE)

    def legal(self, state: State, seat: int) -> tuple[Move, ...]:
        lays = state.board.lays(state.hands[seat])
        if lays:
            return tuple(lays)
        return _ONLY_DRAW if state.boneyard else _ONLY_PASS

    def check(self, state: State, seat: int, move: object) -> Message | None:
        if seat == CHANCE:
            return _check_chance(state, move)
        if isinstance(move, Lay):
            if move.tile not in state.hands[seat]:
                return msg("{tile} is not in the hand", tile=str(move.tile))
            return state.board.refusal(move)
        if not isinstance(move, Draw | Pass):
            return msg("only laying a tile, drawing or passing can be chosen")
        forced = self.legal(state, seat)[0]
        if isinstance(move, Draw):
            if isinstance(forced, Lay):
                return msg("draws, but {tile} fits", tile=str(forced.tile))
            return None if state.boneyard else msg("draws, but the boneyard is empty")
        if isinstance(forced, Lay):
            return msg("passes, but {tile} fits", tile=str(forced.tile))
        return msg("passes, but a tile can be drawn") if state.boneyard else None

    def on_fault(self, state: State, seat: int, fault: Fault) -> Move:
        return FORFEIT

    def apply(self, state: State, moves: Mapping[int, Move]) -> State:
        if state.phase is not Phase.PLAY:
            return _by_chance(state, moves[CHANCE])
        move = moves[state.seat]
        events = (*state.events, Event(state.seat, move))
        if isinstance(move, Lay):
            return _after_lay(state, state.seat, move, events)
        if isinstance(move, Pass):
            return _after_pass(state, events)
        phase = Phase.DRAW if isinstance(move, Draw) else Phase.FORFEITED
        return _same_table(state, state.hands, state.boneyard, phase, events)

    def outcome(self, state: State) -> Outcome | None:
        first, second = state.scores
        if state.phase is Phase.FORFEITED:
            return Outcome(Ending.FORFEIT.value, (2, 1) if state.seat == 0 else (1, 2), state.scores)
        if state.phase is Phase.OVER:
            return Outcome(Ending.TARGET.value, (1, 2) if first > second else (2, 1), state.scores)
        return None

    def view(self, state: State, seat: int | None) -> View:
        asked = seat is not None and state.phase is Phase.PLAY and state.seat == seat
        return View(
            seat,
            self.legal(state, state.seat) if asked else (),
            events_seen_by(state.events, seat),
            () if seat is None else state.hands[seat],
            state.scores,
            state.board,
            state.board.score(),
            len(state.boneyard),
            (len(state.hands[0]), len(state.hands[1])),
            state.round,
            int(state.options["target"]),
            str(state.options["target_rule"]),
        )

    def write(self, move: Move) -> str:
        if isinstance(move, Lay):
            return f"{move.tile} {move.side}"
        if isinstance(move, Open):
            return f"open {move.tile}"
        if isinstance(move, Deal | DrawnTile):
            return str(move)
        return "draw" if isinstance(move, Draw) else "pass" if isinstance(move, Pass) else "forfeit"

    def read(self, text: str) -> Move:
        match text.split():
            case ["draw"]:
                return DRAW
            case ["pass"]:
                return PASS
            case ["forfeit"]:
                return FORFEIT
            case [word, "left" | "right" | "up" | "down" as side]:
                return read_lay(word, side, HIGHEST)
            case ["open", word]:
                return Open(read_tile(word, HIGHEST))
            case ["draw", word]:
                return read_drawn(word, HIGHEST)
            case ["deal", *hands]:
                return read_deal(" ".join(hands), HIGHEST)
        raise MoveSyntaxError(
            msg('"{text}" is not a move of fives, such as "3-6 left", "3-6 up", "draw" or "pass"', text=text)
        )

    def check_remark(self, remark: Remark) -> Message | None:
        return check_say(remark)

    def pieces(self, state: State) -> tuple[str, ...]:
        tiles = (*state.board.tiles(), *state.hands[0], *state.hands[1], *state.boneyard)
        return tuple([str(tile) for tile in tiles])

    def resample_hidden(self, state: State, seat: int | None, rng: Rng) -> State:
        events, swap = resample_events(state.events, seat, TILES, _doubles_out_of_hand, rng)
        hands = (swap_tiles(state.hands[0], swap), swap_tiles(state.hands[1], swap))
        boneyard = tuple(sorted(swap_tiles(state.boneyard, swap)))
        return _same_table(state, hands, boneyard, state.phase, events)


# --- a round, in the order of play -------------------------------------------------------------------


def _check_chance(state: State, move: object) -> Message | None:
    if state.phase is Phase.DRAW:
        drawn = isinstance(move, DrawnTile) and move.tile in state.boneyard
        return None if drawn else msg("a tile of the boneyard must be drawn")
    if state.phase is Phase.OPEN:
        double = _highest_double(state.hands)
        opened = isinstance(move, Open) and move.tile == double
        return None if opened else msg("the highest double must open: {tile}", tile=str(double))
    return check_deal(move, TILES, seats=2, size=HAND_SIZE)


def _by_chance(state: State, move: Move) -> State:
    events = (*state.events, Event(CHANCE, move))
    if isinstance(move, Deal):
        return _after_deal(state, move, events)
    if isinstance(move, Open):
        holder = 0 if move.tile in state.hands[0] else 1
        return _after_lay(state, holder, LAYS[move.tile][0], events)
    assert isinstance(move, DrawnTile)
    assert move.tile is not None
    hands = _with_hand(state.hands, state.seat, (*state.hands[state.seat], move.tile))
    return _same_table(state, hands, without_tile(state.boneyard, move.tile), Phase.PLAY, events)


def _after_deal(state: State, deal: Deal, events: Events) -> State:
    hands = (deal.hands[0] or (), deal.hands[1] or ())
    boneyard = tuple([tile for tile in TILES if tile not in hands[0] and tile not in hands[1]])
    phase = Phase.PLAY
    if state.seat == HIGHEST_DOUBLE:
        phase = Phase.DEAL if _highest_double(hands) is None else Phase.OPEN
    again = state.round > 0 and state.board.is_empty()
    number = state.round if again else state.round + 1
    return State(state.options, number, state.scores, hands, boneyard, EMPTY, phase, state.seat, events)


def _after_lay(state: State, seat: int, move: Lay, events: Events) -> State:
    board = state.board.with_lay(move)
    hands = _with_hand(state.hands, seat, without_tile(state.hands[seat], move.tile))
    scores = _with_points(state.scores, seat, _points(board))
    phase, after = Phase.PLAY, 1 - seat
    if not hands[seat]:
        scores = _with_points(scores, seat, _round_to_five(pips(hands[1 - seat])))
        phase, after = _after_round(state.options, scores), seat
    return State(state.options, state.round, scores, hands, state.boneyard, board, phase, after, events)


def _after_pass(state: State, events: Events) -> State:
    scores, hands = state.scores, state.hands
    phase, after = Phase.PLAY, 1 - state.seat
    if isinstance(state.events[-1].move, Pass):
        more = pips(hands[1]) - pips(hands[0])
        scores = _with_points(scores, 0 if more > 0 else 1, _round_to_five(abs(more)))
        phase, after = _after_round(state.options, scores), HIGHEST_DOUBLE
    boneyard, board = state.boneyard, state.board
    return State(state.options, state.round, scores, hands, boneyard, board, phase, after, events)


def _after_round(options: Options, scores: Scores) -> Phase:
    target = int(options["target"])
    best = max(scores)
    enough = best > target or (best == target and options["target_rule"] == "reach")
    return Phase.OVER if enough and scores[0] != scores[1] else Phase.DEAL


def _same_table(state: State, hands: Hands, boneyard: Hand, phase: Phase, events: Events) -> State:
    options, number, scores, board = state.options, state.round, state.scores, state.board
    return State(options, number, scores, hands, boneyard, board, phase, state.seat, events)


def _points(board: Board) -> int:
    score = board.score()
    return score if score % 5 == 0 else 0


def _round_to_five(points: int) -> int:
    return (points + 2) // 5 * 5


def _with_points(scores: Scores, seat: int, points: int) -> Scores:
    return (scores[0] + points, scores[1]) if seat == 0 else (scores[0], scores[1] + points)


def _with_hand(hands: Hands, seat: int, hand: Hand) -> Hands:
    return (hand, hands[1]) if seat == 0 else (hands[0], hand)


def _highest_double(hands: Hands) -> Tile | None:
    return max([tile for hand in hands for tile in hand if tile.low == tile.high], default=None)


def _doubles_out_of_hand(dealt: Events) -> list[Tile]:
    """Return the doubles above the opening one, which were not dealt to anybody."""
    deal = dealt[0].move
    assert isinstance(deal, Deal)
    if len(dealt) > 1 and dealt[1].by != CHANCE:
        return []
    opening = _highest_double((deal.hands[0] or (), deal.hands[1] or ()))
    return [tile for tile in TILES if tile.low == tile.high and (opening is None or tile >= opening)]


GAME: Final = Fives()
