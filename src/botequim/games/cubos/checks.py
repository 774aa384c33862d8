"""The checks of cubos: positions that a bot must have met, and its usual mistakes."""

from __future__ import annotations

from typing import Final

from botequim.botcheck.diagnosis.case import Case
from botequim.botcheck.game_checks import Diagnosis, GameChecks, PositionKind, Trial, TrialPlan, built_in
from botequim.core.game import AnyGame
from botequim.core.messages import msg
from botequim.games.cubos.diagnosis import diagnose
from botequim.games.cubos.rules import PASS, Lay, Side, View
from botequim.games.dominoes.checks import fits_both_ends, has_two_sided
from botequim.games.dominoes.tiles import Tile

LONG_LINE: Final = 15


def _sides(view: View) -> list[tuple[Tile, Side]]:
    return [(move.tile, move.side) for move in view.legal if isinstance(move, Lay)]


_POSITIONS: Final = (
    PositionKind("opening", msg("the first move after 6-6"), lambda view: len(view.line) == 1),
    PositionKind("pass", msg("a forced pass"), lambda view: view.legal == (PASS,)),
    PositionKind("both-ends", msg("tiles for both ends"), lambda view: fits_both_ends(_sides(view))),
    PositionKind("two-sided", msg("a tile that fits both ends"), lambda view: has_two_sided(_sides(view))),
    PositionKind("equal-ends", msg("equal ends"), lambda view: view.line[0][0] == view.line[-1][1]),
    PositionKind(
        "double", msg("a double fits"), lambda view: any(tile.low == tile.high for tile, _ in _sides(view))
    ),
    PositionKind("last", msg("the last tile"), lambda view: len(view.hand) == 1),
    PositionKind("long", msg("a long line"), lambda view: len(view.line) >= LONG_LINE),
)


class CubosChecks(GameChecks):
    """The checks of cubos."""

    positions = _POSITIONS

    def plan(self, game: AnyGame) -> TrialPlan:
        easy, greedy = built_in("cubos", "random"), built_in("cubos", "greedy")
        awkward = [
            Trial((0, 2), (easy,)),
            Trial((1, 3), (greedy,)),
            Trial((3,), (easy, greedy)),
            Trial((0, 1, 2, 3), ()),
            Trial((1,), (greedy,)),
        ]
        return TrialPlan(Trial((2,), (easy,)), Trial((0, 1, 2, 3), ()), awkward)

    def diagnose(self, case: Case) -> Diagnosis | None:
        return diagnose(case)


CHECKS: Final = CubosChecks()
