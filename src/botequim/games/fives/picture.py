"""Draws fives: the spinner with its arms, the sum of the open ends, the boneyard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from botequim.core.game import AnyGame
from botequim.core.messages import Message, msg
from botequim.games.dominoes.layout import (
    NEXT_TILES,
    TALL_LONG,
    PlacedTile,
    Room,
    box_in_area,
    draw_table,
    line,
    spinner,
)
from botequim.games.dominoes.picture import (
    HEIGHT,
    draw_foot,
    foot_height,
    hand_of_tiles,
    room_of,
    stock,
    tile_backs,
)
from botequim.games.dominoes.symbols import TILES
from botequim.games.dominoes.tiles import Deal, Tile
from botequim.games.fives.boneyard import Draw, DrawnTile
from botequim.games.fives.rules import Forfeit, Open, Pass, View
from botequim.games.fives.spinner import DIRECTIONS, Board, Direction, Lay
from botequim.i18n import translate
from botequim.render.layout import Shape
from botequim.render.renderer import Renderer
from botequim.render.svg import Box, Part, rect, text

if TYPE_CHECKING:
    from botequim.narration.narrator import Narrator
    from botequim.render.scene import Scene

ARMS = ("middle", "left", "right", "up", "down")


class FivesRenderer(Renderer):
    """Draws a line until the first double, then four arms around it."""

    hand_height = HEIGHT
    symbols = TILES

    def facts(self, view: View) -> Mapping[str, Any]:
        lays = _lays(view)
        return {
            **_tiles_facts(view.board, lays),
            "last": _last(view, lays),
            "acted": _drawer(view),
            "sum": view.board_score,
            "boneyard": view.boneyard,
            "round": view.round,
            "target": view.target,
        }

    def open_facts(self, game: AnyGame, state: Any, narrator: Narrator) -> Mapping[str, Any]:
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

    def draw_table(self, scene: Scene, area: Box, shape: Shape) -> Part:
        facts = scene.facts
        room = room_of(shape, TALL_LONG)
        arms, last_tile = _place_tiles(facts, room)
        tiles = _tiles_area(area, shape)

        def foot(box: Box) -> Part:
            return _foot(facts, box, has_tiles=any(arms), caption=area.y + 12 if tiles.y > area.y else None)

        return [
            draw_table(arms, last_tile, tiles, room, _next_tiles(facts, room)),
            draw_foot(foot, area, shape),
        ]

    def draw_hand(self, hand: Sequence[str], area: Box) -> Part:
        return hand_of_tiles(hand, area)

    def draw_backs(self, count: int, area: Box) -> Part:
        return tile_backs(count, area)


def next_tile_box(view: View, lay: Lay, area: Box, shape: Shape) -> Box:
    """Return where a tile would lie; `area` is the table.

    In a shape for play, the box is that in the drawing of the table as it is. Otherwise it is that in the
    drawing after the tile was laid: the other tiles may move or become smaller with it, because a spinner
    that is laid far from the middle moves inwards.
    """
    room = room_of(shape, TALL_LONG)
    lays = _lays(view)
    facts = _tiles_facts(view.board, lays)
    if room.for_play and lays:
        next_tiles = _next_tiles(facts, room)
        arms, tile = _place_tiles(_with_tile(facts, lay.side, lay.tile), room)
        arms, _ = _place_tiles(facts, room)
    else:
        board, next_tiles = view.board.with_lay(lay), []
        after = _tiles_facts(board, [*lays, lay])
        arms, tile = _place_tiles({**after, "last": _last_arm(board, [*lays, lay])}, room)
    assert tile is not None
    return box_in_area(tile, arms, _tiles_area(area, shape), room, next_tiles)


def _tiles_facts(board: Board, lays: Sequence[Lay]) -> dict[str, Any]:
    """Return what the drawing needs to know of the tiles."""
    return {
        "spinner": None if board.spinner is None else board.spinner.low,
        "arms": [[list(tile) for tile in arm] for arm in board[1:]],
        "first": _first(board.spinner, lays),
        "last": None,
    }


def _with_tile(facts: Mapping[str, Any], side: Direction, tile: tuple[int, int]) -> dict[str, Any]:
    """Return the facts with one more tile on a side, while the others lie where they are."""
    arms = [*facts["arms"]]
    is_line = facts["spinner"] is None
    at = 0 if is_line else ARMS.index(side) - 1
    at_end = is_line and side is not Direction.LEFT
    arms[at] = [*arms[at], tile] if at_end else [tile, *arms[at]]
    first = facts["first"] + (is_line and not at_end)
    return {**facts, "arms": arms, "first": first, "last": side.value}


def _next_tiles(facts: Mapping[str, Any], room: Room) -> list[PlacedTile]:
    """Return the places of the next tile for which there is room in a shape for play."""
    if not room.for_play or not (facts["spinner"] is not None or facts["arms"][0]):
        return []
    left, right = map(bool, facts["arms"][:2])
    sides = [Direction.LEFT, Direction.RIGHT]
    if facts["spinner"] is not None:
        sides = list(DIRECTIONS[: 4 if right else 2 if left else 1])
    laid = [_place_tiles(_with_tile(facts, side, tile), room)[1] for side in sides for tile in NEXT_TILES]
    return [tile for tile in laid if tile is not None]


def _tiles_area(area: Box, shape: Shape) -> Box:
    """Return the part of the table on which tiles lie."""
    on_phone = shape in (Shape.TALL, Shape.TABLE)
    above = 22 if on_phone else 0  # on a phone, the number of the round has a row of its own
    return Box(area.x, area.y + above, area.width, area.height - above - foot_height(shape))


def _foot(facts: Mapping[str, Any], area: Box, *, has_tiles: bool, caption: float | None) -> Part:
    """Draw the boneyard, the number of the round and the sum of the open ends at the bottom of the area.

    `caption` is the y coordinate of the number of the round, if it is not at the bottom.
    """
    bottom = area.y + area.height
    pieces: list[Part] = [stock(facts["boneyard"], translate(msg("boneyard")), area.x + 4, bottom)]
    if facts["round"]:
        words = translate(msg("round {number}, to {target}", number=facts["round"], target=facts["target"]))
        y = bottom - 11 if caption is None else caption
        pieces.append(text(words, area.centre[0], y, 18, "onfelt", anchor="middle"))
    if has_tiles:
        pieces.append(_sum(facts["sum"], area.x + area.width, bottom))
    return pieces


def _drawer(view: View) -> int | None:
    """Return the seat that draws, if the last action was a draw."""
    for event in reversed(view.events[-2:]):
        if isinstance(event.move, Draw):
            return event.by
        if not isinstance(event.move, DrawnTile):
            break
    return None


def _lays(view: View) -> list[Lay]:
    """Return the tiles laid in this round, in order."""
    lays: list[Lay] = []
    for event in view.events:
        if isinstance(event.move, Deal):
            lays = []
        elif isinstance(event.move, Lay):
            lays.append(event.move)
        elif isinstance(event.move, Open):
            lays.append(Lay(event.move.tile, Direction.LEFT))
    return lays


def _first(spinner: Tile | None, lays: Sequence[Lay]) -> int:
    """Return the number of tiles to the left of the first one; with a spinner, from the first tile to it."""
    if spinner is not None:
        at = next(number for number, lay in enumerate(lays) if lay.tile == spinner)
        if at == 0:
            return 0
        side = lays[at].side
        count = sum(lay.side is side for lay in lays[1 : at + 1])
        return count if side is Direction.RIGHT else -count
    return sum(lay.side is Direction.LEFT for lay in lays[1:])


def _last(view: View, lays: Sequence[Lay]) -> str | None:
    """Return the arm that the last tile was laid on; None if the last action laid none."""
    board = view.board
    if not lays or not board.tiles() or not isinstance(view.events[-1].move, Lay | Open):
        return None
    return _last_arm(board, lays)


def _last_arm(board: Board, lays: Sequence[Lay]) -> str:
    """Return the arm that the last tile was laid on."""
    if lays[-1].tile == board.spinner:
        return "middle"
    return "left" if board.spinner is not None and not board.right else lays[-1].side.value


def _place_tiles(facts: Mapping[str, Any], room: Room) -> tuple[list[list[PlacedTile]], PlacedTile | None]:
    """Return the positions of the tiles, by arm from the inside out, and the tile that was laid last."""
    arms, last = facts["arms"], facts["last"]
    if facts["spinner"] is None:
        first = min(facts["first"], max(len(arms[0]) - 1, 0))
        tiles = line(arms[0], first, room)
        last_tile = None if last is None else tiles[0 if last == "left" else -1]
        return [tiles[first:], tiles[:first][::-1]], last_tile
    # the facts have arms from the outside in, and tiles as (outer, inner)
    outwards = [[(inner, outer) for outer, inner in reversed(arm)] for arm in arms]
    all_arms = spinner(facts["spinner"], outwards, room, facts["first"])
    return all_arms, None if last is None else all_arms[ARMS.index(last)][-1]


def _sum(ends: int, right: float, bottom: float) -> Part:
    """Draw the sum of the open ends; a sum that scores has a light plate and a star."""
    scores = ends % 5 == 0 and ends > 0
    box = Box(right - 92, bottom - 40, 92, 40)
    return [
        rect("won" if scores else "plate", box, 10),
        text(
            f"{ends} ★" if scores else str(ends),
            box.centre[0],
            bottom - 10,
            28,
            "big onwon" if scores else "big onfelt",
            anchor="middle",
        ),
        text(translate(msg("open ends")), box.x - 10, bottom - 11, 18, "onfelt", anchor="end"),
    ]
