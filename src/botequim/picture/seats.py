"""Draws one seat: portrait, name, score, hand, and whether it is its turn."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from botequim.core.messages import msg
from botequim.i18n import say
from botequim.picture.layout import HEADER, LOW_HEADER, WIDE_SEAT
from botequim.picture.painter import Painter
from botequim.picture.svg import BROAD, Box, Part, circle, fitted, measured, moved, path, rect, text, wrapped

if TYPE_CHECKING:
    from botequim.picture.scene import Place, Scene


NAME: Final = 20
NOTE: Final = 17
COUNT: Final = 20
SCORE: Final = 30
_LEFT: Final = 60
"""Where a name begins, beside the portrait."""


def seat_drawn(scene: Scene, seat: int, box: Box, painter: Painter) -> Part:
    """All that is known of a seat, in its box."""
    place = scene.places[seat]
    inside = Box(0, 0, box.width, box.height)
    beside = bool(painter.hand_height) and box.width >= WIDE_SEAT
    acts = _acts(scene, seat)
    across = _across(scene, seat, box.width) if beside else box.width
    high = box.height if beside or not painter.hand_height else _header_height(box.height)
    pieces: list[Part] = [rect("turn" if acts else "panel", inside, 12)]
    if acts:
        pieces.append(path("badge", f"M-9 {high / 2 - 13:g}v26l17-13z"))
    pieces.append(_header(scene, seat, across, high))
    if painter.hand_height:
        area = (
            Box(across + 6, 8, box.width - across - 16, box.height - 16)
            if beside
            else Box(12, high, box.width - 24, box.height - high - 8)
        )
        pieces.append(_hand(place, area, painter))
    return moved(box.x, box.y, pieces)


def _acts(scene: Scene, seat: int) -> bool:
    """Whether it is its turn, or whether it waits for what chance gives it."""
    waits = scene.facts.get("acted") == seat and not any(place.to_move or place.rank for place in scene.places)
    return scene.places[seat].to_move or waits


def _header_height(height: float) -> float:
    return HEADER if height > LOW_HEADER + HEADER else LOW_HEADER


def _across(scene: Scene, seat: int, width: float) -> float:
    """What a name takes of a seat that has its hand beside it: as much as it needs, up to one half."""
    place = scene.places[seat]
    right = max(measured(place.score, SCORE * BROAD), measured("×00", COUNT * BROAD))
    needed = _LEFT + measured(f"{seat + 1} {place.name}", NAME * BROAD) + right + 24
    return min(max(needed, 250), width / 2)


def _header(scene: Scene, seat: int, width: float, height: float) -> Part:
    """Portrait, name and what it did; on the right the score, or how many pieces it has, or both."""
    place = scene.places[seat]
    middle = height / 2
    score, count = place.score, "" if place.count is None else f"×{place.count}"
    first = measured(score, SCORE * BROAD) if score else measured(count, COUNT * BROAD)
    second = measured(count, COUNT * BROAD) if score else 0
    told, kind = _below_the_name(place)
    won = place.rank == 1 and not place.shared and kind == _WON
    start = _LEFT + (22 if won else 0)
    lines = wrapped(told, NOTE * (BROAD if "bold" in kind else 1), width - start - 14 - second, 2) if told else []
    if height < HEADER:
        lines = [fitted(told, NOTE, width - start - 14 - second)] if told else []
    y = middle + 7 - 10.5 * len(lines)
    pieces: list[Part] = [_portrait(place, middle, partners=scene.teams < len(scene.places))]
    pieces.append(text(f"{seat + 1} {place.name}", _LEFT, y, NAME, "name", width=width - _LEFT - 20 - first))
    if won:
        pieces.append(_star(_LEFT + 9, y + 15))
    for at, line in enumerate(lines, start=1):
        pieces.append(text(line, start, y + at * 20, NOTE, kind))
    if score:
        pieces.append(text(score, width - 12, middle + (0 if count else 11), SCORE, "big ink", anchor="end"))
        pieces.append(text(count, width - 12, middle + 23, COUNT, "bold soft", anchor="end") if count else "")
    elif count:
        pieces.append(text(count, width - 12, y, COUNT, "bold soft", anchor="end"))
    return pieces


_WON: Final = "bold ink"


def _below_the_name(place: Place) -> tuple[str, str]:
    if place.says:
        return f"“{place.says}”", "said"
    if place.fault and place.note is not None:
        return say(place.note), "bold bad"
    if place.rank == 1:
        return say(msg("draw") if place.shared else msg("winner")), _WON
    if place.note is not None:
        return say(place.note), "soft"
    return (say(msg("to move")), "soft") if place.to_move else ("", "")


def _portrait(place: Place, middle: float, *, partners: bool) -> Part:
    x, radius = 32, 20
    pieces: list[Part] = [circle("face", x, middle, radius)]
    if place.portrait:
        # equal in every picture, so it does no harm that a page may hold it more than once
        pieces.append(
            '<clipPath id="round" clipPathUnits="objectBoundingBox">'
            '<circle cx=".5" cy=".5" r=".5"/></clipPath>'
            f'<image x="{x - 19}" y="{middle - 19:g}" width="38" height="38" clip-path="url(#round)" '
            f'preserveAspectRatio="xMidYMid slice" href="{escape(place.portrait)}"/>'
        )
    else:
        initial = next((sign for sign in place.name if sign.isalnum()), "?").upper()
        pieces.append(text(initial, x, middle + 7.5, 21, "bold ink", anchor="middle"))
    if partners and place.team < 2:
        pieces.append(_team(place.team, x + 15, middle + 14))
    return pieces


def _team(team: int, x: float, y: float) -> str:
    """Partners have the same sign: a disc or a diamond."""
    if team == 0:
        return circle("team0", x, y, 7)
    return path("team1", f"M{x:g} {y - 9:g}l9 9-9 9-9-9z")


def _star(x: float, y: float) -> str:
    return path(
        "won", f"M{x:g} {y - 12:g}l3.5 8 8.5.8-6.4 5.7 1.9 8.5-7.5-4.5-7.5 4.5 1.9-8.5-6.4-5.7 8.5-.8z"
    )


def _hand(place: Place, area: Box, painter: Painter) -> Part:
    if place.hand is not None:
        return painter.hand_drawn(place.hand, area)
    return painter.backs_drawn(place.count or 0, area)
