"""nim: an example of a game that has rules and nothing else.

There are 21 matches on the table. In turn each of two players takes one, two or three. The player who takes
the last match wins. A player at fault loses at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from botequim import (
    NOBODY,
    Event,
    Fault,
    GamePlugin,
    IntOption,
    Message,
    MoveSyntaxError,
    Options,
    Outcome,
    Remark,
    Rng,
    check_say,
    msg,
)

PLUGIN = GamePlugin(name="nim", rules="nim:GAME")


@dataclass(frozen=True)
class Take:
    """Take so many matches; none: the move that a fault becomes, which loses the game."""

    count: int


@dataclass(frozen=True)
class State:
    """The matches that are left, and what happened."""

    matches: int
    events: tuple[Event[Take], ...] = ()

    @property
    def seat(self) -> int:
        return len(self.events) % 2

    @property
    def winner(self) -> int | None:
        if self.events and not self.events[-1].move.count:
            return self.seat
        return None if self.matches else 1 - self.seat


@dataclass(frozen=True)
class View:
    """Everything: nothing is hidden in this game."""

    seat: int | None
    legal: tuple[Take, ...]
    events: tuple[Event[Take], ...]
    matches: int


class Nim:
    """The methods of `botequim.Game`."""

    name = "nim"
    options = (IntOption("matches", 21, 5, 99, msg("how many matches there are")),)

    def teams(self, options: Options) -> tuple[tuple[int, ...], ...]:
        return ((0,), (1,))

    def start(self, options: Options) -> State:
        return State(int(options["matches"]))

    def to_move(self, state: State) -> tuple[int, ...]:
        return (state.seat,) if state.winner is None else NOBODY

    def legal(self, state: State, seat: int) -> tuple[Take, ...]:
        return tuple(Take(count) for count in range(1, min(3, state.matches) + 1))

    def check(self, state: State, seat: int, move: object) -> Message | None:
        if isinstance(move, Take) and type(move.count) is int and move in self.legal(state, seat):
            return None
        return msg("take one, two or three matches")

    def chance(self, state: State, rng: Rng) -> Take:
        raise AssertionError("nothing is left to chance")

    def on_fault(self, state: State, seat: int, fault: Fault) -> Take:
        return Take(0)

    def apply(self, state: State, moves: Mapping[int, Take]) -> State:
        ((seat, move),) = moves.items()
        return State(state.matches - move.count, (*state.events, Event(seat, move)))

    def view(self, state: State, seat: int | None) -> View:
        legal = self.legal(state, seat) if seat is not None and seat in self.to_move(state) else ()
        return View(seat, legal, state.events, state.matches)

    def outcome(self, state: State) -> Outcome | None:
        if state.winner is None:
            return None
        return Outcome(
            "last match" if not state.matches else "fault", (1, 2) if state.winner == 0 else (2, 1)
        )

    def write(self, move: Take) -> str:
        return f"take {move.count}"

    def read(self, text: str) -> Take:
        for count in range(4):
            if text == f"take {count}":
                return Take(count)
        raise MoveSyntaxError(msg('"{text}" is no move', text=text))

    def check_remark(self, remark: Remark) -> Message | None:
        return check_say(remark)

    def pieces(self, state: State) -> tuple[str, ...]:
        return ()

    def resample_hidden(self, state: State, seat: int | None, rng: Rng) -> State:
        return state


GAME = Nim()
