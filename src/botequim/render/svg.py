"""Writes SVG in pieces with escaped texts. Equal pieces can be stored once."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from html import escape
from typing import Final, NamedTuple, TypeAlias

from botequim.core.sanitize import printable

Part: TypeAlias = "str | Sequence[Part]"
"""A piece of SVG, or a sequence of pieces."""

SANS: Final = "'DejaVu Sans',Verdana,'Segoe UI',Roboto,Arial,sans-serif"
MONO: Final = "'DejaVu Sans Mono',Menlo,Consolas,monospace"

BROAD: Final = 1.1
"""The width of bold letters relative to others."""
_NARROW: Final = frozenset("iljftrI.,:;!'|()[] ·")
_BROAD: Final = frozenset("mwMWÃÂ@%—…")


class Box(NamedTuple):
    """A rectangle in the picture."""

    x: float
    y: float
    width: float
    height: float

    def inset(self, margin: float) -> Box:
        return Box(self.x + margin, self.y + margin, self.width - 2 * margin, self.height - 2 * margin)

    @property
    def centre(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2


def flat(part: Part) -> str:
    """Return the piece as one text."""
    return part if isinstance(part, str) else "".join(map(flat, part))


def group_at(x: float, y: float, inside: Part, scale: float = 1) -> Part:
    """Return the piece at another position. The text of the piece itself does not change."""
    how = f"translate({x:g} {y:g})" if scale == 1 else f"translate({x:g} {y:g}) scale({scale:.4g})"
    start = f'<g transform="{how}">'
    return (start, inside, "</g>") if isinstance(inside, str) else (start, *inside, "</g>")


@cache
def css(kind: str) -> str:
    """Return the CSS classes for names of colours (`theme.py`), with a prefix that pages do not use."""
    return " ".join(f"b-{name}" for name in kind.split())


def rect(kind: str, box: Box, round_by: float = 0) -> str:
    corners = f' rx="{round_by:g}"' if round_by else ""
    return (
        f'<rect class="{css(kind)}" x="{box.x:g}" y="{box.y:g}" '
        f'width="{box.width:g}" height="{box.height:g}"{corners}/>'
    )


def path(kind: str, commands: str) -> str:
    return f'<path class="{css(kind)}" d="{commands}"/>'


def circle(kind: str, x: float, y: float, radius: float) -> str:
    return f'<circle class="{css(kind)}" cx="{x:g}" cy="{y:g}" r="{radius:g}"/>'


def use(name: str, x: float = 0, y: float = 0) -> str:
    """Return a reference to a symbol (`symbols.py`) at a position."""
    at = (f' x="{x:g}"' if x else "") + (f' y="{y:g}"' if y else "")
    return f'<use href="#{name}"{at}/>'


def text(
    words: str,
    x: float,
    y: float,
    size: float,
    kind: str = "ink",
    *,
    width: float = 0,
    anchor: str = "",
) -> str:
    """Return one line of text. With a `width`, a longer text ends in an ellipsis. `anchor` is middle or
    end."""
    broad = BROAD if "bold" in kind or "name" in kind else 1
    content = escape(fit_text(words, size * broad, width) if width else printable(words))
    align = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text class="{css(kind)}" x="{x:g}" y="{y:g}" font-size="{size:g}"{align}>{content}</text>'


def fit_text(words: str, size: float, width: float) -> str:
    """Return a text, cut off with an ellipsis if it is wider than about `width`."""
    words = printable(words)
    if text_width(words, size) <= width:
        return words
    room = width - 0.8 * size
    start = ""
    for sign in words:
        room -= _ems(sign) * size
        if room < 0:
            break
        start += sign
    return start.rstrip() + "…"


def text_width(words: str, size: float) -> float:
    """Return the approximate width of a text. The exact width depends on the fonts of the reader."""
    return sum(map(_ems, words)) * size


def wrap_text(words: str, size: float, width: float, most: int) -> list[str]:
    """Return a text in lines of about that width; if there are more than `most`, the last has an ellipsis."""
    lines: list[str] = []
    room = 0.0
    for word in printable(words).split(" "):
        wide = text_width(word, size)
        if not lines or (wide > room and len(lines) < most):
            lines.append(word)
            room = width - wide
        else:
            lines[-1] += f" {word}"
            room -= wide
        room -= _ems(" ") * size
    return [fit_text(line, size, width) for line in lines]


@lru_cache(5000)
def _ems(sign: str) -> float:
    if sign in _NARROW:
        return 0.38
    if sign.isascii():
        return 0.95 if sign in _BROAD else 0.72 if sign.isupper() else 0.62
    if unicodedata.combining(sign):
        return 0
    letter = unicodedata.normalize("NFD", sign)[0]
    if letter.isascii():
        return _ems(letter)
    return 1.0 if unicodedata.east_asian_width(sign) in "WF" else 0.72
