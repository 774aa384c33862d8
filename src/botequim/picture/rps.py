"""Draws rps: both hands, how often each was shown, every round so far, and the art."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any

from botequim.core.game import AnyGame
from botequim.core.messages import harmless, msg
from botequim.games.rps import HANDS, Hand, View
from botequim.i18n import say
from botequim.picture.layout import Shape
from botequim.picture.painter import Painter
from botequim.picture.svg import Box, Part, circle, css, moved, path, rect, text, use

if TYPE_CHECKING:
    from botequim.picture.scene import Scene
    from botequim.show.telling import Teller

SIGN = 16
"""The size of a small hand."""
SMALL = {"rock": "mr", "paper": "mp", "scissors": "ms", "missing": "mm"}


class RpsPainter(Painter):
    """Two hands face to face."""

    facing = True

    def facts(self, view: View) -> Mapping[str, Any]:
        rounds = [
            [[hand.value if hand is not None else "missing" for hand in played.hands], played.winner]
            for played in view.rounds
        ]
        now = _showing(view)
        return {
            "hands": now if now is not None else (rounds[-1][0] if rounds else None),
            "winner": None if now is not None or not rounds else rounds[-1][1],
            "coin": now is not None,
            "number": len(rounds) + (now is not None),
            "rounds": rounds,
            "length": view.length,
            "counts": [list(counts) for counts in view.counts],
        }

    def open_facts(self, game: AnyGame, state: Any, teller: Teller) -> Mapping[str, Any]:
        return {}

    def scores(self, view: View) -> Sequence[str]:
        return [str(won) for won in view.wins]

    def table(self, scene: Scene, area: Box, shape: Shape) -> Part:
        facts = scene.facts
        columns = 50 if shape is Shape.WIDE else 25
        rows = max(1, -(-int(facts["length"]) // columns))
        strip = min(rows * 58, 0.4 * area.height)
        above = Box(area.x, area.y, area.width, area.height - strip - 34)
        told = say(msg("round {number} of {length}", number=facts["number"], length=facts["length"]))
        return [
            *(_side(scene, seat, above, shape) for seat in (0, 1)),
            _between(facts, above),
            text(told, area.centre[0], area.y + area.height - strip - 12, 19, "onfelt", anchor="middle"),
            _history(facts, Box(area.x, area.y + area.height - strip, area.width, strip), columns),
        ]


def _showing(view: View) -> list[str] | None:
    """The hands of a round that the coin has yet to decide."""
    last = [event.move for event in view.events[-2:]]
    done = sum(1 for event in view.events if event.by != -1) // 2
    if len(last) == 2 and done > len(view.rounds):
        return [move.value if isinstance(move, Hand) else "missing" for move in last]
    return None


def _side(scene: Scene, seat: int, area: Box, shape: Shape) -> Part:
    """One player's hand, what it has shown so far, and its art where there is any."""
    half = area.width / 2
    box = Box(area.x + seat * half, area.y, half, area.height)
    facts, art = scene.facts, scene.places[seat].art
    counts = facts["counts"][seat]
    footer = 50
    room = Box(box.x + 10, box.y, box.width - 20, box.height - footer)
    pieces: list[Part] = []
    if any(place.art for place in scene.places):
        frame, room = _beside_art(room, seat, shape)
        pieces.append(art_drawn(art, frame.inset(8)))
    elif shape is Shape.WIDE:
        room = Box(room.x + (0.25 * room.width if seat == 0 else 0), room.y, 0.75 * room.width, room.height)
    if facts["hands"] is not None:
        pieces.append(_hand(facts["hands"][seat], room, won=facts["winner"] == seat))
    step = min(96.0, box.width / 3)
    start = box.x + (box.width - 3 * step) / 2
    for at, (hand, count) in enumerate(zip(HANDS, counts, strict=True)):
        x = start + at * step
        pieces.append(moved(round(x, 1), round(box.y + box.height - 44, 1), use(hand.value), 0.4))
        pieces.append(text(f"×{count}", x + 44, box.y + box.height - 17, 20, "bold onfelt"))
    return pieces


def _beside_art(room: Box, seat: int, shape: Shape) -> tuple[Box, Box]:
    """The room for art, on the outside or above, and what is left for the hand."""
    if shape is Shape.TALL:
        high = 0.55 * room.height
        return room._replace(height=high), Box(room.x, room.y + high, room.width, room.height - high)
    wide = 0.58 * room.width
    left, right = room._replace(width=wide), Box(room.x + wide, room.y, room.width - wide, room.height)
    if seat == 0:
        return left, right
    return right._replace(x=room.x + room.width - wide, width=wide), left._replace(width=room.width - wide)


