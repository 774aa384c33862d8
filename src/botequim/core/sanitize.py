"""Makes untrusted texts (names, remarks of bots, logs) safe to show.

=================  ==========================================================================================
`printable`        one line for a terminal or any other output, without control characters
`page_text`        one line of a page or report, limited in length
`page_lines`       several lines of a page or report, limited in length
`picture_text`     one line of a picture, limited in its visible characters
=================  ==========================================================================================
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

LONGEST_TEXT: Final = 300
LONGEST_CODE: Final = 4000
MOST_MARKS: Final = 2
"""The most accents on one letter; written languages need no more."""


def printable(text: str) -> str:
    """Return the text with a dot in place of each control character, direction mark and line separator."""
    if text.isascii() and text.isprintable():
        return text
    return "".join("·" if _is_control(sign) else sign for sign in text)


def _is_control(sign: str) -> bool:
    category = unicodedata.category(sign)
    return category[0] == "C" or category in ("Zl", "Zp")


def page_text(text: str) -> str:
    """Return a printable line of at most `LONGEST_TEXT` characters."""
    return printable(text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…")


def page_lines(text: str) -> str:
    """Return printable lines of at most `LONGEST_CODE` characters in all; of a longer text, both ends."""
    if len(text) > LONGEST_CODE:
        text = f"{text[: LONGEST_CODE // 2]}\n[…]\n{text[-LONGEST_CODE // 2 :]}"
    return "\n".join(printable(line.replace("\t", "    ")) for line in text.splitlines())


@lru_cache(2000)
def picture_text(text: str, most: int) -> str:
    """Return a printable line with at most `most` visible characters and few accents on each."""
    signs: list[str] = []
    marks = 0
    read = most * (MOST_MARKS + 2)  # more than can become visible
    # NFC joins a letter and its accent if there is such a character
    for sign in unicodedata.normalize("NFC", printable(text[:read])):
        marks = marks + 1 if unicodedata.category(sign)[0] == "M" else 0
        if marks <= MOST_MARKS:
            signs.append(sign)
    visible = [at for at, sign in enumerate(signs) if unicodedata.category(sign)[0] != "M"]
    if len(visible) > most or len(text) > read:
        return "".join(signs[: visible[most - 1] if len(visible) >= most else None]).rstrip() + "…"
    return "".join(signs)


def short_name(name: str, most: int) -> str:
    """Return a printable name with at most `most` visible characters, shortened after a whole word if that
    leaves half of them."""
    text = picture_text(name, most)
    words = text.rpartition(" ")[0]
    return words + "…" if text.endswith("…") and len(words) >= most // 2 else text
