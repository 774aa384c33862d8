"""The stages of a cup. The best entrants of a stage advance to the next.

`CupState` consists of the plans of a cup, its seed and every finished series. It computes which series can be
played now, the standings of each stage, and the final ranking. It is immutable: create a new one when there
are new results. The seeds of games do not reveal the seed of the cup, so records can be published during the
cup.

If the cup was changed after it had begun, the state also has the log of changes. It takes effect here, so the
formats see only entrants and results that count. Who takes part in a stage that has a source is decided when
the stage begins: no later change of the source changes it, and nothing more is played in the source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from itertools import islice
from typing import Final

from botequim.core.messages import Message, msg
from botequim.core.options import Options
from botequim.core.results import SeriesResult
from botequim.core.rng import private
from botequim.cup.changes import (
    ChangeEntry,
    LateEntrant,
    Leaving,
    Log,
    attempts,
    effective,
)
from botequim.cup.format import (
    Format,
    Round,
    RoundsFormat,
    Row,
    Stage,
    StageChange,
    Standings,
    StoredRoundsFormat,
    allowed_changes,
    find_format,
)
from botequim.cup.pairing import Pairing, SeriesRules
from botequim.cup.stage_changes import (
    MOVED_UP,
    attempt_pairing,
    counted_results,
    groundless,
    moved_up,
    void_reasons,
    with_disqualified_last,
    with_leavers,
    with_walkovers,
)
from botequim.cup.stage_names import stage_name


@dataclass(frozen=True, slots=True)
class StagePlan:
    """A stage, as the cup file describes it."""

    name: str
    format: str
    terms: SeriesRules
    options: Options
    """The options of the format, with defaults."""
    source: str | None = None
    """The stage whose best entrants take part; None if `entrants` take part."""
    top: int | None = None
    """How many entrants of the source take part; None means all."""
    entrants: tuple[str, ...] = ()
    """The entrants of a stage without a source, the best seeded first."""
    beside: bool = False
    """Whether the stage does not count for the final ranking, like that of the null entrant."""


@dataclass(frozen=True)
class CupState:
    """A cup with the results that it has so far."""

    plans: tuple[StagePlan, ...]
    """Each plan comes after its source."""
    seed: str
    results: Mapping[str, Mapping[str, SeriesResult]] = field(default_factory=dict)
    """Results by stage and key."""
    rounds: Mapping[str, tuple[Round, ...]] = field(default_factory=dict)
    """The decided rounds by stage, as far as they follow from the results; see `with_rounds`."""
    log: Log = ()
    """The log of changes, as far as it belongs to the results; see `changes.entries_up_to`."""

    @cached_property
    def changes(self) -> Log:
        """The entries of the log that count."""
        return effective(self.log)

    def with_rounds(self, rounds: Mapping[str, Sequence[Round]]) -> CupState:
        """Return the state with these rounds, as far as they follow from its results."""
        state = self
        for plan in self.plans:
            for one in rounds.get(plan.name, ()):
                if not state._lacks_round(plan.name):
                    break
                state = state.with_round(plan.name, one)
        return state

    def with_round(self, name: str, decided: Round) -> CupState:
        """Return the state with one more round of a stage."""
        return replace(self, rounds={**self.rounds, name: (*self.rounds.get(name, ()), decided)})

    def needs_round(self, name: str) -> bool:
        """Return whether the next round of a stage must be decided before more can be played."""
        return self._lacks_round(name) and not (self.log and self.is_closed(name))

    def _lacks_round(self, name: str) -> bool:
        form, stage = self.form(name), self.stage(name)
        return isinstance(form, StoredRoundsFormat) and stage is not None and form.needs_round(stage)

    def next_round(self, name: str) -> Round:
        """Decide the next round of a stage."""
        form, stage = self.form(name), self.stage(name)
        assert isinstance(form, StoredRoundsFormat)
        assert stage is not None
        return form.next_round(stage)

    def plan(self, name: str) -> StagePlan:
        return next(plan for plan in self.plans if plan.name == name)

    def form(self, name: str) -> Format:
        return find_format(self.plan(name).format)

    def entrants(self, name: str) -> tuple[str, ...] | None:
        """Return the entrants of a stage; None if they are not known yet."""
        plan = self.plan(name)
        if plan.source is None:
            return plan.entrants if not self.log else self._first_entrants(plan)
        if not self.is_finished(plan.source):
            return None
        if not self.log:
            return self.final_order(plan.source)[: plan.top]
        then = replace(self, log=tuple(entry for entry in self.log if not entry.after.get(name)))
        gone = {entry.change.entrant for entry in then.changes if isinstance(entry.change, Leaving)}
        order = then.final_order(plan.source)
        return tuple(entrant for entrant in order if entrant not in gone)[: plan.top]

    def _first_entrants(self, plan: StagePlan) -> tuple[str, ...]:
        """Return the entrants of a stage without a source: late ones at the end, without those who left
        before it began."""
        if plan.beside:
            return plan.entrants
        gone = {
            entry.change.entrant
            for entry in self.changes
            if isinstance(entry.change, Leaving) and not entry.after.get(plan.name)
        }
        entrants = (*plan.entrants, *(name for name, _ in self._late(plan)))
        return tuple(entrant for entrant in entrants if entrant not in gone)

    def _late(self, plan: StagePlan) -> list[tuple[str, ChangeEntry]]:
        """Return the late entrants that join a stage, each with its entry in the log."""
        if plan.source is not None or plan.beside:
            return []
        later = [other.name for other in self.plans if other.source == plan.name]
        return [
            (entry.change.entrant, entry)
            for entry in self.changes
            if isinstance(entry.change, LateEntrant) and not any(entry.after.get(name) for name in later)
        ]

    # --- changes -----------------------------------------------------------------------------------

    def before(self, entry: ChangeEntry) -> CupState:
        """Return the state to which an entry of the log was applied."""
        results = {
            name: dict(islice(found.items(), entry.after.get(name, 0)))
            for name, found in self.results.items()
            if entry.after.get(name)
        }
        rounds = {name: found[: entry.rounds.get(name, 0)] for name, found in self.rounds.items()}
        log = tuple(one for one in self.log if one.number < entry.number)
        return CupState(self.plans, self.seed, results, log=log).with_rounds(rounds)

    def leavers(self, name: str) -> dict[str, Leaving]:
        """Return the entrants that left a stage after it began, each with the change."""
        beside = self.plan(name).beside
        entrants = self.entrants(name) or () if self.log else ()
        return {
            entry.change.entrant: entry.change
            for entry in self.changes
            if isinstance(entry.change, Leaving)
            and entry.change.entrant in entrants
            and (beside or entry.after.get(name))
        }

    def annulled_entrants(self, name: str) -> frozenset[str]:
        """Return the entrants whose results in a stage count for nobody. Beside the cup, where an entrant is
        compared with itself, no results are kept of one that left."""
        beside = self.plan(name).beside
        leavers = self.leavers(name)
        return frozenset(entrant for entrant, change in leavers.items() if change.annulled or beside)

    def valid_results(self, name: str) -> Mapping[str, SeriesResult]:
        """Return the results of a stage that count, by key without the number of an attempt."""
        results = self._remaining_results(name)
        lost = self.groundless_series(name)
        return {key: one for key, one in results.items() if key not in lost} if lost else results

    def _remaining_results(self, name: str) -> Mapping[str, SeriesResult]:
        """Return the results of a stage that no change took away, with those of groundless series."""
        results = self.results.get(name, {})
        if not self.log or not results:
            return results
        return counted_results(
            results, self.log, name, self.entrants(name) or (), self.annulled_entrants(name)
        )

    def groundless_series(self, name: str) -> frozenset[str]:
        """Return the finished series of a stage that count for nobody, because a change dissolved or opened
        again the tie that they were to break. They count again if the same tie comes back."""
        stage = self.stage_with_groundless(name) if self.log and self.results.get(name) else None
        return frozenset() if stage is None else self._groundless(name, stage)

    def _groundless(self, name: str, stage: Stage) -> frozenset[str]:
        form = self.form(name)
        if StageChange.ANNULMENT not in allowed_changes(form):
            return frozenset()  # a change that would leave such series is refused
        return frozenset(groundless(form, stage, stage.rounds)[0])

    def void_series(self, name: str) -> dict[str, Message]:
        """Return the stored series of a stage that count for nobody, each with the reason."""
        if not self.log:
            return {}
        found, remaining = self.results.get(name, {}), self._remaining_results(name)
        lost = self.groundless_series(name)
        return void_reasons(found, remaining, self.log, name, self.annulled_entrants(name), lost)

    def walkovers(self, name: str) -> dict[str, SeriesResult]:
        """Return the series of a stage that are not played because somebody left, with their results."""
        stage = self.stage(name) if self.log else None
        counted = self.valid_results(name)
        return {} if stage is None else {key: one for key, one in stage.results.items() if key not in counted}

    def is_closed(self, name: str) -> bool:
        """Return whether nothing more is played in a stage, because a later one has begun with its best."""
        later = [plan.name for plan in self.plans if plan.source == name]
        return any(self.results.get(other) for other in later)

    def _with_changes(self, name: str, stage: Stage) -> Stage:
        form, plan = self.form(name), self.plan(name)
        late = {}
        for entrant, entry in self._late(plan):
            if entry.after.get(name):
                then = self.before(entry).stage(name)
                late[entrant] = 0
                if isinstance(form, RoundsFormat) and then is not None:
                    late[entrant] = len(form.rounds(then))
        out = frozenset(self.leavers(name))
        cuts = tuple(cut for cut in stage.cuts if cut < len(stage.entrants) - len(out))
        return with_walkovers(
            form, replace(stage, cuts=cuts, late=late, out=out, annulled=self.annulled_entrants(name))
        )

    def stage(self, name: str) -> Stage | None:
        """Return the argument for the format of a stage; None if its entrants are not known yet."""
        stage = self.stage_with_groundless(name)
        if stage is None or not self.log or not self.results.get(name):
            return stage
        lost = self._groundless(name, stage)
        if not lost:
            return stage
        return replace(stage, results={key: one for key, one in stage.results.items() if key not in lost})

    def stage_with_groundless(self, name: str) -> Stage | None:
        """Return the stage with the results that no change took away, also those of groundless series."""
        entrants = self.entrants(name)
        if entrants is None:
            return None
        plan = self.plan(name)
        cuts = {other.top for other in self.plans if other.source == name and other.top is not None}
        stage = Stage(
            entrants,
            plan.terms,
            plan.options,
            stage_seed(self.seed, name),
            self._remaining_results(name),
            tuple(sorted(cut for cut in cuts if cut < len(entrants))),
            self.rounds.get(name, ()),
        )
        return self._with_changes(name, stage) if self.log else stage

    def pairings(self, name: str) -> Sequence[Pairing]:
        """Return every series of a stage that can be played now and is not finished."""
        stage = self.stage(name)
        if stage is None or (self.log and self.is_closed(name)):
            return []
        pairings = self.form(name).pairings(stage)
        if not self.log:
            return pairings
        again = attempts(self.log, name)
        return [attempt_pairing(one, again) for one in pairings]

    def planned_labels(self, name: str) -> dict[str, Message]:
        """Return the labels of the series that were known from the start, by key, without play-offs. In a
        stage with rounds, these are the series of all rounds so far."""
        form, stage = self.form(name), self.stage(name)
        if stage is None:
            return {}
        if isinstance(form, RoundsFormat):
            pairings: Sequence[Pairing] = stage.all_series(form.rounds(stage))
        else:
            pairings = form.pairings(replace(stage, results={}))
        return {one.key: one.label for one in pairings}

    def is_finished(self, name: str) -> bool:
        """Return whether all series of a stage are finished."""
        stage = self.stage(name)
        if stage is None:
            return False
        if self.log and self.is_closed(name):
            return True
        return not self.form(name).pairings(stage) and not self.needs_round(name)

    def length(self, name: str) -> int:
        """Return how many series a stage with rounds has; 0 for other stages."""
        form, stage = self.form(name), self.stage(name)
        return form.length(stage) if isinstance(form, RoundsFormat) and stage is not None else 0

    @property
    def over(self) -> bool:
        return all(self.is_finished(plan.name) for plan in self.plans)

    def standings(self, name: str) -> Standings | None:
        """Return the standings of a stage; None if its entrants are not known yet."""
        stage = self.stage(name)
        if stage is None:
            return None
        standings = self.form(name).standings(stage)
        return with_leavers(standings, self.leavers(name)) if stage.out else standings

    def final_order(self, name: str) -> tuple[str, ...]:
        """Return the entrants of a stage, best first. The order of tied entrants is decided by lot."""
        stage = self.stage(name)
        if stage is None:
            return ()
        lot = stage.lot("advance")
        standings = self.standings(name)
        rows = standings.rows if standings is not None else ()
        return tuple(row.entrant for row in sorted(rows, key=lambda row: (row.place, -lot[row.entrant])))

    def decided_by_lot(self, name: str) -> tuple[str, ...]:
        """Return the entrants of a finished stage who are tied at a cut, so that the lot decided."""
        stage = self.stage(name)
        if stage is None or not self.is_finished(name):
            return ()
        places = {row.entrant: row.place for row in self.form(name).standings(stage).rows}
        order = [entrant for entrant in self.final_order(name) if entrant not in stage.out]
        split = {places[order[cut]] for cut in stage.cuts if places[order[cut - 1]] == places[order[cut]]}
        return tuple(entrant for entrant in order if places[entrant] in split)

    def overall(self) -> tuple[Row, ...]:
        """Return the ranking of the whole cup: entrants of a later stage come before all others.

        The figures of a row are those of the last stage of its entrant.
        """
        ranking: list[Row] = []
        for plan in reversed(self.plans):
            standings = None if plan.beside else self.standings(plan.name)
            there = {row.entrant for row in ranking}
            rows = [row for row in standings.rows if row.entrant not in there] if standings else []
            before = len(ranking)
            ranks = [row.place for row in rows]
            ranking += [
                Row(
                    before + 1 + ranks.index(row.place),
                    row.entrant,
                    row.figures,
                    _overall_reason(plan, row),
                )
                for row in rows
            ]
        return with_disqualified_last(ranking, self.changes) if self.log else tuple(ranking)


def _overall_reason(plan: StagePlan, row: Row) -> Message:
    """Return the reason in a row of a stage, or else the place there."""
    last_place = msg("{stage}: place {place}", stage=stage_name(plan.name), place=row.place)
    return moved_up(last_place) if row.why == MOVED_UP else row.why or last_place


# --- seeds -----------------------------------------------------------------------------------------


def stage_seed(seed: str, stage: str) -> str:
    """Return the seed from which everything random in a stage is derived."""
    return private(seed, "stage", stage)


def series_seed(seed: str, stage: str, key: str) -> str:
    """Return the seed of a series, for `Pairing.game_setup`."""
    return private(seed, "stage", stage, "series", key)


def commitment(seed: str) -> str:
    """Return the digest of a seed, which is published before a cup and proves the seed after it."""
    return "sha256:" + sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()


SHORTEST_SECRET: Final = 16
FEWEST_SIGNS: Final = 6


def is_guessable(seed: str) -> bool:
    """Return whether somebody who knows the digest of a seed could find it by trying all short texts."""
    return len(seed) < SHORTEST_SECRET or len(set(seed)) < FEWEST_SIGNS
