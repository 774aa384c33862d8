"""Cup files as text, with comments in the reader's language."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

from botequim.core.messages import Message
from botequim.cup.config import Entry
from botequim.i18n import translate

WIDTH: Final = 100
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def toml_string(text: str) -> str:
    return '"' + "".join(_ESCAPES.get(sign) or _plain(sign) for sign in text) + '"'


def _plain(sign: str) -> str:
    return f"\\u{ord(sign):04X}" if re.match(r"[\x00-\x1f\x7f]", sign) else sign


def comment(message: Message) -> Iterator[str]:
    yield from textwrap.wrap(
        translate(message), WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False
    )


def entrant(entry: Entry) -> Iterator[str]:
    yield "[[entrants]]"
    yield f"name = {toml_string(entry.name)}"
    yield f"bot = {toml_string(entry.bot)}"
    for key, value in (
        ("wire", entry.wire),
        ("title", entry.title),
        ("portrait", entry.portrait),
        ("repository", entry.repository),
    ):
        if value:
            yield f"{key} = {toml_string(value)}"
    for key, values in (("authors", entry.authors), ("students", entry.students)):
        if values:
            yield f"{key} = [{', '.join(map(toml_string, values))}]"


def file_text(parts: Sequence[str | Message | Entry]) -> str:
    """Return the text of a file: lines of TOML, comments, and entrants."""
    lines: list[str] = []
    for part in parts:
        match part:
            case str():
                lines.append(part)
            case Entry():
                lines += ["", *entrant(part)]
            case Message():
                lines += comment(part)
    return "\n".join(lines) + "\n"
