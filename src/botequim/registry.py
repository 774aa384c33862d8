"""Finds games, players, tellers, wires and other parts by name: ours use the same entry points as yours.

===================== ================================================================================
``botequim.games``    ``name = "module:GAME"``, an object with the methods of `botequim.core.game.Game`
``botequim.players``  ``name = "module:Class"`` plays every game, ``game.name = ...`` plays that game;
                      called with an `Rng`, gives a `Strategy`. A class with levels has a class method
                      ``at(level)`` that gives what to call instead: ``name@level`` asks for it
``botequim.tellers``  ``game = "module:Class"``, called with a game, gives a `botequim.show.telling.Teller`
``botequim.faces``    ``game = "module:Class"``, a subclass of `botequim.terminal.face.Face`
``botequim.pictures`` ``game = "module:Class"``, called with a game, gives a
                      `botequim.picture.painter.Painter`
``botequim.wires``    ``name = "module:WIRE"``, a `botequim.core.wire.Wire`
``botequim.formats``  ``name = "module:FORMAT"``, an object with the methods of `botequim.cup.format.Format`
===================== ================================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, cast

from botequim.core.errors import BrokenContract, UnknownName
from botequim.core.messages import msg

if TYPE_CHECKING:  # names alone are asked for by every completion: they need none of these
    from botequim.core.game import AnyGame
    from botequim.core.player import Strategy
    from botequim.core.rng import Rng
    from botequim.core.wire import Wire

GAMES = "botequim.games"
PLAYERS = "botequim.players"
TELLERS = "botequim.tellers"
FACES = "botequim.faces"
PICTURES = "botequim.pictures"
WIRES = "botequim.wires"
FORMATS = "botequim.formats"


@cache
def _entries(group: str) -> dict[str, list[EntryPoint]]:
    entries: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=group):
        entries.setdefault(entry.name, []).append(entry)
    return entries


@cache
def _load(group: str, name: str) -> Any:
    entry, *twins = _entries(group)[name]
    if any(twin.value != entry.value for twin in twins):
        raise BrokenContract(
            msg(
                '"{name}" is registered more than once: {where}; uninstall all but one',
                name=name,
                where=", ".join(_described(twin) for twin in (entry, *twins)),
            )
        )
    try:
        return entry.load()
    except Exception as error:
        raise BrokenContract(
            msg(
                'the plugin "{name}" ({where}) cannot be loaded: {why}',
                name=name,
                where=_described(entry),
                why=f"{type(error).__name__}: {error}",
            )
        ) from error


def _described(entry: EntryPoint) -> str:
    return f"{entry.value} of {entry.dist.name}" if entry.dist is not None else entry.value


def game_names() -> list[str]:
    """All that are registered, whether or not they can be loaded."""
    return sorted(_entries(GAMES))


def game(name: str) -> AnyGame:
    if name not in _entries(GAMES):
        raise UnknownName(
            msg('unknown game "{name}"; known: {known}', name=name, known=", ".join(game_names()))
        )
    found = cast("AnyGame", _load(GAMES, name))
    if getattr(found, "name", None) != name:
        raise BrokenContract(
            msg(
                'the game registered as "{name}" calls itself "{own}"',
                name=name,
                own=str(getattr(found, "name", None)),
            )
        )
    return found


def player_names(game_name: str) -> list[str]:
    """The built-in players that can play a game."""
    names = set()
    for entry in _entries(PLAYERS):
        owner, dot, rest = entry.rpartition(".")
        if not dot:
            names.add(entry)
        elif owner == game_name:
            names.add(rest)
    return sorted(names)


def is_player(game_name: str, name: str) -> bool:
    """Whether a built-in player is meant; `player` says whether it has the level that may be asked for."""
    members = name.split("+")
    known = player_names(game_name)
    if any(member.partition("@")[0] not in known for member in members):
        return False
    return len(members) == 1 or len(members) == _team_size(game_name)


def member_name(name: str, member: int) -> str:
    """Return the built-in player on a team's `member`-th seat: `greedy+dummy` is a mixed pair."""
    members = name.split("+")
    return members[member % len(members)]


