"""Titles of entrants: the names that they give themselves, prepared for display.

A title is only shown. An entrant is identified by its key: its name in the cup file, or its label in a match.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping
from typing import Final

LONGEST_TITLE: Final = 40
LONGEST_WITH_KEY: Final = 60
"""The most characters of a title with a key, which is added to distinguish equal titles."""
MOST_MARKS: Final = 2
"""The most accents on one letter."""
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters that are invisible."""


def clean_title(text: object) -> str:
    """Return a title as one line of at most `LONGEST_TITLE` visible characters; "" if none is left."""
    signs: list[str] = []
    marks = 0
    for sign in unicodedata.normalize("NFC", str(text)[: 10 * LONGEST_TITLE]):
        marks = marks + 1 if unicodedata.category(sign)[0] == "M" else 0
        if sign.isspace():
            signs.append(" ")
        elif sign.isprintable() and sign not in _BLANK and marks <= MOST_MARKS:
            signs.append("/" if sign == "|" else sign)  # keys of series use | as a separator
    title = " ".join("".join(signs).split())
    return title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1].rstrip() + "…"


def unique_titles(wanted: Mapping[str, str]) -> dict[str, str]:
    """Return the text to show for each key: its title, or the key if it has none.

    Equal titles, and a title that is the key of another entrant, are followed by their own key.
    """
    keys = {_comparable(key) for key in wanted}
    title_counts = Counter(_comparable(title) for title in wanted.values() if title)
    titles = {}
    for key, title in wanted.items():
        alone = title_counts[_comparable(title)] == 1 and _comparable(title) not in keys - {_comparable(key)}
        titles[key] = (title if alone else _with_key(title, key)) if title else key
    counts = Counter(map(_comparable, titles.values()))
    return {key: title if counts[_comparable(title)] == 1 else key for key, title in titles.items()}


def _with_key(title: str, key: str) -> str:
    return f"{title[: max(1, LONGEST_WITH_KEY - len(key) - 3)].rstrip()} ({key})"


def _comparable(text: str) -> str:
    """Return a normal form, which is equal for texts that look the same."""
    return unicodedata.normalize("NFKC", text).casefold()
