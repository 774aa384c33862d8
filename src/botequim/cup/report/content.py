"""The state of a cup for reports, in which everything is counted once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Protocol, TypeAlias

from botequim.core.errors import BotequimError, os_reason
from botequim.core.messages import Message, msg
from botequim.core.results import SeriesResult
from botequim.cup.changes import attempt_key, attempts
from botequim.cup.config import Cup, Entry
from botequim.cup.cross import duels, scores
from botequim.cup.explanations import ExplainedChange, explained_log
from botequim.cup.format import Round, RoundsFormat, Row, Standings
from botequim.cup.formats.knockout import Bracket, Knockout
from botequim.cup.pairing import Sides
from botequim.cup.people import Person
from botequim.cup.ratings import cup_ratings
from botequim.cup.report.machines import MachineTally
from botequim.cup.series_labels import series_labels
from botequim.cup.stages import CupState, StagePlan, commitment
from botequim.cup.versions import stored_versions
from botequim.match.statistics import Score
from botequim.ratings import Ratings
from botequim.records.reader import parse
from botequim.records.replay import Replay
from botequim.render.portraits import IMAGES, LARGEST_PORTRAIT
from botequim.storage.files import record_name
from botequim.storage.protocol import CupStore
from botequim.storage.values import StoredFault

GameKey: TypeAlias = tuple[str, str, int]
"""A game by its stage, the key of its series and its number, from 0."""


@dataclass(frozen=True)
class StageContent:
    """One stage."""

    plan: StagePlan
    standings: Standings | None
    """None if its entrants are not known yet."""
    done: bool
    drawn: tuple[str, ...]
    """The entrants that were tied at a cut, so that a lot decided who advanced."""
    results: Mapping[str, SeriesResult]
    """The series that count, by the keys that the format gives them."""
    bracket: Bracket | None
    labels: Mapping[str, Message]
    """The labels of the finished series, by key."""
    planned: frozenset[str]
    """The keys of the series that were known from the start, or that belong to a round."""
    rounds: tuple[Round, ...] | None = None
    """The rounds that are known; None if the stage is not held in rounds."""
    void_series: Sequence[tuple[SeriesResult, Message]] = ()
    """The series that were played but count for nobody, and why."""
    walkovers: Sequence[SeriesResult] = ()
    """Series that are not played because somebody left the cup, with the results that count for them."""

    @cached_property
    def play_offs(self) -> Sequence[SeriesResult]:
        """Series that were added because of results. A bracket has none: all its matches follow from
        results."""
        if self.bracket is not None:
            return ()
        return [result for key, result in self.results.items() if key not in self.planned]

    @cached_property
    def together(self) -> int:
        """The number of consecutive games that are one deal, for intervals."""
        tables = {len(result.entrants) for result in self.results.values()}
        return max(tables, default=1) if self.plan.terms.sides is Sides.EVERY else 1

    @cached_property
    def duels(self) -> Mapping[tuple[str, str], Score]:
        """Results between each two entrants without play-offs, which would count twice for some."""
        apart = {result.key for result in self.play_offs}
        ordinary = [result for result in self.results.values() if result.key not in apart]
        return duels(ordinary, together=self.together)

    @cached_property
    def scores(self) -> Mapping[str, Score]:
        names = self.standings.names if self.standings is not None else ()
        return scores(names, self.results.values(), together=self.together)

    @property
    def games(self) -> int:
        return sum(len(result.games) for result in self.results.values())


@dataclass(slots=True)
class Times:
    """The thinking time of an entrant."""

    questions: int = 0
    micros: int = 0
    slowest: int = 0
    where: tuple[str, str, int, int] | None = None
    """The stage, key, game and turn of the slowest answer."""

    def add(self, micros: int, where: tuple[str, str, int, int]) -> None:
        self.questions += 1
        self.micros += micros
        if self.where is None or micros > self.slowest:
            self.slowest, self.where = micros, where


class FaultRow(Protocol):
    """The parts of a fault that are counted."""

    @property
    def stage(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def entrant(self) -> str: ...
    @property
    def kind(self) -> str: ...


@dataclass(frozen=True)
class Content:
    """Everything that reports show."""

    cup: Cup
    progress: CupState
    stages: tuple[StageContent, ...]
    overall: tuple[Row, ...]
    over: bool
    fault_kinds: Mapping[str, Counter[str]]
    """By entrant: the number of faults of each kind."""
    files: Mapping[str, str]
    """By entrant: the digest of its files."""
    promise: str
    """The commitment to the seed."""
    records: bool
    """Whether records are written, so that links to them work."""
    kept: Callable[[str, str, int], list[str] | None]
    """Returns the lines of a record by stage, series and number."""
    stored_faults: Callable[[str], Sequence[StoredFault]]
    """Returns the faults of an entrant, with their evidence and its log."""
    times: Mapping[str, Times] = field(default_factory=dict)
    """By entrant. `through_records` fills it."""
    pairs: dict[str, str] = field(default_factory=dict)
    """By entrant: the name that it gives itself, if any. `through_records` fills it."""
    replays: set[GameKey] = field(default_factory=set)
    """The games that have a page. `write_replays` fills it."""
    bundle: str = ""
    """The digest of the bundle in the report, if there is one."""
    changes: tuple[ExplainedChange, ...] = ()
    """The changes during the cup that belong to these results."""
    machines: MachineTally = field(default_factory=MachineTally)
    """The machines of the games. `through_records` fills it."""
    people: tuple[Person, ...] = ()
    """The people of the private file, for the private folder of a report only."""
    versions: tuple[str, ...] = ()
    """The versions of Botequim that played the cup; "" is one before they were stored."""

    @classmethod
    def of(
        cls,
        cup: Cup,
        progress: CupState,
        store: CupStore,
        *,
        records: bool = True,
        bundle: str = "",
        faults: Iterable[FaultRow] | None = None,
        effects: MutableMapping[str, tuple[Message, ...]] | None = None,
    ) -> Content:
        """Collect the content. The default of `faults` are those of the store. `effects` keeps what is known
        of the effects of changes."""
        stages = tuple(_stage(progress, plan) for plan in progress.plans)
        counted = {(one.plan.name, result.key) for one in stages for result in one.results.values()}
        kinds: dict[str, Counter[str]] = {entry.name: Counter() for entry in cup.entrants}
        for fault in store.faults() if faults is None else faults:
            if fault.entrant in kinds and (fault.stage, fault.key) in counted:
                kinds[fault.entrant][fault.kind] += 1
        pinned = store.entrants()
        return cls(
            cup,
            progress,
            stages,
            progress.overall(),
            progress.over,
            kinds,
            {entry.name: str(pinned.get(entry.name, {}).get("digest") or "") for entry in cup.entrants},
            cup.commitment or store.fact("commitment") or commitment(progress.seed),
            records,
            store.record,
            store.faults,
            {entry.name: Times() for entry in cup.entrants},
            bundle=bundle,
            versions=tuple(version for version, _ in stored_versions(store)),
            changes=explained_log(cup, progress, effects),
        )

    @property
    def entries(self) -> list[Entry]:
        """All entrants without the null entrant, also those that did not start."""
        entrants = [entry for entry in self.cup.entrants if not entry.null]
        return [*entrants, *(one.entry for one in self.cup.absent)]

    @property
    def champions(self) -> tuple[str, ...]:
        """The winners of the cup, if it is finished."""
        return tuple(row.entrant for row in self.overall if row.place == 1) if self.over else ()

    @property
    def games(self) -> int:
        return sum(stage.games for stage in self.stages)

    @cached_property
    def ratings(self) -> Ratings:
        """The ratings of everybody who has played."""
        return cup_ratings(self.cup, {stage.plan.name: stage.results for stage in self.stages})

    def stage(self, name: str) -> StageContent:
        return next(stage for stage in self.stages if stage.plan.name == name)

    def score(self, entrant: str) -> Score:
        """Return the score over the whole cup."""
        results = [
            result for stage in self.stages if not stage.plan.beside for result in stage.results.values()
        ]
        return scores([entrant], [result for result in results if entrant in result.entrants])[entrant]

    def replay(self, stage: str, key: str, number: int) -> Replay | None:
        """Return a game to be drawn; None if its record is missing or its game is not installed."""
        lines = self.kept(stage, key, number)
        if lines is None:
            return None
        try:
            (raw,) = parse([line.encode() for line in lines if line], record_name(stage, key, number))
            replay = Replay.load(raw)
        except BotequimError:
            return None
        replay.seats = [{**seat, "title": self.cup.title(str(seat["name"]))} for seat in replay.seats]
        return replay

    def last_game(self) -> Replay | None:
        """Return the last game of the last stage, if the cup is finished."""
        stages = [stage for stage in self.stages if stage.results and not stage.plan.beside]
        if not self.over or not stages:
            return None
        result = list(stages[-1].results.values())[-1]
        return self.replay(stages[-1].plan.name, result.key, len(result.games) - 1)

    def portrait(self, entry: Entry) -> bytes | None:
        """Return its picture, if a page can show it."""
        path = self.cup.portrait(entry)
        return None if path is None else _image(path)

    def noise(self) -> tuple[Entry, Score, Score] | None:
        """Return the null entrant, its score, and the score of its original against the same opponents."""
        twin = next((entry for entry in self.cup.entrants if entry.null), None)
        beside = next((stage for stage in self.stages if stage.plan.beside and stage.results), None)
        if twin is None or beside is None:
            return None
        real = twin.twin_of
        others = [result for result in beside.results.values() if real not in result.entrants]
        first = self.stages[0]
        alike = [result for result in first.results.values() if real in result.entrants]
        return (
            twin,
            scores([twin.name], others, together=beside.together)[twin.name],
            scores([real], alike, together=first.together)[real],
        )

    def through_records(
        self, store: CupStore, keep: Callable[[str, str, int, Sequence[str]], None]
    ) -> Iterator[int]:
        """Read every record once, count its times and its machine, and call `keep`.

        Yield the number of records so far.
        """
        count = 0
        for stage, key, number, lines in store.records():
            if key not in self.progress.results.get(stage, {}):
                continue  # the cup goes on, and this one was finished after we looked
            self._count_record((stage, key, number), lines)
            keep(stage, key, number, lines)
            count += 1
            yield count

    def _count_record(self, where: tuple[str, str, int], lines: Sequence[str]) -> None:
        header, *turns, last = [json.loads(text) for text in lines]
        self.machines.add_game(where[:2], header, turns, last)
        seats = header["seats"]
        names = [seat["name"] for seat in seats]
        self.pairs.update({seat["name"]: str(seat["pair"]) for seat in seats if "pair" in seat})
        for turn in turns:
            for move in turn["moves"]:
                if "us" in move and move["by"] != "chance":
                    self.times[names[move["by"]]].add(move["us"], (*where, turn["turn"]))


def _stage(progress: CupState, plan: StagePlan) -> StageContent:
    stage = progress.stage(plan.name)
    form = progress.form(plan.name)
    return StageContent(
        plan,
        progress.standings(plan.name),
        progress.is_finished(plan.name),
        progress.decided_by_lot(plan.name),
        _counted_results(progress, plan.name),
        Bracket.of(stage) if stage is not None and isinstance(form, Knockout) else None,
        series_labels(progress, plan.name),
        frozenset(progress.planned_labels(plan.name)),
        tuple(form.rounds(stage)) if stage is not None and isinstance(form, RoundsFormat) else None,
        [
            (progress.results[plan.name][key], why)
            for key, why in progress.void_series(plan.name).items()
            if key in progress.results.get(plan.name, {})
        ],
        list(progress.walkovers(plan.name).values()),
    )


def _counted_results(progress: CupState, stage: str) -> Mapping[str, SeriesResult]:
    """Return the results that count. Each has the key under which its records are stored."""
    again = attempts(progress.log, stage)
    return {
        key: replace(result, key=attempt_key(key, again.get(key, (1, 1))[0]))
        for key, result in progress.valid_results(stage).items()
    }


def image_problem(path: Path) -> Message | None:
    """Return why a page cannot show this picture, or None."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(16)
    except OSError as error:
        return os_reason(error)
    if size > LARGEST_PORTRAIT:
        return msg("it is larger than {most} kB", most=LARGEST_PORTRAIT // 1000)
    if not any(start.startswith(sign) for sign in IMAGES):
        return msg("it is not in one of these formats: {known}", known=", ".join(IMAGES.values()))
    return None


def _image(path: Path) -> bytes | None:
    try:  # a bad picture must not prevent the report
        return path.read_bytes() if image_problem(path) is None else None
    except OSError:
        return None


def share_text(share: Fraction) -> str:
    """Return a number of wins for files: 3, 3.5, 2.3333."""
    return str(int(share)) if share.denominator == 1 else f"{float(share):.4f}".rstrip("0")