def player(game_name: str, name: str) -> Callable[[Rng], Strategy]:
    """What makes a built-in player of that name, `greedy` or `champion@hard`, for that game.

    Of a mixed pair it is the first, and the others are known to exist; `member_name` tells their names.
    """
    first, *_ = [partial(_made, one, _maker(game_name, one)) for one in name.split("+")]
    return first


def thinks(game_name: str, name: str) -> bool:
    """Whether a built-in player takes so long to think that nobody else's loop should wait for it."""
    return bool(getattr(player_class(game_name, name.partition("@")[0]), "thinks", False))


def _team_size(game_name: str) -> int:
    """Return the seats of a team, as the game is played without options."""
    from botequim.core.options import settle  # only where a mixed pair may be meant

    found = game(game_name)
    return len(found.teams(settle(found.name, found.options, {}))[0])


def _maker(game_name: str, name: str) -> Callable[[Rng], Strategy]:
    base, at, level = name.partition("@")
    found = player_class(game_name, base)
    if not at:
        return cast("Callable[[Rng], Strategy]", found)
    if not hasattr(found, "at"):
        raise UnknownName(
            msg('the player "{base}" has no levels: it cannot be asked for as "{name}"', base=base, name=name)
        )
    return cast("Callable[[Rng], Strategy]", found.at(level))


def player_class(game_name: str, name: str) -> Any:
    """What is registered under a name without a level."""
    for entry in (f"{game_name}.{name}", name):
        if entry in _entries(PLAYERS) and "." not in name:
            return _load(PLAYERS, entry)
    raise UnknownName(
        msg(
            'unknown player "{name}" for {game}; known: {known}',
            name=name,
            game=game_name,
            known=", ".join(player_names(game_name)),
        )
    )


def _made(name: str, make: Callable[[Rng], Strategy], rng: Rng) -> Strategy:
    try:
        return make(rng)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise BrokenContract(msg('the player "{name}" cannot be made: {why}', name=name, why=why)) from error


def teller(game_name: str) -> Callable[[AnyGame], Any] | None:
    """What tells a game's moves in its own words, where there is such a thing."""
    if game_name not in _entries(TELLERS):
        return None
    return cast("Callable[[AnyGame], Any]", _load(TELLERS, game_name))


def face(game_name: str) -> Any:
    """How a game is played at the terminal, where it says so itself."""
    return _load(FACES, game_name) if game_name in _entries(FACES) else None


def picture(game_name: str) -> Callable[[AnyGame], Any] | None:
    """What draws a game in its own way, where there is such a thing."""
    if game_name not in _entries(PICTURES):
        return None
    return cast("Callable[[AnyGame], Any]", _load(PICTURES, game_name))


def wire_names(game_name: str) -> list[str]:
    """The wires that bots of a game can be spoken to over; its own come first."""
    wires = [cast("Wire", _load(WIRES, name)) for name in sorted(_entries(WIRES))]
    fitting = [wire for wire in wires if wire.game in (None, game_name)]
    return [wire.name for wire in sorted(fitting, key=lambda wire: wire.game is None)]


def wire(game_name: str, name: str) -> Wire:
    if name not in wire_names(game_name):
        raise UnknownName(
            msg(
                'unknown wire "{name}" for {game}; known: {known}',
                name=name,
                game=game_name,
                known=", ".join(wire_names(game_name)),
            )
        )
    return cast("Wire", _load(WIRES, name))


def format_names() -> list[str]:
    """The ways to hold a stage of a cup."""
    return sorted(_entries(FORMATS))


def cup_format(name: str) -> Any:
    if name not in _entries(FORMATS):
        raise UnknownName(
            msg('unknown format "{name}"; known: {known}', name=name, known=", ".join(format_names()))
        )
    return _load(FORMATS, name)
