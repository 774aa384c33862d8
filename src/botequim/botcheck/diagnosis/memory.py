"""Mistakes that depend on earlier games or questions."""

from __future__ import annotations

from botequim.botcheck.diagnosis.case import Case
from botequim.botcheck.game_checks import Diagnosis
from botequim.core.errors import FaultKind
from botequim.core.messages import msg


def diagnose_memory(case: Case) -> Diagnosis | None:
    """Return the diagnosis if a fresh instance answers well, so that data from earlier is the cause."""
    if case.games_before == 0 or not case.fresh_is_legal or case.experiments.one_per_connection:
        return None
    again = msg(
        "Reset all variables when a new game begins. A new instance answers the same question correctly."
    )
    if case.fault.kind is FaultKind.CRASH:
        return Diagnosis(
            "second-game-crash",
            msg("It crashes in its second game, because it still keeps something from the first."),
            again,
        )
    return Diagnosis(
        "state-between-games",
        msg(
            "It keeps state between games: in its second game it answers with what it remembers "
            "from the first."
        ),
        again,
    )
