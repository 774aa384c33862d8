"""Records the questions to a bot, its answers, and its processes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from botequim.core.game import Outcome, Remark
from botequim.core.limits import EnforcedLimit
from botequim.core.messages import Message
from botequim.core.process import Launch, Process, Program, Sandbox
from botequim.core.turn import Reply
from botequim.core.wire import Codec, GameContext, Question


class RecordingCodec:
    """A codec that stores the last question and the received part of its answer."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self.question: Question | None = None
        self.answer: Sequence[bytes] = ()
        self.unsolicited: Sequence[bytes] = ()

    def forget(self) -> None:
        """Forget the last question and answer."""
        self.question, self.answer, self.unsolicited = None, (), ()

    def encode_question(self, view: Any, seen: int, context: GameContext) -> Question:
        self.question = self._codec.encode_question(view, seen, context)
        return self.question

    def decode_answer(self, answer: Sequence[bytes], view: Any, context: GameContext) -> Reply | None:
        self.answer = list(answer)
        return self._codec.decode_answer(answer, view, context)

    def decode_unsolicited(
        self, lines: Sequence[bytes], view: Any
    ) -> tuple[Sequence[Remark], Sequence[Message]]:
        self.unsolicited = list(lines)
        return self._codec.decode_unsolicited(lines, view)

    def end(self, view: Any, seen: int, context: GameContext, outcome: Outcome) -> bytes:
        return self._codec.end(view, seen, context, outcome)


class RecordingSandbox:
    """A sandbox that stores the processes it has started, so that their resources can be measured."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self.started: list[Process] = []

    @property
    def name(self) -> str:
        return self._sandbox.name

    @property
    def enforces(self) -> frozenset[EnforcedLimit]:
        return self._sandbox.enforces

    @property
    def isolates(self) -> bool:
        return self._sandbox.isolates

    def sandbox_of(self, program: Program) -> Sandbox:
        return self._sandbox.sandbox_of(program)

    def start(self, launch: Launch) -> Process:
        process = self._sandbox.start(launch)
        self.started.append(process)
        return process
