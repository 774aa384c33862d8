"""Messages for people, before they are translated.

Rules, errors and records contain `Message`s: an English template and the values that fill it.
`str(message)` is English; `botequim.i18n.translate(message)` is the reader's language.

Templates and values may come from untrusted records. So filling only replaces each `{name}` by its value:
there is no formatting language, and a brace without a value stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

_FIELD: Final = re.compile(r"\{(\w+)\}")


class Figure(str):
    """A number in English notation, `3.6`. `i18n.translate` writes it in the notation of the reader."""

    __slots__ = ()


class Name(str):
    """A name as files have it. `i18n.translate` writes `words` instead."""

    words: Message

    @classmethod
    def of(cls, name: str, words: Message) -> Name:
        self = cls(name)
        self.words = words
        return self


@dataclass(frozen=True, slots=True)
class Message:
    """One sentence: a translatable template and its values."""

    template: str
    values: Mapping[str, object] = field(default_factory=dict)
    """Numbers, names, or further messages."""

    def __str__(self) -> str:
        return fill(self.template, self.values)


def msg(template: str, /, **values: object) -> Message:
    """Return a message; the template is collected for translation."""
    return Message(template, values)


def plain(text: object) -> Message:
    """Return a message that is the same in every language: a name, a number, the output of a program."""
    return Message("{text}", {"text": str(text)})


def comma_list(parts: Iterable[Message]) -> Message:
    values = {f"part{number}": part for number, part in enumerate(parts)}
    return Message(", ".join(f"{{{name}}}" for name in values), values)


def fill(template: str, values: Mapping[str, object]) -> str:
    """Return the template with each `{name}` replaced by its value."""
    if not values:
        return template
    return _FIELD.sub(lambda match: str(values.get(match[1], match[0])), template)
