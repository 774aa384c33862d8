"""`botequim ask` with a built-in player: its move in a recorded position, and its reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from botequim import interrupts
from botequim.core.sanitize import printable
from botequim.core.turn import PlayedMove
from botequim.i18n import _, translate
from botequim.records.replay import Replay
from botequim.records.requery import DecisionPoint, decision_points
from botequim.terminal.advice import Adviser, advice_lines, estimate_text, has_reasons
from botequim.terminal.ui import TerminalUI, ui_for


@dataclass(frozen=True, slots=True)
class PlayerAnswer:
    """The advice of a built-in player about a recorded position."""

    name: str
    point: DecisionPoint
    advice: Any
    """An `Advice`, or only a move."""
    ui: TerminalUI

    @property
    def move(self) -> Any:
        return self.advice.move if has_reasons(self.advice) else self.advice

    def move_text(self, move: Any) -> str:
        return printable(self.ui.game.write(move))

    @property
    def recorded(self) -> PlayedMove:
        return self.point.played_move


def ask_player(replay: Replay, turn: int, name: str, *, seat: int | None) -> PlayerAnswer:
    """Ask a built-in player what it would do in a turn of a recorded game."""
    points, seat = decision_points(replay, turn, seat)
    point = points[-1]
    ui = ui_for(replay.game, replay.seats, seat)
    ui.to_move = replay.game.to_move(point.before)
    return PlayerAnswer(name, point, interrupts.run(_advice(replay.game.name, name, point, ui)), ui)


async def _advice(game_name: str, name: str, point: DecisionPoint, ui: TerminalUI) -> Any:
    adviser = Adviser(game_name, name, "")
    try:
        return await adviser.advice(point.view, ui)
    finally:
        await adviser.close()


def print_answer(answer: PlayerAnswer) -> None:
    """Print the advice and the recorded move. Moves are written as in records, with the end of the line."""
    print(_("turn {turn}, seat {seat}", turn=answer.point.number, seat=answer.recorded.by))
    if answer.ui.is_forced(answer.point.view):
        text = answer.move_text(answer.move)
        print(_("{command} is forced: no other move is possible.", command=text))
    for line in advice_lines(answer.name, answer.advice, answer.ui, answer.move_text):
        print(line)
    print(_("in the game: {move}", move=_recorded_text(answer)))


def _recorded_text(answer: PlayerAnswer) -> str:
    """Return the recorded move, with the chance that the player gives it; after a fault, the reason."""
    recorded, advice = answer.recorded, answer.advice
    if recorded.fault is not None:
        return translate(recorded.fault.reason)
    text = answer.move_text(recorded.move)
    if recorded.move == answer.move or not has_reasons(advice) or recorded.move not in advice.chances:
        return text
    return _("{move}, {chance} to win", move=text, chance=estimate_text(advice, recorded.move))


def answer_as_json(replay: Replay, answer: PlayerAnswer) -> dict[str, Any]:
    """Return the answer as JSON; chances, errors and beliefs only of a player that estimates them."""
    write, recorded, advice = replay.game.write, answer.recorded, answer.advice
    result = {
        "turn": answer.point.number,
        "seat": recorded.by,
        "player": answer.name,
        "move": write(answer.move),
        "recorded": write(recorded.move) if recorded.fault is None else translate(recorded.fault.reason),
    }
    if not has_reasons(advice):
        return result
    chances = [
        {
            "move": write(move),
            "chance": round(chance, 6),
            "error": round(advice.spread[move], 6) if move in advice.spread else None,
        }
        for move, chance in sorted(advice.chances.items(), key=lambda one: -one[1])
    ]
    belief = {piece: [round(chance, 6) for chance in seats] for piece, seats in advice.belief.items()}
    return result | {"chances": chances, "belief": belief}
