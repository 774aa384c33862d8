"""Plays a cup: asks the formats what is to be played, hands it to workers, stores what comes back.

The coordinator alone writes the store, one transaction a series, before it counts it. Whatever ends it, an
interrupt, a crash or the power, at most the series in flight are played again: running it again goes on where
the store ends. Series that fail for a reason of ours are played again too; a bot's faults are results.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from botequim.core.errors import BotequimError, InputError
from botequim.core.messages import Message, msg
from botequim.core.process import Sandbox
from botequim.cup.absence import LONGEST_LOG, CannotPlay, keep_absences, without
from botequim.cup.file import Absence, Cup, Entry
from botequim.cup.format import require
from botequim.cup.home import forget, pinned
from botequim.cup.live.broadcast import MOST_NEXT, Broadcast, Plan
from botequim.cup.pairing import Pairing, Result
from botequim.cup.playing import Task, play_task
from botequim.cup.stages import Progress, commitment, series_seed
from botequim.cup.store import Finished, Store
from botequim.cup.titles import with_introductions
from botequim.entrants.entrant import Entrant
from botequim.entrants.housing import housed
from botequim.workers import Pool

ATTEMPTS: Final = 3
"""Times that a series may fail for a reason of ours."""


@dataclass(frozen=True, slots=True)
class Told:
    """How a cup stands, whenever something is finished."""

    stage: str
    progress: Progress
    finished: int
    """Series of this stage."""
    known: int
    """Those and all that can be played now: more may follow from their results."""
    seconds: float
    """That the finished ones took."""
    last: Finished | None = None
    again: Message | None = None
    """Why a series is played again."""


def begin(cup: Cup, store: Store, told_seed: str | None) -> str:
    """The cup's seed: drawn and kept when it begins, and the same ever after.

    A cup has begun when something was played; until then its file and its bots may be mended."""
    kept = store.get("seed")
    begun = any(store.results().values())
    changed = kept is not None and store.get("digest") != cup.digest()
    if changed and begun:
        raise InputError(
            msg(
                "{path} has been changed since the cup began, and its results would mean something "
                "else: put it back as it was, or begin a new cup under another name",
                path=str(cup.path),
            )
        )
    if kept is not None and told_seed not in (None, kept) and not (changed and cup.promises):
        raise InputError(msg("{path}: the cup began with another seed", path=str(cup.path)))
    if kept is not None and not begun:
        forget(cup, store)
        keep_absences(store, ())
    if kept is not None and not changed:
        return kept
    if kept is not None and cup.commitment == commitment(kept):
        told_seed = kept
    seed = cup.settled_seed(told_seed, kept or secrets.token_hex(16))
    store.put(
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
    store: Store
    seed: str
    sandbox: Sandbox
    isolated: bool
    workers: int
    on_prepare: Callable[[Entry], None] = lambda entry: None
    tell: Callable[[Message], None] = lambda said: None
    """Hears how far a bot is being prepared."""
    live: Path | None = None
    """Where the games under way are told, if they are: `Home.live`."""
    _broadcast: Broadcast | None = None
    _results: dict[str, dict[str, Result]] = field(default_factory=dict)
    _entrants: dict[str, Entrant] = field(default_factory=dict)
    _seconds: dict[str, float] = field(default_factory=dict)
    _lost_workers: int = 0

    def __post_init__(self) -> None:
        self._results = self.store.results()

    @property
    def progress(self) -> Progress:
        return self.cup.progress(self.seed, self._results)

    def play(self, stages: Sequence[str] | None = None) -> Iterator[Told]:
        """Play these stages, or all, each to its end."""
        broken = self.make_ready()
        if broken:
            raise CannotPlay(self.cup, broken)
        self.cup = with_introductions(self.cup, self.store)
        wanted = [plan.name for plan in self.cup.plans if stages is None or plan.name in stages]
        with ExitStack() as opened:
            if self.live is not None:
                self._broadcast = opened.enter_context(Broadcast(self.live, self.tell))
            first = None if self._broadcast is None else self._broadcast.first
            pool = opened.enter_context(Pool(self.workers, first))
            for name in wanted:
                yield from self._play_stage(name, pool)

    def _play_stage(self, name: str, pool: Pool) -> Iterator[Told]:
        progress = self.progress
        stage = progress.stage(name)
        if stage is None:
            plan = progress.plan(name)
            raise InputError(
                msg(
                    'the stage "{stage}" cannot be played yet: "{source}" comes first',
                    stage=name,
                    source=str(plan.source),
                )
            )
        require(progress.form(name), stage)
        for entrant in stage.entrants:
            self._entrant(entrant)
        flight: dict[Future[Finished], Task] = {}
        failures: dict[str, int] = {}
        waiting: list[Pairing] = []
        while True:
            if not waiting:
                busy = {task.pairing.key for task in flight.values()}
                waiting = [one for one in self.progress.pairings(name) if one.key not in busy]
                waiting.reverse()
            if not waiting and not flight:
                self._tell_plan(name, flight, waiting)
                return
            while waiting and len(flight) < 2 * self.workers:
                task = self._task(name, waiting.pop(), failures)
                flight[pool.submit(play_task, task)] = task
            self._tell_plan(name, flight, waiting)
            yield from self._collect(name, pool, flight, failures, waiting)

    def _collect(
        self,
        name: str,
        pool: Pool,
        flight: dict[Future[Finished], Task],
        failures: dict[str, int],
        waiting: list[Pairing],
    ) -> Iterator[Told]:
        done, _ = wait(flight, return_when=FIRST_COMPLETED)
        broken = any(isinstance(future.exception(), BrokenProcessPool) for future in done)
        if broken:
            done, _ = wait(flight)  # none of them will be played any more
        lost: list[str] = []
        for future in done:
            task = flight.pop(future)
            try:
                finished = future.result()
            except BrokenProcessPool:
                waiting.append(task.pairing)
                lost.append(task.pairing.key)
            except BotequimError as error:
                failures[task.pairing.key] = failures.get(task.pairing.key, 0) + 1
                if isinstance(error, InputError) or failures[task.pairing.key] >= ATTEMPTS:
                    raise
                waiting.append(task.pairing)
                self._tell_again(name, task.pairing.key)
                yield self._told(name, flight, waiting, again=error.message)
            else:
                self.store.add(finished)
                self._results.setdefault(name, {})[finished.result.key] = finished.result
                yield self._told(name, flight, waiting, last=finished)
        if broken:
            self._lost_workers += 1
            if self._lost_workers >= ATTEMPTS:
                raise BotequimError(
                    msg("a worker process ended unexpectedly; what was played stays, run again")
                )
            pool.begin_anew()
            for key in lost:
                self._tell_again(name, key)
            again = msg("a worker process ended unexpectedly: what it played is played again")
            yield self._told(name, flight, waiting, again=again)

    def _tell_plan(
        self, name: str, flight: Mapping[Future[Finished], Task], waiting: Sequence[Pairing]
    ) -> None:
        if self._broadcast is None:
            return
        finished = len(self._results.get(name, {}))
        coming = [task.pairing for task in flight.values()] + [*reversed(waiting[-MOST_NEXT:])]
        self._broadcast.planned(Plan(name, finished, finished + len(flight) + len(waiting), coming))

    def _tell_again(self, name: str, key: str) -> None:
        if self._broadcast is not None:
            self._broadcast.played_again(name, key)

    def _told(
        self,
        name: str,
        flight: Mapping[Future[Finished], Task],
        waiting: Sequence[Pairing],
        *,
        last: Finished | None = None,
        again: Message | None = None,
    ) -> Told:
        finished = len(self._results.get(name, {}))
        if last is not None:
            self._seconds[name] = self._seconds.get(name, 0.0) + last.seconds
        known = finished + len(flight) + len(waiting)
        return Told(name, self.progress, finished, known, self._seconds.get(name, 0.0), last, again)

    def _task(self, stage: str, pairing: Pairing, failures: Mapping[str, int]) -> Task:
        plan = self.progress.plan(stage)
        entrants = {entrant: self._entrant(entrant) for entrant in pairing.entrants}
        return Task(
            stage,
            pairing,
            series_seed(self.seed, stage, pairing.key),
            self.cup.game,
            self.cup.game_options(plan),
            entrants,
            self._house(entrants.values()),
            self.cup.restart,
            patient=failures.get(pairing.key, 0) < ATTEMPTS - 1,
        )

    def _house(self, entrants: Collection[Entrant]) -> Sandbox | None:
        if all(entrant.built_in for entrant in entrants):
            return None
        return housed(self.sandbox, entrants, isolated=self.isolated)

    def make_ready(self) -> list[Absence]:
        """Pin every entrant, so that all who cannot be are known before the first game."""
        pinned_before = self.store.entrants()
        broken = []
        for entry in self.cup.entrants:
            if entry.null or entry.name in pinned_before:
                continue  # files that were pinned and are not as they were: no reason to go on without them
            try:
                self._entrant(entry.name)
            except InputError as error:
                log = error.details[-LONGEST_LOG:]
                broken.append(Absence(entry, _as_seen_from(self.cup, error.message), log))
        return broken

    def go_on_without(self, absent: Sequence[Absence]) -> None:
        """Hold the cup without these, now and whenever it is run again."""
        self.cup = without(self.cup, absent)
        keep_absences(self.store, self.cup.absent)

    def _entrant(self, name: str) -> Entrant:
        if name not in self._entrants:
            self._entrants[name] = pinned(
                self.cup,
                self.cup.entry(name),
                self.store,
                self.sandbox,
                isolated=self.isolated,
                on_work=self.on_prepare,
                tell=self.tell,
            )
        return self._entrants[name]


def _as_seen_from(cup: Cup, message: Message) -> Message:
    """Without the way to the cup's folder: it will be published."""
    here = f"{cup.path.parent}/"
    if here == "./":
        return message
    return Message(
        message.template,
        {
            name: _as_seen_from(cup, value) if isinstance(value, Message) else str(value).replace(here, "")
            for name, value in message.values.items()
        },
    )
