"""Draws fives: the spinner with its arms, the sum of the open ends, the boneyard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from botequim.core.game import AnyGame
from botequim.core.messages import Message, msg
from botequim.games.boneyard import Draw
from botequim.games.fives import Forfeit, Open, Pass, View
from botequim.games.spinner import Direction, Lay
from botequim.games.tiles import Deal
from botequim.i18n import say
from botequim.picture.layout import Shape
from botequim.picture.line import TALL, WIDE, Laid, drawn, line, spinner
from botequim.picture.painter import Painter
from botequim.picture.svg import Box, Part, rect, text
from botequim.picture.tiles import HEIGHT, hand_of_tiles, stock, tile_backs

if TYPE_CHECKING:
    from botequim.picture.scene import Scene
    from botequim.show.telling import Teller

ARMS = ("left", "right", "up", "down")


class FivesPainter(Painter):
    """A line until the first double, then four arms around it."""

    hand_height = HEIGHT

    def facts(self, view: View) -> Mapping[str, Any]:
        board = view.board
        lays = _lays(view)
        marked = None
        if lays and lays[-1].tile != board.spinner:
            marked = "left" if board.spinner is not None and not board.right else lays[-1].side.value
        return {
            "spinner": None if board.spinner is None else board.spinner.low,
            "arms": [[list(tile) for tile in arm] for arm in board[1:]],
            "first": sum(lay.side is Direction.LEFT for lay in lays[1:]),
            "last": marked if board.tiles() else None,
            "sum": view.board_score,
            "boneyard": view.boneyard,
            "round": view.round,
            "target": view.target,
        }

    def open_facts(self, game: AnyGame, state: Any, teller: Teller) -> Mapping[str, Any]:
        return {}

    def hand(self, view: View) -> Sequence[str]:
        return [str(tile) for tile in view.hand]

    def counts(self, view: View) -> Sequence[int]:
        return view.counts

    def scores(self, view: View) -> Sequence[str]:
        return [str(score) for score in view.scores]

    def note(self, view: View, seat: int) -> Message | None:
        drawn_so_far = 0
        for event in reversed(view.events):
            move = event.move
            if isinstance(move, Deal | Open) or event.by == 1 - seat:
                break
            if isinstance(move, Pass):
                return msg("passed")
            if isinstance(move, Forfeit):
                return msg("forfeits")
            drawn_so_far += isinstance(move, Draw)
        return msg("drew {count}", count=drawn_so_far) if drawn_so_far else None

    def table(self, scene: Scene, area: Box, shape: Shape) -> Part:
        facts = scene.facts
        wide = shape is Shape.WIDE
        arms, marked = _laid(facts, wide=wide)
        beside, low = (130, 0) if wide else (0, 92)
        room = Box(area.x + beside, area.y + low / 2, area.width - 2 * beside, area.height - 1.5 * low)
        bottom = area.y + area.height
        pieces: list[Part] = [
            drawn(arms, marked, room),
            stock(facts["boneyard"], say(msg("boneyard")), area.x + 4, bottom - 92),
        ]
        if facts["round"]:
            told = say(msg("round {number}, to {target}", number=facts["round"], target=facts["target"]))
            pieces.append(text(told, area.x + 6, area.y + 24, 19, "onfelt"))
        if marked is not None:
            pieces.append(_sum(facts["sum"], area.x + area.width - 112, bottom - 92))
        return pieces

    def hand_drawn(self, hand: Sequence[str], area: Box) -> Part:
        return hand_of_tiles(hand, area)

    def backs_drawn(self, count: int, area: Box) -> Part:
        return tile_backs(count, area)


def _lays(view: View) -> list[Lay]:
    """What was laid in this round, in order."""
    lays: list[Lay] = []
    for event in view.events:
        if isinstance(event.move, Deal):
            lays = []
        elif isinstance(event.move, Lay):
            lays.append(event.move)
        elif isinstance(event.move, Open):
            lays.append(Lay(event.move.tile, Direction.LEFT))
    return lays


def _laid(facts: Mapping[str, Any], *, wide: bool) -> tuple[list[list[Laid]], Laid | None]:
    """Where the tiles are, by arm from the inside out, and which of them was laid last."""
    room = WIDE if wide else TALL
    arms = facts["arms"]
    if facts["spinner"] is None:
        first = min(facts["first"], max(len(arms[0]) - 1, 0))
        tiles = line(arms[0], first, room)
        marked = tiles[0 if facts["last"] == "left" else -1] if tiles else None
        return [tiles[first:], tiles[:first][::-1]], marked
    # arms are kept from the outside in, a tile as (outer, inner)
    outwards = [[(inner, outer) for outer, inner in reversed(arm)] for arm in arms]
    laid = spinner(facts["spinner"], outwards, room)
    at = ARMS.index(facts["last"]) + 1 if facts["last"] in ARMS else 0
    return laid, (laid[at] or laid[0])[-1]


def _sum(ends: int, x: float, y: float) -> Part:
    """The open ends added up; a sum that scores stands on a light plate, with a star."""
    scores = ends % 5 == 0 and ends > 0
    box = Box(x, y, 108, 58)
    return [
        rect("won" if scores else "plate", box, 12),
        text(
            f"{ends} ★" if scores else str(ends),
            x + 54,
            y + 40,
            32,
            "big onwon" if scores else "big onfelt",
            anchor="middle",
        ),
        text(say(msg("open ends")), x + 104, y + 80, 17, "onfelt", anchor="end"),
    ]
