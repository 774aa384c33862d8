"""Turns faults into problems: experiments if something is new, then a diagnosis, each mistake once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from botequim.botcheck.diagnosis import diagnose
from botequim.botcheck.diagnosis.case import Case
from botequim.botcheck.experiments import ExperimentResults, after_failed_start, after_fault
from botequim.botcheck.findings import Problem
from botequim.botcheck.game_checks import Diagnosis, checks_for_wire
from botequim.botcheck.table import BotTurn, CheckBench, TrialGame
from botequim.core.errors import Fault, FaultKind, PlayerFault
from botequim.core.messages import Message, msg
from botequim.core.wire import TransportKind
from botequim.match.records import write_record
from botequim.records.record import Record

MOST_EXPERIMENTS: Final = 6


class Judge:
    """Knows the mistakes that were found so far."""

    def __init__(self, bench: CheckBench, records: Path | None) -> None:
        self._bench = bench
        self._records = records
        self._known: dict[tuple[object, ...], Problem] = {}
        self._written = 0
        self._tried = 0

    async def start(self, failure: PlayerFault) -> Problem:
        """Return why the bot cannot be started."""
        bench = self._bench
        found = ExperimentResults()
        late = failure.fault.kind is FaultKind.TIMEOUT and not failure.fault.evidence.get("listening")
        if late and not bench.wire.hosted:  # a student's file can only be slow, a server also deaf
            found = await after_failed_start(bench)
        case = Case(
            bench.game,
            bench.wire,
            bench.limits,
            failure.fault,
            found=found,
            files=bench.files,
            environment=bench.environment,
            log_file=bench.entrant.log_file,
            in_image=bench.in_image,
        )
        return Problem(diagnose(case), failure.fault, answer=case.raw)

    async def judge(self, games: Sequence[TrialGame]) -> tuple[list[Problem], list[Problem]]:
        """Return the problems in some games: those that are new, and the others."""
        new: list[Problem] = []
        again: list[Problem] = []
        for game in games:
            for answered in game.answered:
                if not is_fault(answered):
                    continue
                problem, first = await self._judge(answered)
                if first:
                    self._keep(problem, game.record)
                    new.append(problem)
                elif problem not in new and problem not in again:
                    again.append(problem)
        return new, again

    async def _judge(self, answered: BotTurn) -> tuple[Problem, bool]:
        fault = answered.made.fault
        assert fault is not None
        plain = self._case(answered, ExperimentResults())
        signature = (
            fault.kind,
            fault.reason.template,
            diagnose(plain).key,
            answered.games_before > 0,
            checks_for_wire(self._bench.game, self._bench.wire).situation(answered),
        )
        if signature in self._known:
            return self._count(self._known[signature], answered), False
        case = plain
        if self._tried < MOST_EXPERIMENTS:
            self._tried += 1
            case = self._case(answered, await after_fault(self._bench, answered))
        diagnosis = diagnose(case)
        for problem in self._known.values():
            if problem.diagnosis.key == diagnosis.key or _same_error(problem.fault, fault):
                problem.diagnosis = _merge(problem.diagnosis, diagnosis)
                self._known[signature] = problem
                return self._count(problem, answered), False
        problem = Problem(
            diagnosis,
            fault,
            question=answered.question.text() if answered.question is not None else "",
            answer=case.raw,
            forgiven=answered.trial.forgiven,
            turn=answered.turn,
            seat=answered.made.by,
            note=_note(case, answered),
        )
        self._known[signature] = problem
        return problem, True

    @staticmethod
    def _count(problem: Problem, answered: BotTurn) -> Problem:
        problem.count += 1
        if answered.trial.forgiven is None:
            problem.forgiven = None
        return problem

    def _case(self, answered: BotTurn, found: ExperimentResults) -> Case:
        bench, fault = self._bench, answered.made.fault
        assert fault is not None
        return Case(
            bench.game,
            bench.wire,
            bench.limits,
            fault,
            view=answered.view if answered.question is not None else None,
            heard=answered.heard,
            games_before=answered.games_before,
            found=found,
            files=bench.files,
            environment=bench.environment,
            log_file=bench.entrant.log_file,
            in_image=bench.in_image,
        )

    def _keep(self, problem: Problem, record: Record | None) -> None:
        if self._records is None or record is None:
            return
        self._written += 1
        problem.record = (
            self._records / f"{record.game.name}-{self._written:03}-{problem.diagnosis.key}.jsonl"
        )
        write_record(record, problem.record)


def _same_error(one: Fault | None, other: Fault) -> bool:
    """Return whether both faults are the same error, raised at the same place of the program."""
    if one is None or not other.evidence.get("error") or not other.evidence.get("at"):
        return False
    return all(one.evidence.get(name) == other.evidence[name] for name in ("error", "at"))


def _merge(one: Diagnosis, other: Diagnosis) -> Diagnosis:
    """Return one diagnosis of a mistake: the sentence that is true everywhere, the more specific remedy."""
    if one.is_specific == other.is_specific:
        return one
    general, specific = (other, one) if one.is_specific else (one, other)
    return replace(general, remedy=specific.remedy, is_specific=True)


def _note(case: Case, answered: BotTurn) -> Message | None:
    """Return further information from a fresh instance, if there is any."""
    led = len(answered.path) > 1 and case.wire.transport is not TransportKind.ONCE
    if not led or case.games_before or not case.fresh_is_legal or case.fault.kind is not FaultKind.ILLEGAL:
        return None
    return msg(
        "A new instance answers this question correctly. Does the bot remember something "
        "wrong, or play at random?"
    )


def is_fault(answered: BotTurn) -> bool:
    """Return whether a turn is a fault of the bot, and not one in which it was no longer asked."""
    fault = answered.made.fault
    return fault is not None and not (answered.question is None and fault.kind is FaultKind.LIMIT)
