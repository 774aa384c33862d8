"""Mistakes of rps bots."""

from __future__ import annotations

from typing import Final

from botequim.checking.mistakes.answers import no_object, not_a_text, other_key, said
from botequim.checking.mistakes.case import Case, Diagnosis
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
    answer = said(case)
    assert answer is not None
    wrong = other_key(answer, "move", _is_hand, EXAMPLE)
    if wrong is not None:
        return wrong
    if "move" not in answer:
        return Diagnosis(
            "no-move",
            msg('Its answer has no "move".'),
            msg("Name the key exactly so: {example}", example=plain(EXAMPLE)),
        )
    word = answer["move"]
    if not isinstance(word, str):
        return not_a_text("move", word, EXAMPLE)
    return _misspelt(word)


def _is_hand(value: object) -> bool:
    return isinstance(value, str) and value.upper() in (*_WORDS, *_ALIKE, "R", "P", "S")


def _misspelt(word: str) -> Diagnosis:
    remedy = msg('Write "ROCK", "PAPER" or "SCISSORS": whole words in capitals.')
    given = plain(word[:40])
    if word.strip().upper() in _WORDS:
        return Diagnosis("lower-case", msg('It writes "{word}", not in capitals.', word=given), remedy)
    if word.strip().upper() in ("R", "P", "S"):
        return Diagnosis(
            "single-letter",
            msg('It writes "{word}", the letter of the history, not the whole word.', word=given),
            remedy,
        )
    if word.strip().upper() in _ALIKE:
        return Diagnosis(
            "other-words", msg('It says "{word}", not the word of the rules.', word=given), remedy
        )
    return Diagnosis("no-hand", msg('"{word}" is no move of the game.', word=given), remedy)
