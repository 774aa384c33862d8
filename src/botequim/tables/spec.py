"""What is known about a table before and between its games: the game, the seats and who may take them.

A `TableSpec` is immutable, and it is everything that has to be stored besides the games themselves.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, Final

from botequim import registry
from botequim.core.errors import BotequimError, InputError
from botequim.core.game import AnyGame, Outcome
from botequim.core.messages import msg
from botequim.core.options import Options, resolve_options
from botequim.core.rng import private
from botequim.core.titles import clean_title

VERSION: Final = 1
MOST_GAMES: Final = 9
"""The most games of a match at a table."""
LONGEST_NAME: Final = 30
CLOCKS: Final = (15, 30, 60, 120, 300)
"""The seconds for a move from which a person may choose."""


class SeatKind(StrEnum):
    """Who plays a seat."""

    PERSON = "person"
    PLAYER = "player"
    """A built-in player."""
    BOT = "bot"
    """A program that the organiser offers."""


class Phase(StrEnum):
    """The state of a table."""

    WAITING = "waiting"
    """Not every seat is taken."""
    PLAYING = "playing"
    OVER = "over"
    """All games of the match are played."""


@dataclass(frozen=True, slots=True)
class SeatSpec:
    """One seat of a table."""

    kind: SeatKind
    name: str = ""
    """The name to show; "" while the seat of a person is free."""
    player: str = ""
    """The built-in player with its level, or the name of the bot."""
    secret: str = ""
    """The last part of the address of a person's own page. Whoever knows it plays this seat."""
    invitation: str = ""
    """The last part of the address at which a person takes a free seat."""
    is_listed: bool = False
    """Whether the seat is offered to everybody on the page of all tables while it is free."""
    has_left: bool = False
    """Whether the person has left, so that a stand-in moves while others wait."""
    stand_in_moves: int = 0
    """How many moves of the current game a stand-in made."""
    advised_moves: int = 0
    """How many times in the current game the person asked for a hint."""

    @property
    def is_free(self) -> bool:
        return self.kind is SeatKind.PERSON and not self.name


