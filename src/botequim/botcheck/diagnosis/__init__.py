"""Finds the author's mistake behind a fault of a bot. All functions are pure functions of the evidence."""

from __future__ import annotations

from typing import Final

from botequim.botcheck.diagnosis import arena
from botequim.botcheck.diagnosis.case import Case
from botequim.botcheck.diagnosis.memory import diagnose_memory
from botequim.botcheck.diagnosis.modules import undefined_name
from botequim.botcheck.diagnosis.silence import diagnose_failed_start, diagnose_silence
from botequim.botcheck.game_checks import Diagnosis, checks_for_wire
from botequim.core.errors import FaultKind
from botequim.core.messages import msg, plain

_ARENA: Final = ("arena-http", "arena-lines", "arena-once")


def diagnose(case: Case) -> Diagnosis:
    """Return the mistake behind a fault; if none is recognised, a diagnosis that describes the fault."""
    if case.view is None:
        return diagnose_failed_start(case)
    checks = checks_for_wire(case.game, case.wire)
    return (
        _undefined_name(case)
        or diagnose_memory(case)
        or checks.diagnose_experiment(case)
        or diagnose_silence(case)
        or (arena.diagnose(case) if case.wire.name in _ARENA else checks.diagnose(case))
        or _fault_itself(case)
    )


def _undefined_name(case: Case) -> Diagnosis | None:
    """Return the diagnosis of a program that uses an undefined name, if that is its error."""
    status = case.fault.evidence.get("status")
    has_error = case.fault.kind is FaultKind.CRASH or (isinstance(status, int) and status >= 500)
    return undefined_name(case, str(case.fault.evidence.get("error", "")) or case.log) if has_error else None


def _fault_itself(case: Case) -> Diagnosis:
    fault = case.fault
    if fault.kind is FaultKind.ILLEGAL:
        legal = ", ".join(case.game.write(move) for move in case.view.legal[:20])
        return Diagnosis("illegal", fault.reason, msg("Legal here: {legal}.", legal=plain(legal)))
    remedy = msg("Compare the question and the answer below with the rules of the competition.")
    return Diagnosis(fault.kind.value, fault.reason, remedy)
