"""Plays a cup: asks the formats for pairings, gives jobs to workers, and stores the results.

Only the coordinator writes the store, in one transaction for each series, before it counts the series. After
an interrupt, a crash or a power failure, at most the series in progress are played again: the next run
continues where the store ends. Series that fail for a reason that is not a bot's are played again too; faults
of bots are results. Between two series the coordinator applies what organisers ask for; a series that the
change makes superfluous while it is played is not stored. If the database of the store goes away, the
coordinator waits for it; games in progress go on, and their results wait in memory.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from botequim.bots.entrant import Entrant
from botequim.bots.routing import sandbox_for
from botequim.core.errors import BotequimError, InputError
from botequim.core.limits import EnforcedLimit, limits_list
from botequim.core.messages import Message, msg
from botequim.core.process import Sandbox
from botequim.core.results import SeriesResult
from botequim.cup.change_preview import discreet_description, discreet_refusal
from botequim.cup.change_requests import apply_waiting
from botequim.cup.changes import Change, ChangeEntry, Log, effective, entries, plain_key
from botequim.cup.config import Cup, Entry, Withdrawal
from botequim.cup.format import Round, require
from botequim.cup.jobs import CupGame, finished_series, series_job
from botequim.cup.live.writer import MOST_NEXT, LiveCollector, StageProgress
from botequim.cup.pairing import Pairing
from botequim.cup.paths import files_in_stage, forget, pin_entrant, pin_files
from botequim.cup.rounds import FACT as ROUNDS
from botequim.cup.rounds import require_installed, store_rounds, stored_rounds
from botequim.cup.stage_changes import pin_name
from botequim.cup.stage_names import stage_name
from botequim.cup.stage_series import StageSeries
from botequim.cup.stages import CupState, commitment, series_seed
from botequim.cup.titles import with_introductions
from botequim.cup.withdrawals import (
    LONGEST_LOG,
    CannotPlay,
    as_seen_from,
    require_unchanged,
    store_withdrawals,
    with_late_entrants,
    without,
)
from botequim.engine.executors import Executor, StartExecutor
from botequim.engine.job_loop import RepeatedJob, run_jobs
from botequim.engine.jobs import SeriesJob
from botequim.storage.errors import StoreBusy, StoreLost
from botequim.storage.protocol import CupStorage, CupStore, Watch
from botequim.storage.values import FinishedSeries
from botequim.storage.visibility import Visibility

ATTEMPTS: Final = 3
"""The number of times that a series may fail for a reason that is not a bot's."""
SUPERFLUOUS: Final = msg("a series is not stored, because a change of the cup has made it superfluous")


@dataclass(frozen=True, slots=True)
class RunStatus:
    """The state of a cup whenever a series is finished."""

    stage: str
    progress: CupState
    finished: int
    """The number of finished series of this stage."""
    known: int
    """The number of those and of all others that are known. Their results may add more."""
    seconds: float
    """The total seconds of the finished series."""
    slots: int
    """The number of series that are played at the same time."""
    last: FinishedSeries | None = None
    again: Message | None = None
    """The reason why a series is played again."""


def begin(cup: Cup, store: CupStore, told_seed: str | None) -> str:
    """Return the seed of the cup, which is chosen and stored when the cup begins and never changes.

    A cup begins with the first finished series. Until then its file and its bots may be corrected.
    """
    stored = store.fact("seed")
    begun = any(store.results().values())
    changed = stored is not None and store.fact("digest") != cup.digest()
    if begun:
        require_unchanged(cup, store)
    if stored is not None and told_seed not in (None, stored) and not (changed and cup.promises):
        raise InputError(msg("{path}: the cup began with a different seed", path=str(cup.path)))
    if stored is not None and not begun:
        forget(cup, store)
        store_withdrawals(store, ())
        if store.fact(ROUNDS) is not None:
            store_rounds(store, {})
    if stored is not None and not changed:
        return stored
    if stored is not None and cup.commitment == commitment(stored):
        told_seed = stored
    seed = cup.settled_seed(told_seed, stored or secrets.token_hex(16))
    store.put_facts(
        {
            "seed": seed,
            "digest": cup.digest(),
            "commitment": commitment(seed),
            "name": cup.name,
            "file": cup.path.read_text(encoding="utf-8") if cup.path.is_file() else "",
        }
    )
    return seed


