"""Draws highcard: the cards of the last round, and the hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from botequim import Box, Narrator, Part, Renderer, Scene, Shape
from botequim.render.svg import rect, text
from highcard.rules import ROUNDS, Show, View


class HighCardRenderer(Renderer):
    """Cards as plates with numbers."""

    hand_height = 60

    def facts(self, view: View) -> Mapping[str, Any]:
        players = len(view.wins)
        last = view.events[-players:] if len(view.events) > players else ()
        return {"shown": [str(one.move.card) if isinstance(one.move, Show) else "–" for one in last]}

    def open_facts(self, game: Any, state: Any, narrator: Narrator) -> Mapping[str, Any]:
        return {}

    def hand(self, view: View) -> Sequence[str]:
        return [str(card) for card in view.hand]

    def counts(self, view: View) -> Sequence[int]:
        shown = (len(view.events) - 1) // len(view.wins) if view.wins else 0
        return [ROUNDS - shown if view.wins else 0] * len(view.wins)

    def scores(self, view: View) -> Sequence[str]:
        return [str(won) for won in view.wins]

    def draw_table(self, scene: Scene, area: Box, shape: Shape) -> Part:
        return _cards(scene.facts["shown"], area, "onfelt")

    def draw_hand(self, hand: Sequence[str], area: Box) -> Part:
        return _cards(hand, area, "bold")

    def draw_backs(self, count: int, area: Box) -> Part:
        return _cards("?" * count, area, "bold")


def _cards(cards: Sequence[str], area: Box, kind: str) -> Part:
    width = area.width / max(len(cards), 1)
    parts: list[Part] = []
    for at, card in enumerate(cards):
        place = Box(area.x + at * width, area.y, width, area.height)
        size = min(place.height, place.width) / 2
        parts += [rect("plate", place.inset(3), 8), text(card, *place.centre, size, kind, anchor="middle")]
    return parts
