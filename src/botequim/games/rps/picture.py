"""Draws rps: both hands, how often each hand was shown, every round so far, and the art."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from botequim.core.game import AnyGame
from botequim.core.messages import msg
from botequim.games.rps.rules import HANDS, Hand, View
from botequim.games.rps.symbols import HAND_SYMBOLS
from botequim.i18n import translate
from botequim.render.art_sheet import draw_art
from botequim.render.layout import Shape
from botequim.render.renderer import Renderer
from botequim.render.svg import Box, Part, circle, css, group_at, path, rect, text, use

if TYPE_CHECKING:
    from botequim.narration.narrator import Narrator
    from botequim.render.scene import Scene


class _Tally(NamedTuple):
    """The sizes of the counts of hands."""

    height: float
    step: float
    """From one hand to the next."""
    scale: float
    size: float
    """The size of a number."""
    middle: float
    """From the bottom to the middle of the hands."""
    baseline: float
    """From the bottom to the baseline of the numbers."""


TALLIES = {
    Shape.WIDE: _Tally(50, 86, 0.36, 20, 22, 15),
    Shape.TALL: _Tally(50, 63, 0.28, 17, 22, 15),
    Shape.HALL: _Tally(56, 96, 0.38, 26, 28, 19),
    Shape.DESK: _Tally(50, 86, 0.36, 20, 22, 15),
    Shape.TABLE: _Tally(50, 63, 0.28, 17, 22, 15),
}
ON_PHONE = (Shape.TALL, Shape.TABLE)
SIGN = 16
"""The size of a small hand."""
SMALL = {"rock": "mr", "paper": "mp", "scissors": "ms", "missing": "mm"}


class RpsRenderer(Renderer):
    """Draws two hands facing each other."""

    symbols = HAND_SYMBOLS
    facing = True

    def facts(self, view: View) -> Mapping[str, Any]:
        rounds = [
            [[hand.value if hand is not None else "missing" for hand in one.hands], one.winner]
            for one in view.rounds
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

    def open_facts(self, game: AnyGame, state: Any, narrator: Narrator) -> Mapping[str, Any]:
        return {}

    def scores(self, view: View) -> Sequence[str]:
        return [str(count) for count in view.wins]

    def draw_table(self, scene: Scene, area: Box, shape: Shape) -> Part:
        facts = scene.facts
        far = shape is Shape.HALL
        columns = 25 if shape in ON_PHONE else min(50, max(20, int(facts["length"]))) if far else 50
        rows = max(1, -(-int(facts["length"]) // columns))
        strip = min(rows * (84 if far else 58), 0.4 * area.height)
        size, foot = (34, 52) if far else (19, 34)
        above = Box(area.x, area.y, area.width, area.height - strip - foot)
        number, length = facts["number"], facts["length"]
        caption = msg("round {number} of {length}", number=number, length=length)
        if not number:
            caption = msg("rounds: {length}", length=length)
        return [
            *(_side(scene, seat, above, shape) for seat in (0, 1)),
            _between(facts, above, shape, has_art=any(place.art for place in scene.places)),
            text(
                translate(caption),
                area.centre[0],
                area.y + area.height - strip - 12,
                size,
                "onfelt",
                anchor="middle",
            ),
            _history(
                facts,
                Box(area.x, area.y + area.height - strip, area.width, strip),
                columns,
                36 if far else 20,
            ),
        ]


def _showing(view: View) -> list[str] | None:
    """Return the hands of a round that a coin toss has not decided yet, or None."""
    last = [event.move for event in view.events[-2:]]
    count = sum(1 for event in view.events if event.by != -1) // 2
    if len(last) == 2 and count > len(view.rounds):
        return [move.value if isinstance(move, Hand) else "missing" for move in last]
    return None


def _side(scene: Scene, seat: int, area: Box, shape: Shape) -> Part:
    """Draw one player's hand, its counts, and its art if there is any."""
    half, tally = area.width / 2, TALLIES[shape]
    side = Box(area.x + seat * half, area.y, half, area.height - tally.height)
    facts, art = scene.facts, scene.places[seat].art
    hand, sheet = _rooms(side, seat, shape, has_art=any(place.art for place in scene.places))
    pieces: list[Part] = [draw_art(art, sheet)] if art else []
    if facts["hands"] is not None:
        pieces.append(_hand(facts["hands"][seat], hand, is_winner=facts["winner"] == seat))
    start, bottom = hand.centre[0] - 1.5 * tally.step, area.y + area.height
    for at, (kind, count) in enumerate(zip(HANDS, facts["counts"][seat], strict=True)):
        x, y = start + at * tally.step, bottom - tally.middle - 50 * tally.scale
        pieces.append(group_at(round(x, 1), round(y, 1), use(kind.value), tally.scale))
        right = x + 100 * tally.scale + 3
        pieces.append(text(f"×{count}", right, bottom - tally.baseline, tally.size, "bold onfelt"))
    return pieces


