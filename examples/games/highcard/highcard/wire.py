"""The game's own way to talk to bots: a line with the hand and the score, answered by a line with a card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from botequim import (
    FaultKind,
    GameContext,
    Message,
    Outcome,
    PlayerFault,
    Question,
    Remark,
    Reply,
    TransportKind,
    Wire,
    msg,
)
from highcard.rules import Show, View


class HighCardCodec:
    """`HAND 3 14 27 WINS 0 1` asks for a card; the answer is its number: `27`."""

    def encode_question(self, view: View, seen: int, context: GameContext) -> Question:
        hand, wins = (" ".join(map(str, numbers)) for numbers in (view.hand, view.wins))
        return Question(f"HAND {hand} WINS {wins}\n".encode(), seen=len(view.events))

    def decode_answer(self, answer: Sequence[bytes], view: View, context: GameContext) -> Reply | None:
        if not answer:
            return None
        text = answer[0].strip()
        if not text.isdigit() or len(text) > 2:
            raise PlayerFault(FaultKind.MALFORMED, msg("the answer must be the number of a card"))
        return Reply(Show(int(text)))

    def decode_unsolicited(
        self, lines: Sequence[bytes], view: Any
    ) -> tuple[Sequence[Remark], Sequence[Message]]:
        return (), ()

    def end(self, view: Any, seen: int, context: GameContext, outcome: Outcome) -> bytes:
        return b"END\n"


WIRE = Wire("highcard", HighCardCodec(), TransportKind.LINES, game="highcard")
