"""From what a bot did to what its author did: pure functions of the evidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from botequim.checking.mistakes import arena, cubos, havana, rps, uno
from botequim.checking.mistakes.case import Case, Diagnosis
from botequim.checking.mistakes.memory import remembered
from botequim.checking.mistakes.modules import undefined_name
from botequim.checking.mistakes.silence import silent, started
from botequim.core.errors import FaultKind
from botequim.core.messages import msg, plain

_BY_WIRE: Final[dict[str, Callable[[Case], Diagnosis | None]]] = {
    "cubos": cubos.diagnose,
    "havana": havana.diagnose,
    "rps": rps.diagnose,
    "uno": uno.diagnose,
    "arena-http": arena.diagnose,
    "arena-lines": arena.diagnose,
    "arena-once": arena.diagnose,
}


def diagnose(case: Case) -> Diagnosis:
    """The mistake behind a fault; where none is known, the fault in its own words."""
    if case.view is None:
        return started(case)
    own = _BY_WIRE.get(case.wire.name)
    return (
        _undefined(case)
        or remembered(case)
        or uno.third_word(case)
        or silent(case)
        or (own(case) if own is not None else None)
        or _as_it_is(case)
    )


def _undefined(case: Case) -> Diagnosis | None:
    """An error that a program made by itself, whatever it was asked."""
    status = case.fault.evidence.get("status")
    failed = case.fault.kind is FaultKind.CRASH or (isinstance(status, int) and status >= 500)
    return undefined_name(case, str(case.fault.evidence.get("error", "")) or case.log) if failed else None


def _as_it_is(case: Case) -> Diagnosis:
    fault = case.fault
    if fault.kind is FaultKind.ILLEGAL:
        legal = ", ".join(case.game.write(move) for move in case.view.legal[:20])
        return Diagnosis("illegal", fault.reason, msg("Legal here: {legal}.", legal=plain(legal)))
    remedy = msg(
        "Look at the question and the answer below, and at what the competition's rules say of them."
    )
    return Diagnosis(fault.kind.value, fault.reason, remedy)
