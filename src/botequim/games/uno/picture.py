"""Draws uno: the pile, the discards, the suit to follow, the direction and the debt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from botequim.core.game import AnyGame
from botequim.core.messages import Message, msg
from botequim.games.cards.picture import HEIGHT, card_backs, card_symbol, hand_of_cards
from botequim.games.cards.symbols import CARD_HEIGHT, CARD_WIDTH, CARDS, SUIT_LETTERS
from botequim.games.dominoes.layout import ring
from botequim.games.uno.moves import WILD, Buy, Deal, Discard, Draw, LostTurn, Out
from botequim.games.uno.state import View
from botequim.i18n import translate
from botequim.render.layout import Shape
from botequim.render.renderer import Renderer
from botequim.render.svg import Box, Part, circle, group_at, path, rect, text, use

if TYPE_CHECKING:
    from botequim.narration.narrator import Narrator
    from botequim.render.scene import Scene

MOST_DISCARDS = 5
"""The number of discards that are drawn."""
_TILTS = ((-16, -44, 8), (-9, -34, -6), (-11, -22, 6), (-5, -12, -4))
"""Rotation and offset of the cards under the top card."""

_PILE = -142
"""The left edge of the pile; the middle of the discards is at 0."""
_BESIDE, _BELOW = (84, 0), (-56, 104)
"""The position of the suit to follow: beside the piles, or below them if the table is tall."""


class UnoRenderer(Renderer):
    """Draws the pile and the discards in the middle, with everything that a player must know."""

    hand_height = HEIGHT
    symbols = CARDS

    def facts(self, view: View) -> Mapping[str, Any]:
        cards = [str(event.move.card) for event in view.events if isinstance(event.move, Discard)]
        first = [str(event.move.table) for event in view.events[:1] if isinstance(event.move, Deal)]
        last = view.events[-1].move if view.events else None
        return {
            "discards": (first + cards)[-MOST_DISCARDS:],
            "suit": view.suit.value if view.suit is not None else None,
            "asked": view.table is not None and view.table.rank in WILD,
            "pile": view.pile,
            "direction": view.direction,
            "debt": view.debt,
            "fresh": isinstance(last, Discard),
            "acted": _buyer(view),
        }

    def open_facts(self, game: AnyGame, state: Any, narrator: Narrator) -> Mapping[str, Any]:
        return {}

    def hand(self, view: View) -> Sequence[str]:
        return [str(card) for card in view.hand]

    def counts(self, view: View) -> Sequence[int]:
        return view.counts

    def note(self, view: View, seat: int) -> Message | None:
        if seat in view.out:
            return msg("out of the game")
        if view.turn == seat and view.debt:
            return msg("must buy {debt}", debt=view.debt)
        for event in reversed(view.events[-2 * len(view.counts) :]):
            if event.by != seat:
                continue
            match event.move:
                case Buy(count):
                    return msg("bought {count}", count=count)
                case LostTurn():
                    return msg("lost the turn")
                case Out():
                    return msg("out of the game")
            return None
        return None

    def draw_table(self, scene: Scene, area: Box, shape: Shape) -> Part:
        facts = scene.facts
        below = _is_below(area)
        pieces: list[Part] = [_pile(facts["pile"]), _discards(facts)]
        if facts["suit"] is not None:
            sign = _follow(facts["suit"], 46 if below else CARD_HEIGHT / 2 + 19, is_asked=facts["asked"])
            pieces.append(group_at(*(_BELOW if below else _BESIDE), sign))
        x, y, scale = _origin(area, shape)
        parts: list[Part] = [group_at(x, y, pieces, scale)]
        parts.append(_direction(facts["direction"], area))
        if facts["debt"]:
            parts.append(_debt(facts["debt"], area))
        return parts

    def draw_hand(self, hand: Sequence[str], area: Box) -> Part:
        return hand_of_cards(hand, area)

    def draw_backs(self, count: int, area: Box) -> Part:
        return card_backs(count, area)


def _buyer(view: View) -> int | None:
    """Return the seat that buys, if the last action was to buy."""
    for event in reversed(view.events[-2:]):
        if isinstance(event.move, Buy):
            return event.by
        if not isinstance(event.move, Draw):
            break
    return None


def card_boxes(area: Box, shape: Shape) -> tuple[Box, Box]:
    """Return where the top of the pile and the top discard lie; `area` is the table."""
    x, y, scale = _origin(area, shape)
    top, width, height = y - CARD_HEIGHT / 2 * scale, CARD_WIDTH * scale, CARD_HEIGHT * scale
    return Box(x + _PILE * scale, top, width, height), Box(x - width / 2, top, width, height)


def _is_below(area: Box) -> bool:
    """Return whether the suit to follow is below the piles."""
    return area.height > 0.8 * area.width


def _origin(area: Box, shape: Shape) -> tuple[float, float, float]:
    """Return the middle of the top discard, and the scale of the cards."""
    across, down, scale = (
        (-56, 54, min(area.width / 250, area.height / 230))
        if _is_below(area)
        else (-18, 0, min(3.4 if shape is Shape.HALL else 2.1, area.height / 150, area.width / 360))
    )
    x, y = area.centre
    return round(x - across * scale, 1), round(y - down * scale, 1), round(scale, 3)


def _pile(count: int) -> Part:
    heap = [use("cb", _PILE - at * 1.5, -CARD_HEIGHT / 2 - at * 2) for at in range(min(count, 4))]
    if not count:
        heap = [rect("plate", Box(_PILE, -CARD_HEIGHT / 2, CARD_WIDTH, CARD_HEIGHT), 6)]
    return [*heap, text(f"×{count}", -112, CARD_HEIGHT / 2 + 19, 16, "bold onfelt", anchor="middle")]


def _discards(facts: Mapping[str, Any]) -> Part:
    *under, top = facts["discards"] or [None]
    pieces: list[Part] = []
    for card, (turn, across, down) in zip(under, _TILTS[-len(under) :] if under else (), strict=True):
        where = f"translate({across} {down}) rotate({turn})"
        half = f"translate({-CARD_WIDTH / 2:g} {-CARD_HEIGHT / 2:g})"
        pieces.append((f'<g transform="{where} {half}">', use(card_symbol(card)), "</g>"))
    if top is not None:
        box = Box(-CARD_WIDTH / 2, -CARD_HEIGHT / 2, CARD_WIDTH, CARD_HEIGHT)
        pieces.append(use(card_symbol(top), box.x, box.y))
        if facts["fresh"]:
            # the flag is on the top edge, above the symbols of the card
            pieces += [ring(box, 5), path("flag", f"M-7 {box.y - 9:g}h14l-7 10z")]
    return pieces


def _follow(suit: str, words: float, *, is_asked: bool) -> Part:
    """Draw the suit to follow; a suit that was asked for has a card of its own."""
    word = translate(msg("asked for")) if is_asked else translate(msg("to follow"))
    return [
        circle("card", 0, 0, 24),
        group_at(-16, -16, use(f"s{SUIT_LETTERS[suit]}"), 1.6),
        text(word, 0, words, 16, "bold onfelt" if is_asked else "onfelt", anchor="middle"),
    ]


def _direction(direction: int, area: Box) -> Part:
    """Draw an arrow on each side of the table, for the direction of play."""
    x, y = area.centre
    reach, high = area.width / 2 - 34, min(area.height / 2 - 26, 110)
    heads = []
    lines = []
    for side in (-1, 1):
        # clockwise is up on the left and down on the right
        way = side * direction
        at, end = x + side * reach, y + way * high
        bend = at + side * 16
        lines.append(f"M{at:g} {y - way * high:g}Q{bend:g} {y:g} {at:g} {end:g}")
        heads.append(f"M{at - 13:g} {end - way * 3:g}h26l-13 {way * 20:g}z")
    return [path("arrow", "".join(lines)), path("arrowhead", "".join(heads))]


def _debt(debt: int, area: Box) -> Part:
    x, y = area.x + area.width - 130, area.y + 18
    return [
        rect("won", Box(x, y, 76, 46), 12),
        text(f"+{debt}", x + 38, y + 34, 30, "big onwon", anchor="middle"),
    ]
