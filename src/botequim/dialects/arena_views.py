"""What a seat sees of each game, as JSON: the `view` of arena's questions.

Tiles are texts (`3-6`), on the table as they lie; cards too (`7♣`). docs/arena.md lists the keys. A game that
is not ours is shown by the fields of its view, in the same manner.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Final

from botequim.games import cubos, fives, havana_state, rps, uno_state
from botequim.games.spinner import Arm

Json = dict[str, Any]


def seen_as_json(game: str, view: Any) -> Json:
    """A view of the game of that name."""
    shown = _OURS.get(game)
    return _fields(view) if shown is None else shown(view)


def _cubos(view: cubos.View) -> Json:
    return {"hand": _texts(view.hand), "line": _lying(view.line), "counts": view.counts}


def _havana(view: havana_state.View) -> Json:
    plays = [
        {"by": seat, "ends": ends, "side": side, "tile": None if tile is None else f"{tile[0]}-{tile[1]}"}
        for seat, ends, side, tile in view.plays
    ]
    return {"hand": _texts(view.hand), "ends": view.board_extremes, "plays": plays}


def _fives(view: fives.View) -> Json:
    board = view.board
    arms: Json = {name: _lying(getattr(board, name)) for name in ("left", "right", "up", "down")}
    return {
        "hand": _texts(view.hand),
        "spinner": None if board.spinner is None else str(board.spinner),
        **arms,
        "board_score": view.board_score,
        "scores": view.scores,
        "counts": view.counts,
        "boneyard": view.boneyard,
        "round": view.round,
    }


def _rps(view: rps.View) -> Json:
    return {
        "rounds": [
            {"hands": played.hands, "winner": played.winner, "decided": played.by} for played in view.rounds
        ],
        "counts": [dict(zip(rps.HANDS, counts, strict=True)) for counts in view.counts],
        "wins": view.wins,
        "history": view.history,
    }


def _uno(view: uno_state.View) -> Json:
    return {
        "hand": _texts(view.hand),
        "table": None if view.table is None else str(view.table),
        "suit": view.suit,
        "debt": view.debt,
        "order": view.order,
        "direction": view.direction,
        "counts": view.counts,
        "out": view.out,
        "pile": view.pile,
    }


_OURS: Final[Mapping[str, Callable[[Any], Json]]] = {
    "cubos": _cubos,
    "fives": _fives,
    "havana": _havana,
    "rps": _rps,
    "uno": _uno,
}


def _texts(pieces: Sequence[object]) -> list[str]:
    return [str(piece) for piece in pieces]


def _lying(line: Arm) -> list[str]:
    return [f"{one}-{two}" for one, two in line]


# --- games that are not ours -------------------------------------------------------------------------

_SAID_ELSEWHERE: Final = ("seat", "legal", "events")


def _fields(view: Any) -> Json:
    """All that a view holds under a public name, but for what every question says anyway."""
    if is_dataclass(view):
        names = [field.name for field in fields(view)]
    elif hasattr(view, "__dict__"):
        names = list(vars(view))
    else:
        names = [name for kind in type(view).__mro__ for name in getattr(kind, "__slots__", ())]
    public = [name for name in names if not name.startswith("_") and name not in _SAID_ELSEWHERE]
    return {name: _as_json(getattr(view, name)) for name in public}


def _as_json(value: Any) -> Any:
    """Anything a view may hold. What has words of its own for itself is shown by them."""
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
