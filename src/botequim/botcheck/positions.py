"""Kinds of positions that a bot must have met before it can be called ready."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from botequim.core.messages import Message, msg

LONG_HISTORY: Final = 20


@dataclass(frozen=True, slots=True)
class PositionKind:
    """One kind of awkward position."""

    name: str
    """Its name in JSON."""
    message: Message
    holds: Callable[[Any], bool]
    """Returns whether a view is of this kind."""
    common: bool = False
    """Whether a bot must meet this kind, but a position of this kind alone does not count as awkward."""
    least: int = 1
    """How often a bot must meet it in a check."""


ANY_GAME: Final = (
    PositionKind(
        "first", msg("the first decision after the deal"), lambda view: all(e.by < 0 for e in view.events)
    ),
    PositionKind("only", msg("only one move is legal"), lambda view: len(view.legal) == 1),
    PositionKind("several", msg("several moves are legal"), lambda view: len(view.legal) > 1),
    PositionKind("long", msg("a long history"), lambda view: len(view.events) >= LONG_HISTORY),
)
"""The kinds that every game has."""
