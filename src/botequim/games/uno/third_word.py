"""The experiment for a bot that reads two words of every event, and so misses the suit of `DISCARD A♥ ♥`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from botequim.botcheck.experiments import ask_fresh
from botequim.core.errors import FaultKind
from botequim.core.game import Outcome, Remark
from botequim.core.messages import Message
from botequim.core.turn import Reply
from botequim.core.wire import Codec, GameContext, Question
from botequim.games.uno.diagnosis import THIRD_WORD

if TYPE_CHECKING:
    from botequim.botcheck.table import BotTurn, CheckBench


class TwoWordCodec:
    """The wire without the suits that players ask for, as such a bot expects it."""

    def __init__(self, codec: Codec) -> None:
        self._codec: Final = codec

    def encode_question(self, view: Any, seen: int, context: GameContext) -> Question:
        question = self._codec.encode_question(view, seen, context)
        lines = [
            b" ".join(line.split()[:2]) if _has_suit(line) else line for line in question.body.split(b"\n")
        ]
        return replace(question, body=b"\n".join(lines))

    def decode_answer(self, answer: Sequence[bytes], view: Any, context: GameContext) -> Reply | None:
        return self._codec.decode_answer(answer, view, context)

    def decode_unsolicited(
        self, lines: Sequence[bytes], view: Any
    ) -> tuple[Sequence[Remark], Sequence[Message]]:
        return self._codec.decode_unsolicited(lines, view)

    def end(self, view: Any, seen: int, context: GameContext, outcome: Outcome) -> bytes:
        return self._codec.end(view, seen, context, outcome)


def _has_suit(line: bytes) -> bool:
    return line.startswith(b"DISCARD ") and len(line.split()) == 3


class ThirdWord:
    """Tests whether a bot answers the same question if events have no third word."""

    name = THIRD_WORD

    def applies(self, bot_turn: BotTurn, *, fresh_answers: bool) -> bool:
        """Return whether a suit that a player asked for can be the cause.

        A bot that reads two words of every event reads the wrong words after one suit, and does not answer at
        its next turn. After a second suit it reads the right words again, but has missed the events in
        between.
        """
        fault = bot_turn.played_move.fault
        if fresh_answers or fault is None or bot_turn.question is None:
            return False
        suits = sum(map(_has_suit, bot_turn.question.body.split(b"\n")))
        return suits > (0 if fault.kind in (FaultKind.TIMEOUT, FaultKind.CRASH) else 1)

    async def confirms(self, bench: CheckBench, bot_turn: BotTurn) -> bool:
        result = await ask_fresh(bench, bot_turn, bot_turn.path, TwoWordCodec(bench.wire.codec))
        if result is None:
            return False
        fault = bot_turn.played_move.fault
        was_silent = fault is not None and fault.kind is not FaultKind.ILLEGAL
        return result.fault is None or (was_silent and result.fault.kind is FaultKind.ILLEGAL)
