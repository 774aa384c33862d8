"""Sentences for people that do not yet know their reader's language.

Rules, errors and records speak in `Message`s: an English template and the values that fill it.
`str(message)` is English; `botequim.i18n.say(message)` is the reader's language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Message:
    """One sentence: a translatable template and its values."""

    template: str
    values: Mapping[str, object] = field(default_factory=dict)
    """Numbers, names, or further messages."""

    def __str__(self) -> str:
        return self.template.format_map(self.values) if self.values else self.template


def msg(template: str, /, **values: object) -> Message:
    """Mark `template` for translation and fill it later."""
    return Message(template, values)


def plain(text: object) -> Message:
    """A message that is the same in every language: a name, a number, what a program said."""
    return Message("{text}", {"text": str(text)})
