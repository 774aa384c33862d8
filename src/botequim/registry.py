"""Finds games, players and tellers by name, through entry points: ours come in by the same door as yours.

===================== ================================================================================
``botequim.games``    ``name = "module:GAME"``, an object with the methods of `botequim.core.game.Game`
``botequim.players``  ``name = "module:Class"`` plays every game, ``game.name = ...`` plays that game;
                      called with an `Rng`, gives a `Strategy`
``botequim.tellers``  ``game = "module:Class"``, called with a game, gives a `botequim.show.telling.Teller`
===================== ================================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, cast

from botequim.core.errors import BrokenContract, UnknownName
from botequim.core.game import AnyGame
from botequim.core.messages import msg
from botequim.core.player import Strategy
from botequim.core.rng import Rng

GAMES = "botequim.games"
PLAYERS = "botequim.players"
TELLERS = "botequim.tellers"


@cache
def _entries(group: str) -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=group)}


@cache
def _load(group: str, name: str) -> Any:
    entry = _entries(group)[name]
    try:
        return entry.load()
    except Exception as error:
        raise BrokenContract(
            msg(
                'the plugin "{name}" ({where}) cannot be loaded: {why}',
                name=name,
                where=entry.value,
                why=f"{type(error).__name__}: {error}",
            )
        ) from error


def game_names() -> list[str]:
    return sorted(_entries(GAMES))


def game(name: str) -> AnyGame:
    if name not in _entries(GAMES):
        raise UnknownName(
            msg('unknown game "{name}"; known: {known}', name=name, known=", ".join(game_names()))
        )
    return cast(AnyGame, _load(GAMES, name))


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


def player(game_name: str, name: str) -> Callable[[Rng], Strategy]:
    """What makes a built-in player of that name for that game."""
    for entry in (f"{game_name}.{name}", name):
        if entry in _entries(PLAYERS) and "." not in name:
            return cast(Callable[[Rng], Strategy], _load(PLAYERS, entry))
    raise UnknownName(
        msg(
            'unknown player "{name}" for {game}; known: {known}',
            name=name,
            game=game_name,
            known=", ".join(player_names(game_name)),
        )
    )


def teller(game_name: str) -> Callable[[AnyGame], Any] | None:
    """What tells a game's moves in its own words, where there is such a thing."""
    if game_name not in _entries(TELLERS):
        return None
    return cast("Callable[[AnyGame], Any]", _load(TELLERS, game_name))
