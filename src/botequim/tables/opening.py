"""Opens a table from what a person wants: a game, seats and options. Wrong wishes raise InputError."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from botequim import registry
from botequim.core import clock
from botequim.core.errors import InputError
from botequim.core.game import AnyGame
from botequim.core.messages import msg
from botequim.core.options import Options, resolve_options
from botequim.tables.controls import TableControls
from botequim.tables.spec import (
    CLOCKS,
    MOST_GAMES,
    SeatKind,
    SeatSpec,
    TableSpec,
    clean_name,
    new_id,
    new_secret,
    player_label,
)

ME: Final = "me"
FRIEND: Final = "friend"
"""A seat for whoever gets its invitation."""
ANYONE: Final = "open"
"""A seat for everybody who finds it on the page of all tables."""
PLAYERS: Final = "players"
"""The name of the option for the number of players."""


@dataclass(frozen=True, slots=True)
class TableWishes:
    """A table that somebody wants to open."""

    game: str
    name: str
    """The name of the person."""
    seats: Sequence[str]
    """By seat: `me`, `friend`, `open`, a built-in player or an offered bot."""
    options: Mapping[str, Any] = field(default_factory=dict)
    best_of: int = 1
    move_seconds: int = 0
    is_listed: bool = False
    has_hints: bool | None = None
    """None: only if nobody else is at the table."""
    any_player: bool = False
    """Whether every built-in player may be chosen, and not only those that people are offered."""
    address: str = ""


def open_table(wishes: TableWishes, bots: Sequence[str] = ()) -> TableSpec:
    """Return the table that somebody wants. Raise InputError if it cannot be opened."""
    game = registry.game(wishes.game)
    controls = registry.controls(game.name) or TableControls
    given = dict(controls.usual_options(len(wishes.seats)))
    defaults = {option.name: str(option.default) for option in game.options}
    given |= {name: value for name, value in wishes.options.items() if str(value) != defaults.get(name)}
    if _has_players_option(game):
        given.setdefault(PLAYERS, len(wishes.seats))
    options = resolve_options(game.name, game.options, given)
    count = sum(map(len, game.teams(options)))
    if len(wishes.seats) != count:
        raise InputError(msg("this table has {count} seats; say who plays each", count=count))
    if list(wishes.seats).count(ME) != 1:
        raise InputError(msg("choose exactly one seat for yourself"))
    if not 1 <= wishes.best_of <= MOST_GAMES:
        raise InputError(msg("a match has 1 to {most} games", most=MOST_GAMES))
    if wishes.move_seconds and wishes.move_seconds not in CLOCKS:
        raise InputError(msg("this time for a move is not offered"))
    people = [at for at, who in enumerate(wishes.seats) if who in (ME, FRIEND, ANYONE)]
    return TableSpec(
        id=new_id(),
        game=game.name,
        options=options,
        seats=_seats(wishes, bots),
        seed=new_secret(),
        creator=list(wishes.seats).index(ME),
        address=wishes.address,
        best_of=wishes.best_of,
        move_seconds=wishes.move_seconds,
        is_listed=wishes.is_listed,
        has_hints=len(people) == 1 if wishes.has_hints is None else wishes.has_hints,
        opened_at=clock.date(clock.now()),
    )


def _seats(wishes: TableWishes, bots: Sequence[str]) -> tuple[SeatSpec, ...]:
    seats: list[SeatSpec] = []
    own = clean_name(wishes.name)
    names = [own]
    for who in wishes.seats:
        match who:
            case "me":
                seats.append(SeatSpec(SeatKind.PERSON, own, secret=new_secret()))
            case "friend" | "open":
                listed = who == ANYONE
                seats.append(
                    SeatSpec(SeatKind.PERSON, secret=new_secret(), invitation=new_secret(), is_listed=listed)
                )
            case _:
                is_bot = who in bots
                if not is_bot and not wishes.any_player:
                    _check_player(wishes.game, who)
                label = _free_label(wishes.game, who, names, is_bot=is_bot)
                names.append(label)
                seats.append(SeatSpec(SeatKind.BOT if is_bot else SeatKind.PLAYER, label, who))
    return tuple(seats)


def _check_player(game: str, player: str) -> None:
    """Raise InputError unless the player is one of those that people may choose."""
    if player not in player_choices(game):
        raise InputError(msg('"{name}" is not offered as a player here', name=player[:40]))


def player_choices(game: str) -> list[str]:
    """Return the built-in players that people may choose, the strongest first."""
    players: list[str] = []
    for name in sorted(registry.player_names(game), key=_rank):
        maker = registry.player_class(game, name)
        levels = [str(level) for level in getattr(maker, "levels", {})]
        usual = str(getattr(maker, "default", ""))
        players.append(name)
        players += [f"{name}@{level}" for level in levels if level != usual and len(levels) > 1]
    return players


def _rank(name: str) -> tuple[int, str]:
    usual = ("champion", "greedy", "random")
    return (usual.index(name) if name in usual else len(usual), name)


def _free_label(game: str, player: str, names: Sequence[str], *, is_bot: bool) -> str:
    taken = {name.casefold() for name in names}
    for number in range(len(names) + 1):
        label = (
            (player if number == 0 else f"{player} {number + 1}")
            if is_bot
            else player_label(game, player, number)
        )
        if label.casefold() not in taken:
            return label
    return player


def _has_players_option(game: AnyGame) -> bool:
    return any(option.name == PLAYERS for option in game.options)


def default_options(game: AnyGame) -> Options:
    return resolve_options(game.name, game.options, {})
