"""The checks of fives: positions that a bot must have met."""

from __future__ import annotations

from typing import Final

from botequim.botcheck.game_checks import GameChecks, PositionKind, Trial, TrialPlan, built_in
from botequim.core.game import AnyGame
from botequim.core.messages import msg
from botequim.games.dominoes.tiles import Deal
from botequim.games.fives.boneyard import DRAW
from botequim.games.fives.rules import PASS, Pass, View
from botequim.games.fives.spinner import Direction, Lay


def _up_or_down(view: View) -> bool:
    upright = (Direction.UP, Direction.DOWN)
    return any(isinstance(move, Lay) and move.side in upright for move in view.legal)


def _after_locked(view: View) -> bool:
    """Return whether two passes came before this round's deal."""
    last = max(at for at, event in enumerate(view.events) if isinstance(event.move, Deal))
    return last > 0 and isinstance(view.events[last - 1].move, Pass)


_POSITIONS: Final = (
    PositionKind("any", msg("opening with any tile"), lambda view: view.board.is_empty()),
    PositionKind("spinner", msg("a spinner without neighbours"), lambda view: view.board.is_lone_spinner()),
    PositionKind("up-down", msg("the end above or below the spinner is open"), _up_or_down),
    PositionKind("draw", msg("it must draw"), lambda view: view.legal == (DRAW,)),
    PositionKind("pass", msg("it must pass"), lambda view: view.legal == (PASS,)),
    PositionKind("last", msg("the last tile"), lambda view: len(view.hand) == 1),
    PositionKind("rounds", msg("a later round"), lambda view: view.round > 1, common=True),
    PositionKind("locked", msg("the round after a locked one"), _after_locked),
)


class FivesChecks(GameChecks):
    """The checks of fives."""

    positions = _POSITIONS

    def plan(self, game: AnyGame) -> TrialPlan:
        easy, greedy = built_in("fives", "random"), built_in("fives", "greedy")
        awkward = [
            Trial((0,), (easy,), {"target": 75}),
            Trial((1,), (greedy,), {"target": 75}),
        ]
        return TrialPlan(Trial((0,), (easy,), {"target": 50}), Trial((0, 1), (), {"target": 50}), awkward)


CHECKS: Final = FivesChecks()
