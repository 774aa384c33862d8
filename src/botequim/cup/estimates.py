"""Estimates how long a cup takes, from the speeds that its check measured.

Before a cup, every stage is simulated with invented results, so that brackets have their real length. During
the cup, the estimate for the remaining series follows from the finished ones.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final, TypeAlias

from botequim import interrupts, registry
from botequim.botcheck.speed import Range, Speed, Turns, rehearse, series_seconds, silent_turns
from botequim.core.results import GameResult, SeriesResult
from botequim.core.wire import Restart
from botequim.cup.config import Cup
from botequim.cup.format import Round, RoundsFormat, find_format
from botequim.cup.pairing import Pairing
from botequim.cup.stages import StagePlan

WORKERS_START: Final = Range(0.0, 2.0)
"""The seconds until the processes of a stage have begun to play."""
UNSURE: Final = 0.5
"""The relative error of a single series."""
SURE: Final = 0.1
"""The relative error that remains after any number of series."""
MOST_WAVES: Final = 1000

Wave: TypeAlias = Sequence[tuple[Pairing, int]]
"""Series that can be played at the same time, each with the fewest games that decide it."""


def stage_seconds(
    cup: Cup, speeds: Mapping[str, Speed], lifetimes: Mapping[str, Restart], workers: int
) -> dict[str, Range]:
    """Return how long each stage takes, without the series of entrants whose speed is not known.

    Nobody knows who will advance to a later stage. So the lower bounds assume that the faster entrant always
    wins, and the upper bounds that the slower one does.
    """
    costs = _Costs(cup, speeds, lifetimes)
    fastest_first, slowest_first = costs.order(), costs.order(slowest_first=True)
    lows = _totals(cup, costs, fastest_first, workers)
    if slowest_first == fastest_first:
        return lows
    highs = _totals(cup, costs, slowest_first, workers)
    return {
        name: Range(min(low.low, highs[name].low), max(low.high, highs[name].high))
        for name, low in lows.items()
    }


def _totals(cup: Cup, costs: _Costs, order: Sequence[str], workers: int) -> dict[str, Range]:
    """Return how long each stage takes if the entrant listed first in `order` always wins."""
    totals = {}
    for plan, waves in _SimulatedCup(cup, order).stages():
        total = WORKERS_START
        for wave in waves:
            each = [costs.series(plan, pairing, fewest) for pairing, fewest in wave if costs.knows(pairing)]
            total += Range(*(_together([pick(one) for one in each], workers) for pick in (_low, _high)))
        totals[plan.name] = total
    return totals


class _Costs:
    """The time that series take, by the speeds of their entrants."""

    def __init__(self, cup: Cup, speeds: Mapping[str, Speed], lifetimes: Mapping[str, Restart]) -> None:
        self._cup: Final = cup
        self._speeds: Final = speeds
        self._lifetimes: Final = lifetimes
        self._rehearsals: Final[dict[str, _Rehearsal]] = {}
        """By stage."""

    def knows(self, pairing: Pairing) -> bool:
        return all(name in self._speeds for name in pairing.entrants)

    def series(self, plan: StagePlan, pairing: Pairing, fewest: int) -> Range:
        return self._seconds(plan, pairing.entrants, (fewest, pairing.terms.games))

    def order(self, *, slowest_first: bool = False) -> list[str]:
        """Return all entrants, sorted by the time of games against themselves. Those whose speed is not known
        come last: they take nobody's place."""
        plan = self._cup.plans[0]
        count = len(self._rehearsal(plan).seats)
        entrants = [entry.name for entry in self._cup.entrants]
        known = [name for name in entrants if name in self._speeds]
        games = (plan.terms.games, plan.terms.games)
        known.sort(key=lambda name: self._seconds(plan, [name] * count, games).high, reverse=slowest_first)
        return [*known, *(name for name in entrants if name not in self._speeds)]

    def _seconds(self, plan: StagePlan, entrants: Sequence[str], games: tuple[int, int]) -> Range:
        found = self._rehearsal(plan)
        live_on = any(self._lifetimes.get(name) is Restart.SERIES for name in entrants)
        speeds = [self._speeds[name] for name in entrants]
        return series_seconds(found.turns, speeds, found.seats, games, live_on=live_on, silent=found.silent)

    def _rehearsal(self, plan: StagePlan) -> _Rehearsal:
        if plan.name not in self._rehearsals:
            game, options = registry.game(self._cup.game), self._cup.game_options(plan)
            any_late = any(speed.late for speed in self._speeds.values())
            self._rehearsals[plan.name] = _Rehearsal(
                interrupts.run(rehearse(game, options)),
                interrupts.run(silent_turns(game, options)) if any_late else None,
                [len(team) for team in game.teams(options)],
            )
        return self._rehearsals[plan.name]


@dataclass(frozen=True, slots=True)
class _Rehearsal:
    """What average games of a stage are like."""

    turns: Sequence[Turns]
    silent: Sequence[float] | None
    seats: Sequence[int]
    """The number of seats by team."""


