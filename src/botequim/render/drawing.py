"""Draws scenes. All pictures of games are drawn here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape

from botequim import registry
from botequim.core.messages import Message, msg
from botequim.i18n import language, translate
from botequim.narration.narrator import SAYS
from botequim.render.layout import CAPTION, SIZES, TITLE, Layout, Shape, layout
from botequim.render.renderer import Renderer, renderer_for
from botequim.render.scene import Scene
from botequim.render.seats import draw_seat
from botequim.render.svg import Box, Part, flat, group_at, rect, text, wrap_text
from botequim.render.symbols import definitions, used_symbols
from botequim.render.theme import Theme, stylesheet


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """The shape, the theme and the texts of a picture."""

    shape: Shape = Shape.WIDE
    theme: Theme = Theme.AUTO
    words: bool = True
    """Whether the picture has the name of the game above and a description of the turn below."""


def render_svg(scene: Scene, options: RenderOptions | None = None) -> str:
    """Return a complete SVG, which loads no other files."""
    options = options or RenderOptions()
    room = _layout(scene, options.shape)
    body = flat(list(parts(scene, options.shape).values()))
    width, height = room.width, room.height
    pixels = SIZES[options.shape][0] / width
    if options.words:
        below = CAPTION[options.shape]
        body = (
            flat(group_at(0, TITLE, body))
            + _title(scene, width)
            + _caption(scene, width, TITLE + height, below)
        )
        height += TITLE + below
    label = escape(description(scene))
    symbols = definitions(_renderer(scene.game).symbols, used_symbols(body))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="bq" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width * pixels:g}" height="{round(height * pixels):g}" role="img" '
        f'lang="{language().replace("_", "-")}" aria-label="{label}">\n'
        f"<style>{stylesheet(options.theme)}</style>\n{symbols}\n"
        f"{rect('paper', Box(0, 0, width, height))}\n{body}\n</svg>\n"
    )


def parts(scene: Scene, shape: Shape) -> dict[str, Part]:
    """Return the parts of the picture: the `felt`, the `table` on it, and the seats by number."""
    renderer = _renderer(scene.game)
    room = _layout(scene, shape)
    pieces: dict[str, Part] = {
        "felt": _felt(room.table),
        "table": renderer.draw_table(scene, table_box(scene, shape), shape),
    }
    for seat, box in enumerate(room.seats):
        pieces[str(seat)] = draw_seat(scene, seat, box, renderer, shape)
    return pieces


def description(scene: Scene, *, said: bool = True) -> str:
    """Return a description of the turn in one line, in the reader's language; without remarks if not
    `said`."""
    return sentences_text(scene.narration, said=said) or _last_note(scene)


def sentences_text(sentences: Sequence[Message], *, said: bool = True) -> str:
    """Return the sentences of a turn in one line, in the reader's language; without remarks if not `said`."""
    words = ""
    for message in sentences:
        if message.template == SAYS.template and not said:
            continue
        between = "" if not words else " " if words[-1] in ".!?:" else " · "
        words += between + translate(message)
    return words


def _last_note(scene: Scene) -> str:
    """Return a note about the seat that acted last, if its result is hidden."""
    seat = scene.facts.get("acted")
    if seat is None or (note := scene.places[seat].note) is None:
        return ""
    return f"{seat + 1} {scene.places[seat].name}: {translate(note)}"


def size(scene: Scene, shape: Shape) -> tuple[float, float]:
    """Return the width and height of the drawing of `parts`."""
    room = _layout(scene, shape)
    return room.width, room.height


def seat_boxes(scene: Scene, shape: Shape) -> tuple[Box, ...]:
    """Return the boxes of the seats in the drawing of `parts`."""
    return _layout(scene, shape).seats


def table_box(scene: Scene, shape: Shape) -> Box:
    """Return the box of the table in the drawing of `parts`: the area that `Renderer.draw_table` gets."""
    return _layout(scene, shape).table.inset(18)


@lru_cache
def _renderer(game: str) -> Renderer:
    return renderer_for(registry.game(game))


def _layout(scene: Scene, shape: Shape) -> Layout:
    renderer = _renderer(scene.game)
    return _cached_layout(len(scene.places), shape, renderer.hand_height, renderer.facing)


@lru_cache
def _cached_layout(count: int, shape: Shape, hand_height: float, facing: bool) -> Layout:
    return layout(count, shape, hand_height, facing=facing)


@lru_cache
def _felt(table: Box) -> str:
    """Return the cloth of the table, with a seam along its edge."""
    return rect("felt", table.inset(3), 26) + rect("weave", table.inset(11), 19)


def _title(scene: Scene, width: float) -> str:
    where = ""
    if scene.number:
        where = translate(msg("move {number} of {turns}", number=scene.number, turns=scene.turns or "?"))
    return text(scene.game, 20, 31, 22, "name") + text(where, width - 20, 31, 18, "soft", anchor="end")


def _caption(scene: Scene, width: float, y: float, height: float) -> str:
    size, high = (20, 28) if width > height * 10 else (18, 24)
    lines = wrap_text(description(scene), size, width - 40, int(height // high))
    return "".join(text(line, 20, y + 22 + at * high, size, "ink") for at, line in enumerate(lines))
