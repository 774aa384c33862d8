"""Draws a scene. This is the only place where a picture of a game is made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from html import escape

from botequim import registry
from botequim.core.messages import msg
from botequim.i18n import language, say
from botequim.picture.layout import CAPTION, TITLE, Layout, Shape, layout
from botequim.picture.painter import Painter, painter_of
from botequim.picture.scene import Scene
from botequim.picture.seats import seat_drawn
from botequim.picture.svg import Box, Part, flat, moved, path, rect, text, wrapped
from botequim.picture.symbols import definitions
from botequim.picture.theme import Theme, stylesheet


@dataclass(frozen=True, slots=True)
class Look:
    """How a picture looks."""

    shape: Shape = Shape.WIDE
    theme: Theme = Theme.AUTO
    words: bool = True
    """Whether what happened is written below, and the game's name above."""


def picture(scene: Scene, look: Look | None = None) -> str:
    """The whole SVG, which needs nothing from elsewhere."""
    look = look or Look()
    room = _layout(scene, look.shape)
    body = flat(list(parts(scene, look.shape).values()))
    width, height = room.width, room.height
    if look.words:
        below = CAPTION[look.shape]
        body = (
            flat(moved(0, TITLE, body)) + _title(scene, width) + _caption(scene, width, TITLE + height, below)
        )
        height += TITLE + below
    label = escape(spoken(scene))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="bq" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img" lang="{language().replace("_", "-")}" '
        f'aria-label="{label}">\n'
        f"<style>{stylesheet(look.theme)}</style>\n{definitions(body)}\n"
        f"{rect('paper', Box(0, 0, width, height))}\n{body}\n</svg>\n"
    )


def parts(scene: Scene, shape: Shape) -> dict[str, Part]:
    """The picture in pieces: the `felt`, the `table` on it, and the seats by number."""
    painter = _painter(scene.game)
    room = _layout(scene, shape)
    pieces: dict[str, Part] = {
        "felt": _felt(room.table),
        "table": painter.table(scene, room.table.inset(18), shape),
    }
    for seat, box in enumerate(room.seats):
        pieces[str(seat)] = seat_drawn(scene, seat, box, painter)
    return pieces


def spoken(scene: Scene) -> str:
    """What happened, in one line of the reader's language."""
    words = ""
    for message in scene.told:
        between = "" if not words else " " if words[-1] in ".!?:" else " · "
        words += between + say(message)
    return words


def size(scene: Scene, shape: Shape) -> tuple[float, float]:
    """Width and height of what `parts` draws."""
    room = _layout(scene, shape)
    return room.width, room.height


@lru_cache
def _painter(game: str) -> Painter:
    return painter_of(registry.game(game))


def _layout(scene: Scene, shape: Shape) -> Layout:
    painter = _painter(scene.game)
    return _placed(len(scene.places), shape, painter.hand_height, painter.facing)


@lru_cache
def _placed(count: int, shape: Shape, hand_height: float, facing: bool) -> Layout:
    return layout(count, shape, hand_height, facing=facing)


@lru_cache
def _felt(table: Box) -> str:
    """The cloth, with a diamond woven in its middle."""
    x, y = table.centre
    woven = "".join(
        f"M{x - across:g} {y:g}L{x:g} {y - down:g}L{x + across:g} {y:g}L{x:g} {y + down:g}z"
        for across, down in (
            (table.width * 0.46, table.height * 0.42),
            (table.width * 0.43, table.height * 0.38),
        )
    )
    return rect("felt", table.inset(3), 26) + path("weave", woven)


def _title(scene: Scene, width: float) -> str:
    where = ""
    if scene.number:
        where = say(msg("move {number} of {turns}", number=scene.number, turns=scene.turns or "?"))
    return text(scene.game, 20, 31, 22, "name") + text(where, width - 20, 31, 18, "soft", anchor="end")


def _caption(scene: Scene, width: float, y: float, height: float) -> str:
    words = spoken(scene)
    lines = wrapped(words, 20, width - 40, int(height // 30))
    return "".join(text(line, 20, y + 26 + at * 28, 20, "ink") for at, line in enumerate(lines))
