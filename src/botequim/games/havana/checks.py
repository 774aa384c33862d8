"""The checks of havana: positions that a bot must have met, and its usual mistakes."""

from __future__ import annotations

from typing import Final

from botequim.botcheck.diagnosis.case import Case
from botequim.botcheck.game_checks import (
    Diagnosis,
    GameChecks,
    Habit,
    PositionKind,
    Trial,
    TrialPlan,
    built_in,
)
from botequim.core.game import AnyGame
from botequim.core.messages import msg
from botequim.core.rng import Rng
from botequim.games.dominoes.checks import fits_both_ends, has_two_sided
from botequim.games.havana.diagnosis import diagnose, diagnose_start
from botequim.games.havana.moves import PASS, Lay, Move, Pass
from botequim.games.havana.state import SEATS, View

LONG_HISTORY: Final = 20
SOME: Final = 10
"""The number of turns with a legal tile after which a bot that always passes is reported."""

# --- opponents ---------------------------------------------------------------------------------------


class Passer:
    """Never lays a tile."""

    def __init__(self, rng: Rng) -> None:
        pass

    def choose(self, view: View) -> Move:
        return PASS


class Strange:
    """Answers with unusual values for the side, and sometimes passes although it could play."""

    SIDES: Final = (None, "left", -1, 7, 0, 1)

    def __init__(self, rng: Rng) -> None:
        self._rng = rng

    def choose(self, view: View) -> Move:
        move = self._rng.choice(view.legal)
        side = self._rng.choice(self.SIDES)
        return Lay(side, move.tile) if isinstance(move, Lay) else Pass(side)


# --- positions and habits ------------------------------------------------------------------------------


def _lays(view: View) -> list[tuple[object, object]]:
    return [(move.tile, move.side) for move in view.legal if isinstance(move, Lay)]


def _strange(view: View) -> bool:
    return any(type(play[2]) is not int or play[2] not in (0, 1) for play in view.plays)


_POSITIONS: Final = (
    PositionKind("first", msg("the very first move, without ends"), lambda view: not view.board_extremes),
    PositionKind(
        "all-passed",
        msg("an empty table after the others have passed"),
        lambda view: not view.board_extremes and len(view.plays) == SEATS - 1,
    ),
    PositionKind("pass", msg("a forced pass"), lambda view: view.legal == (PASS,)),
    PositionKind("both-ends", msg("tiles for both ends"), lambda view: fits_both_ends(_lays(view))),
    PositionKind("two-sided", msg("a tile that fits both ends"), lambda view: has_two_sided(_lays(view))),
    PositionKind(
        "lost", msg("after a lost turn"), lambda view: bool(view.plays) and view.plays[-1][3] is None
    ),
    PositionKind("strange", msg("strange sides in the history"), _strange),
    PositionKind("last", msg("the last tile"), lambda view: len(view.hand) == 1),
    PositionKind("long", msg("a long history"), lambda view: len(view.plays) >= LONG_HISTORY),
)


def _passes(view: View, move: object) -> bool | None:
    return isinstance(move, Pass) if _lays(view) else None


def _always_passes(view: View, times: int) -> Diagnosis:
    return Diagnosis(
        "always-passes",
        msg("It always passes: {count} times it had a tile that fits, and it never laid one.", count=times),
        msg("Does it compare self.tiles with board_extremes? Its play() always returns None as the tile."),
    )


class HavanaChecks(GameChecks):
    """The checks of havana."""

    positions = _POSITIONS
    habits = (Habit(msg("it never plays a tile, although it could"), SOME, _passes, _always_passes),)

    def plan(self, game: AnyGame) -> TrialPlan:
        easy, greedy = built_in("havana", "dummy"), built_in("havana", "greedy")
        starts = [{"first": str(seat)} for seat in range(4)]
        awkward = [
            Trial((0, 2), (Strange,), starts[0]),
            Trial((3,), (Passer,), starts[0]),
            Trial((1, 3), (greedy,), starts[1]),
            Trial((0, 1, 2, 3), (), starts[2]),
            Trial((3,), (Strange, easy, greedy), starts[3]),
        ]
        return TrialPlan(Trial((2,), (easy,), starts[2]), Trial((0, 1, 2, 3), (), starts[3]), awkward)

    def diagnose_start(self, case: Case) -> Diagnosis | None:
        return diagnose_start(case)

    def diagnose(self, case: Case) -> Diagnosis | None:
        return diagnose(case)


CHECKS: Final = HavanaChecks()
