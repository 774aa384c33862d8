"""What a document is made of, before it is Markdown or HTML.

All texts are plain: whatever a bot or an author wrote may stand in them, and it is for the renderers to make
it harmless. Links lead to files of the report, from its own folder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from botequim.cup.formats.knockout import Bracket
from botequim.render.scene import Scene


@dataclass(frozen=True, slots=True)
class Link:
    """A word that leads somewhere."""

    text: str
    to: str
    language: str = ""
    """Of what it leads to, if that is another than the page's: `pt-BR`."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table."""

    text: str = ""
    note: str = ""
    """Smaller, below it."""
    links: tuple[Link, ...] = ()
    """In the place of the text."""
    shade: float | None = None
    """0 is bad, 1 is good."""
    name: bool = False
    """It says who the row is about."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table. A heading that begins with `>` stands over numbers."""

    headings: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True, slots=True)
class Heading:
    """A title; 1 is the document's own."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    text: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Code:
    """Lines as they are."""

    text: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class FoldedBlock:
    """What is opened by whoever wants to see it."""

    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class Picture:
    """The tree of a knock-out."""

    bracket: Bracket
    titles: Mapping[str, str] = field(default_factory=dict)
    """By entrant, how it is shown."""


@dataclass(frozen=True, slots=True)
class Board:
    """A position of a game, drawn; where nothing can be drawn, in words."""

    scene: Scene
    label: str


@dataclass(frozen=True, slots=True)
class Champion:
    """Who has won."""

    names: tuple[str, ...]
    portraits: tuple[bytes, ...] = ()
    """Images, as far as there are any."""


Block: TypeAlias = Heading | Text | Grid | Code | FoldedBlock | Picture | Board | Champion


@dataclass(frozen=True, slots=True)
class Document:
    """A page."""

    title: str
    blocks: Sequence[Block]
    base: str = ""
    """The way from the document to the folder that links begin in: `../../../public/`."""
    languages: tuple[Link, ...] = ()
    """The same in every language, with the way from the document itself."""
