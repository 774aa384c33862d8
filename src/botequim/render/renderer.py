"""How a game is drawn.

A game brings a `Painter` of its own through the entry point group `botequim.pictures`; without one it gets
this plain picture: who sits there, who is to move, and the last moves as they are written.

A painter does two things, which may happen in two places: it takes from views what is to be drawn (`facts`,
plain values), and it draws that. It is given views, never states, so it cannot draw what is not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from botequim import registry
from botequim.core.game import CHANCE, AnyGame
from botequim.core.messages import Message
from botequim.picture.layout import Shape
from botequim.picture.svg import Box, Part, rect, text

if TYPE_CHECKING:
    from botequim.picture.scene import Scene
    from botequim.show.telling import Teller


class Painter:
    """Draws any game, plainly. A game's own says more."""

    hand_height: float = 0
    """What a hand wants of a seat's room; 0: there are no hands."""
    facing = False
    """Whether two players stand side by side rather than on two sides of a table."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game

    # --- from views to plain values

    def facts(self, view: Any) -> Mapping[str, Any]:
        """What lies on the table, as values that JSON can hold.

        `acted`, if there: the seat that waits for chance, or has just been given something by it.
        """
        return {"moves": [_written(self.game, event) for event in view.events[-12:]]}

    def open_facts(self, game: AnyGame, state: Any, teller: Teller) -> Mapping[str, Any]:
        """More of it, where everything may be seen."""
        return {"board": list(teller.board(state))}

    def hand(self, view: Any) -> Sequence[str] | None:
        """The pieces of the seat whose view it is; None: this game has no hands."""
        return None

    def counts(self, view: Any) -> Sequence[int]:
        """How many pieces each seat holds; empty where there are none."""
        return ()

    def scores(self, view: Any) -> Sequence[str]:
        """What each seat has won so far; empty where nothing is counted."""
        return ()

    def note(self, view: Any, seat: int) -> Message | None:
        """What a seat did last, if the table does not show it."""
        return None

    # --- from plain values to a drawing

    def table(self, scene: Scene, area: Box, shape: Shape) -> Part:
        """What lies on the table, within the area."""
        lines = scene.facts.get("board") or scene.facts["moves"]
        size = min(26, area.height / (len(lines) + 1) / 1.3, area.width / 30)
        return [
            rect("plate", area.inset(4), 14),
            *(
                text(
                    line,
                    area.x + 24,
                    area.y + 20 + (at + 1) * size * 1.3,
                    size,
                    "mono onfelt",
                    width=area.width - 48,
                )
                for at, line in enumerate(lines)
            ),
        ]

    def hand_drawn(self, hand: Sequence[str], area: Box) -> Part:
        """A hand that is seen."""
        return text(" ".join(hand), area.x, area.y + area.height / 2, 20, width=area.width)

    def backs_drawn(self, count: int, area: Box) -> Part:
        """A hand that is not."""
        return ()


def painter_of(game: AnyGame) -> Painter:
    """The painter registered for a game, or the plain one."""
    made: Callable[[AnyGame], Painter] = registry.picture(game.name) or Painter
    return made(game)


def _written(game: AnyGame, event: Any) -> str:
    who = "" if event.by == CHANCE else f"{event.by + 1}: "
    return who + game.write(event.move)
