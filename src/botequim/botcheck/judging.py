"""Turns faults into problems. A new kind of fault leads to experiments and a diagnosis; others are
counted."""

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
    """Diagnoses faults, and remembers the mistakes that were found so far."""

    def __init__(self, bench: CheckBench, records: Path | None) -> None:
        self._bench = bench
        self._records = records
        self._problems: dict[tuple[object, ...], Problem] = {}
        self._record_count = 0
        self._experiment_count = 0

    async def start(self, failure: PlayerFault) -> Problem:
        """Return the problem of a bot that does not start."""
        bench = self._bench
        experiments = ExperimentResults()
        late = failure.fault.kind is FaultKind.TIMEOUT and not failure.fault.evidence.get("listening")
        if late and not bench.wire.hosted:  # a hosted file has no port, so it can only be slow
            experiments = await after_failed_start(bench)
        case = Case(
            bench.game,
            bench.wire,
            bench.limits,
            failure.fault,
            experiments=experiments,
            files=bench.files,
            environment=bench.environment,
            log_file=bench.entrant.log_file,
            in_image=bench.in_image,
        )
        return Problem(diagnose(case), failure.fault, answer=case.raw)

    async def judge(self, games: Sequence[TrialGame]) -> tuple[list[Problem], list[Problem]]:
        """Return the problems in some games: the new ones, and the known ones."""
        new: list[Problem] = []
        again: list[Problem] = []
        for game in games:
            for bot_turn in game.bot_turns:
                if not is_fault(bot_turn):
                    continue
                problem, first = await self._judge(bot_turn)
                if first:
                    self._keep(problem, game.record)
                    new.append(problem)
                elif problem not in new and problem not in again:
                    again.append(problem)
        return new, again

    async def _judge(self, bot_turn: BotTurn) -> tuple[Problem, bool]:
        fault = bot_turn.played_move.fault
        assert fault is not None
        plain = self._case(bot_turn, ExperimentResults())
        signature = (
            fault.kind,
            fault.reason.template,
            diagnose(plain).key,
            bot_turn.games_before > 0,
            checks_for_wire(self._bench.game, self._bench.wire).situation(bot_turn),
        )
        if signature in self._problems:
            return self._count(self._problems[signature], bot_turn), False
        case = plain
        if self._experiment_count < MOST_EXPERIMENTS:
            self._experiment_count += 1
            case = self._case(bot_turn, await after_fault(self._bench, bot_turn))
        diagnosis = diagnose(case)
        for problem in self._problems.values():
            if problem.diagnosis.key == diagnosis.key or _same_error(problem.fault, fault):
                problem.diagnosis = _merge(problem.diagnosis, diagnosis)
                self._problems[signature] = problem
                return self._count(problem, bot_turn), False
        problem = Problem(
            diagnosis,
            fault,
            question=bot_turn.question.text() if bot_turn.question is not None else "",
            answer=case.raw,
            forgiven=bot_turn.trial.forgiven,
            turn=bot_turn.turn,
            seat=bot_turn.played_move.by,
            note=_note(case, bot_turn),
        )
        self._problems[signature] = problem
        return problem, True

    @staticmethod
    def _count(problem: Problem, bot_turn: BotTurn) -> Problem:
        problem.count += 1
        if bot_turn.trial.forgiven is None:
            problem.forgiven = None
        return problem

    def _case(self, bot_turn: BotTurn, experiments: ExperimentResults) -> Case:
        bench, fault = self._bench, bot_turn.played_move.fault
        assert fault is not None
        return Case(
            bench.game,
            bench.wire,
            bench.limits,
            fault,
            view=bot_turn.view if bot_turn.question is not None else None,
            codec_input=bot_turn.codec_input,
            games_before=bot_turn.games_before,
            experiments=experiments,
            files=bench.files,
            environment=bench.environment,
            log_file=bench.entrant.log_file,
            in_image=bench.in_image,
        )

    def _keep(self, problem: Problem, record: Record | None) -> None:
        if self._records is None or record is None:
            return
        self._record_count += 1
        problem.record = (
            self._records / f"{record.game.name}-{self._record_count:03}-{problem.diagnosis.key}.jsonl"
        )
        write_record(record, problem.record)


def _same_error(one: Fault | None, other: Fault) -> bool:
    """Return whether both faults are the same error, raised at the same line of the program."""
    if one is None or not other.evidence.get("error") or not other.evidence.get("at"):
        return False
    return all(one.evidence.get(name) == other.evidence[name] for name in ("error", "at"))


def _merge(one: Diagnosis, other: Diagnosis) -> Diagnosis:
    """Return one diagnosis for two faults: the more general sentence with the more specific remedy."""
    if one.is_specific == other.is_specific:
        return one
    general, specific = (other, one) if one.is_specific else (one, other)
    return replace(general, remedy=specific.remedy, is_specific=True)


def _note(case: Case, bot_turn: BotTurn) -> Message | None:
    """Return a note if a fresh instance answers the question well, although the bot did not."""
    has_history = len(bot_turn.path) > 1 and case.wire.transport is not TransportKind.ONCE
    if (
        not has_history
        or case.games_before
        or not case.fresh_is_legal
        or case.fault.kind is not FaultKind.ILLEGAL
    ):
        return None
    return msg(
        "A new instance answers this question correctly. Does the bot remember something "
        "wrong, or play at random?"
    )


def is_fault(bot_turn: BotTurn) -> bool:
    """Return whether a turn is a fault of the bot. A turn in which it was not asked any more is not."""
    fault = bot_turn.played_move.fault
    return fault is not None and not (bot_turn.question is None and fault.kind is FaultKind.LIMIT)
