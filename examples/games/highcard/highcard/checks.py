"""What `botequim check` looks for in a bot of highcard."""

from __future__ import annotations

from botequim import FaultKind, msg
from botequim.botcheck.diagnosis.case import Case
from botequim.botcheck.game_checks import Diagnosis, GameChecks, PositionKind
from highcard.rules import ROUNDS


class HighCardChecks(GameChecks):
    """Positions that a bot must have met, and a usual mistake."""

    positions = (
        PositionKind("first", msg("the first card"), lambda view: len(view.hand) == ROUNDS),
        PositionKind("last", msg("the last card"), lambda view: len(view.hand) == 1),
    )

    def diagnose(self, case: Case) -> Diagnosis | None:
        if case.fault.kind is not FaultKind.ILLEGAL:
            return None
        return Diagnosis(
            "card-not-held",
            msg("It shows a card that it does not hold."),
            msg("Answer with one of the numbers between HAND and WINS."),
        )


CHECKS = HighCardChecks()
