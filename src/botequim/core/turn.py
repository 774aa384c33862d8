"""The values of one turn. This module is compiled, because it creates several objects for every move."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, final

if TYPE_CHECKING:
    from botequim.core.errors import Fault
    from botequim.core.game import Remark
    from botequim.core.messages import Message

M = TypeVar("M")


@final
class Event(Generic[M]):
    """One move as one seat saw it: a deal shows only that seat's own pieces."""

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

    def __reduce__(self) -> tuple[type[Event[M]], tuple[int, M]]:
        return Event, (self.by, self.move)


@final
class Reply:
    """A player's answer to one question."""

    __slots__ = ("evidence", "micros", "move", "remarks", "warnings")

    def __init__(
        self,
        move: Any,
        remarks: Sequence[Remark] = (),
        warnings: Sequence[Message] = (),
        micros: int | None = None,
        evidence: Callable[[], Mapping[str, Any]] | None = None,
    ) -> None:
        self.move: Final = move
        self.remarks: Final = remarks
        self.warnings: Final = warnings
        """Problems of the answer that are not faults."""
        self.micros: Final = micros
        """The time that the player used, if it is not the time until it answered."""
        self.evidence: Final = evidence
        """Returns the question and the answer, for a move that the rules refuse."""

    def __reduce__(self) -> tuple[type[Reply], tuple[object, ...]]:
        """Pickle everything but the evidence."""
        return Reply, (self.move, self.remarks, self.warnings, self.micros)


@final
class PlayedMove:
    """One move of a turn, with its time, its remarks, its warnings and its fault."""

    __slots__ = ("by", "fault", "micros", "move", "remarks", "warnings")

    def __init__(
        self,
        by: int,
        move: Any,
        micros: int | None = None,
        remarks: Sequence[Remark] = (),
        warnings: Sequence[Message] = (),
        fault: Fault | None = None,
    ) -> None:
        self.by: Final = by
        """A seat, or CHANCE."""
        self.move: Final = move
        self.micros: Final = micros
        """The time that the player used; None for chance."""
        self.remarks: Final = remarks
        self.warnings: Final = warnings
        self.fault: Final = fault
        """The fault of the player, if the rules made this move for it."""

    def with_time(self, micros: int | None) -> PlayedMove:
        """Return the same move with another time."""
        return PlayedMove(self.by, self.move, micros, self.remarks, self.warnings, self.fault)

    def __repr__(self) -> str:
        return f"PlayedMove({self.by}, {self.move!r}, fault={self.fault!r})"


@final
class Step:
    """One turn with the states before and after it."""

    __slots__ = ("after", "before", "number", "turn")

    def __init__(self, number: int, before: Any, turn: Sequence[PlayedMove], after: Any) -> None:
        self.number: Final = number
        self.before: Final = before
        self.turn: Final = turn
        self.after: Final = after
