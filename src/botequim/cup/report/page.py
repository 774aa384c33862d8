"""Documents as one HTML page that loads nothing and runs no scripts.

Every text is escaped; a content security policy in the page forbids the rest.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from botequim.core.sanitize import page_lines, page_text
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
from botequim.cup.report.markdown import address, link_address
from botequim.cup.report.picture import bracket_svg
from botequim.cup.report.style import STYLE
from botequim.i18n import _, language
from botequim.render.drawing import description, render_svg
from botequim.render.portraits import IMAGES

POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(document: Document) -> str:
    body = "\n".join([*_languages(document.languages), *_blocks(document.blocks, document.base)])
    return (
        f'<!doctype html>\n<html lang="{language().replace("_", "-")}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{_text(document.title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _languages(languages: Sequence[Link]) -> Iterator[str]:
    if languages:
        links = [
            f'<a href="{escape(address(link.to, ""), quote=True)}" lang="{_text(link.language)}" '
            f'hreflang="{_text(link.language)}">{_text(link.text)}</a>'
            for link in languages
        ]
        yield f'<nav class="languages">{" · ".join(links)}</nav>'


def _text(text: str) -> str:
    return escape(page_text(text), quote=True)


def _blocks(blocks: Sequence[Block], base: str) -> Iterator[str]:
    for block in blocks:
        match block:
            case Heading(level, text):
                yield f"<h{level}><bdi>{_text(text)}</bdi></h{level}>"
            case Text(text, strong):
                yield f"<p{' class=strong' if strong else ''}>{_text(text)}</p>"
            case Grid():
                yield _grid(block, base)
            case Code(text, label):
                shown = escape(page_lines(text), quote=True)
                yield f"<figure><figcaption>{_text(label)}</figcaption><pre>{shown}</pre></figure>"
            case FoldedBlock(title, inside):
                yield f"<details><summary>{_text(title)}</summary>"
                yield from _blocks(inside, base)
                yield "</details>"
            case Picture(bracket, titles):
                yield f'<div class="wide">{bracket_svg(bracket, titles)}</div>'
            case Board(scene, label):
                drawing = "data:image/svg+xml;base64," + b64encode(render_svg(scene).encode()).decode()
                image = f'<img class="board" alt="{_text(description(scene))}" src="{drawing}">'
                yield f"<figure><figcaption>{_text(label)}</figcaption>{image}</figure>"
            case Champion(names, portraits):
                images = "".join(map(_image, portraits))
                title = _("champion") if len(names) == 1 else _("champions")
                who = " · ".join(f"<bdi>{_text(name)}</bdi>" for name in names)
                caption = f"<div><span>{_text(title)}</span><strong>{who}</strong></div>"
                yield f'<div class="champion">{images}{caption}</div>'


def _image(content: bytes) -> str:
    kind = next(kind for start, kind in IMAGES.items() if content.startswith(start))
    return f'<img alt="" src="data:image/{kind};base64,{b64encode(content).decode()}">'


def _grid(grid: Grid, base: str) -> str:
    numeric = [heading.startswith(">") for heading in grid.headings]
    head = "".join(
        f"<th{_number(at)}>{_text(heading.removeprefix('>'))}</th>"
        for heading, at in zip(grid.headings, numeric, strict=True)
    )
    rows = "\n".join(
        "<tr>" + "".join(_cell(cell, at, base) for cell, at in zip(row, numeric, strict=True)) + "</tr>"
        for row in grid.rows
    )
    table = f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
    return f'<div class="wide">{table}</div>'


def _number(numeric: bool) -> str:
    return ' class="number"' if numeric else ""


def _link(link: Link, base: str) -> str:
    to = escape(link_address(link, base), quote=True)
    return f'<a href="{to}" rel="noopener nofollow">{_text(link.text)}</a>'


def _cell(cell: Cell, numeric: bool, base: str) -> str:
    if cell.links:
        return f'<td class="links">{"".join(_link(link, base) for link in cell.links)}</td>'
    if cell.bar:
        return f'<td class="chart">{cell.bar}</td>'
    text = f"<bdi>{_text(cell.text)}</bdi>" if cell.text else ""
    note = f"<small>{_text(cell.note)}</small>" if cell.note else ""
    if cell.name:
        return f'<th scope="row">{text}{note}</th>'
    if cell.shade is not None:
        kind = "number shaded" if numeric else "shaded"
        return f'<td class="{kind}" style="--rate:{100 * cell.shade:.0f}">{text}{note}</td>'
    return f"<td{_number(numeric)}>{text}{note}</td>"
