"""What a bot does again and again that no rule forbids, and with which it cannot win."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from botequim.checking.findings import Finding, Problem, State
from botequim.checking.mistakes.case import Diagnosis
from botequim.checking.positions import SOME_PAID, paid_debt
from botequim.checking.table import Answered, Bench
from botequim.core.messages import Message, msg
from botequim.games import havana_moves
from botequim.games.uno_moves import Buy, Discard

SOME: Final = 10
"""Turns in which it could have played, before it is said that it never does."""


@dataclass(slots=True)
class Habit:
    """How often there was an occasion for it, how often it was followed, and the first time."""

    occasions: int = 0
    times: int = 0
    first: Answered | None = None

    def count(self, answered: Answered, *, followed: bool) -> None:
        self.occasions += 1
        self.times += followed
        if followed and self.first is None:
            self.first = answered

    def holds(self, least: int) -> bool:
        """Whether it was followed on every occasion, of which there were enough."""
        return self.occasions == self.times >= least


class Habits:
    """Looks at every answer that is no fault."""

    def __init__(self, bench: Bench) -> None:
        self._game: Final = bench.game.name
        self._passing = Habit()
        self._paying_again = Habit()

    def hear(self, answered: Answered) -> None:
        """Take note of one turn."""
        view, move = answered.view, answered.made.move
        if answered.made.fault is not None or answered.question is None:
            return
        if self._game == "uno" and (paid := paid_debt(view)):
            self._paying_again.count(answered, followed=move == Buy(paid))
        if _can_play(self._game, view):
            self._passing.count(answered, followed=isinstance(move, (havana_moves.Pass, Buy)))

    def finding(self) -> Finding | None:
        """Return the worst habit, if there is one."""
        if self._passing.holds(SOME):
            told = msg("it never plays, though it can")
            return _finding(told, _always_passes(self._game, self._passing.times), self._passing)
        if self._paying_again.holds(SOME_PAID):
            told = msg("pays debts that are already paid")
            return _finding(told, _pays_again(self._paying_again.first), self._paying_again)
        return None


def _can_play(game: str, view: Any) -> bool:
    """Whether the bot has a choice between playing and passing."""
    match game:
        case "havana":
            return any(isinstance(move, havana_moves.Lay) for move in view.legal)
        case "uno":
            return any(isinstance(move, Discard) for move in view.legal)
        case _:  # a bot that could play may not pass
            return False


def _finding(told: Message, diagnosis: Diagnosis, habit: Habit) -> Finding:
    first = habit.first
    assert first is not None
    assert first.question is not None
    problem = Problem(
        diagnosis,
        None,
        question=first.question.shown(),
        answer=b"\n".join(first.heard).decode("utf-8", "backslashreplace"),
        count=habit.times,
        turn=first.turn,
        seat=first.made.by,
    )
    return Finding("habits", State.FAILED, told, new=[problem], counted={"times": habit.times})


def _always_passes(game: str, times: int) -> Diagnosis:
    if game == "uno":
        return Diagnosis(
            "always-passes",
            msg(
                "It always buys: it had a card that fits {count} times, and never discarded one.", count=times
            ),
            msg("Does it compare its hand with the card on the table? A card fits by its value or suit."),
        )
    return Diagnosis(
        "always-passes",
        msg("It always passes: it had a tile that fits {count} times, and never laid one.", count=times),
        msg("Does it compare self.tiles with board_extremes? Its play() always returns None as the tile."),
    )


def _pays_again(first: Answered | None) -> Diagnosis:
    assert first is not None
    view = first.view
    return Diagnosis(
        "pays-twice",
        msg(
            "It buys {count} for a {top} whose debt another player has already paid.",
            count=paid_debt(view),
            top=str(view.table),
        ),
        msg("A V or C is owed once: forget the debt when somebody says BUY; the card only lies there."),
    )
