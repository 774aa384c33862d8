"""Looks over a bot's shoulder: what it was asked and said, and the processes it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from botequim.core.game import Outcome, Remark
from botequim.core.limits import Enforced, Limits
from botequim.core.messages import Message
from botequim.core.process import Process, Program, Sandbox
from botequim.core.turn import Reply
from botequim.core.wire import Dialect, Question, Seating


class Listening:
    """A dialect that keeps the last question and what has been heard of its answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self.question: Question | None = None
        self.answer: Sequence[bytes] = ()
        self.unasked: Sequence[bytes] = ()

    def forget(self) -> None:
        """Before the next question."""
        self.question, self.answer, self.unasked = None, (), ()

    def ask(self, view: Any, seen: int, seating: Seating) -> Question:
        self.question = self._dialect.ask(view, seen, seating)
        return self.question

    def read(self, answer: Sequence[bytes], view: Any, seating: Seating) -> Reply | None:
        self.answer = list(answer)
        return self._dialect.read(answer, view, seating)

    def overheard(self, lines: Sequence[bytes], view: Any) -> tuple[Sequence[Remark], Sequence[Message]]:
        self.unasked = list(lines)
        return self._dialect.overheard(lines, view)

    def end(self, view: Any, seen: int, seating: Seating, outcome: Outcome) -> bytes:
        return self._dialect.end(view, seen, seating, outcome)


class Watching:
    """A sandbox that keeps the processes it has started, for what they used."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self.started: list[Process] = []

    @property
    def name(self) -> str:
        return self._sandbox.name

    @property
    def enforces(self) -> frozenset[Enforced]:
        return self._sandbox.enforces

    def start(
        self,
        program: Program,
        limits: Limits,
        *,
        arguments: tuple[str, ...] = (),
        environment: Mapping[str, str] | None = None,
        input: bool = True,
        port: bool = False,
    ) -> Process:
        process = self._sandbox.start(
            program, limits, arguments=arguments, environment=environment, input=input, port=port
        )
        self.started.append(process)
        return process