@dataclass
class Runner:
    """Plays the stages of a cup."""

    cup: Cup
    store: CupStore
    seed: str
    sandbox: Sandbox
    isolated: bool
    start_executor: StartExecutor
    """Where games are played: `partial(LocalProcesses, 4)`."""
    on_prepare: Callable[[Entry], None] = lambda entry: None
    tell: Callable[[Message], None] = lambda said: None
    """Called with messages while a bot is prepared, and when the store is away or back."""
    live: CupStorage | None = None
    """The storage in which live games are published, and in which organisers ask for changes; or None."""
    _live: LiveCollector | None = None
    _results: dict[str, dict[str, SeriesResult]] = field(default_factory=dict)
    _rounds: dict[str, Sequence[Round]] = field(default_factory=dict)
    _entrants: dict[tuple[str, str], Entrant] = field(default_factory=dict)
    _seconds: dict[str, float] = field(default_factory=dict)
    _log: Log = ()
    _requests: Watch | None = None

    def __post_init__(self) -> None:
        self.store.wait_through_outages(self.tell)
        self._results = self.store.results()
        self._rounds = dict(stored_rounds(self.store))
        self._log = entries(self.store)

    @property
    def progress(self) -> CupState:
        return CupState(self.cup.plans, self.seed, self._results, log=self._log).with_rounds(self._rounds)

    def play(self, stages: Sequence[str] | None = None) -> Iterator[RunStatus]:
        """Play these stages, or all, each to its end."""
        broken = self.make_ready()
        if broken:
            raise CannotPlay(self.cup, broken)
        self.cup = with_introductions(self.cup, self.store)
        wanted = [plan.name for plan in self.cup.plans if stages is None or plan.name in stages]
        with ExitStack() as opened:
            observation = None
            if self.live is not None:
                self._live = opened.enter_context(LiveCollector(self.live, self.tell))
                observation = self._live.observation
                self._requests = opened.enter_context(self.live.watch_visibility())
            executor = opened.enter_context(self.start_executor(observation))
            if self.isolated:
                _require_isolation(executor)
            finished: dict[str, int] = {}
            while name := self._next_stage(wanted, finished):
                before = len(self._log)
                yield from self._play_stage(name, executor)
                if len(self._log) == before or self.progress.is_finished(name):
                    finished[name] = len(self._log)

    def _next_stage(self, wanted: Sequence[str], finished: Mapping[str, int]) -> str | None:
        """Return the next stage to play: one that was not played yet, or to which a change has added series.

        `finished` has the length of the log when a stage was finished.
        """
        if self._requests is not None:
            self._requests.forget()  # a notification may be late
        self._apply_requests()
        for name in wanted:
            changed = len(self._log) > finished.get(name, 0)
            if name not in finished or (changed and not self.progress.is_finished(name)):
                return name
        return None

    def _apply_requests(self, name: str = "", series: StageSeries | None = None) -> None:
        """Apply or refuse what organisers have asked for since the last call."""
        if self.live is None or self._requests is None or not self._requests.has_changed():
            return
        playing = [name] if series is not None and series.playing else []
        before = len(self._log)
        try:
            apply_waiting(
                self.cup,
                self.progress,
                self.store,
                self.live,
                self._prepare,
                isolated=self.isolated,
                playing=playing,
                on_entry=self._add_entry,
                on_refusal=self._tell_refusal,
            )
        except (StoreLost, StoreBusy):
            self._requests.forget()  # the next call tries again
        if series is not None and len(self._log) > before:
            series.plan_again()

    def _add_entry(self, entry: ChangeEntry) -> None:
        self._log = (*self._log, entry)
        self.tell(msg("Change {number} is applied.", number=entry.number))
        self.cup = with_introductions(with_late_entrants(self.cup, self._log), self.store)

    def _tell_refusal(self, change: Change, why: Message) -> None:
        """Say that a request is refused, without anything about series that are hidden."""
        assert self.live is not None
        public = Visibility.of(self.store, self.live)
        words = discreet_description(self.cup, self.progress, public, change)
        reason = discreet_refusal(why) if public.hides else why
        self.tell(msg("A request is refused ({change}): {reason}.", change=words, reason=reason))

    def _prepare(self, entry: Entry, pin: str) -> Entrant:
        return pin_files(
            self.cup,
            entry,
            self.store,
            self.sandbox,
            isolated=self.isolated,
            on_work=self.on_prepare,
            tell=self.tell,
            pin=pin,
        )

    def _play_stage(self, name: str, executor: Executor) -> Iterator[RunStatus]:
        progress = self.progress
        stage = progress.stage(name)
        if stage is None:
            plan = progress.plan(name)
            raise InputError(
                msg(
                    'the stage "{stage}" cannot be played yet: first play "{source}" to its end '
                    "(--stage {source})",
                    stage=stage_name(name),
                    source=str(plan.source),
                )
            )
        require(progress.form(name), stage)
        for entrant in stage.entrants:
            self._entrant(entrant, name)
        series = StageSeries(lambda: self._pairings(name), progress.length(name))
        self._publish_plan(name, series)
        for event in run_jobs(executor, lambda: self._next_job(name, series), attempts=ATTEMPTS):
            pairing = series.playing[event.job.key]
            if isinstance(event, RepeatedJob):
                if self._live is not None:
                    self._live.discard_series(name, pairing.key)
                status = self._status(name, series, executor.slots, again=event.reason)
            elif not self._is_wanted(name, pairing, series.begun_with[pairing.key]):
                del series.playing[pairing.key]
                if self._live is not None:
                    self._live.discard_series(name, pairing.key)
                series.plan_again()
                status = self._status(name, series, executor.slots, again=SUPERFLUOUS)
            else:
                finished = finished_series(pairing, event.result)
                self.store.add_series(finished)
                del series.playing[pairing.key]
                self._results.setdefault(name, {})[pairing.key] = finished.result
                series.refill()
                status = self._status(name, series, executor.slots, last=finished)
            self._publish_plan(name, series)
            yield status

    def _is_wanted(self, name: str, pairing: Pairing, begun_with: int) -> bool:
        """Return whether a series that was played belongs to the cup, which may have changed meanwhile."""
        if begun_with == len(self._log):
            return True
        return any(
            (one.key, one.entrants, one.terms) == (pairing.key, pairing.entrants, pairing.terms)
            for one in self.progress.pairings(name)
        )

    def _pairings(self, name: str) -> Sequence[Pairing]:
        """Return all series of a stage that can be played. A round that is needed is decided, and stored
        before anybody plays it."""
        progress = self.progress
        while progress.needs_round(name):
            stored = {plain_key(key) for key in progress.results.get(name, {})}
            if stored - progress.planned_labels(name).keys():
                raise BotequimError(
                    msg(
                        '{path}: the stage "{stage}" has results of a round that is missing; restore a copy '
                        "of the store",
                        path=self.store.location,
                        stage=stage_name(name),
                    )
                )
            progress = progress.with_round(name, progress.next_round(name))
            self._rounds[name] = progress.rounds[name]
            store_rounds(self.store, self._rounds)
        return progress.pairings(name)

    def _next_job(self, stage: str, series: StageSeries) -> SeriesJob[CupGame] | None:
        self._apply_requests(stage, series)
        pairing = series.take(len(self._log))
        if pairing is None:
            return None
        entrants = {entrant: self._entrant(entrant, stage) for entrant in pairing.entrants}
        return series_job(
            stage,
            pairing,
            series_seed(self.seed, stage, pairing.key),
            self.cup.game,
            self.cup.game_options(self.progress.plan(stage)),
            entrants,
            sandbox=self._house(entrants.values()),
            restart=self.cup.restart,
        )

    def _publish_plan(self, name: str, series: StageSeries) -> None:
        if self._live is not None:
            finished = len(self._results.get(name, {}))
            coming = [*series.playing.values(), *islice(series.waiting, MOST_NEXT)]
            self._live.set_progress(StageProgress(name, finished, series.count(finished), coming))

    def _status(
        self,
        name: str,
        series: StageSeries,
        slots: int,
        *,
        last: FinishedSeries | None = None,
        again: Message | None = None,
    ) -> RunStatus:
        finished = len(self._results.get(name, {}))
        if last is not None:
            self._seconds[name] = self._seconds.get(name, 0.0) + last.seconds
        seconds = self._seconds.get(name, 0.0)
        known = series.count(finished)
        return RunStatus(name, self.progress, finished, known, seconds, slots, last, again)

    def _house(self, entrants: Collection[Entrant]) -> Sandbox | None:
        if all(entrant.built_in for entrant in entrants):
            return None
        return sandbox_for(self.sandbox, entrants, isolated=self.isolated)

    def make_ready(self) -> list[Withdrawal]:
        """Pin every entrant, and return those that cannot be pinned. This happens before the first game.

        Raise an InputError if a library is missing that a stage needs.
        """
        progress = self.progress
        require_installed(
            self.cup, [plan.name for plan in self.cup.plans if not progress.is_finished(plan.name)]
        )
        pinned_before = self.store.entrants()
        broken = []
        for entry in self.cup.entrants:
            if entry.null or entry.name in pinned_before:
                continue  # files that were pinned and are not as they were: no reason to go on without them
            try:
                self._entrant(entry.name, "")
            except InputError as error:
                log = error.details[-LONGEST_LOG:]
                broken.append(Withdrawal(entry, as_seen_from(self.cup, error.message), log))
        return broken

    def go_on_without(self, absent: Sequence[Withdrawal]) -> None:
        """Play the cup without these entrants, now and in later runs."""
        self.cup = without(self.cup, absent)
        store_withdrawals(self.store, self.cup.absent)

    def _entrant(self, name: str, stage: str) -> Entrant:
        """Return an entrant with the files that it has in a stage; "" for its first files."""
        entry = self.cup.entry(name)
        files = files_in_stage(self.cup, effective(self._log), name, stage) if stage else None
        pin = "" if files is None else pin_name(entry.twin_of, files.number)
        if (name, pin) not in self._entrants:
            self._entrants[name, pin] = pin_entrant(
                self.cup,
                entry,
                self.store,
                self.sandbox,
                isolated=self.isolated,
                on_work=self.on_prepare,
                tell=self.tell,
                pin=pin,
            )
        return self._entrants[name, pin]


def _require_isolation(executor: Executor) -> None:
    """Raise InputError if bots would be played somewhere without a limit."""
    missing = (
        [] if executor.enforces is None else [one for one in EnforcedLimit if one not in executor.enforces]
    )
    if missing:
        raise InputError(
            msg(
                "bots are not isolated where this cup is to be played: {limits} would not be enforced. Play "
                "it on this machine, or trust the bots (--trust)",
                limits=limits_list(missing),
            )
        )
