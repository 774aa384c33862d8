"""Documents as Markdown. Every character of a text that has a meaning in Markdown is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import quote

from botequim.core.sanitize import page_lines, page_text
from botequim.cup.formats.knockout import match_label
from botequim.cup.report.blocks import (
    Block,
    Board,
    Cell,
    Champion,
    Code,
    Document,
    FoldedBlock,
    Grid,
    Heading,
    Link,
    Picture,
    Text,
)
from botequim.i18n import _, translate
from botequim.render.drawing import description

_SIGNS: Final = re.compile(r"([\\`*_\[\]<>#!|~&@]|:(?=//)|(?<=www)\.)")
_LINE_START: Final = re.compile(r"^(\d+)([.)])|^([-+=])")


def markdown(document: Document) -> str:
    languages = " · ".join(
        f"[{escape_markdown(link.text)}]({address(link.to, '')})" for link in document.languages
    )
    blocks = _blocks(document.blocks, document.base)
    return "\n\n".join([languages, *blocks] if languages else blocks) + "\n"


def escape_markdown(text: str) -> str:
    """Return a text on one line without any markup."""
    return _SIGNS.sub(r"\\\1", page_text(text))


def _blocks(blocks: Sequence[Block], base: str) -> Iterator[str]:
    for block in blocks:
        match block:
            case Heading(level, text):
                yield "#" * level + " " + escape_markdown(text)
            case Text(text, strong):
                yield f"**{escape_markdown(text)}**" if strong else _line(text)
            case Grid():
                yield _grid(block, base)
            case Code(text, label):
                yield (f"{escape_markdown(label)}:\n\n" if label else "") + _fence(page_lines(text))
            case FoldedBlock(title, inside):
                yield f"**{escape_markdown(title)}**"
                yield from _blocks(inside, base)
            case Picture():
                yield _grid(_matches(block), base)
            case Board(scene, label):
                yield f"{escape_markdown(label)}: " + escape_markdown(description(scene))
            case Champion(names):
                yield "🏆 **" + escape_markdown(", ".join(names)) + "**"


def _line(text: str) -> str:
    return _LINE_START.sub(
        lambda found: f"{found[1]}\\{found[2]}" if found[1] else f"\\{found[3]}", escape_markdown(text)
    )


def _grid(grid: Grid, base: str) -> str:
    """Return a table; columns of a chart are left out."""
    columns = [at for at in range(len(grid.headings)) if not any(row[at].bar for row in grid.rows)]
    headings = [grid.headings[at] for at in columns]
    lines = [
        _row([escape_markdown(heading.removeprefix(">")) for heading in headings]),
        _row(["---:" if heading.startswith(">") else "---" for heading in headings]),
    ]
    lines += [_row([_cell(row[at], base) for at in columns]) for row in grid.rows]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(cell: Cell, base: str) -> str:
    if cell.links:
        return " ".join(f"[{escape_markdown(link.text)}]({link_address(link, base)})" for link in cell.links)
    return escape_markdown(cell.text) + (f" ({escape_markdown(cell.note)})" if cell.note else "")


def address(to: str, base: str) -> str:
    """Return the address of a link, safe in Markdown and HTML."""
    if to.startswith(("https://", "http://")):
        return quote(page_text(to), safe="/:?=&%#+,;~@-._")
    return base + quote(to)


def link_address(link: Link, base: str) -> str:
    """Return the address of a link in a cell, with its fragment."""
    return address(link.to, base) + (f"#{link.fragment}" if link.fragment else "")


def _fence(text: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _matches(picture: Picture) -> Grid:
    bracket = picture.bracket
    rows = []
    for key, decided in bracket.decided.items():
        pair = (
            decided.results[0].entrants if decided.results else decided.next.entrants if decided.next else ()
        )
        why = translate(decided.why) if decided.why is not None else ""
        rows.append(
            [Cell(translate(match_label(key))), Cell(" – ".join(pair)), Cell(decided.winner or "", note=why)]
        )
    return Grid((_("match"), _("entrants"), _("winner")), rows)
