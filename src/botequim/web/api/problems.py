"""What is wrong with a question to the API, in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from botequim.core.messages import Message, msg
from botequim.i18n import say

MOST: Final = 5
LONGEST: Final = 500
KINDS: Final[Mapping[str, Message]] = {
    "missing": msg("it is missing"),
    "extra_forbidden": msg("this is not asked for"),
    "json_invalid": msg("this is not JSON"),
    "int_parsing": msg("not a whole number"),
    "int_type": msg("not a whole number"),
    "int_from_float": msg("not a whole number"),
    "float_parsing": msg("not a number"),
    "float_type": msg("not a number"),
    "bool_parsing": msg("neither true nor false"),
    "string_type": msg("not a text"),
    "list_type": msg("not a list"),
    "greater_than_equal": msg("at least {ge}, please"),
    "less_than_equal": msg("at most {le}, please"),
    "string_too_long": msg("longer than {max_length} characters"),
    "too_long": msg("more than {max_length} of them"),
    "string_pattern_mismatch": msg("it does not fit {pattern}"),
    "literal_error": msg("not one of {expected}"),
    "enum": msg("not one of {expected}"),
}
"""By the names that pydantic gives them. What is not here is told in its words."""


def problems(found: Sequence[Any]) -> str:
    """Where and what, in a line; what was sent is not sent back."""
    return "; ".join(f"{_where(one)}: {_what(one)}" for one in found[:MOST])[:LONGEST]


def _where(problem: Mapping[str, Any]) -> str:
    return ".".join(str(part) for part in problem["loc"])


def _what(problem: Mapping[str, Any]) -> str:
    known = KINDS.get(problem["type"])
    if known is None:
        return str(problem["msg"])
    # pydantic joins what it expects by a word
    values = {name: str(value).replace(" or ", ", ") for name, value in (problem.get("ctx") or {}).items()}
    return say(Message(known.template, values))
