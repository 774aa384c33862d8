"""Finds games, players, wires and formats by name. Built-in ones are registered like those of other packages.

===================== ================================================================================
``botequim.games``    ``name = "module:PLUGIN"``, a `botequim.core.plugin.GamePlugin`; or only the rules, an
                      object with the methods of `botequim.core.game.Game`
``botequim.players``  ``name = "module:Class"`` plays every game, ``game.name = ...`` plays that game; the
                      same as in `GamePlugin.players`
``botequim.wires``    ``name = "module:WIRE"``, a `botequim.core.wire.Wire` for one game or for every game
``botequim.formats``  ``name = "module:FORMAT"``, an object with the methods of `botequim.cup.format.Format`
===================== ================================================================================

Everything is imported when it is used for the first time: names of games come from the entry points, names of
players and wires from the plugin of the game. The groups ``botequim.tellers``, ``botequim.pictures`` and
``botequim.faces`` are deprecated: `GamePlugin` has the fields `narration`, `picture` and `terminal`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, Final, cast

from botequim.core.errors import BrokenContract, UnknownName
from botequim.core.messages import msg
from botequim.core.plugin import GamePlugin
from botequim.core.suggestions import with_suggestion

if TYPE_CHECKING:  # not imported at runtime, because completions only need names
    from importlib.resources.abc import Traversable

    from botequim.core.game import AnyGame
    from botequim.core.player import Strategy
    from botequim.core.rng import Rng
    from botequim.core.wire import Wire

GAMES: Final = "botequim.games"
PLAYERS: Final = "botequim.players"
WIRES: Final = "botequim.wires"
FORMATS: Final = "botequim.formats"
DEPRECATED: Final = {
    "narration": "botequim.tellers",
    "picture": "botequim.pictures",
    "terminal": "botequim.faces",
}
"""Deprecated groups by the field of a plugin that replaces them. They are read for one more release."""


@cache
def _entries(group: str) -> dict[str, list[EntryPoint]]:
    entries: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=group):
        entries.setdefault(entry.name, []).append(entry)
    return entries


def _entry(group: str, name: str, *own: EntryPoint) -> EntryPoint:
    """Return the entry point with a name; `own` are those that a plugin defines."""
    entry, *twins = [*own, *_entries(group).get(name, [])]
    if any(twin.value != entry.value for twin in twins):
        raise BrokenContract(
            msg(
                '"{name}" is registered more than once: {where}; uninstall all but one',
                name=name,
                where=", ".join(_origin(twin) for twin in (entry, *twins)),
            )
        )
    return entry


@cache
def _load(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except Exception as error:
        raise BrokenContract(
            msg(
                'the plugin "{name}" ({where}) cannot be loaded: {why}',
                name=entry.name,
                where=_origin(entry),
                why=f"{type(error).__name__}: {error}",
            )
        ) from error


def _origin(entry: EntryPoint) -> str:
    return f"{entry.value} of {entry.dist.name}" if entry.dist is not None else entry.value


def game_names() -> list[str]:
    """Return the names of all registered games, whether or not they can be loaded."""
    return sorted(_entries(GAMES))


@cache
def plugin(name: str) -> GamePlugin:
    """Return the plugin of a game. A game that is registered by its rules alone gets a plugin with these."""
    if name not in _entries(GAMES):
        names = game_names()
        problem = msg('unknown game "{name}"; known: {known}', name=name, known=", ".join(names))
        raise UnknownName(with_suggestion(problem, name, names))
    entry = _entry(GAMES, name)
    value = _load(entry)
    if getattr(value, "name", None) != name:
        raise BrokenContract(
            msg(
                'the game registered as "{name}" calls itself "{own}"',
                name=name,
                own=str(getattr(value, "name", None)),
            )
        )
    if not isinstance(value, GamePlugin):
        value = GamePlugin(name=name, rules=entry.value)
    for part, group in DEPRECATED.items():
        if getattr(value, part) is None and name in _entries(group):
            warnings.warn(
                f'the entry point group "{group}" is deprecated: register a GamePlugin for {name}, with the '
                f'field "{part}" (see botequim.core.plugin)',
                DeprecationWarning,
                stacklevel=2,
            )
            value = replace(value, **cast("dict[str, Any]", {part: _entry(group, name).value}))
    return value


def _reference(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, GAMES)


def _find_plugin(name: str) -> GamePlugin | None:
    """Return the plugin of a game; None if the game is not registered."""
    return plugin(name) if name in _entries(GAMES) else None


def _part(game_name: str, field: str) -> Any:
    """Import and return a part of a game; None if its plugin does not have it."""
    own = _find_plugin(game_name)
    reference = None if own is None else getattr(own, field)
    return None if reference is None else _load(_reference(f"{game_name}.{field}", reference))


def game(name: str) -> AnyGame:
    rules = cast("AnyGame", _load(_reference(name, plugin(name).rules)))
    if getattr(rules, "name", None) != name:
        raise BrokenContract(
            msg(
                'the game registered as "{name}" calls itself "{own}"',
                name=name,
                own=str(getattr(rules, "name", None)),
            )
        )
    return rules


def player_names(game_name: str) -> list[str]:
    """Return the names of the built-in players that can play a game."""
    own = _find_plugin(game_name)
    names = set() if own is None else set(own.players)
    for entry in _entries(PLAYERS):
        owner, dot, rest = entry.rpartition(".")
        if not dot:
            names.add(entry)
        elif owner == game_name:
            names.add(rest)
    return sorted(names)


def is_player(game_name: str, name: str) -> bool:
    """Return whether this is the name of a built-in player. The level is not checked; `player` does that."""
    members = name.split("+")
    names = player_names(game_name)
    if any(member.partition("@")[0] not in names for member in members):
        return False
    return len(members) == 1 or len(members) == _team_size(game_name)


def member_name(name: str, member: int) -> str:
    """Return the built-in player on a team's `member`-th seat: `greedy+dummy` is a mixed pair."""
    members = name.split("+")
    return members[member % len(members)]


