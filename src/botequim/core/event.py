"""What a seat saw happen. A module of its own because it is compiled: games make one at every move."""

from __future__ import annotations

from typing import Final, Generic, TypeVar, final

M = TypeVar("M")


@final
class Event(Generic[M]):
    """One move as one seat saw it: a deal shows only that seat's own tiles."""

    __slots__ = ("by", "move")
    __match_args__ = ("by", "move")

    def __init__(self, by: int, move: M) -> None:
        self.by: Final = by
        """A seat, or CHANCE."""
        self.move: Final = move

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Event) and self.by == other.by and self.move == other.move

    def __hash__(self) -> int:
        return hash((self.by, self.move))

    def __repr__(self) -> str:
        return f"Event({self.by}, {self.move!r})"
