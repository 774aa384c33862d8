"""Wires of other packages that still use the old names of fields and methods."""

from __future__ import annotations

from typing import Any

import pytest

from botequim.bots.codecs.answers import Silent
from botequim.core.game import Remark
from botequim.core.turn import Reply
from botequim.core.wire import Question, TransportKind, Wire


class OldCodec(Silent):
    """As a package for an earlier release wrote it."""

    def ask(self, view: Any, seen: int, seating: Any) -> Question:
        return Question(b"asked", seen=seen + 1)

    def read(self, answer: Any, view: Any, seating: Any) -> Reply | None:
        return Reply(answer[0])


class OldTalker(OldCodec):
    def overheard(self, lines: Any, view: Any) -> Any:
        return [Remark("say", "said")], []


@pytest.mark.parametrize("kind", [OldCodec, OldTalker])
def test_a_codec_with_the_old_names_of_methods_works(kind: type[Any]) -> None:
    with pytest.warns(DeprecationWarning, match="encode_question"):
        wire = Wire("old", kind(), TransportKind.LINES)
    context: Any = None
    assert wire.codec.encode_question(None, 2, context).seen == 3
    reply = wire.codec.decode_answer([b"move"], None, context)
    assert reply is not None
    assert reply.move == b"move"
    remarks, warnings = wire.codec.decode_unsolicited([b"line"], None)
    assert bool(remarks) is (kind is OldTalker)
    assert bool(warnings) is (kind is OldCodec)
    outcome: Any = None
    assert wire.codec.end(None, 0, context, outcome) == b""


def test_the_old_names_of_fields_work() -> None:
    old: Any = Wire
    with pytest.warns(DeprecationWarning, match="is deprecated") as said:
        wire = old("old", dialect=OldCodec(), carrier=TransportKind.ONCE, hosted=False)
    assert any("Wire(codec=...)" in str(one.message) for one in said)
    assert wire.transport is TransportKind.ONCE
    with pytest.warns(DeprecationWarning, match=r"Wire\.transport"):
        assert wire.carrier is TransportKind.ONCE
    with pytest.raises(AttributeError):
        wire.nothing  # noqa: B018
