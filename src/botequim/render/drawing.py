"""Draws a scene. This is the only place where a picture of a game is made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from html import escape

from botequim import registry
from botequim.core.messages import msg
from botequim.i18n import language, say
from botequim.picture.layout import CAPTION, SIZES, TITLE, Layout, Shape, layout
from botequim.picture.painter import Painter, painter_of
from botequim.picture.scene import Scene
from botequim.picture.seats import seat_drawn
from botequim.picture.svg import Box, Part, flat, moved, rect, text, wrapped
from botequim.picture.symbols import definitions
from botequim.picture.theme import Theme, stylesheet
from botequim.show.telling import SAYS


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
    pixels = SIZES[look.shape][0] / width
    if look.words:
        below = CAPTION[look.shape]
        body = (
            flat(moved(0, TITLE, body)) + _title(scene, width) + _caption(scene, width, TITLE + height, below)
        )
        height += TITLE + below
    label = escape(spoken(scene))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="bq" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width * pixels:g}" height="{round(height * pixels):g}" role="img" '
        f'lang="{language().replace("_", "-")}" aria-label="{label}">\n'
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


def spoken(scene: Scene, *, said: bool = True) -> str:
    """What happened, in one line of the reader's language; with what bots said, or without."""
    words = ""
    for message in scene.told:
        if message.template == SAYS.template and not said:
            continue
        between = "" if not words else " " if words[-1] in ".!?:" else " · "
        words += between + say(message)
    return words or _noted(scene)


def _noted(scene: Scene) -> str:
    """What the last to act has done, where what came of it is not to be seen."""
    seat = scene.facts.get("acted")
    if seat is None or (note := scene.places[seat].note) is None:
        return ""
    return f"{seat + 1} {scene.places[seat].name}: {say(note)}"


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
    """The cloth, with a seam along its edge: nothing lies behind tiles and words."""
    return rect("felt", table.inset(3), 26) + rect("weave", table.inset(11), 19)


def _title(scene: Scene, width: float) -> str:
    where = ""
    if scene.number:
        where = say(msg("move {number} of {turns}", number=scene.number, turns=scene.turns or "?"))
    return text(scene.game, 20, 31, 22, "name") + text(where, width - 20, 31, 18, "soft", anchor="end")


def _caption(scene: Scene, width: float, y: float, height: float) -> str:
    size, high = (20, 28) if width > height * 10 else (18, 24)
    lines = wrapped(spoken(scene), size, width - 40, int(height // high))
    return "".join(text(line, 20, y + 22 + at * high, size, "ink") for at, line in enumerate(lines))
