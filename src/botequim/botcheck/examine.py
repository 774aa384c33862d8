"""Runs all checks of a bot in order, and decides when enough was tried."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Final

from botequim.botcheck.diagnosis.silence import only_local
from botequim.botcheck.findings import Finding, Problem, State, Verdict
from botequim.botcheck.game_checks import checks_for
from botequim.botcheck.habits import Habits
from botequim.botcheck.judging import Judge, is_fault
from botequim.botcheck.output import OutputWarnings
from botequim.botcheck.patience import FEWEST, MOST_QUESTIONS, Patience
from botequim.botcheck.positions import PositionKind
from botequim.botcheck.resources import (
    duration_finding,
    ends_by_itself,
    environment_finding,
    links,
    time_finding,
    usage_finding,
)
from botequim.botcheck.speed import NO_TIME, Speed
from botequim.botcheck.table import BotTurn, CheckBench, Table, TrialGame
from botequim.botcheck.tally import Tally, positions, worst_state
from botequim.botcheck.trials import Trial
from botequim.bots.remote import MOST_FAILED_STARTS
from botequim.bots.seat import make_transport
from botequim.core import clock
from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.messages import Figure, Message, msg
from botequim.core.process import Process
from botequim.core.titles import clean_title
from botequim.core.wire import Restart, TransportKind

WANTED: Final = 100
QUICK: Final = FEWEST
"""The number of awkward positions that a bot must answer, in a full and in a quick check."""
ENOUGH: Final = 0.8
"""The share of these positions that a bot must have answered to be called ready."""
SECONDS: Final = 120.0
MOST_TIMEOUTS: Final = 3
MOST_FAULTS: Final = 6
"""The number of faults in one trial after which the bot is not asked any more in it."""
MOST_IDLE: Final = 3
"""The number of consecutive trials with only known mistakes and few good answers after which to stop."""
SOME: Final = 10
MOST_TRIALS: Final = 40
MOST_SEATS: Final = 10
REHEARSALS: Final = 20
"""The number of deals from which the most promising one is chosen."""

Report = Callable[[Finding], None]
ReportProgress = Callable[[int], None]


class Examination:
    """The check of one bot."""

    def __init__(
        self,
        bench: CheckBench,
        *,
        wanted: int = WANTED,
        usual_seconds: float = SECONDS,
        seconds: float | None = None,
        processors: int = 1,
        records: Path | None = None,
        report: Report = lambda finding: None,
        progress: ReportProgress = lambda questions: None,
    ) -> None:
        """A check takes at most `seconds`; by default `usual_seconds`, or longer if the bot is slow."""
        self._bench = bench
        self._patience = Patience(wanted, seconds or usual_seconds, strict=seconds is not None)
        self._processors = processors
        self._games: list[TrialGame] = []
        self._report = report
        self._progress = progress
        self._judge = Judge(bench, records)
        checks = checks_for(bench.game)
        self._plan = checks.plan(bench.game)
        self._kinds = checks.positions
        self._tally = Tally(self._kinds)
        self._output = OutputWarnings(bench)
        self._habits = Habits(checks.habits)
        self.verdict = Verdict()

    async def run(self) -> Verdict:
        """Run all checks, until nothing more can be learned."""
        self._add_finding(links(self._bench.entrant))
        self._add_finding(environment_finding(self._bench.environment))
        if await self._starts():
            for step in (self._first, self._new_instances, self._series, self._together, self._awkward):
                if not self._should_stop():
                    await step()
            self._add_finding(self._too_few())
            self._add_finding(self._habits.finding())
            self.verdict.speed = self._speed()
            if self._tally.times:
                self._add_finding(
                    await duration_finding(self._bench.game, self.verdict.speed, self._processors)
                )
            self._add_finding(time_finding(self._tally.times, self._bench.limits, late=self._tally.timeouts))
            self._add_finding(usage_finding(self._bench, self._tally.resident))
            self._add_finding(self._output.finding())
        return self.verdict

    def _add_finding(self, finding: Finding | None) -> None:
        if finding is not None:
            self.verdict.findings.append(finding)
            self._report(finding)

    # --- the checks ----------------------------------------------------------------------------------

    async def _starts(self) -> bool:
        """Start the bot once, and return whether that succeeded."""
        bench = self._bench
        bot = make_transport(bench.entrant, bench.sandbox)
        began = clock.now()
        problems: list[Problem] = []
        try:
            await bot.start()
            seconds = clock.now() - began
            self.verdict.pair = clean_title(bot.greeting.get("pair", ""))
            problems += await self._only_local()
        except PlayerFault as failure:
            self.verdict.speed = replace(NO_TIME, start=clock.now() - began, most_starts=MOST_FAILED_STARTS)
            problem = await self._judge.start(failure)
            self._add_finding(Finding("starts", State.FAILED, msg("it cannot be started"), new=[problem]))
            return False
        finally:
            await bot.close()
        limit = bench.limits.start
        message = msg(
            "starts: ready after {seconds} s (limit: {allowed} s)",
            seconds=Figure(f"{seconds:.2f}"),
            allowed=Figure(f"{limit:g}"),
        )
        if bench.wire.transport is TransportKind.ONCE:
            message = msg("is started for every question")
        elif bench.wire.transport is TransportKind.LINES and bench.wire.greeting is None:
            message = msg("starts: it does not say when it is ready, so it gets its first question at once")
        state = State.WARNING if problems or seconds > limit / 2 else State.OK
        self._add_finding(
            Finding("starts", state, message, new=problems, numbers={"seconds": round(seconds, 3)})
        )
        return True

    async def _only_local(self) -> list[Problem]:
        """Return the problem of a server that listens only on the loopback interface, if it does."""
        bench = self._bench
        if bench.wire.transport is not TransportKind.HTTP or bench.entrant.address:
            return []
        process = bench.sandbox.started[-1]
        ports = await process.loopback_ports()
        if not ports or set(await process.listening_ports()) - set(ports):
            return []
        return [Problem(only_local(ports), None, forgiven=msg("here it can be reached anyway"))]

    async def _first(self) -> None:
        bench = self._bench
        reads_lines = bench.wire.transport is TransportKind.LINES and not bench.wire.hosted
        trial = replace(self._plan.alone, restart=Restart.SERIES)
        ends: list[bool] = []

        async def leave() -> None:
            ends.append(await ends_by_itself(bench.sandbox.started[-1]))

        games = await self._play(trial, leaving=leave if reads_lines else None)
        await self._add_games_finding("first-game", msg("plays a game"), games)
        if ends and bench.sandbox.started[-1].status is not None:
            self._add_finding(_ending(ends[0]))

    async def _new_instances(self) -> None:
        if self._bench.entrant.address:
            return
        games = await self._play(self._plan.new_instances())
        await self._add_games_finding("second-instance", msg("plays a second game in a new instance"), games)

    async def _series(self) -> None:
        """Play a second game in the same instance, if the wire allows that."""
        bench = self._bench
        plays_on = bench.wire.restart is Restart.SERIES or bool(bench.entrant.address)
        if not plays_on and bench.wire.transport is not TransportKind.HTTP:
            return
        trial = self._plan.series()
        if not plays_on:
            why = msg("the competition starts a new instance for every game; --restart series does not")
            trial = replace(trial, forgiven=why)
        games = await self._play(trial)
        await self._add_games_finding("second-game", msg("plays a second game in the same instance"), games)

    async def _together(self) -> None:
        games = await self._play(self._plan.together)
        message = msg("plays with {count} instances at once", count=len(self._plan.together.bots))
        await self._add_games_finding("together", message, games)

    async def _awkward(self) -> None:
        self._tally.asked_before = self._tally.asked
        new: list[Problem] = []
        again: list[Problem] = []
        for trial in self._plan.endless():
            new_here, known_here = await self._judge_games(
                await self._play(trial, await self._promising(trial))
            )
            new += new_here
            again += [problem for problem in known_here if problem not in again and problem not in new]
            if self._has_enough() or self._should_stop():
                break
        self._add_finding(positions(self._tally, self._patience, new, again, self.verdict.problems))

    # --- one trial ---------------------------------------------------------------------------------

    async def _play(
        self,
        trial: Trial,
        deal: int = 0,
        leaving: Callable[[], Awaitable[None]] | None = None,
    ) -> list[TrialGame]:
        table = self._table(trial, deal)
        self._tally.trials += 1
        self._tally.faults = 0
        games = await table.play(self._count_turn, leaving=leaving)
        self._games += games
        return games

    def _table(self, trial: Trial, deal: int) -> Table:
        return Table(self._bench, trial, f"check/{self._tally.trials + 1}/{deal}", self._can_stop_asking)

    async def _promising(self, trial: Trial) -> int:
        """Return the deal in which a random player meets the most positions that are still needed."""
        missing = self._missing()
        best, most = 0, 0
        for deal in range(REHEARSALS if missing else 0):
            views = await self._table(trial, deal).rehearse()
            count_of_deal = sum(min(count, sum(map(kind.holds, views))) for kind, count in missing)
            if count_of_deal > most:
                best, most = deal, count_of_deal
        return best

    def _missing(self) -> list[tuple[PositionKind, int]]:
        """Return the kinds of positions that are still needed, and how many of each."""
        missing = [(kind, kind.least - self._tally.by_kind[kind.name].asked) for kind in self._kinds]
        return [(kind, count) for kind, count in missing if count > 0]

    def _can_stop_asking(self) -> bool:
        """Return whether the bot need not be asked any more in this trial."""
        tally = self._tally
        return tally.timeouts >= MOST_TIMEOUTS or tally.faults >= MOST_FAULTS or self._patience.is_over

    def _count_turn(self, game: TrialGame, bot_turn: BotTurn) -> None:
        tally, move = self._tally, bot_turn.played_move
        faulty = is_fault(bot_turn)
        tally.faults += faulty
        if move.fault is not None and move.fault.kind is FaultKind.TIMEOUT:
            tally.timeouts += 1
        if bot_turn.question is None:
            return
        tally.asked += 1
        self._patience.count()
        if move.micros is not None and not faulty:
            tally.times.append(move.micros)
        self._output.count_turn(bot_turn)
        self._habits.count_turn(bot_turn)
        tally.resident = max([tally.resident, *map(_resident, self._bench.sandbox.started[-MOST_SEATS:])])
        kinds = [kind for kind in self._kinds if kind.holds(bot_turn.view)]
        awkward = any(not kind.common for kind in kinds)
        tally.awkward += awkward
        tally.legal_awkward += awkward and not faulty
        for kind in kinds:
            tally.by_kind[kind.name].asked += 1
            tally.by_kind[kind.name].legal += not faulty
        self._progress(tally.asked)

    async def _judge_games(self, games: Sequence[TrialGame]) -> tuple[list[Problem], list[Problem]]:
        new, again = await self._judge.judge(games)
        good = sum(not is_fault(bot_turn) for game in games for bot_turn in game.bot_turns)
        hopeless = bool(again) and not new and good < SOME
        self._tally.idle = self._tally.idle + 1 if hopeless else 0
        return new, again

    async def _add_games_finding(self, name: str, message: Message, games: Sequence[TrialGame]) -> None:
        new, again = await self._judge_games(games)
        questions = sum(bot_turn.question is not None for game in games for bot_turn in game.bot_turns)
        numbers = {"games": len(games), "questions": questions}
        message = msg("{what} (questions: {count})", what=message, count=questions)
        self._add_finding(
            Finding(name, worst_state(new + again), message, new=new, again=again, numbers=numbers)
        )

    def _speed(self) -> Speed | None:
        """Return the speed of the bot; None if it was never asked."""
        starts = [game.first for game in self._games if game.first is not None]
        waits = [wait for game in self._games for wait in game.waits]
        speed = Speed.of(starts, [game.seconds for game in self._games])
        if not waits:
            return speed
        moves = [
            one.played_move for game in self._games for one in game.bot_turns if one.question is not None
        ]
        late = [move for move in moves if move.fault and move.fault.kind is FaultKind.TIMEOUT]
        return replace(
            speed or NO_TIME,
            late=len(late) / len(moves),
            wait=fmean(waits),
            most_late=self._bench.limits.timeouts,
        )

    # --- the end of the check ------------------------------------------------------------------------

    def _should_stop(self) -> bool:
        """Return whether to stop, because nothing more can be learned or the time is over."""
        tally = self._tally
        if tally.timeouts >= MOST_TIMEOUTS:
            why = msg("it was too slow {count} times", count=tally.timeouts)
        elif tally.idle >= MOST_IDLE:
            why = msg("the same error came again and again")
        elif self._patience.is_over:
            seconds = f"{self._patience.limit:.0f}"
            why = msg("the time for the check is over ({seconds} s)", seconds=seconds)
        else:
            return False
        self.verdict.stopped = why
        return True

    def _has_enough(self) -> bool:
        tally, wanted = self._tally, self._patience.wanted
        has_limit = (
            tally.trials >= MOST_TRIALS
            or tally.asked - tally.asked_before >= MOST_QUESTIONS * wanted
            or self._patience.usual_is_over
        )
        return tally.awkward >= wanted and (has_limit or not self._missing())

    def _too_few(self) -> Finding | None:
        """Return the finding that too few positions were tried to call the bot ready, or None."""
        count, why, wanted = self._tally.awkward, self.verdict.stopped, self._patience.wanted
        if why is None or count >= ENOUGH * wanted:
            return None
        message = msg(
            "only {played} of {wanted} difficult positions were tried: {why}",
            played=count,
            wanted=wanted,
            why=why,
        )
        details = []
        if self._patience.is_over:
            details.append(msg("Give it more time with --seconds N, or try fewer positions with --quick."))
        numbers = {"played": count, "wanted": wanted}
        return Finding("enough", State.FAILED, message, details, numbers=numbers)


def _resident(process: Process) -> int:
    """Return the resident memory of an instance in bytes; 0 if it has ended."""
    return process.resident_bytes() if process.status is None else 0


def _ending(ends: bool) -> Finding:
    if ends:
        return Finding("ends", State.OK, msg("ends when its input ends"))
    message = msg("keeps running when its input ends, and has to be killed")
    advice = msg(
        "Leave the loop when the input ends. A bot that keeps running does no harm here, but "
        "elsewhere it may."
    )
    return Finding("ends", State.WARNING, message, [advice])
