"""A fixed-width bitmap font of 8 by 16 pixels, so that art looks the same on every machine.

Letters are drawn as text in `font.txt`. Accented letters are composed of a letter and its marks, by the
decompositions of Unicode. Boxes, blocks and braille are computed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from botequim.render.art.shapes import HEIGHT, WIDTH, Pixels, shapes

UNKNOWN: Final = "\N{REPLACEMENT CHARACTER}"
"""The glyph for characters without a glyph: a crossed box."""

FIRST_ROW: Final = 2
SAME: Final = {"\N{NO-BREAK SPACE}": " ", "\N{SOFT HYPHEN}": "-", "Đ": "Ð", "◄": "◀", "►": "▶"}
SPACING_MARKS: Final = {"¨": "\u0308", "¯": "\u0304", "´": "\u0301", "¸": "\u0327"}
LATIN: Final = (*range(0xC0, 0x180), *range(0x218, 0x21C))
"""The composed letters: Latin-1, Latin Extended-A, and four of Romanian."""
TALL: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZbdfhklÆØ")
"""The letters whose marks are two rows higher."""
DOTLESS: Final = {"i": "ı", "j": "ȷ"}
COMMA_BELOW: Final = frozenset("GKLNRknlr")
"""The letters whose cedilla, as Unicode calls it, is drawn as a comma."""


@cache
def glyphs() -> Mapping[str, bytes]:
    """Return the sixteen rows of each character, a byte each, with the leftmost pixel as the highest bit."""
    letters = dict(_read_glyphs((files("botequim.render.art") / "font.txt").read_text(encoding="utf-8")))
    whole = {" ": set[tuple[int, int]](), **letters, **dict(shapes())}
    whole |= {sign: letters[mark] for sign, mark in SPACING_MARKS.items()}
    for code in LATIN:
        if chr(code) not in whole and len(unicodedata.normalize("NFD", chr(code))) > 1:
            whole[chr(code)] = _compose(chr(code), letters)
    whole |= {sign: whole[other] for sign, other in SAME.items()}
    return {sign: _rows(ink) for sign, ink in whole.items() if not unicodedata.combining(sign)}


def _read_glyphs(text: str) -> Iterator[tuple[str, Pixels]]:
    blocks = [block.splitlines() for block in text.split("\n\n")]
    for heading, *rows in (block for block in blocks if block[0].startswith("= ")):
        for at, name in enumerate(heading.split()[1:]):
            left = at * WIDTH
            ink = {
                (x, y)
                for y, row in enumerate(rows, start=FIRST_ROW)
                for x, pixel in enumerate(row[left : left + WIDTH])
                if pixel == "#"
            }
            yield (name if len(name) == 1 else chr(int(name, 16))), ink


def _compose(sign: str, letters: Mapping[str, Pixels]) -> Pixels:
    parts = unicodedata.normalize("NFD", sign)
    letter, marks = parts[0], parts[1:]
    above = any(unicodedata.combining(mark) == 230 for mark in marks)
    ink = set(letters[DOTLESS.get(letter, letter) if above else letter])
    for mark in marks:
        if mark == "\u0327" and letter == "g":
            mark = "\u0312"
        elif mark == "\u0327" and letter in COMMA_BELOW:
            mark = "\u0326"
        up = 2 if letter in TALL and unicodedata.combining(mark) == 230 else 0
        ink |= {(x, y - up) for x, y in letters[mark]}
    return ink


def _rows(ink: Pixels) -> bytes:
    return bytes(sum(128 >> x for x in range(WIDTH) if (x, y) in ink) for y in range(HEIGHT))
