"""Counts the answers of a check, and makes the finding about awkward positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from botequim.botcheck.findings import Finding, Problem, State
from botequim.botcheck.patience import Patience
from botequim.botcheck.positions import PositionKind
from botequim.core.messages import Message, msg


@dataclass(slots=True)
class Count:
    """The number of questions and legal answers for a kind of position."""

    asked: int = 0
    legal: int = 0


@dataclass(slots=True)
class Tally:
    """The counts over all games."""

    kinds: Sequence[PositionKind]
    by_kind: dict[str, Count] = field(default_factory=dict)
    asked: int = 0
    asked_before: int = 0
    """The number of questions in the games before the search for awkward positions."""
    awkward: int = 0
    legal_awkward: int = 0
    times: list[int] = field(default_factory=list)
    timeouts: int = 0
    trials: int = 0
    resident: int = 0
    """The largest resident memory of an instance in bytes."""
    faults: int = 0
    """The number of faults in the present trial."""
    idle: int = 0
    """The number of consecutive trials that failed in a known way."""

    def __post_init__(self) -> None:
        self.by_kind = {kind.name: Count() for kind in self.kinds}


def positions(
    tally: Tally, patience: Patience, new: list[Problem], again: list[Problem], before: Sequence[Problem]
) -> Finding:
    """Return the finding about awkward positions by kind; `before` are the problems of earlier games."""
    counts_by_kind = [(kind, tally.by_kind[kind.name]) for kind in tally.kinds]
    details = [_kind_message(kind, count) for kind, count in counts_by_kind if count.asked]
    details += [
        msg("{kind}: never came up", kind=kind.message) for kind, count in counts_by_kind if not count.asked
    ]
    if tally.legal_awkward < tally.awkward:
        details += [_exception(one) for one in before if one.fault and one not in new and one not in again]
    if patience.wanted < patience.usual_wanted:
        details.append(
            msg(
                "it answers slowly, so {wanted} positions were tried instead of {usual}",
                wanted=patience.wanted,
                usual=patience.usual_wanted,
            )
        )
    message = msg(
        "answers correctly in {legal} of {asked} difficult positions",
        legal=tally.legal_awkward,
        asked=tally.awkward,
    )
    state = worst_state(new + again)
    if state is State.OK and tally.awkward < patience.wanted:
        state = State.WARNING
    counts: dict[str, Any] = {name: [c.legal, c.asked] for name, c in tally.by_kind.items()}
    numbers = {"asked": tally.awkward, "legal": tally.legal_awkward, "kinds": counts}
    return Finding("positions", state, message, details, new=new, again=again, numbers=numbers)


def _kind_message(kind: PositionKind, count: Count) -> Message:
    if count.legal == count.asked:
        return msg("{kind}: {count}", kind=kind.message, count=count.asked)
    return msg("{kind}: {legal} of {count}", kind=kind.message, legal=count.legal, count=count.asked)


def _exception(problem: Problem) -> Message:
    """Return the message about a mistake in an earlier game, which lowers the number of correct answers."""
    mistake = problem.diagnosis.mistake
    if problem.forgiven is None:
        return msg("not counted as correct: {mistake}", mistake=mistake)
    return msg(
        "not counted as correct: {mistake} It does not fail the check: {why}",
        mistake=mistake,
        why=problem.forgiven,
    )


def worst_state(problems: Sequence[Problem]) -> State:
    """Return the state of a check that found these problems."""
    states = {problem.state for problem in problems}
    return next((state for state in (State.FAILED, State.WARNING) if state in states), State.OK)
