"""Explains what is wrong with a request to the API, in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from botequim.core.messages import Message, msg
from botequim.i18n import translate

MOST: Final = 5
LONGEST: Final = 500
KINDS: Final[Mapping[str, Message]] = {
    "missing": msg("missing"),
    "extra_forbidden": msg("unknown field"),
    "json_invalid": msg("invalid JSON"),
    "int_parsing": msg("must be an integer"),
    "int_type": msg("must be an integer"),
    "int_from_float": msg("must be an integer"),
    "float_parsing": msg("must be a number"),
    "float_type": msg("must be a number"),
    "bool_parsing": msg("must be true or false"),
    "string_type": msg("must be a string"),
    "list_type": msg("must be a list"),
    "greater_than_equal": msg("must be at least {ge}"),
    "less_than_equal": msg("must be at most {le}"),
    "string_too_long": msg("must have at most {max_length} characters"),
    "too_long": msg("must have at most {max_length} items"),
    "string_pattern_mismatch": msg("must match {pattern}"),
    "literal_error": msg("must be one of {expected}"),
    "enum": msg("must be one of {expected}"),
}
"""Sentences by pydantic's names of errors. For other errors, pydantic's own text is used."""


def problems(errors: Sequence[Any]) -> str:
    """Return where and what is wrong, on one line. The text of the request is not repeated."""
    return "; ".join(f"{_where(one)}: {_what(one)}" for one in errors[:MOST])[:LONGEST]


def _where(problem: Mapping[str, Any]) -> str:
    return ".".join(str(part) for part in problem["loc"])


def _what(problem: Mapping[str, Any]) -> str:
    message = KINDS.get(problem["type"])
    if message is None:
        return str(problem["msg"])
    # pydantic joins the expected values with "or"
    values = {name: str(value).replace(" or ", ", ") for name, value in (problem.get("ctx") or {}).items()}
    return translate(Message(message.template, values))