def _hand(name: str, area: Box, *, won: bool) -> Part:
    size = min(area.width, area.height, 300)
    x, y = area.centre
    pieces: list[Part] = []
    if won:
        ring = [
            circle("halo", 0, 0, 40),
            circle("mark", 0, 0, 40),
            moved(0, -42, path("won", _star(0, 0)), 0.42),
        ]
        pieces.append(moved(round(x, 1), round(y, 1), ring, round(size / 90, 3)))
    scale = round(size * 0.66 / 100, 3)
    pieces.append(moved(round(x - 50 * scale, 1), round(y - 50 * scale, 1), use(name), scale))
    return pieces


def _star(x: float, y: float) -> str:
    return f"M{x:.1f} {y - 15:.1f}l4.4 10 10.6 1-8 7.1 2.4 10.6-9.4-5.6-9.4 5.6 2.4-10.6-8-7.1 10.6-1z"


def _between(facts: Mapping[str, Any], area: Box) -> Part:
    """Who beats whom, or the coin."""
    x, y = area.centre
    y -= 25
    if facts["hands"] is None:
        return ()
    if facts["winner"] is None:
        sign = "=" if not facts["coin"] else "?"
        return text(sign, x, y + 14, 44, "big onfelt", anchor="middle")
    return text("›" if facts["winner"] == 0 else "‹", x, y + 16, 60, "big onfelt", anchor="middle")


def _history(facts: Mapping[str, Any], area: Box, columns: int) -> Part:
    """A column for each round: two small hands, of which the winner's lies on a light tile."""
    length = int(facts["length"])
    rows = -(-length // columns)
    step, high = area.width / columns, area.height / rows
    half = (high - 8) / 2
    size = min(half - 4, step - 4, 20) / SIGN
    rounds = facts["rounds"]
    pieces = [
        _round(
            *((tuple(rounds[at][0]), rounds[at][1]) if at < len(rounds) else ((), None)),
            Box(at % columns * step / size, at // columns * high / size, step / size, half / size),
        )
        for at in range(length)
    ]
    # in tens, because all but the last of them are the same in the next picture
    tens = [pieces[at : at + 10] for at in range(0, length, 10)]
    return moved(round(area.x, 1), round(area.y, 1), tens, size)


@lru_cache(20_000)
def _round(hands: tuple[str, ...], winner: int | None, box: Box) -> str:
    """One round, as high as two of the box."""
    if not hands:
        return _cell("plate", box, 2 * box.height)
    pieces = ""
    for seat, hand in enumerate(hands):
        won = winner == seat
        cell = Box(box.x, box.y + seat * box.height, box.width, box.height)
        x, y = cell.centre
        sign = use(SMALL[hand], round(x - SIGN / 2, 1), round(y - SIGN / 2, 1))
        pieces += _cell("tile" if won else "plate", cell, cell.height)
        pieces += f'<g class="{css("black" if won else "onfelt")}">{sign}</g>'
    return pieces


def _cell(kind: str, box: Box, height: float) -> str:
    return rect(kind, Box(round(box.x + 1, 1), round(box.y, 1), round(box.width - 2, 1), round(height, 1)), 2)


def art_drawn(lines: Sequence[str], area: Box) -> Part:
    """Art in letters of one width, whatever the font: each line is made as wide as its letters are many."""
    across = max([len(line) for line in lines], default=0)
    if not across:
        return ()
    size = min(area.width / across / 0.6, area.height / len(lines) / 1.2, 34)
    width, height = 0.6 * size, 1.2 * size
    left = area.x + (area.width - across * width) / 2
    top = area.y + (area.height - len(lines) * height) / 2
    pieces: list[Part] = [
        rect("panel", Box(left - 10, top - 6, across * width + 20, len(lines) * height + 12), 8)
    ]
    for at, line in enumerate(lines):
        shown = harmless(line)
        start = len(shown) - len(shown.lstrip(" "))
        kept = shown.strip(" ")
        if kept:
            pieces.append(
                f'<text class="{css("mono ink")}" xml:space="preserve" x="{left + start * width:.1f}" '
                f'y="{top + (at + 0.8) * height:.1f}" font-size="{size:.1f}" '
                f'textLength="{len(kept) * width:.1f}" lengthAdjust="spacingAndGlyphs">{escape(kept)}</text>'
            )
    return pieces
