"""The champion's view of each decision of a person in a finished game, computed one after another."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from botequim import i18n
from botequim.core import clock
from botequim.core.errors import BotequimError, PlayerFault
from botequim.core.game import AnyGame, View
from botequim.core.rng import private
from botequim.engine.thinking_pool import Urgency
from botequim.i18n import _, percent, translate
from botequim.records.reader import parse
from botequim.records.replay import Replay
from botequim.tables.controls import controls_for
from botequim.tables.table import Table
from botequim.tables.thinking import ThinkingBusy
from botequim.terminal.advice import SURE, advice_lines, has_reasons, strongest

LEAST_DIFFERENCE: Final = 0.0005
"""A smaller difference between two chances is not shown."""
BUSY_SECONDS: Final = 5.0
"""The time after which a review that had to wait for the processors continues."""


@dataclass(frozen=True, slots=True)
class ReviewedMove:
    """One decision, and what the champion thinks of it."""

    turn: int
    move: Any
    advice: Any


class Review:
    """The review of one game for one seat."""

    def __init__(self, table: Table, seat: int, lines: Sequence[str]) -> None:
        (raw,) = parse([line.encode("utf-8", "surrogatepass") for line in lines], "record")
        self._table: Final = table
        self._seat: Final = seat
        self._replay: Final = Replay.load(raw)
        self._decisions: Final = _decisions(self._replay, seat)
        self.rows: Final[list[ReviewedMove]] = []
        self.task: Final = asyncio.create_task(self._think())

    @property
    def moves(self) -> int:
        """The number of decisions."""
        return len(self._decisions)

    async def _think(self) -> None:
        spec = self._table.spec
        seed = private(spec.seed, "review", self._seat)
        for number in tuple(self._decisions):
            step = self._replay.step(number)
            view = self._replay.game.view(step.before, self._seat)
            move = next(played.move for played in step.turn if played.by == self._seat)
            while True:
                try:
                    advice = await self._table.thinking.advise(
                        spec.game, strongest(spec.game), seed, view, spec.address, Urgency.LATER
                    )
                    break
                except ThinkingBusy:
                    await clock.sleep(BUSY_SECONDS)
                except (BotequimError, PlayerFault):
                    del self._decisions[len(self.rows) :]  # the review ends here
                    return
            self.rows.append(ReviewedMove(number, move, advice))

    def to_json(self, language: str) -> dict[str, Any]:
        """Return the rows that are ready, in a language."""
        with i18n.use_language(language):
            rows = [self._row_json(row) for row in self.rows]
        return {"ready": len(rows), "moves": self.moves, "rows": rows}

    def _row_json(self, row: ReviewedMove) -> dict[str, Any]:
        game, number = self._replay.game, row.turn - 1
        before = self._replay.state(number)
        view, to_move = game.view(before, self._seat), game.to_move(before)
        explained = explain_advice(row.advice, game, self._replay.seats, self._seat, view, to_move)
        return {
            "turn": row.turn,
            "move": explained.text(row.move),
            "best": explained.text(explained.move),
            "chances": _chances(row.advice, explained.move, row.move),
            "lines": list(explained.lines),
            "verdict": compare_with_best(row.advice, explained.move, row.move),
        }


@dataclass(frozen=True, slots=True)
class ExplainedAdvice:
    """Advice in words, in the language of the context."""

    move: Any
    lines: Sequence[str]
    text: Callable[[Any], str]
    """Returns a move in a few words: `0-1 (left end)`."""


def explain_advice(
    advice: Any,
    game: AnyGame,
    seats: Sequence[Mapping[str, Any]],
    seat: int,
    view: View,
    to_move: tuple[int, ...],
) -> ExplainedAdvice:
    """Return what the strongest player would do in the position of a view, and its reasons, in words."""
    controls = controls_for(game, seats, seat)
    controls.ui.to_move = to_move
    places = {choice.move: choice for choice in controls.choices(view)}

    def text(move: Any) -> str:
        choice = places.get(game.write(move))
        if choice is None or choice.target_label is None:
            return controls.ui.move_text(move)
        return f"{choice.piece} ({translate(choice.target_label)})"

    move = advice.move if has_reasons(advice) else advice
    if controls.ui.is_forced(view):
        lines = [_("{move} is forced: no other move is possible.", move=text(view.legal[0]))]
    else:
        lines = advice_lines(strongest(game.name), advice, controls.ui, text)
    return ExplainedAdvice(move, lines, text)


def compare_with_best(advice: Any, best: Any, move: Any) -> str:
    """Return how a move compares with the best one: `same`, `equal` if its chance is as good as far as the
    champion can say, or `other`."""
    if move == best:
        return "same"
    chances = advice.chances if has_reasons(advice) else {}
    if move not in chances or best not in chances:
        return "other"
    margin = SURE * math.hypot(*(advice.spread.get(one, 0.0) for one in (move, best)))
    return "equal" if chances[best] - chances[move] <= max(margin, LEAST_DIFFERENCE) else "other"


def _chances(advice: Any, best: Any, move: Any) -> list[str]:
    """Return the chances of the best move and of the one that was made, if they are known."""
    chances = advice.chances if has_reasons(advice) else {}
    return [percent(chances[one]) for one in (best, move)] if {best, move} <= chances.keys() else []


def _decisions(replay: Replay, seat: int) -> list[int]:
    """Return the turns in which the seat had a choice."""
    return [
        step.number
        for step in replay.steps()
        if any(played.by == seat and played.fault is None for played in step.turn)
        and len(replay.game.legal(step.before, seat)) > 1
    ]
