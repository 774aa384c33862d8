"""The findings of a check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from botequim.botcheck.game_checks import Diagnosis
from botequim.botcheck.speed import Speed
from botequim.core.errors import Fault
from botequim.core.messages import Message


class State(StrEnum):
    """The state of one finding."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(slots=True)
class Problem:
    """A mistake, and its first occurrence as evidence."""

    diagnosis: Diagnosis
    fault: Fault | None
    """None if no rule is broken, as for a habit that loses games, or a warning."""
    question: str = ""
    answer: str = ""
    """The question and the answer as they were sent."""
    forgiven: Message | None = None
    """Why it is only a warning."""
    count: int = 1
    turn: int | None = None
    """The number of the turn in the record."""
    seat: int | None = None
    record: Path | None = None
    note: Message | None = None
    """Further information about the problem."""

    @property
    def state(self) -> State:
        return State.FAILED if self.forgiven is None else State.WARNING

    def as_json(self) -> dict[str, Any]:
        values = {
            "mistake": self.diagnosis.key,
            "told": str(self.diagnosis.mistake),
            "remedy": str(self.diagnosis.remedy),
            "state": self.state.value,
            "count": self.count,
            "fault": None if self.fault is None else self.fault.kind.value,
            "reason": str(
                self.forgiven or self.diagnosis.mistake if self.fault is None else self.fault.reason
            ),
            "question": self.question,
            "answer": self.answer,
            "evidence": _plain({} if self.fault is None else self.fault.evidence),
            "note": None if self.note is None else str(self.note),
            "turn": self.turn,
            "seat": self.seat,
            "record": None if self.record is None else str(self.record),
        }
        return {name: value for name, value in values.items() if value is not None}


def _plain(evidence: Mapping[str, Any]) -> dict[str, Any]:
    simple = (str, int, float, bool, list)
    left_out = ("question", "answer")
    return {
        name: value if isinstance(value, simple) else str(value)
        for name, value in evidence.items()
        if name not in left_out
    }


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    name: str
    """The name in JSON."""
    state: State
    message: Message
    details: Sequence[Message] = ()
    new: Sequence[Problem] = ()
    """The problems that were first found here."""
    again: Sequence[Problem] = ()
    """The problems that were found before."""
    numbers: Mapping[str, Any] = field(default_factory=dict)
    """Numbers in JSON."""

    def as_json(self) -> dict[str, Any]:
        return {
            "check": self.name,
            "state": self.state.value,
            "told": str(self.message),
            "details": [str(detail) for detail in self.details],
            **self.numbers,
            "problems": [problem.as_json() for problem in self.new],
            "again": [problem.diagnosis.key for problem in self.again],
        }


@dataclass(slots=True)
class Verdict:
    """All findings of a check."""

    findings: list[Finding] = field(default_factory=list)
    stopped: Message | None = None
    """Why the check stopped early; None if it did not."""
    speed: Speed | None = None
    """None if the bot was never asked."""
    pair: str = ""
    """The name that the bot gives itself when it starts; "" if there is none."""

    @property
    def problems(self) -> list[Problem]:
        return [problem for finding in self.findings for problem in finding.new]

    @property
    def state(self) -> State:
        states = {finding.state for finding in self.findings}
        return next((state for state in (State.FAILED, State.WARNING) if state in states), State.OK)
