"""Views as JSON: the key `view` of a question of the arena wires.

A game provides the function `GamePlugin.arena_view`. For a game without one, the public fields of its view
are used. Tiles and cards are texts (`3-6`, `7♣`). docs/reference/arena.md lists the keys of the built-in
games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Final

from botequim import registry

Json = dict[str, Any]
_OTHER_KEYS: Final = ("seat", "legal", "events")
"""The fields of a view that are left out, because a question has other keys for them."""


def view_as_json(game: str, view: Any) -> Json:
    """Return a view of the game with that name as JSON values."""
    return (registry.arena_view(game) or _fields)(view)


def _fields(view: Any) -> Json:
    """Return the public fields of a view as JSON values."""
    if is_dataclass(view):
        names = [field.name for field in fields(view)]
    elif hasattr(view, "__dict__"):
        names = list(vars(view))
    else:
        names = [name for kind in type(view).__mro__ for name in getattr(kind, "__slots__", ())]
    public = [name for name in names if not name.startswith("_") and name not in _OTHER_KEYS]
    return {name: _as_json(getattr(view, name)) for name in public}


def _as_json(value: Any) -> Any:
    """Return any value of a view as a JSON value. An object of a class with its own `__str__` is a text."""
    if isinstance(value, Enum):
        return _as_json(value.value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if "__str__" in vars(type(value)):
        return str(value)
    if isinstance(value, Mapping):
        return {str(_as_json(key)): _as_json(part) for key, part in value.items()}
    if hasattr(value, "_asdict"):
        return _as_json(value._asdict())
    if isinstance(value, Set):
        return sorted([_as_json(part) for part in value], key=str)
    if isinstance(value, Sequence):
        return [_as_json(part) for part in value]
    return _fields(value)
