"""Draws one seat: its portrait, name, score and hand, and a mark if it is to move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Final, NamedTuple

from botequim.core.messages import msg
from botequim.core.sanitize import printable
from botequim.i18n import translate
from botequim.render.layout import FAR_HEADER, HEADER, LOW_HEADER, Shape, has_hand_beside
from botequim.render.renderer import Renderer
from botequim.render.svg import (
    BROAD,
    Box,
    Part,
    circle,
    fit_text,
    group_at,
    path,
    rect,
    text,
    text_width,
    wrap_text,
)

if TYPE_CHECKING:
    from botequim.render.scene import Place, Scene


NOTE: Final = 17
COUNT: Final = 20
SCORE: Final = 30
_LINE: Final = 21
_LEAST_NAME: Final = 9
"""The smallest name; a longer one is cut."""
_LEAST_BESIDE_NOTE: Final = 12
_NAME_STEP: Final = 1.1
"""The height of a line of a long name, by its size."""
ROUND: Final = (
    '<clipPath id="round" clipPathUnits="objectBoundingBox"><circle cx=".5" cy=".5" r=".5"/></clipPath>'
)
"""The clip path of portraits."""


class _HeaderSizes(NamedTuple):
    """The sizes of a name and a portrait."""

    name: float
    left: float
    """The x coordinate of the name, beside the portrait."""
    radius: float
    letter: float = 21
    """The size of the letter that replaces a missing portrait."""


_ROOMY: Final = _HeaderSizes(20, 60, 20)
_NARROW: Final = _HeaderSizes(17.5, 48, 15)
_NARROW_SEAT: Final = 300
_FAR: Final = _HeaderSizes(50, 90, 33, 36)
_NARROW_FAR: Final = _HeaderSizes(40, 66, 24, 28)
_LEAST_FAR: Final = 30
"""The smallest name in one line on a big screen; a longer one has two lines of this size."""
_LEAST_LONG_FAR: Final = 16
"""The smallest name in several lines."""
_FAR_NOTE, _FAR_LINE, _FAR_COUNT, _FAR_SCORE, _FAR_WITH_NOTE = 26, 32, 38, 54, 45


def draw_seat(scene: Scene, seat: int, box: Box, renderer: Renderer, shape: Shape = Shape.WIDE) -> Part:
    place = scene.places[seat]
    inside = Box(0, 0, box.width, box.height)
    far = shape is Shape.HALL
    beside = bool(renderer.hand_height) and has_hand_beside(box.width, shape)
    acts = is_acting(scene, seat)
    across = box.width if not beside else box.width / 2 if far else _across(scene, seat, box.width)
    high = box.height if beside or not renderer.hand_height else _header_height(box.height, far=far)
    pieces: list[Part] = [rect("turn" if acts else "panel", inside, 12)]
    if acts:
        half = 22 if far else 13
        pieces.append(path("badge", f"M-9 {high / 2 - half:g}v{2 * half}l{half + 4}-{half}z"))
    narrow = box.width < _NARROW_SEAT
    header = Box(0, 0, across, high)
    pieces.append(
        _far_header(scene, seat, header, _NARROW_FAR if narrow else _FAR)
        if far
        else _header(scene, seat, header, _NARROW if narrow else _ROOMY)
    )
    if renderer.hand_height:
        area = (
            Box(across + 6, 8, box.width - across - 16, box.height - 16)
            if beside
            else Box(12, high, box.width - 24, box.height - high - 8)
        )
        pieces.append(_hand(place, area, renderer))
    return group_at(box.x, box.y, pieces)


def is_acting(scene: Scene, seat: int) -> bool:
    """Return whether the seat is to move, or waits for a move of chance."""
    waits = scene.facts.get("acted") == seat and not any(
        place.to_move or place.rank for place in scene.places
    )
    return scene.places[seat].to_move or waits


def _header_height(height: float, *, far: bool) -> float:
    if far:
        return FAR_HEADER
    return HEADER if height > LOW_HEADER + HEADER else LOW_HEADER


def _across(scene: Scene, seat: int, width: float) -> float:
    """Return the width of the header beside a hand: as much as it needs, up to one half."""
    place = scene.places[seat]
    right = max(text_width(place.score, SCORE * BROAD), text_width("×00", COUNT * BROAD))
    width_needed = _ROOMY.left + _name_width(scene.label(seat), _ROOMY) + right + 24
    return min(max(width_needed, 250), width / 2)


def _name_width(label: str, sizes: _HeaderSizes) -> float:
    return text_width(label, sizes.name * BROAD)


def _header(scene: Scene, seat: int, box: Box, sizes: _HeaderSizes) -> Part:
    """Return the portrait, the name and the note; on the right the score, the number of pieces, or both."""
    place, label = scene.places[seat], scene.label(seat)
    width, height = box.width, box.height
    right = _on_the_right(place)
    right_width = max((text_width(words, size * BROAD) for words, size in right), default=0)
    room = width - sizes.left - 12
    # beside a long name there is no room, so the texts on the right are drawn lower
    lower = len(right) == 1 and _name_width(label, sizes) > room - right_width - 8
    note, kind = _below_the_name(place)
    is_winner = kind == _WON and not place.shared
    start = sizes.left + (21 if is_winner else 0)
    beside = width - start - 12 - (right_width + 8 if lower or len(right) > 1 else 0)
    bold = BROAD if "bold" in kind else 1
    lines = wrap_text(note, NOTE * bold, beside, 2 if height >= HEADER else 1) if note else []
    if is_winner and text_width(note, NOTE * bold) > beside:
        lines = []  # there is only room for the star
    y = height / 2 + 7 - _LINE / 2 * max(len(lines), lower, is_winner)
    pieces: list[Part] = [_portrait(place, height / 2, sizes, partners=scene.teams < len(scene.places))]
    beside_right = room - (right_width + 8 if right else 0)
    is_long = _name_width(label, sizes) > (room if lower else beside_right)
    if is_long:
        lower = False
        name, y = _long_name(label, sizes, beside_right, height, has_note=bool(kind == _WON or lines))
        pieces += name
        lines = lines[:1] if y < height - _LINE / 2 else []
    else:
        pieces.append(text(label, sizes.left, y, sizes.name, "name"))
    if is_winner:
        pieces.append(group_at(sizes.left + 8, y + 15, _star(), 0.75))
    pieces += [text(line, start, y + at * _LINE, NOTE, kind) for at, line in enumerate(lines, start=1)]
    is_middle = is_long or bool(place.score)
    baseline = y + _LINE if lower else height / 2 if len(right) > 1 else height / 2 + 7 if is_middle else y
    for at, (words, size) in enumerate(right):
        kind = "big ink" if size == SCORE else "bold soft"
        down = 4 if size == SCORE and len(right) == 1 else 23 * at
        pieces.append(text(words, width - 12, baseline + down, size, kind, anchor="end"))
    return pieces


def _long_name(
    words: str, sizes: _HeaderSizes, width: float, height: float, *, has_note: bool
) -> tuple[list[Part], float]:
    """Return a name that is too long for one line, and the baseline of its last line: smaller, and in as many
    lines as there is room for. Only if that is not enough, it is cut, and there is no room for a note."""
    for note in (_LINE, 0) if has_note else (0,):
        size = sizes.name
        while size > (_LEAST_NAME if not note else _LEAST_BESIDE_NOTE):
            lines = _broken_lines(words, size * BROAD, width)
            if len(lines) * size * _NAME_STEP <= height - note - 6:
                return _name_block(lines, sizes.left, size, height - note), _last_baseline(
                    lines, size, height - note
                )
            size -= 0.5
    lines = _broken_lines(words, _LEAST_NAME * BROAD, width)
    most = max(int((height - 6) / (_LEAST_NAME * _NAME_STEP)), 1)
    if len(lines) > most:
        lines = [*lines[: most - 1], fit_text(lines[most - 1] + "…", _LEAST_NAME * BROAD, width)]
    return _name_block(lines, sizes.left, _LEAST_NAME, height), height


def _name_block(lines: Sequence[str], left: float, size: float, height: float) -> list[Part]:
    last = _last_baseline(lines, size, height)
    step = size * _NAME_STEP
    return [
        text(line, left, round(last - step * (len(lines) - 1 - at), 2), size, "name")
        for at, line in enumerate(lines)
    ]


def _last_baseline(lines: Sequence[str], size: float, height: float) -> float:
    step = size * _NAME_STEP
    return round(height / 2 + step * len(lines) / 2 - 0.3 * size, 2)


def _broken_lines(words: str, size: float, width: float) -> list[str]:
    """Return a text in lines of at most that width. A word that is longer is broken."""
    lines: list[str] = []
    for word in printable(words).split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if text_width(longer, size) <= width:
            lines[-1:] = [longer]
            continue
        lines.append("")
        for sign in word:
            if lines[-1] and text_width(lines[-1] + sign, size) > width:
                lines.append("")
            lines[-1] += sign
    return [line for line in lines if line]


def _far_header(scene: Scene, seat: int, box: Box, sizes: _HeaderSizes) -> Part:
    """Return a header for a big screen: a name as large as its room, and no remarks."""
    place = scene.places[seat]
    right = [(place.score, _FAR_SCORE)] if place.score else []
    if place.count is not None:
        right.append((f"×{place.count}", _FAR_COUNT))
    right_width = max((text_width(words, size * BROAD) for words, size in right), default=0)
    middle, room = box.height / 2, box.width - sizes.left - right_width - 26
    name = scene.label(seat)
    size = min(sizes.name, sizes.name * room / text_width(name, sizes.name * BROAD))
    note, kind = _below_the_name(replace(place, says=""))
    lines = [name]
    if size < _LEAST_FAR:  # two lines leave no room for a note
        size, note = _LEAST_FAR, ""
        lines = _broken_lines(name, size * BROAD, room)
        while len(lines) * size * 1.15 > box.height - 4 and size > _LEAST_LONG_FAR:
            size -= 1
            lines = _broken_lines(name, size * BROAD, room)
        lines = lines if len(lines) <= 5 else [*lines[:4], fit_text(lines[4] + "…", size * BROAD, room)]
    if note:
        size = min(size, _FAR_WITH_NOTE)
    step = _FAR_LINE if note else size * 1.15
    y = middle + 0.36 * size - step / 2 * (len(lines) - 1 + bool(note))
    pieces: list[Part] = [_portrait(place, middle, sizes, partners=scene.teams < len(scene.places))]
    pieces += [text(line, sizes.left, y + at * step, size, "name") for at, line in enumerate(lines)]
    if note:
        is_winner = kind == _WON and not place.shared
        start = sizes.left + (34 if is_winner else 0)
        if is_winner:
            pieces.append(group_at(sizes.left + 14, y + step - 9, _star(), 1.1))
        pieces.append(
            text(note, start, y + step, _FAR_NOTE, kind, width=box.width - start - right_width - 20)
        )
    for at, (words, high) in enumerate(right):
        baseline = middle + 0.36 * high if len(right) == 1 else middle + 2 + 36 * at
        shown = "big ink" if high == _FAR_SCORE else "bold soft"
        pieces.append(text(words, box.width - 14, baseline, high, shown, anchor="end"))
    return pieces


def _on_the_right(place: Place) -> list[tuple[str, float]]:
    """Return the texts on the right and their sizes."""
    words: list[tuple[str, float]] = [(place.score, SCORE)] if place.score else []
    if place.count is not None:
        words.append((f"×{place.count}", COUNT))
    return words


_WON: Final = "bold ink"


def _below_the_name(place: Place) -> tuple[str, str]:
    if place.says:
        return f"“{place.says}”", "said"
    if place.fault and place.note is not None:
        return translate(place.note), "bold bad"
    if place.rank == 1:
        return translate(msg("draw") if place.shared else msg("winner")), _WON
    if place.note is not None:
        return translate(place.note), "soft"
    return (translate(msg("to move")), "soft") if place.to_move else ("", "")


def _portrait(place: Place, middle: float, sizes: _HeaderSizes, *, partners: bool) -> Part:
    radius = sizes.radius
    x = sizes.left - 8 - radius
    pieces: list[Part] = [circle("face", x, middle, radius)]
    if place.portrait:
        # it is equal in every picture, so a page may contain it more than once
        pieces.append(
            f'{ROUND}<image x="{x - radius + 1:g}" y="{middle - radius + 1:g}" width="{2 * radius - 2:g}" '
            f'height="{2 * radius - 2:g}" clip-path="url(#round)" '
            f'preserveAspectRatio="xMidYMid slice" href="{escape(place.portrait)}"/>'
        )
    else:
        initial = next((sign for sign in place.name if sign.isalnum()), "?").upper()
        pieces.append(
            text(
                initial, x, middle + round(0.357 * sizes.letter, 1), sizes.letter, "bold ink", anchor="middle"
            )
        )
    if partners and place.team < 2:
        pieces.append(_team(place.team, x + radius - 4, middle + radius - 5))
    return pieces


def _team(team: int, x: float, y: float) -> str:
    """Return the symbol of a team: a disc or a diamond."""
    if team == 0:
        return circle("team0", x, y, 7)
    return path("team1", f"M{x:g} {y - 9:g}l9 9-9 9-9-9z")


def _star() -> str:
    return path("won", "M0-12l3.5 8 8.5.8-6.4 5.7 1.9 8.5-7.5-4.5-7.5 4.5 1.9-8.5-6.4-5.7 8.5-.8z")


def _hand(place: Place, area: Box, renderer: Renderer) -> Part:
    if place.hand is not None:
        return renderer.draw_hand(place.hand, area)
    return renderer.draw_backs(place.count or 0, area)
