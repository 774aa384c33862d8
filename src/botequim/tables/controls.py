"""What a person can do at the table of a game in the browser: the hand, the choices, and why a piece must
wait.

A game may have `TableControls` of its own (`GamePlugin.controls`); this one works for any game: it has a
button for each legal move. Everything is made of the view of one seat, so it cannot reveal hidden things.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from botequim import registry
from botequim.core.game import AnyGame
from botequim.core.messages import Message, msg
from botequim.core.options import Value
from botequim.render.layout import Shape
from botequim.render.scene import Scene
from botequim.render.svg import Box
from botequim.terminal.ui import ui_for


@dataclass(frozen=True, slots=True)
class HandPiece:
    """One piece of a hand: a tile, a card."""

    name: str
    """As the game writes it: `3-6`, `A♥`, `rock`. Equal cards have equal names."""
    drawing: str
    """SVG that may use the symbols of the game, such as `<use href="#v36"/>`."""
    width: float
    """The viewBox of the drawing is `0 0 width height`."""
    height: float
    label: Message
    """The name for a screen reader."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One move that is possible now."""

    move: str
    """The move as the game writes it."""
    label: Message
    """What the move does, as an infinitive without "to": `lay 3-6 on the left`."""
    piece: str = ""
    """The name of the piece of the hand that is played; "" for a move that has a button of its own."""
    target: str = ""
    """Where the piece goes, if there may be several places: `left`, `♥`."""
    target_label: Message | None = None
    """The place in words: `left end`, `hearts`."""
    rare: bool = False
    """Whether the move is offered only on request, because hardly anybody wants it."""


class TableControls:
    """One game in the browser, played from one seat."""

    options_for_bots: ClassVar[Collection[str]] = ()
    """The options that make no difference to people; the form of a new table leaves them out."""

    def __init__(self, game: AnyGame, seats: Sequence[Mapping[str, Any]], seat: int) -> None:
        self.game = game
        self.seat = seat
        self.ui = ui_for(game, seats, seat)
        """The same game at the terminal, which has words for moves and positions."""
        self.ui.names = self.ui.plain_names  # names at a table differ, so they need no number

    @staticmethod
    def usual_options(seats: int) -> Mapping[str, Value]:
        """Return the options that suit a table with this number of seats, where the defaults do not."""
        return {}

    def hand(self, view: Any) -> Sequence[HandPiece]:
        """Return the pieces of the hand in the order of display; () if the game has none."""
        return ()

    def choices(self, view: Any) -> Sequence[Choice]:
        """Return the moves that are possible now; () if the seat is not to move."""
        return [Choice(self.game.write(move), self.ui.action(move, view)) for move in view.legal]

    def situation(self, view: Any) -> Sequence[Message]:
        """Return sentences about what can be played now, and why; () if the seat is not to move."""
        return self.ui.situation(view) if view.legal else ()

    def refusal(self, piece: str, view: Any) -> Message | None:
        """Return why a piece of the hand cannot be played now, or None if it can."""
        if not view.legal:
            return msg("It is not your turn.")
        if any(choice.piece == piece for choice in self.choices(view)):
            return None
        return self.misfit(piece, view)

    def misfit(self, piece: str, view: Any) -> Message:
        """Return the rule by which a piece cannot be played, although the seat is to move."""
        return msg("{piece} cannot be played now.", piece=piece)

    def question(self, piece: HandPiece) -> Message:
        """Return what a person is asked who wants to play a piece that can be played in several ways."""
        return msg("Where does {piece} go?", piece=piece.label)

    def target_boxes(self, view: Any, scene: Scene, shape: Shape) -> Mapping[str, Box]:
        """Return where the piece of a choice would lie, by `Choice.move`, in units of the picture.

        `scene` is the position of the view. A choice without a place on the table has no box.
        """
        return {}

    def goal(self) -> Message:
        """Return the aim of the game in one sentence."""
        return msg("The rules say how the game is won.")


def controls_for(game: AnyGame, seats: Sequence[Mapping[str, Any]], seat: int) -> TableControls:
    """Return the controls of a game, or the default ones."""
    make_controls: Callable[..., TableControls] = registry.controls(game.name) or TableControls
    return make_controls(game, seats, seat)
