"""Checks whether a format keeps the contract of `botequim.cup.format`, in simulated cups.

Cups of every size are simulated with random results: without draws, and with so many draws that every
tie-break is needed. Series are finished in several orders. The first violation is raised. The rounds of a
`StoredRoundsFormat` are decided as by a coordinator, and must pass its own check. What the format declares in
`changes` happens in the middle of a stage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NoReturn, TypeAlias

from botequim.core.options import ChoiceOption, Option, resolve_options
from botequim.core.results import GameResult, SeriesResult
from botequim.core.rng import Rng, private
from botequim.cup.format import (
    Format,
    RoundsFormat,
    Stage,
    StageChange,
    StoredRoundsFormat,
    allowed_changes,
)
from botequim.cup.pairing import Pairing, SeriesRules
from botequim.cup.stage_changes import with_walkovers
from botequim.testing.contract import ContractBroken

MOST_SERIES = 20_000
DRAWS = (0, 50, 100)
"""The percentages of draws."""

SMALL = 5
LATE = "late bot"

_Choose: TypeAlias = Callable[[Sequence[Pairing], Rng], int]
"""Returns the index of the waiting series that is finished next."""


def check_format(
    form: Format,
    *,
    fields: Iterable[int] = (2, 3, 4, 5, 8, 9),
    terms: SeriesRules | None = None,
    seed: str = "contract",
) -> None:
    """Simulate cups of these sizes with each setting. Raise `ContractBroken` for a violation."""
    for number, options in enumerate(_settings(form)):
        count_of_fields = 0
        # large cups are simulated with one setting only
        for count in [count for count in fields if number == 0 or count <= SMALL]:
            names = tuple(f"bot {number}" for number in range(1, count + 1))
            stage = Stage(
                names, terms or SeriesRules(games=1), options, seed, cuts=(count // 2,) if count > 2 else ()
            )
            if form.problem(stage) is not None:
                continue
            count_of_fields += 1
            for draws in DRAWS:
                _Cup(form, stage, draws).check()
            if 2 < count <= SMALL:
                _Cup(form, stage, DRAWS[1]).check_changes()
        if not count_of_fields:
            raise ContractBroken(f"{form.name} {dict(options)}: it can be held with none of these fields")


def _settings(form: Format) -> list[dict[str, int | str]]:
    settings = [resolve_options(form.name, form.options, {})]
    for option in form.options:
        values = [value for value in _values(option) if value != option.default]
        settings += [resolve_options(form.name, form.options, {option.name: value}) for value in values]
    return settings


def _values(option: Option) -> Sequence[int | str]:
    if isinstance(option, ChoiceOption):
        return option.known
    return [option.low, min(option.high, option.default + 1)]


class _Cup:
    """One simulated cup."""

    def __init__(self, form: Format, stage: Stage, draws: int) -> None:
        self.form = form
        self.stage = stage
        self.draws = draws
        self.offered: dict[str, Pairing] = {}
        """All pairings that the format has returned so far."""

    def check(self) -> None:
        end = self.play(lambda waiting, rng: 0)
        first = self.form.standings(end)
        pairings = dict(self.offered)
        for order in ("one", "other"):
            again = self.play(lambda waiting, rng: rng.below(len(waiting)), order)
            if again.results != end.results or self.offered != pairings:
                self.broken("what is played depends on the order in which series are finished")
            if self.form.standings(again) != first:
                self.broken("the standings depend on the order in which series are finished")
        in_other_order = Rng("results").shuffled(end.results.items())
        if self.form.standings(replace(end, results=dict(in_other_order))) != first:
            self.broken("the standings depend on the order of the results")

    # --- changes -----------------------------------------------------------------------------------

    def check_changes(self) -> None:
        """Check what the format declares to allow, in the middle of the stage."""
        allowed = allowed_changes(self.form)
        if not allowed <= set(StageChange):
            self.broken(f"it allows changes that do not exist: {sorted(allowed)}")
        half = self.play(lambda waiting, rng: 0, most=len(self.stage.entrants) // 2)
        leaver = self.stage.entrants[0]
        if StageChange.LEAVING in allowed:
            self.finish(half, replace(half, out=frozenset((leaver,))))
        if StageChange.ANNULMENT in allowed:
            kept = {key: one for key, one in half.results.items() if leaver not in one.entrants}
            gone = frozenset((leaver,))
            self.finish(half, replace(half, results=kept, out=gone, annulled=gone))
        if StageChange.LATE_ENTRANT in allowed:
            rounds = len(self.form.rounds(half)) if isinstance(self.form, RoundsFormat) else 0
            self.finish(half, replace(half, entrants=(*half.entrants, LATE), late={LATE: rounds}))

    def finish(self, before: Stage, stage: Stage) -> None:
        """Play the rest of a stage that was changed."""
        offered = {one.key: one for one in self.form.pairings(with_walkovers(self.form, stage))}
        for one in self.form.pairings(before):
            if stage.out.isdisjoint(one.entrants) and offered.get(one.key) != one:
                self.broken(f"a change of the stage takes back or changes what was offered: {one.key!r}")
        for _ in range(MOST_SERIES):
            stage = with_walkovers(self.form, stage)
            if isinstance(self.form, StoredRoundsFormat) and self.form.needs_round(stage):
                stage = replace(stage, rounds=(*stage.rounds, self.form.next_round(stage)))
                continue
            waiting = self.form.pairings(stage)
            if not waiting:
                self.check_standings(stage)
                return
            results = {**stage.results, waiting[0].key: self.result(waiting[0])}
            stage = replace(stage, results=results)
        self.broken(f"after a change it has not ended after {MOST_SERIES} series")

    def play(self, choose: _Choose, purpose: str = "", *, most: int = MOST_SERIES) -> Stage:
        """Simulate the cup, or so many series of it, and check every answer of the format."""
        self.offered = {}
        rng = Rng(private(self.stage.seed, purpose))
        stage = self.stage
        for _ in range(MOST_SERIES):
            stage = self.with_next_round(stage)
            waiting = self.waiting_series(stage)
            if len(stage.results) >= most:
                return stage
            if not waiting:
                self.check_standings(stage)
                self.check_length(stage)
                return stage
            if rng.below(4) == 0:
                self.check_standings(stage)
            pairing = waiting[choose(waiting, rng)]
            results: Mapping[str, SeriesResult] = {**stage.results, pairing.key: self.result(pairing)}
            stage = replace(stage, results=results)
        return self.broken(f"it has not ended after {MOST_SERIES} series")

    def with_next_round(self, stage: Stage) -> Stage:
        """Return the stage with the next round, if it needs one."""
        form = self.form
        if not isinstance(form, StoredRoundsFormat) or not form.needs_round(stage):
            return stage
        if form.pairings(stage):
            self.broken("it needs a round while series are not finished")
        self.check_standings(stage)
        new_round = form.next_round(stage)
        problem = form.round_problem(stage, new_round)
        if problem is not None:
            self.broken(f"it decides a round that breaks its rules: {problem}")
        wrong = {
            "without tables": (),
            "with a table twice": (*new_round, new_round[0]),
            "with a stranger": (*new_round[1:], tuple(f"{name}?" for name in new_round[0])),
        }
        for what, one in wrong.items():
            if form.round_problem(stage, one) is None:
                self.broken(f"it accepts a round {what}")
        after = replace(stage, rounds=(*stage.rounds, new_round))
        if form.needs_round(after):
            self.broken("it needs another round although the last one is not played")
        return after

    def waiting_series(self, stage: Stage) -> list[Pairing]:
        waiting = list(self.form.pairings(stage))
        if waiting != list(self.form.pairings(stage)):
            self.broken("two answers to the same question differ")
        keys = [pairing.key for pairing in waiting]
        if len(set(keys)) != len(keys):
            self.broken(f"a key is used twice: {sorted(keys)}")
        for pairing in waiting:
            self.check_pairing(pairing, stage)
        self.check_rounds(waiting, stage)
        missing = self.offered.keys() - stage.results.keys() - set(keys)
        if missing:
            self.broken(f"it takes back what it offered: {sorted(missing)}")
        return waiting

    def check_pairing(self, pairing: Pairing, stage: Stage) -> None:
        if pairing.key in stage.results:
            self.broken(f"what is finished is offered again: {pairing.key!r}")
        if self.offered.setdefault(pairing.key, pairing) != pairing:
            self.broken(f"it changes what it offered: {pairing.key!r}")
        if len(set(pairing.entrants)) != len(pairing.entrants) or not set(pairing.entrants) <= set(
            stage.entrants
        ):
            self.broken(f"a series needs different entrants of the stage: {pairing.entrants}")
        if len(pairing.entrants) != self.form.size(stage.options):
            self.broken(f"tables are of {self.form.size(stage.options)}, not {pairing.entrants}")
        if pairing.terms.games < 1:
            self.broken(f"a series of no games: {pairing.key!r}")

    def check_rounds(self, waiting: Sequence[Pairing], stage: Stage) -> None:
        if not isinstance(self.form, RoundsFormat):
            return
        rounds = self.form.rounds(stage)
        for one in rounds:
            names = [name for table in one for name in table]
            if len(set(names)) != len(names):
                self.broken(f"an entrant is twice in a round: {one}")
        series = stage.all_series(rounds)
        if any(pairing not in series for pairing in waiting):
            self.broken("every pairing must be the series of a table of a round")

    def check_length(self, stage: Stage) -> None:
        if isinstance(self.form, RoundsFormat) and self.form.length(stage) != len(stage.results):
            self.broken(f"it has {len(stage.results)} series, and not {self.form.length(stage)}")

    def check_standings(self, stage: Stage) -> None:
        standings = self.form.standings(stage)
        if sorted(standings.names) != sorted(stage.entrants):
            self.broken(f"standings must have every entrant once: {standings.names}")
        places = [row.place for row in standings.rows]
        right_places = [1 + sum(other < place for other in places) for place in places]
        if places != right_places or places != sorted(places):
            self.broken(f"places count from 1, and after a shared place some are skipped: {places}")
        columns = {column.name for column in standings.columns}
        if any(set(row.figures) != columns for row in standings.rows):
            self.broken("every row has a figure for each column, and no other")
        if standings != self.form.standings(stage):
            self.broken("two standings of the same results differ")

    def result(self, pairing: Pairing) -> SeriesResult:
        """Return a random result, which is always the same for a series."""
        rng = Rng(private(self.stage.seed, pairing.key))
        games: list[GameResult] = []
        while not pairing.over(games):
            count = len(pairing.entrants)
            places = (1,) * count
            if rng.below(100) >= self.draws:
                places = tuple(rng.shuffled(range(1, count + 1)))
            games.append(GameResult(places, "made up"))
        return pairing.result(games)

    def broken(self, what: str) -> NoReturn:
        raise ContractBroken(
            f"{self.form.name} {dict(self.stage.options)}, {len(self.stage.entrants)} entrants: {what}"
        )
