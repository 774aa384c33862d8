"""Mistakes in answers that should be one JSON object."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NoReturn

from botequim.botcheck.diagnosis.case import Case
from botequim.botcheck.game_checks import Diagnosis
from botequim.core.messages import msg, plain

LONGEST_QUOTE = 80


def object_in(text: str) -> dict[str, Any] | None:
    """Return the first JSON object that begins on a line of the text, or None."""
    lines = text.splitlines()
    for at in range(min(len(lines), 200)):
        if not lines[at].lstrip().startswith("{"):
            continue
        for part in (lines[at], "\n".join(lines[at:])):
            with suppress(ValueError, RecursionError):
                value = json.JSONDecoder(parse_constant=_no_number).raw_decode(part.lstrip())[0]
                if isinstance(value, dict):
                    return value
    return None


def json_answer(case: Case) -> dict[str, Any] | None:
    """Return the JSON object that is the whole answer, or None."""
    text = case.raw
    if case.wire.name == "arena-lines":
        text = text.strip().splitlines()[-1] if text.strip() else ""
    value = _json(text)
    return value if isinstance(value, dict) else None


def no_object(case: Case, example: str) -> Diagnosis | None:
    """Return why an answer is not a JSON object; None if it is one."""
    if json_answer(case) is not None:
        return None
    text = case.raw.strip()
    start = plain(text[:LONGEST_QUOTE])
    remedy = msg("Answer with one JSON object and nothing else, such as {example}", example=plain(example))
    if not text:
        return Diagnosis("empty-answer", msg("Its answer is empty."), remedy)
    if object_in(text) is not None:
        return Diagnosis(
            "debug-on-stdout",
            msg('It writes more than its answer; its output begins with "{start}".', start=start),
            msg("Write only the answer to standard output, and debug output to stderr."),
        )
    if constants := _constants(text):
        return Diagnosis(
            "nan",
            msg("It writes {word}, which is not valid in JSON: {answer}", word=constants[0], answer=start),
            msg("Leave such numbers out, or write null: JSON has neither NaN nor Infinity."),
        )
    if isinstance(_python(text), dict):
        return Diagnosis(
            "python-dict",
            msg("It prints a Python dictionary, not JSON: {answer}", answer=start),
            msg("Print json.dumps(answer): JSON uses double quotes, true and null."),
        )
    value = _json(text)
    if isinstance(value, str) and isinstance(_json(value), dict):
        return Diagnosis(
            "json-in-text", msg("Its answer is a JSON text that contains JSON: it was encoded twice."), remedy
        )
    if value is not None:
        return Diagnosis(
            "no-object", msg("Its answer is JSON, but not an object: {answer}", answer=start), remedy
        )
    return Diagnosis(
        "text-for-json", msg('It answers with text instead of JSON: "{answer}"', answer=start), remedy
    )


def _python(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _json(text: str) -> object:
    """Return the value of a text in strict JSON, without NaN, which Python's parser accepts; else None."""
    try:
        value: object = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None
    return value


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)


def _constants(text: str) -> list[str]:
    """Return the words such as NaN that are not JSON, if the text is JSON except for them."""
    words: list[str] = []
    try:
        json.loads(text, parse_constant=words.append)
    except (ValueError, RecursionError):
        return []
    return words


def other_key(
    answer: Mapping[str, Any], key: str, fits: Callable[[object], bool], example: str
) -> Diagnosis | None:
    """Return the diagnosis of an answer that has the right value under a wrong key."""
    if key in answer:
        return None
    for name, value in answer.items():
        if fits(value):
            return Diagnosis(
                "wrong-key",
                msg(
                    'It uses the key "{name}" instead of "{key}".', name=plain(name[:LONGEST_QUOTE]), key=key
                ),
                msg("Spell the key exactly like this: {example}", example=plain(example)),
            )
    return None


def not_a_text(key: str, value: object, example: str) -> Diagnosis:
    """Return the diagnosis of a number or a list where a text is expected."""
    value_text = json.dumps(value, ensure_ascii=False)[:LONGEST_QUOTE]
    return Diagnosis(
        "not-a-text",
        msg('"{key}" is {value}, but it must be a text.', key=key, value=plain(value_text)),
        msg("Write it in quotes: {example}", example=plain(example)),
    )


def text_under(
    answer: Mapping[str, Any], key: str, is_one: Callable[[object], bool], example: str, absent: Diagnosis
) -> str | Diagnosis:
    """Return the text of a key in an answer, or a diagnosis; `absent` is the one for a missing key."""
    wrong = other_key(answer, key, is_one, example)
    if wrong is not None:
        return wrong
    if key not in answer:
        return absent
    value = answer[key]
    return value if isinstance(value, str) else not_a_text(key, value, example)


def no_move(example: str) -> Diagnosis:
    return Diagnosis(
        "no-move",
        msg('Its answer has no "move".'),
        msg("Spell the key exactly like this: {example}", example=plain(example)),
    )
