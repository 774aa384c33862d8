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
    told: Message
    holds: Callable[[Any], bool]
    """Returns whether a view is of this kind."""
    common: bool = False
    """Whether it does not make a position awkward by itself, although a bot must meet it."""
    least: int = 1
    """How often it must occur before the check has seen enough of it."""


ANY_GAME: Final = (
    PositionKind(
        "first", msg("the first decision after the deal"), lambda view: all(e.by < 0 for e in view.events)
    ),
    PositionKind("only", msg("only one move is legal"), lambda view: len(view.legal) == 1),
    PositionKind("several", msg("several moves are legal"), lambda view: len(view.legal) > 1),
    PositionKind("long", msg("a long history"), lambda view: len(view.events) >= LONG_HISTORY),
)
"""The kinds that every game has."""
