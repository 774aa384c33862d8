"""Mistakes of rps bots."""

from __future__ import annotations

from typing import Final

from botequim.botcheck.diagnosis.answers import json_answer, no_move, no_object, text_under
from botequim.botcheck.diagnosis.case import Case
from botequim.botcheck.game_checks import Diagnosis
from botequim.core.errors import FaultKind
from botequim.core.messages import msg, plain

EXAMPLE: Final = '{"move": "ROCK"}'
_WORDS: Final = ("ROCK", "PAPER", "SCISSORS")
_ALIKE: Final = ("PEDRA", "PAPEL", "TESOURA", "STONE", "SCISSOR")


def diagnose(case: Case) -> Diagnosis | None:
    if case.fault.kind is not FaultKind.MALFORMED:
        return None
    bad = no_object(case, EXAMPLE)
    if bad is not None:
        return bad
    answer = json_answer(case)
    assert answer is not None
    word = text_under(answer, "move", _is_hand, EXAMPLE, no_move(EXAMPLE))
    return _misspelt(word) if isinstance(word, str) else word


def _is_hand(value: object) -> bool:
    return isinstance(value, str) and value.upper() in (*_WORDS, *_ALIKE, "R", "P", "S")


def _misspelt(word: str) -> Diagnosis:
    remedy = msg('Write "ROCK", "PAPER" or "SCISSORS": whole words in capitals.')
    quote = plain(word[:40])
    if word.strip().upper() in _WORDS:
        return Diagnosis(
            "lower-case", msg('It writes "{word}", but the word must be in capitals.', word=quote), remedy
        )
    if word.strip().upper() in ("R", "P", "S"):
        return Diagnosis(
            "single-letter",
            msg('It writes "{word}", the letter used in the history, instead of the whole word.', word=quote),
            remedy,
        )
    if word.strip().upper() in _ALIKE:
        return Diagnosis(
            "other-words", msg('It writes "{word}" instead of the word in the rules.', word=quote), remedy
        )
    return Diagnosis("no-hand", msg('"{word}" is not a move of the game.', word=quote), remedy)