def player(game_name: str, name: str) -> Callable[[Rng], Strategy]:
    """Return a factory for a built-in player of a game, such as `greedy` or `champion@hard`.

    For a mixed pair it creates the first member, and checks that the others exist; see `member_name`.
    """
    first, *_ = [partial(_make_player, one, _maker(game_name, one)) for one in name.split("+")]
    return first


def thinks(game_name: str, name: str) -> bool:
    """Return whether a built-in player thinks for so long that it should not block an event loop."""
    return bool(getattr(player_class(game_name, name.partition("@")[0]), "thinks", False))


def _team_size(game_name: str) -> int:
    """Return the number of seats of a team with the default options."""
    from botequim.core.options import resolve_options  # only needed for mixed pairs

    rules = game(game_name)
    return len(rules.teams(resolve_options(rules.name, rules.options, {}))[0])


def _maker(game_name: str, name: str) -> Callable[[Rng], Strategy]:
    base, at, level = name.partition("@")
    factory = player_class(game_name, base)
    if not at:
        return cast("Callable[[Rng], Strategy]", factory)
    if not hasattr(factory, "at"):
        raise UnknownName(
            msg('the player "{base}" has no levels, so "{name}" does not exist', base=base, name=name)
        )
    return cast("Callable[[Rng], Strategy]", factory.at(level))


def player_class(game_name: str, name: str) -> Any:
    """Return the class of a player; `name` has no level."""
    names = player_names(game_name)
    if name not in names:
        problem = msg(
            'unknown player "{name}" for {game}; known: {known}',
            name=name,
            game=game_name,
            known=", ".join(names),
        )
        raise UnknownName(with_suggestion(problem, name, names))
    full = f"{game_name}.{name}"
    own = _find_plugin(game_name)
    if own is not None and name in own.players:
        return _load(_entry(PLAYERS, full, _reference(full, own.players[name])))
    return _load(_entry(PLAYERS, full if full in _entries(PLAYERS) else name))


