"""What a seat sees, as JSON: the `view` of a question of the arena wires.

`GamePlugin.arena_view` names the function that a game has for it. A game without one is shown by the fields
of its view. Tiles and cards are texts (`3-6`, `7♣`). docs/reference/arena.md lists the keys of our games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Final

from botequim import registry

Json = dict[str, Any]
_SAID_ELSEWHERE: Final = ("seat", "legal", "events")
"""Fields of a view that every question has under keys of its own."""


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
    public = [name for name in names if not name.startswith("_") and name not in _SAID_ELSEWHERE]
    return {name: _as_json(getattr(view, name)) for name in public}


def _as_json(value: Any) -> Any:
    """Return any value of a view as a JSON value. A class with its own `__str__` is shown as that text."""
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
