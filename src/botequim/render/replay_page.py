"""Writes a whole game as one HTML page, with all pictures and a small script that shows them.

All pictures are drawn here. Each consists of pieces (`drawing.parts`), and equal pieces are stored once. A
turn is a list of numbers of pieces: the table, and each seat with its hand hidden and open. Texts are pieces
of their own, without their position, so a line of art is stored once for both shapes. The data are deflated,
and the script inflates them. So all perspectives, languages and shapes fit into one file.
"""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from itertools import pairwise
from typing import Any, Final

from botequim import i18n
from botequim.core.messages import Message, msg
from botequim.i18n import translate
from botequim.records.replay import Replay
from botequim.render.drawing import description, parts, size
from botequim.render.layout import PAGE_SHAPES, Shape
from botequim.render.renderer import renderer_for
from botequim.render.scene import OPEN, Perspective, Scene, scene_at, with_portraits
from botequim.render.svg import Part
from botequim.render.symbols import definitions, used_symbols
from botequim.render.theme import page_styles
from botequim.version import VERSION

POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)

WORDS: Final[dict[str, Message]] = {
    "first": msg("first move"),
    "back": msg("one move back"),
    "play": msg("play"),
    "pause": msg("pause"),
    "forward": msg("one move forward"),
    "last": msg("last move"),
    "speed": msg("speed"),
    "hands": msg("hands"),
    "open": msg("all open"),
    "none": msg("all hidden"),
    "language": msg("language"),
    "theme": msg("light or dark"),
    "position": msg("position in the game"),
    "moves": msg("moves"),
    "keys": msg(
        "Keys: space plays and pauses; left and right step; home and end go to the first and last "
        "move; + and - change the speed; 0 hides all hands, O opens them, 1 to 9 show one seat, H "
        "shows the next seat; L changes the language. On a touch screen, swipe to step and tap to "
        "play."
    ),
    "of": msg("move {number} of {turns}", number="#", turns="##"),
}

LANGUAGE_NAMES: Final = {"en": "English", "pt_BR": "Português"}
"""The name of each language in that language."""

_TEXT_ELEMENT: Final = re.compile(r"(<text\b[^>]*>)([^<]+)(</text>)")


def page(replay: Replay, hands: str = "hidden", language: str = "") -> str:
    """Return the complete page.

    `hands` are the hands that are visible at first: `hidden`, `open`, or a seat from 1. `language` is the
    first language; "" is that of the browser. A link to the page can choose another: `#lang=pt-BR`.
    """
    content = _content(replay)
    symbols = definitions(renderer_for(replay.game).symbols, used_symbols("".join(content["texts"])))
    return _page_text(content, symbols, hands, language)


def replay_data(replay: Replay, portraits: Sequence[str] = ()) -> str:
    """Return the data of a game for the script of a page, as base64 text.

    `portraits` are URLs of the page's own site, by seat; without them, those in the record are used.
    """
    return _pack(json.dumps(_content(replay, portraits), ensure_ascii=False, separators=(",", ":")))


def _content(replay: Replay, portraits: Sequence[str] = ()) -> dict[str, Any]:
    store = _Store()
    perspectives: list[Perspective] = [None, OPEN, *range(len(replay.seats))]
    turns = len(replay)
    frames: dict[str, dict[str, list[Any]]] = {}
    descriptions: dict[str, list[Any]] = {}
    words: dict[str, dict[str, str]] = {}
    scenes = [
        {perspective: _scene(replay, number, perspective, portraits) for perspective in perspectives}
        for number in range(1, turns + 1)
    ]
    for language in i18n.LANGUAGES:
        with i18n.use_language(language):
            words[language] = {name: translate(message) for name, message in WORDS.items()}
            descriptions[language] = [_description_numbers(store, at, perspectives) for at in scenes]
            frames[language] = {
                shape.value: [_frame(store, at[None], at[OPEN], shape) for at in scenes]
                for shape in PAGE_SHAPES
            }
    first = scenes[0][None]
    return {
        "game": replay.game.name,
        "names": [f"{at} {place.name}" for at, place in enumerate(first.places, start=1)],
        "languages": LANGUAGE_NAMES,
        "sizes": {shape.value: size(first, shape) for shape in PAGE_SHAPES},
        "words": words,
        "told": descriptions,
        "frames": _once(frames),
        "texts": store.texts,
        "nodes": store.nodes,
    }


def _scene(replay: Replay, number: int, perspective: Perspective, portraits: Sequence[str]) -> Scene:
    scene = scene_at(replay, number, perspective)
    return with_portraits(scene, portraits) if portraits else scene


