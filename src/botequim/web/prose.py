"""Texts in Markdown: the rules of each game, and how to enter a bot.

There is a file for each language. A game has `rules.md`, `rules.pt-BR.md`, `enter.md` and `enter.pt-BR.md` in
the folder `GamePlugin.texts`; these texts are called `rules-GAME` and `enter-GAME`. Texts about all games are
in `texts/` here. Pages and the terminal show the same texts.

A picture is written as `![description](picture:GAME-NAME "caption")`. It shows the position NAME in the
`positions.toml` of that game. A block of code that is fenced as `python bot.py` has `bot.py` as its caption.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import pairwise
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from botequim import registry
from botequim.i18n import LANGUAGES
from botequim.render.layout import SIZES, Shape

PICTURE: Final = "picture:"
_PICTURE: Final = re.compile(r'!\[[^\]]*\]\(picture:\S+ "([^"]*)"\)')
_LINK: Final = re.compile(r"\[([^\]]+)\]\(/[^)]*\)")
_FILE: Final = re.compile(r"([\w.-]+)\.md")


@dataclass(frozen=True, slots=True)
class Chapter:
    """A heading of a text."""

    anchor: str
    """The anchor of the heading. It is the same in every language, so that a link works in all of them."""
    title: str


@dataclass(frozen=True, slots=True)
class Page:
    """A text as HTML."""

    title: str
    lead: str
    """The first paragraph, as plain text."""
    chapters: tuple[Chapter, ...]
    html: str
    """Everything below the title."""


@cache
def _texts() -> Mapping[tuple[str, str], str]:
    """Return all texts by name and language. Requests look names up here and never reach the file system."""
    texts = _folder_texts(resources.files("botequim.web") / "texts")
    for game in (one.name for one in registry.plugins()):
        if (folder := registry.texts(game)) is not None:
            texts |= {
                (f"{name}-{game}", language): text for (name, language), text in _folder_texts(folder).items()
            }
    return texts


def _folder_texts(folder: Traversable) -> dict[tuple[str, str], str]:
    texts = {}
    for file in folder.iterdir():
        match = _FILE.fullmatch(file.name)
        if match is None:
            continue
        name, _, tag = match[1].partition(".")
        language = tag.replace("-", "_") or LANGUAGES[0]
        texts[name, language] = file.read_text(encoding="utf-8")
    return texts


def names() -> Sequence[str]:
    return sorted({name for name, _ in _texts()})


def source(name: str, language: str) -> str | None:
    """Return the Markdown of a text in exactly this language, or None."""
    return _texts().get((name, language))


def _text_or_translation(name: str, language: str) -> str | None:
    """Return the Markdown of a text in this language, or in another if there is none; None without either."""
    return next((text for one in (language, *LANGUAGES) if (text := source(name, one)) is not None), None)


def plain(name: str, language: str) -> str | None:
    """Return a text for the terminal, with link texts instead of links, and captions instead of pictures."""
    text = _text_or_translation(name, language)
    return None if text is None else _LINK.sub(r"\1", _PICTURE.sub(r"\1", text))


@cache
def page(name: str, language: str) -> Page | None:
    """Return a text as HTML, or None."""
    text = _text_or_translation(name, language)
    if text is None:
        return None
    tokens = _parse(text)
    chapters = []
    headings = [at for at, token in enumerate(tokens) if token.type == "heading_open" and token.tag == "h2"]
    for at, anchor in zip(headings, _anchors(name, text), strict=True):
        tokens[at].attrSet("id", anchor)
        chapters.append(Chapter(anchor, _words(tokens[at + 1])))
    lead = next((_words(tokens[at + 1]) for at, one in enumerate(tokens) if one.type == "paragraph_open"), "")
    body = _markdown().renderer.render(tokens[3:], _markdown().options, {"language": language})
    return Page(_words(tokens[1]), lead, tuple(chapters), body)


# --- Markdown ----------------------------------------------------------------------------------------------


@cache
def _markdown() -> MarkdownIt:
    """Return the parser. HTML in a text is escaped."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.add_render_rule("image", _image)
    markdown.add_render_rule("fence", _fence)
    markdown.add_render_rule("code_inline", _code)
    markdown.add_render_rule("table_open", _table_open)
    markdown.add_render_rule("table_close", _table_close)
    return markdown


def _parse(text: str) -> list[Token]:
    tokens = _markdown().parse(text)
    for start, inside, end in zip(tokens, tokens[1:], tokens[2:], strict=False):
        # a picture alone becomes a figure, and HTML allows no figure in a paragraph
        if inside.type == "inline" and [one.type for one in inside.children or ()] == ["image"]:
            start.hidden = end.hidden = True
    return tokens


def _anchors(name: str, text: str) -> list[str]:
    """Return the anchors of the headings, made of the English headings if there are as many."""
    own, english = _titles(_parse(text)), _titles(_parse(source(name, LANGUAGES[0]) or text))
    return [_anchor(title) for title in (english if len(english) == len(own) else own)]


def _titles(tokens: Sequence[Token]) -> list[str]:
    return [
        _words(after)
        for token, after in pairwise(tokens)
        if token.type == "heading_open" and token.tag == "h2"
    ]


def _words(inline: Token) -> str:
    """Return the visible text of an inline token."""
    kinds = ("text", "code_inline", "softbreak")
    return "".join(one.content or " " for one in inline.children or () if one.type in kinds)


def _anchor(title: str) -> str:
    letters = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", letters).strip("-")


def _image(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Mapping[str, Any]) -> str:
    image = tokens[at]
    name = str(image.attrGet("src")).removeprefix(PICTURE)
    address = f"/rules/pictures/{env['language']}/{escape(name)}"
    words = escape(image.content)
    below = escape(str(image.attrGet("title") or ""))
    return (
        f'<figure class="board"><picture>'
        f'<source media="(max-width: 40rem)" srcset="{address}.tall.svg" {_size(Shape.TALL)}>'
        f'<img src="{address}.wide.svg" {_size(Shape.WIDE)} alt="{words}"></picture>'
        f"<figcaption>{below}</figcaption></figure>\n"
    )


def _size(shape: Shape) -> str:
    """Return the attributes of the size. With these, the page does not move when the picture is loaded."""
    width, height = SIZES[shape]
    return f'width="{width}" height="{height}"'


def _fence(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    """Return a block of code, which can be scrolled with the keyboard if it is wider than the screen."""
    words = tokens[at].info.split()
    caption = f"<figcaption>{escape(words[1])}</figcaption>" if len(words) > 1 else ""
    code = f'<pre tabindex="0"><code>{escape(tokens[at].content, quote=False)}</code></pre>'
    return f'<figure class="code">{caption}{code}</figure>\n'


def _code(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    """Return inline code, with line breaks allowed after `_`."""
    return f"<code>{escape(tokens[at].content, quote=False).replace('_', '_<wbr>')}</code>"


def _table_open(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    return '<div class="wide" tabindex="0"><table>\n'


def _table_close(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    return "</table></div>\n"
