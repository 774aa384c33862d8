"""What a game is: the one interface a game author reads.

A game is pure, synchronous rules over immutable values. It knows nothing of bots, time, files or
languages. Randomness is a player without a seat: deals, draws and coins are moves made by `CHANCE`,
so a finished game can be replayed with no generator at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from botequim.core.errors import Fault
from botequim.core.messages import Message, msg
from botequim.core.options import Option, Options
from botequim.core.rng import Rng
from botequim.core.turn import Event as Event

CHANCE: Final = -1
"""The seat of chance in `to_move`, `check`, `apply` and events."""

CHANCE_TURN: Final = (CHANCE,)
NOBODY: Final = ()

M = TypeVar("M")
S = TypeVar("S")
V_co = TypeVar("V_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Remark:
    """Something a player shows beside its move: it is for the audience, never for other players."""

    kind: str
    """`say` or `art`."""
    value: Any
    """A text, or for art a list of texts."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a finished game ended."""

    how: str
    """The game's own word for this ending."""
    places: tuple[int, ...]
    """By team, 1 is best; teams that are equal share a place."""
    points: tuple[int, ...] = ()
    """By seat: pips left, rounds won, cards left: whatever the game counts."""

    def shares(self) -> tuple[Fraction, ...]:
        """By team: 1 for the winner; m teams that share the first place have 1/m each."""
        first = self.places.count(1)
        return tuple(Fraction(1, first) if place == 1 else Fraction(0) for place in self.places)


class View(Protocol):
    """Exactly what one seat has seen. Each game adds its own fields (hand, line, scores, ...).

    Views are equal when what was seen is equal.
    """

    @property
    def seat(self) -> int | None:
        """Whose view it is; None is a spectator, who sees no hand."""

    @property
    def legal(self) -> Sequence[Any]:
        """The menu of moves if this seat is to move, else empty."""

    @property
    def events(self) -> Sequence[Event[Any]]:
        """All that happened, in order, as this seat saw it."""


class Game(Protocol[S, M, V_co]):
    """The rules of one game: state S, move M, view V.

    `botequim.testing.check_game` tells whether an implementation keeps what is promised here.
    """

    @property
    def name(self) -> str:
        """What it is called on the command line and in records."""

    @property
    def options(self) -> tuple[Option, ...]:
        """A game for a varying number of teams has a `Whole` option named `players`."""

    def teams(self, options: Options) -> tuple[tuple[int, ...], ...]:
        """The seats of each team: `((0, 2), (1, 3))`. Seats count from 0, clockwise."""

    def start(self, options: Options) -> S:
        """The state before anything happened, deal included. Takes what `settle` returned."""

    def to_move(self, state: S) -> tuple[int, ...]:
        """Who moves now: one seat, several at the same time, `CHANCE_TURN`, or `NOBODY`: it is over."""

    def legal(self, state: S, seat: int) -> Sequence[M]:
        """The finite menu a player to move is shown. Never empty, never a fault's move."""

    def check(self, state: S, seat: int, move: object) -> Message | None:
        """Why this move is refused now, or None. May accept more than the menu shows.

        Also for `seat=CHANCE`: whether chance can have made this move. Any object may be asked about.
        """

    def chance(self, state: S, rng: Rng) -> M:
        """The move of CHANCE, drawn fairly."""

    def on_fault(self, state: S, seat: int, fault: Fault) -> M:
        """The move of the game's own that a fault becomes: forfeit, lost turn, missing, out."""

    def apply(self, state: S, moves: Mapping[int, M]) -> S:
        """The state after the moves of all who were to move. `state` itself does not change."""

    def view(self, state: S, seat: int | None) -> V_co:
        """What this seat has seen; None: a spectator."""

    def outcome(self, state: S) -> Outcome | None:
        """None while somebody is to move."""

    def write(self, move: M) -> str:
        """The move in one line of text, in words of the game."""

    def read(self, text: str) -> M:
        """The move that was written, or NotAMove."""

    def check_remark(self, remark: Remark) -> Message | None:
        """Why a remark is dropped, or None. A dropped remark leaves a warning; the move stands."""

    def pieces(self, state: S) -> Sequence[str]:
        """Every tile or card, wherever it is; () where there are none. The same all through a game."""

    def redeal(self, state: S, seat: int | None, rng: Rng) -> S:
        """Another state with the same view for this seat: what it has not seen is dealt anew.

        (Not necessarily a likely one: it proves that views leak nothing.)
        """


AnyGame: TypeAlias = Game[Any, Any, Any]

SAY_LENGTH: Final = 280
TOO_LONG: Final = msg("what is said is longer than {limit} characters", limit=SAY_LENGTH)


def check_say(remark: Remark) -> Message | None:
    """The rule most games have for remarks: a SAY of a bounded length, nothing else."""
    if remark.kind != "say":
        return msg('a remark of the kind "{kind}" is not known in this game', kind=remark.kind)
    if not isinstance(remark.value, str):
        return msg("what is said must be a text")
    if len(remark.value) > SAY_LENGTH:
        return TOO_LONG
    return None