def _rooms(side: Box, seat: int, shape: Shape, *, has_art: bool) -> tuple[Box, Box]:
    """Return the boxes of the hand and of the art, which is farther out or above. The two sides mirror each
    other."""
    if shape in ON_PHONE:
        high = 0.58 * side.height if has_art else 0
        sheet = side._replace(height=high)
        return Box(side.x, side.y + high, side.width, side.height - high).inset(14), sheet.inset(8)
    near = 0.5 * side.width
    hand = Box(side.x + (side.width - near if seat == 0 else 0), side.y, near, side.height)
    sheet = Box(side.x + (0 if seat == 0 else near), side.y, side.width - near, side.height)
    return hand.inset(10), sheet.inset(6)


def _hand(name: str, area: Box, *, is_winner: bool) -> Part:
    size = min(area.width, area.height, 290)
    x, y = area.centre
    pieces: list[Part] = []
    if is_winner:
        ring = [
            circle("halo", 0, 0, 40),
            circle("mark", 0, 0, 40),
            group_at(0, -42, path("won", _star(0, 0)), 0.42),
        ]
        pieces.append(group_at(round(x, 1), round(y, 1), ring, round(size / 90, 3)))
    scale = round(size * 0.66 / 100, 3)
    pieces.append(group_at(round(x - 50 * scale, 1), round(y - 50 * scale, 1), use(name), scale))
    return pieces


def _star(x: float, y: float) -> str:
    return f"M{x:.1f} {y - 15:.1f}l4.4 10 10.6 1-8 7.1 2.4 10.6-9.4-5.6-9.4 5.6 2.4-10.6-8-7.1 10.6-1z"


def _between(facts: Mapping[str, Any], area: Box, shape: Shape, *, has_art: bool) -> Part:
    """Draw a sign between the hands: which hand wins, or the coin."""
    if facts["hands"] is None:
        return ()
    half = area._replace(width=area.width / 2, height=area.height - TALLIES[shape].height)
    x, y = area.centre[0], _rooms(half, 0, shape, has_art=has_art)[0].centre[1]
    if facts["winner"] is None:
        sign = "=" if not facts["coin"] else "?"
        return text(sign, x, y + 14, 44, "big onfelt", anchor="middle")
    way = 1 if facts["winner"] == 0 else -1
    return path("arrowhead", f"M{x - way * 8:g} {y - 14:g}v28l{way * 18:g}-14z")


def _history(facts: Mapping[str, Any], area: Box, columns: int, most: float) -> Part:
    """Draw a column for each round: two small hands of the size `most` or less; the winner's has a light
    background."""
    length = int(facts["length"])
    rows = -(-length // columns)
    step, high = area.width / columns, area.height / rows
    half = (high - 8) / 2
    size = min(half - 4, step - 4, most) / SIGN
    rounds = facts["rounds"]
    pieces = [
        _round(
            *((tuple(rounds[at][0]), rounds[at][1]) if at < len(rounds) else ((), None)),
            Box(at % columns * step / size, at // columns * high / size, step / size, half / size),
        )
        for at in range(length)
    ]
    # in groups of ten, so that all groups but the last are equal in the next picture
    tens = [pieces[at : at + 10] for at in range(0, length, 10)]
    return group_at(round(area.x, 1), round(area.y, 1), tens, size)


@lru_cache(20_000)
def _round(hands: tuple[str, ...], winner: int | None, box: Box) -> str:
    """Draw one round, with the height of two boxes."""
    if not hands:
        return _cell("plate", box, 2 * box.height)
    pieces = ""
    for seat, hand in enumerate(hands):
        is_winner = winner == seat
        cell = Box(box.x, box.y + seat * box.height, box.width, box.height)
        x, y = cell.centre
        sign = use(SMALL[hand], round(x - SIGN / 2, 1), round(y - SIGN / 2, 1))
        pieces += _cell("tile" if is_winner else "plate", cell, cell.height)
        pieces += f'<g class="{css("black" if is_winner else "onfelt")}">{sign}</g>'
    return pieces


def _cell(kind: str, box: Box, height: float) -> str:
    return rect(kind, Box(round(box.x + 1, 1), round(box.y, 1), round(box.width - 2, 1), round(height, 1)), 2)
