"""Plays a match: makes jobs of its deals, and adds up their results."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import islice
from pathlib import Path
from typing import Final, TypeAlias

from botequim.core.errors import BotequimError
from botequim.core.wire import Restart
from botequim.engine.executors import Executor, local_executor
from botequim.engine.job_loop import FinishedJob, run_jobs
from botequim.engine.jobs import GameSetup, JobResult, Keep, SeriesJob
from botequim.match.faults import GameFault, SilenceCheck, missing_evidence
from botequim.match.records import record_path, write_lines, write_record
from botequim.match.spec import Deal, MatchSpec
from botequim.match.standings import GameSummary, MatchStandings
from botequim.records.record import Record

JOB_SECONDS: Final = 0.5
MOST_DEALS: Final = 64
MOST_IN_A_ROW: Final = 1000
"""The most games in a series of one instance. No competition has longer series."""
DEALS_AHEAD: Final = 4

StopCondition: TypeAlias = Callable[[Sequence[GameSummary]], bool]
"""Called with the games of each deal, in the order of the deals; returns whether the match can end."""


def play_match(
    match: MatchSpec,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    stop: StopCondition | None = None,
    in_order: bool = False,
) -> Iterator[MatchStandings]:
    """Play a match. Yield the standings whenever some deals are finished.

    Games are played by `executor`, or by so many `workers` of this machine. With a `stop` condition, deals
    are counted in their order, up to the first after which the condition holds, so the result does not depend
    on the speed of workers. With `in_order` each deal is a job of its own, so that one process plays the
    games in order.
    """
    for (standings,) in play_tables(
        [match], workers=workers, executor=executor, stop=stop, in_order=in_order
    ):
        yield standings


def play_tables(
    matches: Sequence[MatchSpec],
    *,
    workers: int = 1,
    executor: Executor | None = None,
    stop: StopCondition | None = None,
    in_order: bool = False,
) -> Iterator[Sequence[MatchStandings]]:
    """Play several matches at the same time, as `play_match` plays one. Yield the standings of all."""
    try:
        if executor is not None:
            yield from _play(matches, executor, stop, in_order=in_order)
        else:
            with local_executor(workers) as local:
                yield from _play(matches, local, stop, in_order=in_order)
    finally:
        for folder in {match.records for match in matches if match.records is not None}:
            for partial in folder.glob("*.partial"):  # a worker may have been ended while it wrote
                partial.unlink(missing_ok=True)


def _play(
    matches: Sequence[MatchSpec], executor: Executor, stop: StopCondition | None, *, in_order: bool
) -> Iterator[Sequence[MatchStandings]]:
    tables = [
        _Deals(
            match, executor, str(at) if len(matches) > 1 else "", tested=stop is not None, in_order=in_order
        )
        for at, match in enumerate(matches)
    ]
    counters = [_Counter(match, stop) for match in matches]
    standings = [counter.standings for counter in counters]
    waiting = deque(tables)

    def next_job() -> SeriesJob[GameSummary] | None:
        """Return a job of each table in turn, so that all advance at the same pace."""
        while waiting:
            job = waiting[0].next_job()
            if job is not None:
                waiting.rotate(0 if in_order else -1)
                return job
            waiting.popleft()
        return None

    for event in run_jobs(executor, next_job):
        if isinstance(event, FinishedJob):
            at = int(event.job.stage or 0)
            counters[at].count(event.result, tables[at].of(event.job))
            tables[at].adapt(event.job, event.result.seconds)
            yield standings
            if counters[at].is_enough:
                return


class _Deals:
    """Makes jobs of the deals. Each takes about half a second: long enough to be worth sending, and soon
    counted.

    If instances live for a series, jobs are long, so that starting bots does not take most of the time. If
    they live for a game, a job has a few deals, so that the next instance can start while the last one plays.
    """

    def __init__(
        self, match: MatchSpec, executor: Executor, stage: str, *, tested: bool, in_order: bool
    ) -> None:
        """`stage` tells its jobs from those of other matches."""
        self._match: Final = match
        self._stage: Final = stage
        self._shares_files: Final = executor.shares_files
        slots = executor.slots
        self._deals: Final = match.deals()
        self._deals_by_job: Final[dict[str, list[Deal]]] = {}
        shortest = 1
        if match.lifetimes and not in_order:
            share = -(-match.games // (len(match.entrants) * slots))
            longest = MOST_DEALS if tested else MOST_IN_A_ROW
            shortest = min(share, longest if Restart.SERIES in match.lifetimes else DEALS_AHEAD)
        self._size = self._least = shortest
        self._most: Final = 1 if in_order else max(shortest, match.games // (8 * slots))

    def next_job(self) -> SeriesJob[GameSummary] | None:
        """Return a job with the next deals, or None if there are no more."""
        deals = list(islice(self._deals, self._size))
        if not deals:
            return None
        match = self._match
        key = str(deals[0].number)
        self._deals_by_job[key] = deals
        patience = match.patience if deals[0].number == 0 else None
        keep: Keep[GameSummary]
        if self._shares_files:
            keep = KeepSummaries(match, patience)
        else:
            keep = KeepRecords(patience, _record_scope(match))
        return SeriesJob(
            self._stage,
            key,
            match.game,
            match.options,
            match.entrants,
            match.labels,
            match.runs(deals),
            keep,
            match.sandbox,
            match.restart,
        )

    def of(self, job: SeriesJob[GameSummary]) -> list[Deal]:
        return self._deals_by_job[job.key]

    def adapt(self, job: SeriesJob[GameSummary], seconds: float) -> None:
        """Adapt the size of the next jobs to the duration of a finished one."""
        deals = len(self._deals_by_job.pop(job.key))
        size = int(deals * JOB_SECONDS / max(seconds, 1e-6))
        self._size = max(self._least, min(size, 2 * self._size, self._most, MOST_DEALS))


class _Counter:
    """Adds up the results of deals; with a stop condition, in the order of the deals."""

    def __init__(self, match: MatchSpec, stop: StopCondition | None) -> None:
        self.standings: Final = MatchStandings(match)
        self.is_enough = False
        self._stop: Final = stop
        self._silence: Final = SilenceCheck(match.game, match.entrants, match.labels, match.patience)
        self._early: Final[dict[int, list[GameSummary]]] = {}
        """The finished deals that wait for an earlier one."""
        self._next = 0

    def count(self, result: JobResult[GameSummary], deals: Sequence[Deal]) -> None:
        self.standings.in_a_row = max(self.standings.in_a_row, len(deals))
        games = iter(result.games)
        for deal in deals:
            games_of_deal = list(islice(games, deal.games))
            for number, game in enumerate(games_of_deal, start=deal.first):
                self._write_record(game, number)
            if self._stop is None:
                self._add(games_of_deal)
            else:
                self._early[deal.number] = games_of_deal
        while self._stop is not None and self._next in self._early and not self.is_enough:
            games_of_deal = self._early.pop(self._next)
            self._next += 1
            self._add(games_of_deal)
            self.is_enough = self._stop(games_of_deal)

    def _write_record(self, game: GameSummary, number: int) -> None:
        """Write the record of a game, if the process that played it has not done so."""
        match = self.standings.match
        if game.lines and match.records is not None:
            write_lines(game.lines, record_path(match, number))
        elif game.lines and match.evidence is not None:
            _keep_evidence(match.evidence, game.lines, game.kinds)

    def _add(self, games: Sequence[GameSummary]) -> None:
        self.standings.add_deal(games)
        for game in games:
            self._silence.add(game.silent, game.kinds)


# --- in the process that plays ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class KeepSummaries:
    """Keeps a summary of each game, and writes its record if the match has a folder for records.

    It raises NoAnswer if an entrant never answers in the first games.
    """

    match: MatchSpec
    patience: int | None

    def __call__(self, job: SeriesJob[GameSummary]) -> Callable[[GameSetup, Record], GameSummary]:
        silence = SilenceCheck(job.game, job.entrants, job.labels, self.patience)

        def keep(setup: GameSetup, record: Record) -> GameSummary:
            if self.match.records is not None:
                write_record(record, record_path(self.match, setup.number))
            game = GameSummary.of(setup, record)
            if self.match.evidence is not None and game.kinds:
                _keep_evidence(self.match.evidence, tuple(record.lines()), game.kinds)
            silence.add(game.silent, game.kinds)
            return game

        return keep


class RecordScope(Enum):
    """The games whose records travel to the coordinator."""

    ALL = auto()
    FAULTS = auto()
    """Those with a fault."""
    NONE = auto()


@dataclass(frozen=True, slots=True)
class KeepRecords:
    """Keeps a summary of each game, with the lines of its record, for a coordinator on another machine.

    It raises NoAnswer if an entrant never answers in the first games.
    """

    patience: int | None
    scope: RecordScope

    def __call__(self, job: SeriesJob[GameSummary]) -> Callable[[GameSetup, Record], GameSummary]:
        silence = SilenceCheck(job.game, job.entrants, job.labels, self.patience)

        def keep(setup: GameSetup, record: Record) -> GameSummary:
            game = GameSummary.of(setup, record)
            if self.scope is RecordScope.ALL or (self.scope is RecordScope.FAULTS and game.kinds):
                game = replace(game, lines=tuple(record.lines()))
            silence.add(game.silent, game.kinds)
            return game

        return keep


def _record_scope(match: MatchSpec) -> RecordScope:
    if match.records is not None:
        return RecordScope.ALL
    return RecordScope.NONE if match.evidence is None else RecordScope.FAULTS


def _keep_evidence(folder: Path, lines: Sequence[str], faults: Sequence[GameFault]) -> None:
    """Write a record with the first fault of a kind. The match goes on if that fails."""
    with suppress(OSError, BotequimError):
        folder.mkdir(parents=True, exist_ok=True)
        for fault in missing_evidence(faults, folder):
            write_lines(lines, folder / fault.record_name)
