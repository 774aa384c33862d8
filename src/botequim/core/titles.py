"""Titles: the names that entrants give themselves, prepared for display.

A title is only for display. The key of an entrant, its name in the cup file or its label in a match,
identifies it.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping
from typing import Final

LONGEST_TITLE: Final = 40
LONGEST_SHOWN: Final = 60
"""The most characters of a title together with the key that distinguishes it from an equal one."""
MOST_MARKS: Final = 2
"""The most accents on one letter."""
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters that are invisible."""


def clean_title(text: object) -> str:
    """Return a title as one line of visible signs, at most `LONGEST_TITLE` of them; "" if none is left."""
    signs: list[str] = []
    marks = 0
    for sign in unicodedata.normalize("NFC", str(text)[: 10 * LONGEST_TITLE]):
        marks = marks + 1 if unicodedata.category(sign)[0] == "M" else 0
        if sign.isspace():
            signs.append(" ")
        elif sign.isprintable() and sign not in _BLANK and marks <= MOST_MARKS:
            signs.append("/" if sign == "|" else sign)  # a | separates names
    title = " ".join("".join(signs).split())
    return title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1].rstrip() + "…"


def unique_titles(wanted: Mapping[str, str]) -> dict[str, str]:
    """Return by key what is shown: the title, or the key where there is none.

    Equal titles, and one that is another entrant's key, are shown with their own key.
    """
    keys = {_comparable(key) for key in wanted}
    often = Counter(_comparable(title) for title in wanted.values() if title)
    titles = {}
    for key, title in wanted.items():
        alone = often[_comparable(title)] == 1 and _comparable(title) not in keys - {_comparable(key)}
        titles[key] = (title if alone else _with_key(title, key)) if title else key
    shown = Counter(map(_comparable, titles.values()))
    return {key: title if shown[_comparable(title)] == 1 else key for key, title in titles.items()}


def _with_key(title: str, key: str) -> str:
    return f"{title[: max(1, LONGEST_SHOWN - len(key) - 3)].rstrip()} ({key})"


def _comparable(text: str) -> str:
    """Return a form that is equal for texts that look the same."""
    return unicodedata.normalize("NFKC", text).casefold()
