"""The interface by which a game adds to the check of a bot.

`GamePlugin.diagnosis` names a `GameChecks`. Every part has a default that works for any game, so a game
overrides only what it knows better::

    class HighcardChecks(GameChecks):
        positions = (PositionKind("last", msg("the last card"), lambda view: len(view.hand) == 1),)

    CHECKS = HighcardChecks()

Positions, the plan and habits are used for every wire. Experiments and the methods `diagnose...` and
`warnings` read questions and answers, so they are used only for bots with a wire of the game's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from botequim import registry
from botequim.botcheck.positions import ANY_GAME, PositionKind
from botequim.botcheck.trials import Trial, TrialPlan, built_in, default_plan
from botequim.core.game import AnyGame
from botequim.core.messages import Message

if TYPE_CHECKING:
    from botequim.botcheck.diagnosis.case import Case
    from botequim.botcheck.table import BotTurn, CheckBench
    from botequim.core.wire import Wire


__all__ = [
    "Diagnosis",
    "Experiment",
    "GameChecks",
    "Habit",
    "PositionKind",
    "Trial",
    "TrialPlan",
    "built_in",
    "checks_for",
    "checks_for_wire",
]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The mistake of the author, and what to do about it."""

    key: str
    """The name of the mistake in JSON. The same mistake always has the same key."""
    mistake: Message
    remedy: Message
    is_specific: bool = True
    """Whether the texts are about one position; otherwise they only name the error and where to look."""


@dataclass(frozen=True, slots=True)
class Habit:
    """Behaviour that no rule forbids, but with which a bot cannot win if it always shows it."""

    message: Message
    least: int
    """The number of occasions needed to call it a habit."""
    follows: Callable[[Any, Any], bool | None]
    """Called with a view and the move. Returns whether the move follows the habit; None without occasion."""
    diagnosis: Callable[[Any, int], Diagnosis]
    """Called with the view of the first occasion, and the number of occasions."""


class Experiment(Protocol):
    """Another way to ask a question after a fault, to find its cause."""

    @property
    def name(self) -> str:
        """The name that `ExperimentResults.confirmed` contains if the experiment finds the cause."""

    def applies(self, bot_turn: BotTurn, *, fresh_answers: bool) -> bool:
        """Return whether this can be the cause. `fresh_answers` says whether a fresh instance answers the
        question well."""

    async def confirms(self, bench: CheckBench, bot_turn: BotTurn) -> bool:
        """Ask the bot, and return whether this is the cause."""


class GameChecks:
    """The checks of any game. A game overrides what it knows better."""

    positions: Sequence[PositionKind] = ANY_GAME
    """The kinds of positions that a bot must have met before it can be called ready."""
    habits: Sequence[Habit] = ()
    """The habits, the worst first."""
    experiments: Sequence[Experiment] = ()

    def plan(self, game: AnyGame) -> TrialPlan:
        """Return the trials of a bot."""
        return default_plan(game)

    def situation(self, bot_turn: BotTurn) -> object:
        """Return a value that is equal for two faults of one kind if they can be the same mistake."""
        return None

    def diagnose_start(self, case: Case) -> Diagnosis | None:
        """Return the mistake of a bot that did not start, if this game recognises it."""
        return None

    def diagnose_experiment(self, case: Case) -> Diagnosis | None:
        """Return the mistake that an experiment has confirmed."""
        return None

    def diagnose(self, case: Case) -> Diagnosis | None:
        """Return the mistake behind a fault, if this game recognises it."""
        return None

    def diagnose_warning(self, warning: Message, bot_turn: BotTurn) -> Diagnosis | None:
        """Return the mistake behind a warning of the wire or of the rules, if this game recognises it."""
        return None

    def warnings(self, bot_turn: BotTurn) -> Iterable[tuple[Diagnosis, Message]]:
        """Return further warnings about an answer that is not a fault."""
        return ()


_DEFAULT: Final = GameChecks()


def checks_for(game: AnyGame) -> GameChecks:
    """Return the checks of a game, or the default ones."""
    checks: GameChecks = registry.diagnosis(game.name) or _DEFAULT
    return checks


def checks_for_wire(game: AnyGame, wire: Wire) -> GameChecks:
    """Return the checks of a game if the wire is its own, else the default ones."""
    return checks_for(game) if wire.game is not None else _DEFAULT
