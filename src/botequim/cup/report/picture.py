"""A knock-out bracket as an SVG, which takes its colours from the page around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from html import escape
from itertools import pairwise
from math import ceil
from typing import Final

from botequim.core.messages import msg
from botequim.core.sanitize import page_text
from botequim.cup.bracket import seeds
from botequim.cup.formats.knockout import THIRD, Bracket, MatchState
from botequim.cup.report.documents import wins
from botequim.i18n import _, translate
from botequim.render.svg import BROAD, text_width, wrap_text

LINE: Final = 25
HEIGHT: Final = 2 * LINE
ACROSS: Final = 44
GAP: Final = 18
TOP: Final = 26
SIGN: Final = 14
"""The font size of the pages."""
SMALL: Final = 10.5
"""The font size of a name in two lines."""
ROOMS: Final = (170, 250)
"""The least and the largest width for a name."""
SCORE: Final = 50
"""The width for a score, with the margins."""


@dataclass(frozen=True, slots=True)
class _Box:
    """The position of one match in the picture."""

    x: float
    y: float
    width: float
    sides: tuple[str | None, str | None]
    decided: MatchState | None


def bracket_svg(bracket: Bracket, titles: Mapping[str, str], last: int | None = None) -> str:
    """Return the picture of the bracket, or of its `last` rounds; `titles` are those of the entrants."""
    shown = [page_text(titles.get(name, name)) for name in bracket.seeds]
    room = min(max(ROOMS[0], *(ceil(text_width(name, SIGN)) for name in shown)), ROOMS[1])
    wide = room + SCORE
    columns = _columns(bracket, wide)
    size = bracket.tree.size
    if last is not None and last < len(columns):
        size >>= len(columns) - last
        columns = [_move_column(column, at, wide) for at, column in enumerate(columns[-last:])]
    rounds = len(columns)
    third = _third(bracket, columns)
    boxes = [box for column in columns for box in column if box is not None]
    below = [third] if third is not None else []
    width = rounds * wide + (rounds - 1) * ACROSS + 2
    height = max(box.y + HEIGHT for box in boxes + below) + 2
    label = escape(_("bracket"))
    parts = [
        f'<svg class="bracket" role="img" aria-label="{label}" '
        f'viewBox="0 0 {width} {height:g}" width="{width}" height="{height:g}">',
        *_headings(size, rounds, wide),
        *_lines(columns),
        *(part for box in boxes + below for part in _box(box, titles)),
    ]
    if third is not None:
        parts.append(_label(third.x, third.y - 8, translate(msg("third place"))))
    return "\n".join([*parts, "</svg>"])


def _columns(bracket: Bracket, wide: int) -> list[list[_Box | None]]:
    """Return the matches of each round from the top; None for a bye."""
    size = bracket.tree.size
    line: list[str | None] = [bracket.seeds[at] if at < len(bracket.seeds) else None for at in seeds(size)]
    known = [at < len(bracket.seeds) for at in seeds(size)]
    columns: list[list[_Box | None]] = []
    places, number = size, 0
    while places > 1:
        column: list[_Box | None] = []
        winners: list[str | None] = []
        there: list[bool] = []
        for at in range(places // 2):
            one, other = line[2 * at : 2 * at + 2]
            if places == size and not (known[2 * at] and known[2 * at + 1]):
                column.append(None)
                winners.append(one or other)
            else:
                decided = bracket.decided.get(f"{places}.{at + 1}")
                column.append(
                    _Box(
                        number * (wide + ACROSS) + 1, _middle(number, at) - LINE, wide, (one, other), decided
                    )
                )
                winners.append(decided.winner if decided is not None else None)
            there.append(True)
        columns.append(column)
        line, known, places, number = winners, there, places // 2, number + 1
    return columns


def _move_column(column: list[_Box | None], number: int, wide: int) -> list[_Box | None]:
    """Return a round at the position of the round with this number."""
    x = number * (wide + ACROSS) + 1
    return [
        None if box is None else replace(box, x=x, y=_middle(number, at) - LINE)
        for at, box in enumerate(column)
    ]


def _middle(column: int, at: int) -> float:
    step = (HEIGHT + GAP) << column
    return TOP + step / 2 + at * step


def _third(bracket: Bracket, columns: list[list[_Box | None]]) -> _Box | None:
    decided = bracket.decided.get(THIRD)
    final = columns[-1][0]
    if decided is None or final is None:
        return None
    pair = (
        decided.results[0].entrants
        if decided.results
        else decided.next.entrants
        if decided.next
        else (None, None)
    )
    return _Box(final.x, final.y + HEIGHT + 2 * GAP + 8, final.width, (pair[0], pair[1]), decided)


def _headings(size: int, rounds: int, wide: int) -> Iterator[str]:
    names = {2: _("final"), 4: _("semi-finals"), 8: _("quarter-finals")}
    for number in range(rounds):
        places = size >> number
        name = names.get(places) or _("round of {size}", size=places)
        yield _label(number * (wide + ACROSS) + 1, 14, name)


def _label(x: float, y: float, text: str) -> str:
    return f'<text class="round" x="{x:g}" y="{y:g}">{escape(page_text(text))}</text>'


def _lines(columns: list[list[_Box | None]]) -> Iterator[str]:
    for column, following in pairwise(columns):
        for at, box in enumerate(column):
            target = following[at // 2]
            if box is None or target is None:
                continue
            x, y = box.x + box.width, box.y + LINE
            to = target.y + LINE / 2 + (at % 2) * LINE
            yield f'<path d="M{x:g} {y:g}h{ACROSS / 2:g}V{to:g}H{target.x:g}"/>'


def _box(box: _Box, titles: Mapping[str, str]) -> Iterator[str]:
    yield f'<rect x="{box.x:g}" y="{box.y:g}" width="{box.width:g}" height="{HEIGHT}" rx="6"/>'
    yield f'<path d="M{box.x:g} {box.y + LINE:g}h{box.width:g}"/>'
    for at, name in enumerate(box.sides):
        y = box.y + 17 + at * LINE
        kind = "open"
        if box.decided is not None and box.decided.winner is not None:
            kind = "won" if name == box.decided.winner else "lost"
        if name is None:
            continue
        yield from _name(page_text(titles.get(name, name)), kind, box.x + 10, y, box.width - SCORE)
        score = escape(_score(box, name))
        yield f'<text class="{kind} score" x="{box.x + box.width - 10:g}" y="{y:g}">{score}</text>'


def _name(name: str, kind: str, x: float, y: float, room: float) -> Iterator[str]:
    """Yield the texts of a name: one line, or two small ones."""
    title = f"<title>{escape(name)}</title>"
    if text_width(name, SIGN) <= room:
        yield f'<text class="{kind}" x="{x:g}" y="{y:g}">{escape(name)}{title}</text>'
        return
    for at, line in enumerate(wrap_text(name, SMALL * BROAD, room, 2)):
        where = f'x="{x:g}" y="{y - 5.5 + at * 11:g}" font-size="{SMALL}"'
        yield f'<text class="{kind}" {where}>{escape(line)}{title}</text>'


def _score(box: _Box, name: str) -> str:
    if box.decided is None or not box.decided.results:
        return ""
    return wins(sum((result.totals()[name].share for result in box.decided.results), Fraction()))
