"""The texts that people read: the rules of each game, and how to enter a bot.

They are Markdown files in `texts/`, each in every language: `rules-uno.md` and `rules-uno.pt-BR.md`. Pages
show them as HTML; the terminal shows the same texts. A picture, `![what it shows](picture:NAME "a line below
it")`, is a position of `positions.toml`; a program, fenced as `python bot.py`, has the name of its file.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import resources
from itertools import pairwise
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from botequim.i18n import LANGUAGES
from botequim.picture.layout import SIZES, Shape

PICTURE: Final = "picture:"
_PICTURE: Final = re.compile(r'!\[[^\]]*\]\(picture:\S+ "([^"]*)"\)')
_LINK: Final = re.compile(r"\[([^\]]+)\]\(/[^)]*\)")
_FILE: Final = re.compile(r"([\w.-]+)\.md")


@dataclass(frozen=True, slots=True)
class Chapter:
    """A heading within a text, and where it is."""

    anchor: str
    """The same in every language, so that an address leads to the same place."""
    title: str


@dataclass(frozen=True, slots=True)
class Page:
    """A text as HTML."""

    title: str
    lead: str
    """Its first paragraph, as plain words."""
    chapters: tuple[Chapter, ...]
    html: str
    """All below the title."""


@cache
def _texts() -> Mapping[tuple[str, str], str]:
    """All there are, by name and language: a name that is asked for never becomes a path."""
    texts = {}
    for file in (resources.files("botequim.web") / "texts").iterdir():
        found = _FILE.fullmatch(file.name)
        if found is None:
            continue
        name, _, tag = found[1].partition(".")
        language = tag.replace("-", "_") or LANGUAGES[0]
        texts[name, language] = file.read_text(encoding="utf-8")
    return texts


def names() -> Sequence[str]:
    """Of all texts."""
    return sorted({name for name, _ in _texts()})


def source(name: str, language: str) -> str | None:
    """A text as it was written, if there is one."""
    return _texts().get((name, language))


def plain(name: str, language: str) -> str | None:
    """The same without our addresses, and with the line below a picture in its place."""
    text = source(name, language)
    return None if text is None else _LINK.sub(r"\1", _PICTURE.sub(r"\1", text))


@cache
def page(name: str, language: str) -> Page | None:
    """A text for the browser, if there is one."""
    text = source(name, language)
    if text is None:
        return None
    tokens = _parsed(text)
    anchors = [_anchor(title) for title in _titles(_parsed(_texts()[name, LANGUAGES[0]]))]
    chapters = []
    headings = [at for at, token in enumerate(tokens) if token.type == "heading_open" and token.tag == "h2"]
    for at, anchor in zip(headings, anchors, strict=True):
        tokens[at].attrSet("id", anchor)
        chapters.append(Chapter(anchor, _words(tokens[at + 1])))
    lead = next((_words(tokens[at + 1]) for at, one in enumerate(tokens) if one.type == "paragraph_open"), "")
    body = _markdown().renderer.render(tokens[3:], _markdown().options, {"language": language})
    return Page(_words(tokens[1]), lead, tuple(chapters), body)


# --- Markdown ----------------------------------------------------------------------------------------------


@cache
def _markdown() -> MarkdownIt:
    """What stands in a text as HTML is shown as it is written."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.add_render_rule("image", _image)
    markdown.add_render_rule("fence", _fence)
    markdown.add_render_rule("code_inline", _code)
    markdown.add_render_rule("table_open", _table_open)
    markdown.add_render_rule("table_close", _table_close)
    return markdown


def _parsed(text: str) -> list[Token]:
    tokens = _markdown().parse(text)
    for opened, inside, closed in zip(tokens, tokens[1:], tokens[2:], strict=False):
        # a picture alone is a figure, which may not stand in a paragraph
        if inside.type == "inline" and [one.type for one in inside.children or ()] == ["image"]:
            opened.hidden = closed.hidden = True
    return tokens


def _titles(tokens: Sequence[Token]) -> list[str]:
    return [
        _words(after)
        for token, after in pairwise(tokens)
        if token.type == "heading_open" and token.tag == "h2"
    ]


def _words(inline: Token) -> str:
    """What a reader reads of a line."""
    kinds = ("text", "code_inline", "softbreak")
    return "".join(one.content or " " for one in inline.children or () if one.type in kinds)


def _anchor(title: str) -> str:
    letters = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", letters).strip("-")


def _image(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Mapping[str, Any]) -> str:
    image = tokens[at]
    name = str(image.attrGet("src")).removeprefix(PICTURE)
    place = f"/rules/pictures/{env['language']}/{escape(name)}"
    words = escape(image.content)
    below = escape(str(image.attrGet("title") or ""))
    return (
        f'<figure class="board"><picture>'
        f'<source media="(max-width: 40rem)" srcset="{place}.tall.svg" {_size(Shape.TALL)}>'
        f'<img src="{place}.wide.svg" {_size(Shape.WIDE)} alt="{words}"></picture>'
        f"<figcaption>{below}</figcaption></figure>\n"
    )


def _size(shape: Shape) -> str:
    """So that nothing moves when a picture comes."""
    width, height = SIZES[shape]
    return f'width="{width}" height="{height}"'


def _fence(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    """Code can be wider than a phone: it scrolls by itself, by keyboard too."""
    words = tokens[at].info.split()
    named = f"<figcaption>{escape(words[1])}</figcaption>" if len(words) > 1 else ""
    code = f'<pre tabindex="0"><code>{escape(tokens[at].content, quote=False)}</code></pre>'
    return f'<figure class="code">{named}{code}</figure>\n'


def _code(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    """A long name may go on in the next line."""
    return f"<code>{escape(tokens[at].content, quote=False).replace('_', '_<wbr>')}</code>"


def _table_open(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    return '<div class="wide" tabindex="0"><table>\n'


def _table_close(renderer: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    return "</table></div>\n"
