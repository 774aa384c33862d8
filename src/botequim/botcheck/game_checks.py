"""What a game adds to the check of a bot.

`GamePlugin.diagnosis` names a `GameChecks`. Every part has a default that works for any game, so a game
overrides only what it knows better::

    class HighcardChecks(GameChecks):
        positions = (PositionKind("last", msg("the last card"), lambda view: len(view.hand) == 1),)

    CHECKS = HighcardChecks()

Positions, the plan and habits hold for every wire. What reads questions and answers (experiments, the
methods `diagnose...` and `warnings`) is asked only for bots that use a wire of the game's own.
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
    """The name of the mistake for programs; the same mistake has the same key."""
    mistake: Message
    remedy: Message
    is_specific: bool = True
    """Whether the sentence and the remedy name a certain position, or only the error and where to look."""


@dataclass(frozen=True, slots=True)
class Habit:
    """Behaviour that no rule forbids, but with which a bot cannot win if it always behaves so."""

    told: Message
    least: int
    """The number of occasions before it is called a habit."""
    followed: Callable[[Any, Any], bool | None]
    """Returns whether a move, given the view, follows the habit; None if there was no occasion for it."""
    diagnosis: Callable[[Any, int], Diagnosis]
    """Called with the view of the first time, and the number of times."""


class Experiment(Protocol):
    """Another way to ask a question after a fault, to find its cause."""

    @property
    def name(self) -> str:
        """The name that `ExperimentResults.confirmed` contains if the experiment confirms the suspicion."""

    def applies(self, answered: BotTurn, *, fresh_answers: bool) -> bool:
        """Return whether this can be the cause. `fresh_answers`: a fresh instance answers the question
        well."""

    async def confirms(self, bench: CheckBench, answered: BotTurn) -> bool:
        """Ask the bot, and return whether this is the cause."""


class GameChecks:
    """The checks of any game. A game overrides what it knows better."""

    positions: Sequence[PositionKind] = ANY_GAME
    """The positions that a bot must have met before it can be called ready."""
    habits: Sequence[Habit] = ()
    """The habits, the worst first."""
    experiments: Sequence[Experiment] = ()

    def plan(self, game: AnyGame) -> TrialPlan:
        """Return the tables at which a bot is tried."""
        return default_plan(game)

    def situation(self, answered: BotTurn) -> object:
        """Return a value that two faults share if they can be the same mistake, beside their kind."""
        return None

    def diagnose_start(self, case: Case) -> Diagnosis | None:
        """Return the mistake of a bot that could not be started, if it is a known one of this game."""
        return None

    def diagnose_experiment(self, case: Case) -> Diagnosis | None:
        """Return the mistake that an experiment has confirmed."""
        return None

    def diagnose(self, case: Case) -> Diagnosis | None:
        """Return the mistake behind a fault, if it is a known one of this game."""
        return None

    def diagnose_warning(self, warning: Message, answered: BotTurn) -> Diagnosis | None:
        """Return the mistake behind a warning of the wire or of the rules, if it is a known one."""
        return None

    def warnings(self, answered: BotTurn) -> Iterable[tuple[Diagnosis, Message]]:
        """Return further warnings about an answer that is no fault."""
        return ()


_DEFAULT: Final = GameChecks()


def checks_for(game: AnyGame) -> GameChecks:
    """Return the checks of a game, or the default ones."""
    found: GameChecks = registry.diagnosis(game.name) or _DEFAULT
    return found


def checks_for_wire(game: AnyGame, wire: Wire) -> GameChecks:
    """Return the checks of a game if the wire is its own, else the default ones."""
    return checks_for(game) if wire.game is not None else _DEFAULT