@dataclass(frozen=True, slots=True)
class TableSpec:
    """A table: a match of one or several games between the same seats."""

    id: str
    """The public name of the table, with which everybody may watch."""
    game: str
    options: Mapping[str, Any]
    seats: tuple[SeatSpec, ...]
    seed: str
    """The secret that decides all deals. It is never sent to anybody."""
    creator: int
    """The seat of the person who opened the table."""
    address: str = ""
    """The network address of the creator, for limits."""
    best_of: int = 1
    move_seconds: int = 0
    """The time of a person for one move; 0 for no limit."""
    is_listed: bool = False
    """Whether the table is listed for spectators."""
    has_hints: bool = True
    """Whether people may ask for advice during the game."""
    repeats: str = ""
    """The table whose deal is played again here; somebody at this table may know it."""
    deal_seed: str = ""
    """The seed of the first game, if it repeats a deal."""
    phase: Phase = Phase.WAITING
    number: int = 0
    """The number of finished games."""
    won: tuple[int, ...] = ()
    """The number of games that each team won."""
    successor: str = ""
    """The table at which the same people play again."""
    opened_at: float = 0.0
    """The date at which the table was opened, as Unix time."""

    # --- what follows from it ----------------------------------------------------------------------

    @property
    def rules(self) -> AnyGame:
        return registry.game(self.game)

    @property
    def teams(self) -> tuple[tuple[int, ...], ...]:
        return self.rules.teams(self.resolved_options)

    @property
    def resolved_options(self) -> Options:
        game = self.rules
        return resolve_options(game.name, game.options, self.options)

    @property
    def names(self) -> list[str]:
        return [seat.name for seat in self.seats]

    @property
    def people(self) -> list[int]:
        """The seats of people, also free ones."""
        return [at for at, seat in enumerate(self.seats) if seat.kind is SeatKind.PERSON]

    @property
    def free_seats(self) -> list[int]:
        return [at for at, seat in enumerate(self.seats) if seat.is_free]

    @property
    def is_over(self) -> bool:
        return self.number >= self.best_of or max(self.won, default=0) > self.best_of // 2

    @property
    def rotation(self) -> int:
        """How many seats everybody moves on when the same people play again: one, if partners stay
        partners."""
        teams = {frozenset(team) for team in self.teams}
        count = len(self.seats)
        return int({frozenset((seat + 1) % count for seat in team) for team in teams} == teams)

    def game_seed(self, number: int) -> str:
        """Return the seed of a game. The record of a game contains it, and reveals no other game."""
        return self.deal_seed if self.deal_seed and number == 0 else private(self.seed, "game", number)

    # --- changes -----------------------------------------------------------------------------------

    def with_seat(self, at: int, seat: SeatSpec) -> TableSpec:
        return replace(self, seats=(*self.seats[:at], seat, *self.seats[at + 1 :]))

    def with_person(self, at: int, name: str) -> TableSpec:
        """Return the table after a person has taken a free seat."""
        seat = replace(self.seats[at], name=self.free_name(name), invitation="")
        return self.with_seat(at, seat)

    def with_free_seat(self, at: int) -> TableSpec:
        """Return the table after a person has left it before the first game. An open seat is open again."""
        is_listed = self.seats[at].is_listed
        seat = SeatSpec(SeatKind.PERSON, secret=new_secret(), invitation=new_secret(), is_listed=is_listed)
        return self.with_seat(at, seat)

    def without_counts(self) -> TableSpec:
        """Return the table at the start of a game, in which nobody has been helped yet."""
        seats = [replace(seat, stand_in_moves=0, advised_moves=0) for seat in self.seats]
        return replace(self, seats=tuple(seats))

    def free_name(self, name: str) -> str:
        """Return the name of a person, with a number if somebody at the table has the same name."""
        wanted = clean_name(name)
        taken = {one.casefold() for one in self.names}
        numbers = (f"{wanted} {number}" for number in range(2, 12))
        return next(one for one in (wanted, *numbers) if one.casefold() not in taken)

    def after(self, outcome: Outcome) -> TableSpec:
        """Return the table after one more game. A shared first place counts for nobody."""
        winners = [team for team, place in enumerate(outcome.places) if place == 1]
        won = list(self.won or [0] * len(outcome.places))
        if len(winners) == 1:
            won[winners[0]] += 1
        changed = replace(self, won=tuple(won), number=self.number + 1)
        return replace(changed, phase=Phase.OVER if changed.is_over else Phase.PLAYING)

    # --- storage -----------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        return {"table": VERSION, **asdict(self)}

    @classmethod
    def from_json(cls, value: Any) -> TableSpec:
        """Return the stored table. Raise BotequimError if it cannot be read."""
        try:
            values = dict(value)
            if values.pop("table") != VERSION:
                raise _unreadable("version")
            seats = tuple(SeatSpec(**{**seat, "kind": SeatKind(seat["kind"])}) for seat in values["seats"])
            values |= {"seats": seats, "won": tuple(values["won"]), "phase": Phase(values["phase"])}
            spec = cls(**values)
            if len(seats) != sum(map(len, spec.teams)):
                raise _unreadable("seats")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _unreadable(str(error)[:80]) from error
        return spec


def _unreadable(what: str) -> BotequimError:
    return BotequimError(msg("the stored table is not valid: {what}", what=what))


def new_secret() -> str:
    """Return a random text that cannot be guessed, for addresses and seeds."""
    return secrets.token_urlsafe(18)


def new_id() -> str:
    """Return a random public name of a table."""
    return secrets.token_hex(6)


def clean_name(name: str) -> str:
    """Return the name of a person as it is shown. Raise InputError if nothing visible is left."""
    cleaned = clean_title(name)[:LONGEST_NAME].strip()
    if not cleaned:
        raise InputError(msg("give a name of 1 to {most} characters", most=LONGEST_NAME))
    return cleaned


def player_label(game: str, player: str, number: int) -> str:
    """Return the name of a built-in player at a table, with a number if there are several of it."""
    registry.player(game, player)  # raises UnknownName, which names the levels that exist
    label = player.replace("@", " ")
    return label if number == 0 else f"{label} {number + 1}"
