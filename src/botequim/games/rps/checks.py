"""The checks of rps: positions that a bot must have met, and its usual mistakes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from botequim.botcheck.diagnosis.answers import object_in
from botequim.botcheck.diagnosis.case import Case
from botequim.botcheck.diagnosis.modules import missing_module
from botequim.botcheck.diagnosis.silence import crash_error
from botequim.botcheck.diagnosis.surroundings import diagnose_refusal
from botequim.botcheck.experiments import ask_fresh
from botequim.botcheck.game_checks import Diagnosis, GameChecks, PositionKind, Trial, TrialPlan, built_in
from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.game import CHANCE, AnyGame
from botequim.core.messages import msg
from botequim.core.rng import Rng
from botequim.games.rps.diagnosis import diagnose
from botequim.games.rps.rules import HANDS, Hand, View

if TYPE_CHECKING:
    from botequim.botcheck.table import BotTurn, CheckBench

LONG_GAME: Final = 30
SOME_HISTORY: Final = "rp2;sp1;pp2"

# --- opponents ---------------------------------------------------------------------------------------


class Showing:
    """Always shows the same hand."""

    def __init__(self, hand: Hand, rng: Rng) -> None:
        self._hand = hand

    def choose(self, view: View) -> Hand:
        return self._hand


class Absent:
    """Shows no hand in every other round."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng

    def choose(self, view: View) -> Hand:
        if len(view.rounds) % 2 == 0:
            raise PlayerFault(FaultKind.MALFORMED)
        return self._rng.choice(HANDS)


# --- positions -----------------------------------------------------------------------------------------


def _history_length(view: View) -> int:
    return len(view.history.split(";")) if view.history else 0


def _coin(view: View) -> bool:
    return any(event.by == CHANCE for event in view.events)


_POSITIONS: Final = (
    PositionKind("empty", msg("an empty history"), lambda view: not view.history),
    PositionKind("first", msg("as player 1"), lambda view: view.seat == 0),
    PositionKind("second", msg("as player 2"), lambda view: view.seat == 1),
    PositionKind("last", msg("the last round"), lambda view: len(view.rounds) == view.length - 1),
    PositionKind("long", msg("a long history"), lambda view: _history_length(view) >= LONG_GAME),
    PositionKind(
        "left-out", msg("forfeited rounds left out"), lambda view: _history_length(view) < len(view.rounds)
    ),
    PositionKind("dash", msg("forfeited rounds as dashes"), lambda view: "-" in view.history),
    PositionKind("coin", msg("after a coin"), _coin),
)


# --- mistakes ------------------------------------------------------------------------------------------


class EmptyHistory:
    """Tests whether a bot that crashes with an empty history works with a longer one."""

    name = "empty-history"

    def applies(self, bot_turn: BotTurn, *, fresh_answers: bool) -> bool:
        fault = bot_turn.played_move.fault
        return fault is not None and fault.kind is FaultKind.CRASH and not bot_turn.view.history

    async def confirms(self, bench: CheckBench, bot_turn: BotTurn) -> bool:
        last = bot_turn.path[-1]
        view: Any = last.view
        moment = replace(last, view=replace(view, history=SOME_HISTORY))
        result = await ask_fresh(bench, bot_turn, (moment,), bench.wire.codec)
        if result is None:
            return False
        return result.fault is None or result.fault.kind not in (FaultKind.CRASH, FaultKind.LIMIT)


class RpsChecks(GameChecks):
    """The checks of rps."""

    positions = _POSITIONS
    experiments = (EmptyHistory(),)

    def plan(self, game: AnyGame) -> TrialPlan:
        easy = built_in("rps", "random")
        dashes: dict[str, object] = {"rounds": 5, "forfeit_history": "dash"}
        why = msg("only where a competition chooses forfeit_history=dash")
        awkward = [
            Trial((0,), (easy,), {"rounds": 50}),
            *(Trial((1,), (partial(Showing, hand),), {"rounds": 2}) for hand in HANDS),
            Trial((1,), (Absent,), {"rounds": 5}),
            Trial((0,), (Absent,), dashes, forgiven=why),
            Trial((1,), (easy,), {"rounds": 32}),
        ]
        return TrialPlan(Trial((0,), (easy,), {"rounds": 3}), Trial((0, 1), (), {"rounds": 3}), awkward)

    def situation(self, bot_turn: BotTurn) -> object:
        return not bot_turn.view.history

    def diagnose_experiment(self, case: Case) -> Diagnosis | None:
        other = (
            object_in(case.raw) is not None
            or missing_module(case, case.log)
            or diagnose_refusal(case, case.log)
        )
        if other or EmptyHistory.name not in case.experiments.confirmed:
            return None
        return Diagnosis(
            "empty-history",
            msg("It crashes on an empty history, in the first round: {error}", error=crash_error(case)),
            msg('Its only argument is then "", which contains nothing to read.'),
        )

    def diagnose(self, case: Case) -> Diagnosis | None:
        return diagnose(case)


CHECKS: Final = RpsChecks()
