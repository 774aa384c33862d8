"""Functions with which codecs read answers. An answer is untrusted input."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NoReturn

from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.game import SAY_LENGTH, TOO_LONG, Outcome, Remark, check_say
from botequim.core.messages import Message, msg
from botequim.core.wire import GameContext, ignored_lines_warning

SHOWN: Final = 60
"""The most characters of an answer that a message quotes."""
MOST_REMARKS: Final = 20
"""The most remarks of a turn that are shown."""


class Silent:
    """A base class for codecs of bots that send nothing but answers."""

    def decode_unsolicited(
        self, lines: Sequence[bytes], view: Any
    ) -> tuple[Sequence[Remark], Sequence[Message]]:
        return (), ignored_lines_warning(lines)

    def end(self, view: Any, seen: int, context: GameContext, outcome: Outcome) -> bytes:
        return b""


def limit_remarks(remarks: Sequence[Remark]) -> tuple[list[Remark], list[Message]]:
    """Return the remarks of a turn that are shown, and warnings about the others.

    Only the first few are shown; a remark that is too long is cut off with an ellipsis.
    """
    warnings = []
    limited = [
        Remark("say", one.value[: SAY_LENGTH - 1] + "…") if check_say(one) == TOO_LONG else one
        for one in remarks[:MOST_REMARKS]
    ]
    if limited != list(remarks[:MOST_REMARKS]):
        warnings.append(
            msg("what the bot says is longer than {limit} characters and is cut", limit=SAY_LENGTH)
        )
    if len(remarks) > MOST_REMARKS:
        warnings.append(
            msg(
                "the bot says {count} things in one turn; only the first {most} are shown",
                count=len(remarks),
                most=MOST_REMARKS,
            )
        )
    return limited, warnings


def art_remarks(art: object) -> tuple[Remark, ...]:
    """Return the art of an answer as a remark; an empty tuple if there is none.

    A row that is a list of single characters is joined, because BattleBots' document calls art a
    2-dimensional matrix. The game refuses art of other types.
    """
    if art == []:
        return ()
    return (Remark("art", [_row(row) for row in art] if isinstance(art, list) else art),)


def _row(row: object) -> object:
    if isinstance(row, list) and all(isinstance(cell, str) and len(cell) == 1 for cell in row):
        return "".join(row)
    return row


def malformed_answer(reason: Message) -> PlayerFault:
    """Return the fault of an answer that is not a move."""
    return PlayerFault(FaultKind.MALFORMED, reason)


def short_json(value: object) -> str:
    """Return a JSON value of an answer, short enough for a sentence."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        text = type(value).__name__
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


def whole(answer: Sequence[bytes]) -> bytes:
    """Return the answer as one piece, for transports that do not split it into lines."""
    return b"".join(answer)


def read_object(answer: bytes) -> dict[str, Any]:
    """Return the JSON object of an answer. Raise a fault if the answer is not a JSON object."""
    try:
        text = answer.decode("utf-8")
    except UnicodeDecodeError as error:
        raise malformed_answer(
            msg("the answer is not UTF-8: byte {at} does not fit", at=error.start)
        ) from None
    if not text.strip():
        raise malformed_answer(msg("the answer is empty; a JSON object was expected"))
    try:
        value = json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise malformed_answer(_not_json(text, error)) from None
    except RecursionError:
        raise malformed_answer(msg("the answer is JSON of too many levels")) from None
    except ValueError as error:  # for example NaN, or a number with thousands of digits
        raise malformed_answer(msg("the answer is not JSON: {why}", why=str(error)[:SHOWN])) from None
    if not isinstance(value, dict):
        raise malformed_answer(
            msg("the answer is JSON, but not an object: {answer}", answer=short_json(value))
        )
    return value


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)


def _not_json(text: str, error: json.JSONDecodeError) -> Message:
    """Return why a text is not one JSON value."""
    if _holds_object(text):
        return msg(
            "there is more in the answer than one JSON object: "
            'write nothing else to standard output, debug output belongs on stderr; it begins "{start}"',
            start=text.strip()[:SHOWN],
        )
    return msg(
        'the answer is not JSON ({why} at character {at}): "{start}"; debug output belongs on stderr',
        why=JSON_WORDS.get(error.msg, error.msg),
        at=error.pos,
        start=text.strip()[:SHOWN],
    )


JSON_WORDS: Final[Mapping[str, Message]] = {
    word.template: word
    for word in (
        msg("Expecting value"),
        msg("Expecting ',' delimiter"),
        msg("Expecting ':' delimiter"),
        msg("Expecting property name enclosed in double quotes"),
        msg("Unterminated string starting at"),
        msg("Invalid control character at"),
        msg("Extra data"),
    )
}
"""Python's messages about invalid JSON, marked so that our catalogues contain them."""


def _holds_object(text: str) -> bool:
    """Return whether a JSON object begins at the start of a line. It may continue on the next lines."""
    read = json.JSONDecoder().raw_decode
    lines = text.splitlines()
    for at in range(min(len(lines), 100)):
        if not lines[at].lstrip().startswith("{"):
            continue
        for part in (lines[at], "\n".join(lines[at:])):
            with suppress(ValueError, RecursionError):
                if isinstance(read(part.lstrip())[0], dict):
                    return True
    return False
