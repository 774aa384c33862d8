"""Mistakes of bots that use an arena wire."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from botequim.botcheck.diagnosis.answers import json_answer, no_move, no_object, text_under
from botequim.botcheck.diagnosis.case import Case
from botequim.botcheck.game_checks import Diagnosis
from botequim.core.errors import FaultKind
from botequim.core.messages import msg, plain

MOST_LISTED: Final = 12


def diagnose(case: Case) -> Diagnosis | None:
    if case.fault.kind not in (FaultKind.ILLEGAL, FaultKind.MALFORMED):
        return None
    menu = [case.game.write(move) for move in case.view.legal]
    example = json.dumps({"move": menu[0]}, ensure_ascii=False)
    bad = no_object(case, example)
    if bad is not None:
        return bad
    answer = json_answer(case)
    assert answer is not None
    text = text_under(answer, "move", lambda value: value in menu, example, no_move(example))
    return _not_listed(text, menu) if isinstance(text, str) else text


def _not_listed(text: str, menu: Sequence[str]) -> Diagnosis:
    moves = ", ".join(f'"{move}"' for move in menu[:MOST_LISTED]) + (
        ", ..." if len(menu) > MOST_LISTED else ""
    )
    quote = plain(text[:60])
    bare = "".join(text.lower().split())
    alike = [move for move in menu if "".join(move.lower().split()) == bare]
    if alike:
        return Diagnosis(
            "not-as-listed",
            msg(
                'It writes "{given}", but the move must be written "{move}".',
                given=quote,
                move=plain(alike[0]),
            ),
            msg('Answer with one of the texts in "legal", character by character.'),
        )
    return Diagnosis(
        "not-from-the-list",
        msg('It answers "{given}", which is not in "legal": {listed}', given=quote, listed=plain(moves)),
        msg('Answer with one of the texts in "legal", character by character.'),
    )
