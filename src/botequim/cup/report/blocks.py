"""The parts of a document, before it is written as Markdown or HTML.

All texts are plain and may contain anything that a bot or an author wrote, so the renderers escape them.
Links are relative to the folder of the report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from botequim.cup.formats.knockout import Bracket
from botequim.render.scene import Scene


@dataclass(frozen=True, slots=True)
class Link:
    """A link with its text."""

    text: str
    to: str
    language: str = ""
    """The language of its target, such as `pt-BR`, if it is not that of the page."""
    fragment: str = ""
    """The part of the address after `#`: only letters, digits and `=-`."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table."""

    text: str = ""
    note: str = ""
    """A small text below the text."""
    links: tuple[Link, ...] = ()
    """Links to show instead of the text."""
    shade: float | None = None
    """A shade from 0 (bad) to 1 (good)."""
    bar: str = ""
    """Our own SVG to show instead of the text, a row of a chart. Only pages show it."""
    name: bool = False
    """Whether it contains the name of the entrant of the row."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table. A heading that begins with `>` is for a column of numbers."""

    headings: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True, slots=True)
class Heading:
    """A title; level 1 is the title of the document."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    text: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Code:
    """Preformatted lines."""

    text: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class FoldedBlock:
    """Blocks that are shown when the reader opens them."""

    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class Picture:
    """A knock-out bracket."""

    bracket: Bracket
    titles: Mapping[str, str] = field(default_factory=dict)
    """The titles by entrant."""


@dataclass(frozen=True, slots=True)
class Board:
    """A picture of a position, or its description if the game has no pictures."""

    scene: Scene
    label: str


@dataclass(frozen=True, slots=True)
class Champion:
    """The winners."""

    names: tuple[str, ...]
    portraits: tuple[bytes, ...] = ()
    """The images of the winners, if any."""


Block: TypeAlias = Heading | Text | Grid | Code | FoldedBlock | Picture | Board | Champion


@dataclass(frozen=True, slots=True)
class Document:
    """A page."""

    title: str
    blocks: Sequence[Block]
    base: str = ""
    """The path from the document to the folder in which links begin: `../../../public/`."""
    languages: tuple[Link, ...] = ()
    """The same document in other languages, relative to the document itself."""
