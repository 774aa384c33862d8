"""The interface of a game. Authors of games start reading here.

A game is a set of pure, synchronous rules over immutable values. It knows nothing about bots, time, files or
languages. Chance is a player without a seat: deals, draws and coin tosses are moves of `CHANCE`, so a
finished game can be replayed without a random generator.
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
    """Something that a player shows with its move, for the audience and never for other players."""

    kind: str
    """`say` or `art`."""
    value: Any
    """A text, or for art a list of texts."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a finished game ended."""

    how: str
    """The game's own name for this ending."""
    places: tuple[int, ...]
    """By team, 1 is the best; tied teams share a place."""
    points: tuple[int, ...] = ()
    """By seat, what the game counts: pips left, rounds won, cards left."""

    def shares(self) -> tuple[Fraction, ...]:
        """Return each team's share of the win: 1 for the winner, or 1/m each for m teams in first place."""
        first = self.places.count(1)
        return tuple(Fraction(1, first) if place == 1 else Fraction(0) for place in self.places)


class View(Protocol):
    """Everything that one seat has seen, and nothing else. Each game adds its own fields (hand, line,
    scores).

    Two views are equal if the seats have seen the same.
    """

    @property
    def seat(self) -> int | None:
        """The seat that has this view; None for a spectator, who sees no hand."""

    @property
    def legal(self) -> Sequence[Any]:
        """The list of legal moves if this seat is to move, otherwise empty."""

    @property
    def events(self) -> Sequence[Event[Any]]:
        """Everything that happened, in order, as this seat saw it."""


class Game(Protocol[S, M, V_co]):
    """The rules of one game: state S, move M, view V.

    `botequim.testing.check_game` checks whether an implementation keeps this contract.
    """

    @property
    def name(self) -> str:
        """The name on the command line and in records."""

    @property
    def options(self) -> tuple[Option, ...]:
        """The options. A game for a variable number of teams has an `IntOption` named `players`."""

    def teams(self, options: Options) -> tuple[tuple[int, ...], ...]:
        """Return the seats of each team: `((0, 2), (1, 3))`. Seats are numbered from 0, clockwise."""

    def start(self, options: Options) -> S:
        """Return the state before the first move, also before the deal.

        `options` come from `resolve_options`.
        """

    def to_move(self, state: S) -> tuple[int, ...]:
        """Return who moves now: one seat, several at once, `CHANCE_TURN`, or `NOBODY` if the game is over."""

    def legal(self, state: S, seat: int) -> Sequence[M]:
        """Return the list of moves of a seat that is to move. It is not empty, and has no moves of
        `on_fault`."""

    def check(self, state: S, seat: int, move: object) -> Message | None:
        """Return why this move is refused now, or None. The rules may accept moves that `legal` does not
        list.

        With `seat=CHANCE`, return why chance cannot make this move. `move` may be any object.
        """

    def chance(self, state: S, rng: Rng) -> M:
        """Return a fair random move of `CHANCE`."""

    def on_fault(self, state: S, seat: int, fault: Fault) -> M:
        """Return the move that the rules make for a player at fault, such as a forfeit or a lost turn."""

    def apply(self, state: S, moves: Mapping[int, M]) -> S:
        """Return the state after the moves of all seats that were to move. `state` itself does not change."""

    def view(self, state: S, seat: int | None) -> V_co:
        """Return the view of a seat, or with None of a spectator."""

    def outcome(self, state: S) -> Outcome | None:
        """Return the outcome, or None while somebody is to move."""

    def write(self, move: M) -> str:
        """Return the move as one line of text."""

    def read(self, text: str) -> M:
        """Return the move that `write` wrote; raise `MoveSyntaxError` for any other text."""

    def check_remark(self, remark: Remark) -> Message | None:
        """Return why a remark is dropped, or None.

        A dropped remark gives a warning; the move still counts.
        """

    def pieces(self, state: S) -> Sequence[str]:
        """Return all tiles or cards of the game, wherever they are; () if the game has none.

        They stay the same during a game.
        """

    def resample_hidden(self, state: S, seat: int | None, rng: Rng) -> S:
        """Return another state with the same view for this seat: everything that it has not seen is dealt
        again.

        The state need not be a likely one. Tests use it to prove that views reveal nothing hidden.
        """


AnyGame: TypeAlias = Game[Any, Any, Any]

SAY_LENGTH: Final = 280
TOO_LONG: Final = msg("what is said is longer than {limit} characters", limit=SAY_LENGTH)


ART_SIZE: Final = 60
"""The most lines of art, and the most characters of each line."""


def check_say(remark: Remark) -> Message | None:
    """Return why a remark is refused, or None.

    This is the rule of most games: only texts, of limited length.
    """
    if remark.kind != "say":
        return msg('a remark of the kind "{kind}" is not known in this game', kind=remark.kind)
    if not isinstance(remark.value, str):
        return msg("what is said must be a text")
    if len(remark.value) > SAY_LENGTH:
        return TOO_LONG
    return None


def check_art(remark: Remark) -> Message | None:
    """Return why art is refused, or None. Art is a list of lines; their number and length are limited."""
    lines = remark.value
    if not isinstance(lines, list | tuple) or not all(isinstance(line, str) for line in lines):
        return msg("art must be a list of texts")
    if len(lines) > ART_SIZE:
        return msg("art has {count} lines; at most {limit}", count=len(lines), limit=ART_SIZE)
    for number, line in enumerate(lines, start=1):
        if len(line) > ART_SIZE:
            return msg(
                "line {number} of the art has {count} characters; at most {limit}",
                number=number,
                count=len(line),
                limit=ART_SIZE,
            )
    return None
