"""The interface by which a game is drawn.

`GamePlugin.picture` names the `Renderer` of a game. A game without one gets a plain picture: the players, who
is to move, and the last moves in the notation of the game.

A renderer works in two steps, which may happen in two processes: it extracts plain values (`facts`) from
views, and it draws them. It gets views, never states, so it cannot draw hidden things.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from botequim import registry
from botequim.core.game import CHANCE, AnyGame
from botequim.core.messages import Message
from botequim.render.layout import Shape
from botequim.render.svg import Box, Part, rect, text
from botequim.render.symbols import NO_SYMBOLS, SymbolSet

if TYPE_CHECKING:
    from botequim.narration.narrator import Narrator
    from botequim.render.scene import Scene


class Renderer:
    """Draws any game in a plain way. A game may have a subclass that draws more."""

    hand_height: float = 0
    """The height of a hand in a seat's area; 0 if the game has no hands."""
    facing = False
    """Whether players are drawn side by side, and not around a table."""

    symbols: SymbolSet = NO_SYMBOLS
    """The symbols that its drawings use."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game

    # --- from views to plain values

    def facts(self, view: Any) -> Mapping[str, Any]:
        """Return everything that is needed to draw the table, as JSON values.

        The key `acted`, if present, is the seat that waits for a move of chance or has just received one.
        """
        return {"moves": [_event_text(self.game, event) for event in view.events[-12:]]}

    def open_facts(self, game: AnyGame, state: Any, narrator: Narrator) -> Mapping[str, Any]:
        """Return further facts for the perspective that sees all hands."""
        return {"board": list(narrator.board(state))}

    def hand(self, view: Any) -> Sequence[str] | None:
        """Return the pieces of the seat of the view, or None if the game has no hands."""
        return None

    def counts(self, view: Any) -> Sequence[int]:
        """Return the number of pieces of each seat; empty if the game has none."""
        return ()

    def scores(self, view: Any) -> Sequence[str]:
        """Return the score of each seat; empty if nothing is counted."""
        return ()

    def note(self, view: Any, seat: int) -> Message | None:
        """Return a note about the last move of a seat, if the table does not show it."""
        return None

    # --- from plain values to a drawing

    def draw_table(self, scene: Scene, area: Box, shape: Shape) -> Part:
        """Return the drawing of the table, within the area."""
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

    def draw_hand(self, hand: Sequence[str], area: Box) -> Part:
        return text(" ".join(hand), area.x, area.y + area.height / 2, 20, width=area.width)

    def draw_backs(self, count: int, area: Box) -> Part:
        """Return the drawing of a hidden hand."""
        return ()


def renderer_for(game: AnyGame) -> Renderer:
    """Return the renderer of a game, or the default one."""
    make_renderer: Callable[[AnyGame], Renderer] = registry.picture(game.name) or Renderer
    return make_renderer(game)


def _event_text(game: AnyGame, event: Any) -> str:
    who = "" if event.by == CHANCE else f"{event.by + 1}: "
    return who + game.write(event.move)