def _frame(store: _Store, hidden_scene: Scene, open_scene: Scene, shape: Shape) -> list[int]:
    """Return the numbers of the pieces: felt, table hidden and open, then each seat hidden and open."""
    hidden_parts, open_parts = parts(hidden_scene, shape), parts(open_scene, shape)
    numbers = [
        store.put(hidden_parts["felt"]),
        store.put(hidden_parts["table"]),
        store.put(open_parts["table"]),
    ]
    for seat in range(len(hidden_scene.places)):
        numbers += [store.put(hidden_parts[str(seat)]), store.put(open_parts[str(seat)])]
    return numbers


def _description_numbers(
    store: _Store, scenes: dict[Perspective, Scene], perspectives: Sequence[Perspective]
) -> int | list[int]:
    """Return the numbers of the descriptions by perspective, or one number if all are equal."""
    numbers = [store.text(description(scenes[perspective])) for perspective in perspectives]
    return numbers[0] if len(set(numbers)) == 1 else numbers


def _once(frames: dict[str, dict[str, list[Any]]]) -> dict[str, dict[str, list[Any]]]:
    """Replace each frame by its differences from the frame before, as pairs of an index and a number."""
    for shapes in frames.values():
        for shape, whole in shapes.items():
            shapes[shape] = [whole[0], *(_changes(before, now) for before, now in pairwise(whole))]
    return frames


def _changes(before: list[int], now: list[int]) -> list[int]:
    changes: list[int] = []
    for at, (old, new) in enumerate(zip(before, now, strict=True)):
        if old != new:
            changes += [at, new]
    return changes


class _Store:
    """Texts and lists of pieces by number; equal pieces are stored once."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.nodes: list[list[int]] = []
        self._numbers: dict[Any, int] = {}

    def text(self, text: str) -> int:
        """Return the number of a text."""
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = len(self.texts)
            self.texts.append(text)
        return number

    def put(self, part: Part) -> int:
        """Return the number of a piece: of a text, or the next negative number of a list."""
        if isinstance(part, str):
            pieces = _TEXT_ELEMENT.split(part)
            if len(pieces) == 1:
                return self.text(part)
            inside = tuple(self.text(piece) for piece in pieces if piece)
        else:
            inside = tuple(self.put(piece) for piece in part if piece)
        number = self._numbers.get(inside)
        if number is None:
            number = self._numbers[inside] = -len(self.nodes) - 1
            self.nodes.append(list(inside))
        return number


def _page_text(content: dict[str, Any], symbols: str, hands: str, language: str) -> str:
    data = _pack(json.dumps(content, ensure_ascii=False, separators=(",", ":")))
    names = escape(" · ".join(content["names"]))
    here = files("botequim") / "render"
    style = (here / "replay.css").read_text(encoding="utf-8")
    script = (here / "replay.js").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f'<meta name="generator" content="botequim {VERSION}">\n'
        f"<title>{escape(content['game'])}: {names}</title>\n"
        f"<style>\n{style}\n{page_styles()}\n</style>\n</head>\n<body>\n"
        f'<svg width="0" height="0" aria-hidden="true" class="bq symbols">{symbols}</svg>\n'
        f"{BODY}\n"
        f'<script type="application/octet-stream" id="game" data-hands="{escape(hands)}" '
        f'data-language="{escape(language)}">{data}</script>\n'
        f"<script>\n{script}\n</script>\n</body>\n</html>\n"
    )


def _pack(text: str) -> str:
    """Return a text deflated without a header, in base64, which cannot end a script element."""
    # bots may send lone surrogates, which cannot be encoded
    whole = text.encode("utf-8", "replace")
    packing = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return b64encode(packing.compress(whole) + packing.flush()).decode()


BODY: Final = """\
<main>
<header><h1 id="title"></h1></header>
<div id="stage" tabindex="0" role="img"></div>
<div id="controls">
<nav id="steps">
<button id="first">⇤</button><button id="back">←</button><button id="play">▶</button>\
<button id="forward">→</button><button id="last">⇥</button>
</nav>
<div id="track"><input type="range" id="position" min="1" value="1"><output id="where"></output></div>
<div id="choices">
<label><span data-word="speed"></span> <select id="speed"></select></label>
<label><span data-word="hands"></span> <select id="hands"></select></label>
<button id="language"></button><button id="theme">◐</button>
</div>
</div>
<p id="told" role="status" aria-live="polite"></p>
<details><summary data-word="moves"></summary><ol id="moves"></ol></details>
<p id="keys"></p>
<noscript>This page needs JavaScript. Esta página precisa de JavaScript.</noscript>
</main>"""