def _low(seconds: Range) -> float:
    return seconds.low


def _high(seconds: Range) -> float:
    return seconds.high


def _together(seconds: Sequence[float], workers: int) -> float:
    """Return the seconds until all of these are finished, if each worker always takes the next one."""
    busy = [0.0] * max(1, min(workers, len(seconds)))
    for one in seconds:
        heapq.heapreplace(busy, busy[0] + one)
    return max(busy)


class _SimulatedCup:
    """A cup as it would be played if the entrant that comes first in an order always won."""

    def __init__(self, cup: Cup, order: Sequence[str] = ()) -> None:
        """Without an order, it is that of the cup file."""
        self._cup: Final = cup
        self._order: Final = order or [entry.name for entry in cup.entrants]
        self._results: Final[dict[str, Mapping[str, SeriesResult]]] = {}
        self._rounds: Final[dict[str, Sequence[Round]]] = {}

    def stages(self) -> Iterator[tuple[StagePlan, list[Wave]]]:
        """Simulate the stages in order, and yield each with its waves."""
        rank = {name: at for at, name in enumerate(self._order)}
        for plan in self._cup.plans:
            waves: list[Wave] = []
            results: dict[str, SeriesResult] = {}
            self._results[plan.name] = results
            while (found := self._pairings(plan.name)) and len(waves) < MOST_WAVES:
                pairings = [one for one in found if not one.last] or found
                simulated = [_simulated_result(pairing, rank.__getitem__) for pairing in pairings]
                results |= {result.key: result for result in simulated}
                waves.append(
                    [(pairing, len(one.games)) for pairing, one in zip(pairings, simulated, strict=True)]
                )
            yield plan, waves

    def _pairings(self, name: str) -> Sequence[Pairing]:
        state = self._cup.state("estimate", self._results, self._rounds)
        if state.needs_round(name):
            state = state.with_round(name, state.next_round(name))
            self._rounds[name] = state.rounds[name]
        return state.pairings(name)

    def needs_playoffs(self, plan: StagePlan, waves: Sequence[Wave]) -> bool:
        """Return whether the stage that was simulated last needs more series if all games are tied."""
        if isinstance(find_format(plan.format), RoundsFormat):
            return False  # the number of series does not depend on the results
        keys = {pairing.key for wave in waves for pairing, _ in wave}
        level: dict[str, SeriesResult] = {}
        for _ in range(MOST_WAVES):
            results = {**self._results, plan.name: level}
            pairings = self._cup.state("estimate", results, self._rounds).pairings(plan.name)
            if any(pairing.key not in keys for pairing in pairings):
                return True
            if not pairings:
                break
            level |= {pairing.key: _level(pairing) for pairing in pairings}
        return False


def stages_with_playoffs(cup: Cup) -> list[str]:
    """Return the stages that need more series than `stage_seconds` counts if all their games are tied."""
    simulation = _SimulatedCup(cup)
    return [plan.name for plan, waves in simulation.stages() if simulation.needs_playoffs(plan, waves)]


def _level(pairing: Pairing) -> SeriesResult:
    game = GameResult((1,) * len(pairing.entrants), "")
    return pairing.result([game] * pairing.terms.games)


def _simulated_result(pairing: Pairing, rank: Callable[[str], int]) -> SeriesResult:
    order = sorted(pairing.entrants, key=rank)
    game = GameResult(tuple(order.index(name) + 1 for name in pairing.entrants), "")
    fewest = pairing.terms.games
    if pairing.terms.early and len(pairing.entrants) == 2:
        fewest = pairing.terms.games // 2 + 1
    return pairing.result([game] * fewest)


class Remaining:
    """Estimates the rest of a stage from its finished series."""

    def __init__(self, workers: int, expected: Range | None = None) -> None:
        """`expected` is the estimate of a check for the whole stage, used until the first series is
        finished."""
        self._workers: Final = workers
        self._expected: Final = expected
        self._count = 0
        self._mean = 0.0
        self._squares = 0.0
        """The sum of the squared differences from the mean."""

    def add(self, seconds: float) -> None:
        """Add the duration of a finished series."""
        # Welford's algorithm, which keeps no durations
        self._count += 1
        before = seconds - self._mean
        self._mean += before / self._count
        self._squares += before * (seconds - self._mean)

    def estimate(self, series: int) -> Range | None:
        """Return the time for so many more series; None if it is not known yet."""
        count, each = self._count, self._mean
        if not count:
            return self._expected
        spread = sqrt(self._squares / count) if count > 2 else UNSURE * each
        # two sources of error: the durations of the remaining series vary, and their mean is only estimated
        error = 2 * spread * sqrt(series + series * series / count) + SURE * each * series
        at_once = max(1, min(self._workers, series))
        total = each * series
        return Range(max(0.0, total - error) / at_once, (total + error) / at_once)
