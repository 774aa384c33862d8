"""Mistakes that a fresh instance does not make."""

from __future__ import annotations

from botequim.checking.mistakes.case import Case, Diagnosis
from botequim.core.errors import FaultKind
from botequim.core.messages import msg


def remembered(case: Case) -> Diagnosis | None:
    """Something kept from an earlier game: asked the same afresh, it answers well."""
    if case.games_before == 0 or not case.fresh_is_legal or case.found.one_per_connection:
        return None
    again = msg(
        "Begin every game with empty variables: forget the old game when a new one begins. A fresh instance "
        "answers the same question well."
    )
    if case.fault.kind is FaultKind.CRASH:
        return Diagnosis(
            "second-game-crash",
            msg("It crashes in its second game: something of the first is still there."),
            again,
        )
    return Diagnosis(
        "state-between-games",
        msg("It keeps state between games: in its second game it answers by what it remembers of the first."),
        again,
    )
