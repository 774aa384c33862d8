"""The side that a player of havana gives with its tile: its value in the history, and its notation.

A side should be 0 (left) or 1 (right), but some players give other values. The history contains an int, None
or a text of up to 8 characters unchanged. Any other value could be a message to the partner, and becomes 1.
"""

from __future__ import annotations

import json
from typing import Final, TypeAlias

from botequim.core.messages import Message, msg

LONGEST: Final = 8
"""The largest number of characters of a text."""
WIDEST: Final = 1024
"""The largest number of bits of an int, because a larger one could not be written."""

Side: TypeAlias = int | str | None
"""The side as the player gave it: 0 is left, anything else right."""


def kept_side(given: object, *, strict: bool) -> tuple[Side, Message | None]:
    """Return the value of a side for the history, and a warning if it is not the given one."""
    if strict and isinstance(given, bool):
        return int(given), None
    if is_side(given, strict=strict):
        assert given is None or isinstance(given, (int, str))
        return given, None
    if strict:
        return 1, msg("the side {given} is not 0 or 1: 1 is kept", given=short_repr(given))
    return 1, msg(
        "the side {given} is not an int, None or a text of up to {most} characters: 1 is kept",
        given=short_repr(given),
        most=LONGEST,
    )


def is_side(side: object, *, strict: bool) -> bool:
    """Return whether the history can contain this side; with `strict`, only 0 and 1."""
    # exactly these types, because an object of a subclass could pass information to the partner
    kind = type(side)
    if strict:
        return kind is int and isinstance(side, int) and 0 <= side <= 1
    if kind is int or kind is bool:
        return isinstance(side, int) and side.bit_length() <= WIDEST
    return side is None or (kind is str and isinstance(side, str) and len(side) <= LONGEST)


def require_side(side: object) -> None:
    """Raise TypeError for a side that the history cannot contain."""
    if not is_side(side, strict=False):
        raise TypeError("a side is an int, None or a text of up to 8 characters")


def short_repr(value: object) -> str:
    """Return a short description of any value that a player gave."""
    try:
        return repr(value)[:40]
    except Exception:  # a number that is too long to write, or an object of the bot
        return type(value).__name__


def write_side(side: Side, *more: str) -> str:
    """Return a side as JSON on one line, followed by texts that belong to it."""
    return ", ".join([json.dumps(value) for value in (side, *more)])


def read_side(text: str) -> tuple[Side, tuple[str, ...]] | None:
    """Return the side and the texts that `write_side` wrote; None for any other text."""
    try:
        values = json.loads(f"[{text}]")
    except (ValueError, RecursionError):
        return None
    if not values or not is_side(values[0], strict=False):
        return None
    more = [value for value in values[1:] if isinstance(value, str)]
    return (values[0], tuple(more)) if len(more) == len(values) - 1 else None
