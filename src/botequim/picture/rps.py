"""Draws rps: both hands, how often each was shown, every round so far, and the art."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from botequim.core.game import AnyGame
from botequim.core.messages import harmless, msg
from botequim.games.rps import HANDS, Coin, Hand, Missing, View
from botequim.i18n import say
from botequim.picture.layout import Shape
from botequim.picture.painter import Painter
from botequim.picture.svg import Box, Part, listed, moved, path, rect, text, use

if TYPE_CHECKING:
    from botequim.picture.scene import Scene
    from botequim.show.telling import Teller

LETTERS = {"rock": "r", "paper": "p", "scissors": "s", "missing": "-"}


class RpsPainter(Painter):
    """Two hands face to face."""

    facing = True

    def facts(self, view: View) -> Mapping[str, Any]:
        rounds = [
            [[hand.value if hand is not None else "missing" for hand in played.hands], played.winner]
            for played in view.rounds
        ]
        now = _showing(view)
        tossing = bool(view.events) and isinstance(view.events[-1].move, Hand | Missing) and now is not None
        return {
            "hands": now if now is not None else (rounds[-1][0] if rounds else None),
            "winner": None if now is not None or not rounds else rounds[-1][1],
            "coin": bool(tossing) or bool(view.events and isinstance(view.events[-1].move, Coin)),
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
        number = len(facts["rounds"]) + (facts["hands"] is not None and facts["winner"] is None and not facts["rounds"])
        told = say(msg("round {number} of {length}", number=number, length=facts["length"]))
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
    if art:
        if shape is Shape.WIDE:
            outer = Box(room.x if seat == 0 else room.x + room.width * 0.42, room.y, room.width * 0.58, room.height)
            inner = Box(room.x + room.width * 0.58 if seat == 0 else room.x, room.y, room.width * 0.42, room.height)
        else:
            outer = Box(room.x, room.y, room.width, room.height * 0.55)
            inner = Box(room.x, room.y + room.height * 0.55, room.width, room.height * 0.45)
        pieces.append(art_drawn(art, outer.inset(8)))
        room = inner
    if facts["hands"] is not None:
        pieces.append(_hand(facts["hands"][seat], room, won=facts["winner"] == seat))
    step = min(96.0, box.width / 3)
    start = box.x + (box.width - 3 * step) / 2
    for at, (hand, count) in enumerate(zip(HANDS, counts, strict=True)):
        x = start + at * step
        pieces.append(moved(round(x, 1), round(box.y + box.height - 44, 1), use(hand.value), 0.4))
        pieces.append(text(f"×{count}", x + 44, box.y + box.height - 17, 20, "bold onfelt"))
    return pieces


def _hand(name: str, area: Box, *, won: bool) -> Part:
    size = min(area.width, area.height, 230)
    x, y = area.centre
    pieces: list[Part] = []
    if won:
        pieces.append(f'<circle class="halo" cx="{x:g}" cy="{y:g}" r="{size / 2 - 4:.1f}"/>')
        pieces.append(f'<circle class="mark" cx="{x:g}" cy="{y:g}" r="{size / 2 - 4:.1f}"/>')
        pieces.append(path("won", _star(x, y - size / 2 + 8)))
    scale = round(size * 0.72 / 100, 3)
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
    """A column for each round: whose half is filled won it; the letters are the hands."""
    rows = max(1, -(-int(facts["length"]) // columns))
    step, high = area.width / columns, area.height / rows
    half = (high - 8) / 2
    size = min(15.0, half * 0.8, step * 0.75)
    pieces: list[str] = []
    for at in range(int(facts["length"])):
        x, y = area.x + at % columns * step, area.y + at // columns * high
        played = facts["rounds"][at] if at < len(facts["rounds"]) else None
        if played is None:
            pieces.append(rect("plate", Box(round(x + 1, 1), round(y, 1), round(step - 2, 1), round(2 * half, 1)), 4))
            continue
        hands, winner = played
        for seat in (0, 1):
            box = Box(round(x + 1, 1), round(y + seat * half, 1), round(step - 2, 1), round(half, 1))
            won = winner == seat
            pieces.append(rect("tile" if won else "plate", box, 3))
            kind = "bold ink" if won else "onfelt"
            if won:
                kind = "bold black"
            letter = LETTERS[hands[seat]]
            if rows <= 4:
                pieces.append(text(letter, round(box.x + box.width / 2, 1), round(box.y + half * 0.72, 1), round(size, 1), kind, anchor="middle"))
    return listed(pieces)


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
                f'<text class="mono ink" xml:space="preserve" x="{left + start * width:.1f}" '
                f'y="{top + (at + 0.8) * height:.1f}" font-size="{size:.1f}" '
                f'textLength="{len(kept) * width:.1f}" lengthAdjust="spacingAndGlyphs">{escape(kept)}</text>'
            )
    return pieces
