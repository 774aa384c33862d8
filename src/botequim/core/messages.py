"""Sentences for people that do not yet know their reader's language.

Rules, errors and records speak in `Message`s: an English template and the values that fill it.
`str(message)` is English; `botequim.i18n.say(message)` is the reader's language.

Templates and values also come out of records that strangers wrote. So filling is nothing but putting a
value in the place of its `{name}`: no formatting language, and a brace that names no value stays.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

_FIELD: Final = re.compile(r"\{(\w+)\}")


class Figure(str):
    """A number as English writes it, `3.6`; `botequim.i18n.say` writes it as the reader's language does."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Message:
    """One sentence: a translatable template and its values."""

    template: str
    values: Mapping[str, object] = field(default_factory=dict)
    """Numbers, names, or further messages."""

    def __str__(self) -> str:
        return fill(self.template, self.values)


def msg(template: str, /, **values: object) -> Message:
    """Mark `template` for translation and fill it later."""
    return Message(template, values)


def plain(text: object) -> Message:
    """A message that is the same in every language: a name, a number, what a program said."""
    return Message("{text}", {"text": str(text)})


def listed(parts: Iterable[Message]) -> Message:
    """Messages one after the other, with commas."""
    values = {f"part{number}": part for number, part in enumerate(parts)}
    return Message(", ".join(f"{{{name}}}" for name in values), values)


def fill(template: str, values: Mapping[str, object]) -> str:
    """The template with each `{name}` that has a value replaced by it."""
    if not values:
        return template
    return _FIELD.sub(lambda found: str(values.get(found[1], found[0])), template)


def harmless(text: str) -> str:
    """Return a text from outside, made safe to show on one line of a terminal, a picture or a page.

    Control characters, direction marks, and the separators of lines and paragraphs (U+2028, U+2029) become
    dots.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join("·" if _is_control(sign) else sign for sign in text)


def _is_control(sign: str) -> bool:
    category = unicodedata.category(sign)
    return category[0] == "C" or category in ("Zl", "Zp")
