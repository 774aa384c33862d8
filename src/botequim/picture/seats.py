"""Draws one seat: portrait, name, score, hand, and whether it is its turn."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from botequim.core.messages import msg
from botequim.i18n import say
from botequim.picture.layout import HEADER, WIDE_SEAT
from botequim.picture.painter import Painter
from botequim.picture.svg import Box, Part, circle, measured, moved, path, rect, text

if TYPE_CHECKING:
    from botequim.picture.scene import Place, Scene


def seat_drawn(scene: Scene, seat: int, box: Box, painter: Painter) -> Part:
    """All that is known of a seat, in its box."""
    place = scene.places[seat]
    inside = Box(0, 0, box.width, box.height)
    beside = bool(painter.hand_height) and box.width >= WIDE_SEAT
    header = min(0.42 * box.width, 340) if beside else box.width
    pieces: list[Part] = [rect("turn" if place.to_move else "panel", inside, 12)]
    if place.to_move:
        middle = box.height / 2 if beside else HEADER / 2
        pieces.append(path("badge", f"M-9 {middle - 13:g}v26l17-13z"))
    pieces.append(_header(scene, seat, header, box.height if beside else HEADER))
    if painter.hand_height:
        area = (
            Box(header + 4, 8, box.width - header - 14, box.height - 16)
            if beside
            else Box(12, HEADER, box.width - 24, box.height - HEADER - 8)
        )
        pieces.append(_hand(place, area, painter))
    return moved(box.x, box.y, pieces)


def _header(scene: Scene, seat: int, width: float, height: float) -> Part:
    place = scene.places[seat]
    middle = height / 2
    score = place.score
    count = "" if place.count is None else f"×{place.count}"
    right = measured(score, 32) + 10 if score else 0
    told, kind = _below_the_name(place)
    pieces: list[Part] = [_portrait(place, middle, partners=scene.teams < len(scene.places))]
    alone = not told and not score
    upper = middle + 7 if alone or not (told or count) else middle - 4
    room = width - 78 - (measured(count, 20) if alone else right)
    pieces.append(text(f"{seat + 1} {place.name}", 62, upper, 20, "name", width=room))
    if told:
        taken = max(right, measured(count, 20)) if count else right
        pieces.append(text(told, 62, middle + 19, 15, kind, width=width - 78 - taken))
    if score:
        pieces.append(text(score, width - 12, middle + (2 if count else 11), 30, "big ink", anchor="end"))
    if count:
        pieces.append(text(count, width - 12, middle + (7 if alone else 21), 17, "bold soft", anchor="end"))
    return pieces


def _below_the_name(place: Place) -> tuple[str, str]:
    if place.says:
        return f"“{place.says}”", "said"
    if place.fault and place.note is not None:
        return say(place.note), "bold bad"
    if place.rank == 1:
        return say(msg("draw") if place.shared else msg("winner")), "bold ink"
    if place.note is not None:
        return say(place.note), "soft"
    return (say(msg("to move")), "soft") if place.to_move else ("", "")


def _portrait(place: Place, middle: float, *, partners: bool) -> Part:
    x, radius = 34, 20
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
    if place.rank == 1 and not place.shared:
        pieces.append(_star(x + 15, middle - 14))
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
