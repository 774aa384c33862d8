"""Describes a game of havana in words."""

from __future__ import annotations

from collections.abc import Sequence

from botequim.core.game import Outcome
from botequim.core.messages import Message, msg
from botequim.core.turn import PlayedMove
from botequim.engine.referee import Step
from botequim.games.dominoes.narration import hands_as_text, line_as_text
from botequim.games.dominoes.tiles import Deal
from botequim.games.havana.moves import First, Lay, LostTurn, Pass
from botequim.games.havana.rules import Ending
from botequim.games.havana.state import Play, State, goes_left
from botequim.narration.narrator import Narrator


class HavanaNarrator(Narrator):
    """Describes which tile was laid on which end, whether a pass was voluntary, and shows the line."""

    def move(self, step: Step, played_move: PlayedMove, who: str) -> Message | None:
        match played_move.move:
            case Lay():
                return _lay(step.before, played_move.move, who)
            case Pass():
                return _pass(step.before, played_move.by, who)
            case LostTurn():
                return msg("{who} loses the turn.", who=who)
            case Deal():
                return msg("The tiles are dealt; 15 stay unseen.")
        return None

    def hidden(self, step: Step, played_move: PlayedMove, who: str) -> Message | None:
        # the general sentence, because the other one reveals whether a tile of the hand fits
        return (
            msg("{who} passes.", who=who)
            if isinstance(played_move.move, Pass)
            else self.move(step, played_move, who)
        )

    def after(self, step: Step, names: Sequence[str]) -> Message | None:
        match step.turn[0].move:
            case First(seat):
                return msg("{who} starts.", who=names[seat])
        return None

    def board(self, state: State) -> Sequence[str]:
        return line_as_text(line_of(state.plays)) if state.ends else hands_as_text(state.hands)

    def ending(self, outcome: Outcome) -> Message:
        match Ending(outcome.how):
            case Ending.DOMINO:
                return msg("Domino! A hand is empty.")
            case Ending.CLOSED:
                return msg("Closed: four turns were lost in a row. The lowest hand counts.")

    def points(self, points: str) -> Message:
        return msg("Pips left: {points}", points=points)


def line_of(plays: Sequence[Play]) -> list[tuple[int, int]]:
    """Return the line of tiles from left to right, each tile as it lies."""
    line: list[tuple[int, int]] = []
    for _, ends, side, tile in plays:
        if tile is None:
            continue
        low, high = tile
        if not ends:
            line = [(high, low)]
        elif goes_left(ends, side, tile):
            line.insert(0, (low, high) if high == ends[0] else (high, low))
        else:
            line.append((low, high) if low == ends[1] else (high, low))
    return line


def _lay(before: State, move: Lay, who: str) -> Message:
    tile = str(move.tile)
    if not before.ends:
        return msg("{who} opens with {tile}.", who=who, tile=tile)
    if goes_left(before.ends, move.side, move.tile):
        if move.side == 0:
            return msg("{who} lays {tile} on the left.", who=who, tile=tile)
        return msg("{who} lays {tile} on the left: it does not fit the right.", who=who, tile=tile)
    if move.side != 0:
        return msg("{who} lays {tile} on the right.", who=who, tile=tile)
    return msg("{who} lays {tile} on the right: it does not fit the left.", who=who, tile=tile)


def _pass(before: State, seat: int, who: str) -> Message:
    for tile in before.hands[seat]:
        if not before.ends or before.ends[0] in tile or before.ends[1] in tile:
            return msg("{who} passes, although {tile} fits.", who=who, tile=str(tile))
    return msg("{who} passes.", who=who)