def _make_player(name: str, make: Callable[[Rng], Strategy], rng: Rng) -> Strategy:
    try:
        return make(rng)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise BrokenContract(
            msg('the player "{name}" cannot be created: {why}', name=name, why=why)
        ) from error


def narration(game_name: str) -> Callable[[AnyGame], Any] | None:
    """Return the narrator class of a game, or None."""
    return cast("Callable[[AnyGame], Any] | None", _part(game_name, "narration"))


def picture(game_name: str) -> Callable[[AnyGame], Any] | None:
    """Return the renderer class of a game, or None."""
    return cast("Callable[[AnyGame], Any] | None", _part(game_name, "picture"))


def terminal(game_name: str) -> Any:
    """Return the terminal user interface of a game, or None."""
    return _part(game_name, "terminal")


def controls(game_name: str) -> Any:
    """Return the controls of a game in the browser, or None."""
    return _part(game_name, "controls")


def arena_view(game_name: str) -> Callable[[Any], dict[str, Any]] | None:
    """Return the function of a game that returns a view as JSON values, or None."""
    return cast("Callable[[Any], dict[str, Any]] | None", _part(game_name, "arena_view"))


def diagnosis(game_name: str) -> Any:
    """Return the checks that a game adds to the examination of a bot, or None."""
    return _part(game_name, "diagnosis")


def texts(game_name: str) -> Traversable | None:
    """Return the folder with the texts of a game, or None."""
    own = _find_plugin(game_name)
    if own is None or own.texts is None:
        return None
    from importlib import resources  # slow to import, and only needed for pages and `games --rules`

    package, _, folder = own.texts.partition(":")
    return resources.files(package) / folder


def submission(game_name: str) -> Callable[..., Any] | None:
    """Return the function that returns the champion of a game as a submission, or None."""
    return cast("Callable[..., Any] | None", _part(game_name, "submission"))


def cup_template_names() -> dict[str, str]:
    """Return the names of all cup templates, with the game of each. A game without one is a template
    itself."""
    return {template: one.name for one in plugins() for template in one.cup_templates or (one.name,)}


def cup_template(game_name: str, name: str) -> Any:
    """Return a cup template of a game; None if its plugin has none of that name."""
    reference = plugin(game_name).cup_templates.get(name)
    return None if reference is None else _load(_reference(name, reference))


def plugins() -> list[GamePlugin]:
    """Return the plugins of all games that can be loaded, by name."""
    result = []
    for name in game_names():
        try:
            result.append(plugin(name))
        except BrokenContract:  # reported when this game is used
            continue
    return result


def wire_names(game_name: str) -> list[str]:
    """Return the names of the wires for bots of a game; its own come first."""
    plugin_of_game = _find_plugin(game_name)
    own = [] if plugin_of_game is None else list(plugin_of_game.wires)
    others = [cast("Wire", _load(_entry(WIRES, name))) for name in sorted(_entries(WIRES)) if name not in own]
    fitting = [wire for wire in others if wire.game in (None, game_name)]
    return own + [wire.name for wire in sorted(fitting, key=lambda wire: wire.game is None)]


def wire(game_name: str, name: str) -> Wire:
    own = _find_plugin(game_name)
    if own is not None and name in own.wires:
        return cast("Wire", _load(_entry(WIRES, name, _reference(name, own.wires[name]))))
    if name in _entries(WIRES):
        one = cast("Wire", _load(_entry(WIRES, name)))
        if one.game in (None, game_name):
            return one
    names = wire_names(game_name)
    problem = msg(
        'unknown wire "{name}" for {game}; known: {known}', name=name, game=game_name, known=", ".join(names)
    )
    raise UnknownName(with_suggestion(problem, name, names))


def format_names() -> list[str]:
    return sorted(_entries(FORMATS))


def cup_format(name: str) -> Any:
    if name not in _entries(FORMATS):
        names = format_names()
        problem = msg('unknown format "{name}"; known: {known}', name=name, known=", ".join(names))
        raise UnknownName(with_suggestion(problem, name, names))
    return _load(_entry(FORMATS, name))
