"""What happens in a turn. A module of its own because it is compiled: these are made at every move."""

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
        """What was odd about the answer without making it a fault."""
        self.micros: Final = micros
        """The time the player used, where it is not just the time until it answered."""
        self.evidence: Final = evidence
        """What was asked and answered, should the rules refuse the move."""

    def __reduce__(self) -> tuple[type[Reply], tuple[object, ...]]:
        """As it goes from one process to another; evidence stays behind."""
        return Reply, (self.move, self.remarks, self.warnings, self.micros)


@final
class Made:
    """One move within a turn, and how it came about."""

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
        """Time the player used; None for chance."""
        self.remarks: Final = remarks
        self.warnings: Final = warnings
        self.fault: Final = fault
        """What the player did, when the move is what its fault became."""

    def timed(self, micros: int | None) -> Made:
        """The same with another time."""
        return Made(self.by, self.move, micros, self.remarks, self.warnings, self.fault)

    def __repr__(self) -> str:
        return f"Made({self.by}, {self.move!r}, fault={self.fault!r})"


@final
class Step:
    """One turn as it happens: what a live view, a story or a check is told."""

    __slots__ = ("after", "before", "number", "turn")

    def __init__(self, number: int, before: Any, turn: Sequence[Made], after: Any) -> None:
        self.number: Final = number
        self.before: Final = before
        self.turn: Final = turn
        self.after: Final = after
