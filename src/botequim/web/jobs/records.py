"""The functions with which a render worker converts the record of a game."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from math import ceil
from typing import Any, Final

from botequim import i18n
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.i18n import translate
from botequim.records.reader import parse
from botequim.records.replay import Replay
from botequim.render.drawing import RenderOptions, description, render_svg
from botequim.render.layout import Shape
from botequim.render.portraits import small_portrait_of
from botequim.render.raster import gif
from botequim.render.replay_page import page, replay_data
from botequim.render.scene import OPEN, Perspective, Scene, scene_at
from botequim.render.theme import Theme

MOST_TURNS: Final = 4000
"""The most turns of a game that is rendered; longer ones are available as a record only."""
MOST_FRAMES: Final = 240
"""The most frames of a GIF; in longer games some moves are skipped."""
GIF_WIDTH: Final = 720
HANDS: Final = "^(open|hidden|[1-9]|10)$"
"""The visible hands: all, none, or those of a seat from 1."""
FRAME_MS, LAST_MS = 900, 2500
LONGEST_MS: Final = 120_000
"""The longest duration of a GIF; long games are shown faster."""


@lru_cache(4)
def _replay(lines: tuple[str, ...]) -> Replay:
    turns = len(lines) - 2
    if turns > MOST_TURNS:
        raise InputError(msg("the game is too long to be drawn: {turns} moves", turns=turns))
    (raw,) = parse([line.encode("utf-8", "surrogatepass") for line in lines if line], "record")
    return Replay.load(raw)


def data(lines: tuple[str, ...], portraits: tuple[str, ...]) -> bytes:
    """Return the data for the replay's script. `portraits` are addresses on this site."""
    return replay_data(_replay(lines), portraits).encode()


def one_file(lines: tuple[str, ...], hands: str, language: str) -> bytes:
    """Return the game as one page, which opens with these hands and in this language."""
    return page(_replay(lines), hands, language).encode("utf-8", "replace")


def small_portrait(picture: bytes) -> bytes:
    """Return a small PNG of an entrant's picture; nothing if it cannot be made."""
    return small_portrait_of(picture) or b""


def animation(lines: tuple[str, ...], language: str, perspective: Perspective) -> bytes:
    """Return the game as an animated GIF."""
    with i18n.use_language(language):
        replay = _replay(lines)
        turns = len(replay)
        every = ceil(turns / MOST_FRAMES)
        numbers = sorted({*range(1, turns + 1, every), turns})
        milliseconds = max(60, min(FRAME_MS, LONGEST_MS // len(numbers)))

        def frames() -> Iterator[str]:
            for number in numbers:
                yield render_svg(
                    scene_at(replay, number, perspective), RenderOptions(Shape.WIDE, Theme.LIGHT)
                )

        return gif(frames(), GIF_WIDTH, milliseconds, LAST_MS)


def position(lines: tuple[str, ...], number: int, perspective: Perspective) -> bytes:
    """Return a position as JSON, in every language."""
    replay = _replay(lines)
    return json.dumps(scene_json(scene_at(replay, number, perspective))).encode()


def scene_json(scene: Scene) -> dict[str, Any]:
    """Return a position as JSON values, with its texts in every language."""
    descriptions: dict[str, str] = {}
    notes: dict[str, list[str]] = {}
    for language in i18n.LANGUAGES:
        with i18n.use_language(language):
            descriptions[language] = description(scene)
            notes[language] = [translate(place.note) if place.note else "" for place in scene.places]
    seats = [
        {
            "name": place.name,
            "team": place.team,
            "count": place.count,
            "hand": None if place.hand is None else list(place.hand),
            "score": place.score,
            "to_move": place.to_move,
            "fault": place.fault,
            "says": place.says,
            "art": list(place.art),
            "rank": place.rank or None,
            "note": {language: notes[language][at] for language in notes},
        }
        for at, place in enumerate(scene.places)
    ]
    return {
        "game": scene.game,
        "move": scene.number,
        "moves": scene.turns or None,
        "told": descriptions,
        "seats": seats,
        "table": dict(scene.facts),
    }


def drawing(
    lines: tuple[str, ...], number: int, perspective: Perspective, language: str, theme: str
) -> bytes:
    """Return a position as a self-contained SVG."""
    with i18n.use_language(language):
        replay = _replay(lines)
        options = RenderOptions(Shape.WIDE, Theme(theme))
        return render_svg(scene_at(replay, number, perspective), options).encode("utf-8", "replace")


def perspective_of(hands: str) -> Perspective:
    """Return the perspective for a text that matches `HANDS`."""
    if hands == "hidden":
        return None
    return OPEN if hands == "open" else int(hands) - 1
