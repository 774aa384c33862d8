"""Stages joined by "the best k advance": what a runner talks to.

`Progress` is a cup as it stands: its plans, its seed and every finished series by stage. It says what can be
played now, how each stage stands, and the whole table in the end. It keeps nothing: make a new one when there
are new results, today or in three weeks. Nothing of the cup's seed follows from what the games and draws are
made from, so records can be shown while the cup goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Final

from botequim.core.messages import Message, msg
from botequim.core.options import Options
from botequim.core.rng import private
from botequim.cup.format import Format, Row, Stage, Standings, named
from botequim.cup.pairing import Pairing, Result, Terms


@dataclass(frozen=True, slots=True)
class StagePlan:
    """One stage, as the cup file describes it."""

    name: str
    format: str
    terms: Terms
    options: Options
    """Of the format, settled."""
    source: str | None = None
    """The stage whose best take part; None: the entrants below do."""
    top: int | None = None
    """How many of them; None: all."""
    entrants: tuple[str, ...] = ()
    """Of a stage without a source, best seed first."""
    beside: bool = False
    """It is played beside the cup, and places nobody: the null entrant's."""


@dataclass(frozen=True)
class Progress:
    """A cup as it stands."""

    plans: tuple[StagePlan, ...]
    """In an order in which each comes after its source."""
    seed: str
    results: Mapping[str, Mapping[str, Result]] = field(default_factory=dict)
    """By stage and key."""

    def plan(self, name: str) -> StagePlan:
        return next(plan for plan in self.plans if plan.name == name)

    def form(self, name: str) -> Format:
        return named(self.plan(name).format)

    def entrants(self, name: str) -> tuple[str, ...] | None:
        """Who takes part in a stage; None while that is not known."""
        plan = self.plan(name)
        if plan.source is None:
            return plan.entrants
        if not self.done(plan.source):
            return None
        return self.ordered(plan.source)[: plan.top]

    def stage(self, name: str) -> Stage | None:
        """What the stage's format is asked with; None while its entrants are not known."""
        entrants = self.entrants(name)
        if entrants is None:
            return None
        plan = self.plan(name)
        cuts = {other.top for other in self.plans if other.source == name and other.top is not None}
        return Stage(
            entrants,
            plan.terms,
            plan.options,
            stage_seed(self.seed, name),
            self.results.get(name, {}),
            tuple(sorted(cut for cut in cuts if cut < len(entrants))),
        )

    def pairings(self, name: str) -> Sequence[Pairing]:
        """Every series of a stage that can be played now and is not finished."""
        stage = self.stage(name)
        return [] if stage is None else self.form(name).pairings(stage)

    def labels(self, name: str) -> dict[str, Message]:
        """What the finished series of a stage are called, by key: as the format said when they were to be
        played, so it is asked again without them."""
        stage = self.stage(name)
        if stage is None:
            return {}
        known = self.planned(name)
        for key in stage.results:
            if key not in known:
                before = {other: result for other, result in stage.results.items() if other != key}
                open_then = self.form(name).pairings(replace(stage, results=before))
                known |= {one.key: one.label for one in open_then}
        return {key: known[key] for key in stage.results if key in known}

    def planned(self, name: str) -> dict[str, Message]:
        """The series that were to be played from the start, whatever their results; by key, what they are
        called. A play-off is none of them."""
        stage = self.stage(name)
        if stage is None:
            return {}
        return {one.key: one.label for one in self.form(name).pairings(replace(stage, results={}))}

    def done(self, name: str) -> bool:
        """Whether a stage has been played to its end."""
        stage = self.stage(name)
        return stage is not None and not self.form(name).pairings(stage)

    @property
    def over(self) -> bool:
        return all(self.done(plan.name) for plan in self.plans)

    def standings(self, name: str) -> Standings | None:
        """How a stage stands; None while its entrants are not known."""
        stage = self.stage(name)
        return None if stage is None else self.form(name).standings(stage)

    def ordered(self, name: str) -> tuple[str, ...]:
        """A stage's entrants, best first. Who shares a place is put in order by lot: somebody must be
        fourth."""
        stage = self.stage(name)
        if stage is None:
            return ()
        lot = stage.lot("advance")
        rows = self.form(name).standings(stage).rows
        return tuple(row.entrant for row in sorted(rows, key=lambda row: (row.place, -lot[row.entrant])))

    def drawn(self, name: str) -> tuple[str, ...]:
        """Those of a finished stage who share a place at a cut, so that the lot decided who advanced."""
        stage = self.stage(name)
        if stage is None or not self.done(name):
            return ()
        places = {row.entrant: row.place for row in self.form(name).standings(stage).rows}
        order = self.ordered(name)
        split = {places[order[cut]] for cut in stage.cuts if places[order[cut - 1]] == places[order[cut]]}
        return tuple(entrant for entrant in order if places[entrant] in split)

    def overall(self) -> tuple[Row, ...]:
        """The cup's whole table: who came into a later stage stands before who did not.

        A row's figures are those of the last stage its entrant was in.
        """
        placed: list[Row] = []
        for plan in reversed(self.plans):
            standings = None if plan.beside else self.standings(plan.name)
            there = {row.entrant for row in placed}
            rows = [row for row in standings.rows if row.entrant not in there] if standings else []
            before = len(placed)
            ranks = [row.place for row in rows]
            placed += [
                Row(
                    before + 1 + ranks.index(row.place), row.entrant, row.figures, row.why or _left(plan, row)
                )
                for row in rows
            ]
        return tuple(placed)


def _left(plan: StagePlan, row: Row) -> Message:
    return msg("{stage}: place {place}", stage=plan.name, place=row.place)


# --- seeds -----------------------------------------------------------------------------------------


def stage_seed(seed: str, stage: str) -> str:
    """What is drawn by lot in a stage is drawn from this."""
    return private(seed, "stage", stage)


def series_seed(seed: str, stage: str, key: str) -> str:
    """For `Pairing.sitting`."""
    return private(seed, "stage", stage, "series", key)


def commitment(seed: str) -> str:
    """What is published before a cup, so that its seed can be believed after it."""
    return "sha256:" + sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()


SHORTEST_SECRET: Final = 16
FEWEST_SIGNS: Final = 6


def is_guessable(seed: str) -> bool:
    """Whether somebody who knows the digest of a seed could find it by trying all short texts."""
    return len(seed) < SHORTEST_SECRET or len(set(seed)) < FEWEST_SIGNS
