"""The machines on which the games of a cup were played, and whether timeouts cluster on one of them.

All of it comes from the records. A series is played by one machine from beginning to end, so its timeouts may
have one cause that has nothing to do with the machine, such as an opponent. So the question is asked of
series: if a bot timed out in some of its series, how likely is it that chance alone puts so many of them on
this machine? The answer is the upper tail of the hypergeometric distribution, which is exact. It is
multiplied by the number of comparisons (Bonferroni): among many bots and machines, some always look special.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import comb
from statistics import median
from typing import Any, Final

from botequim.core.errors import FaultKind
from botequim.records.record import machine_from

THRESHOLD: Final = 0.05
"""If only chance is at work, fewer than 1 of 20 reports name any cluster."""
LEAST_SERIES: Final = 2
"""One series with timeouts is no cluster."""


@dataclass(slots=True)
class MachineFigures:
    """The games of one machine."""

    label: str
    """Empty for games whose records name no machine."""
    speeds: list[float] = field(default_factory=list)
    """The different speeds that records give; a machine is measured each time that its worker starts."""
    games: int = 0
    timeouts: int = 0
    waits: int = 0
    """How many waits are known: one for each game and seat of a bot."""
    total_wait: float = 0.0
    longest_wait: float = 0.0

    @property
    def speed(self) -> float | None:
        return median(self.speeds) if self.speeds else None

    @property
    def mean_wait(self) -> float | None:
        return self.total_wait / self.waits if self.waits else None

    def as_json(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "speed": self.speed,
            "games": self.games,
            "timeouts": self.timeouts,
            "longest_wait": self.longest_wait if self.waits else None,
            "mean_wait": None if self.mean_wait is None else round(self.mean_wait, 6),
        }


@dataclass(frozen=True, slots=True)
class TimeoutCluster:
    """Timeouts of an entrant that are on one machine more often than chance explains."""

    entrant: str
    label: str
    timeouts: int
    """How many of them happened on this machine."""
    all_timeouts: int
    share: float
    """The part of the entrant's games that this machine played."""
    chance: float
    """How likely it is, at most, that chance alone brings about such a cluster anywhere in the report."""

    def as_json(self) -> dict[str, Any]:
        return {
            "entrant": self.entrant,
            "machine": self.label,
            "timeouts": self.timeouts,
            "all_timeouts": self.all_timeouts,
            "share": self.share,
            "chance": self.chance,
        }


@dataclass(slots=True)
class _PlayedSeries:
    """What one entrant did in one series on one machine."""

    games: int = 0
    timeouts: int = 0


class MachineTally:
    """Counts games, timeouts and waits by machine, record by record."""

    def __init__(self) -> None:
        self._machines: dict[str, MachineFigures] = {}
        self._series: dict[str, dict[tuple[str, str, str], _PlayedSeries]] = {}
        """By entrant: what it did, by the label of the machine, the stage and the key of the series."""

    def add_game(
        self,
        series: tuple[str, str],
        header: Mapping[str, Any],
        turns: Iterable[Mapping[str, Any]],
        last: Mapping[str, Any],
    ) -> None:
        """Count one record: its first line, its turns and its last line. `series` is its stage and key."""
        machine = machine_from(header)
        label = "" if machine is None else machine.label
        figures = self._machines.setdefault(label, MachineFigures(label))
        figures.games += 1
        if machine is not None and machine.speed not in figures.speeds:
            figures.speeds.append(machine.speed)
        waits = [float(wait) for wait in last.get("waited", ()) if wait is not None]
        figures.waits += len(waits)
        figures.total_wait += sum(waits)
        figures.longest_wait = max([figures.longest_wait, *waits])
        names = [str(seat["name"]) for seat in header["seats"]]
        late = Counter(names[move["by"]] for turn in turns for move in turn["moves"] if _is_timeout(move))
        figures.timeouts += late.total()
        for name in dict.fromkeys(names):
            played = self._series.setdefault(name, {}).setdefault((label, *series), _PlayedSeries())
            played.games += 1
            played.timeouts += late[name]

    @property
    def machines(self) -> Sequence[MachineFigures]:
        """The machines by label, last those games that name none; nothing if no game names one."""
        if not any(self._machines):
            return ()
        return sorted(self._machines.values(), key=lambda one: (not one.label, one.label))

    @property
    def timeouts(self) -> int:
        return sum(one.timeouts for one in self._machines.values())

    def clusters(self) -> Sequence[TimeoutCluster]:
        """Return the clusters of all entrants, the least likely first."""
        if not any(self._machines):
            return ()
        compared = [
            (name, label, series)
            for name, series in self._series.items()
            if sum(one.timeouts > 0 for one in series.values()) >= LEAST_SERIES
            for label in dict.fromkeys(where[0] for where in series)
            if label
        ]
        found = [_cluster(*one, comparisons=len(compared)) for one in compared]
        clusters = [one for one in found if one.chance < THRESHOLD]
        return tuple(sorted(clusters, key=lambda one: (one.chance, one.entrant, one.label)))


def _is_timeout(move: Mapping[str, Any]) -> bool:
    return "fault" in move and bool(move["fault"]["kind"] == FaultKind.TIMEOUT.value)


def _cluster(
    entrant: str, label: str, series: Mapping[tuple[str, str, str], _PlayedSeries], *, comparisons: int
) -> TimeoutCluster:
    every, here = list(series.values()), [one for where, one in series.items() if where[0] == label]
    late_here, late = (sum(one.timeouts > 0 for one in some) for some in (here, every))
    chance = min(1.0, comparisons * upper_tail(len(every), late, len(here), late_here))
    timeouts, all_timeouts = (sum(one.timeouts for one in some) for some in (here, every))
    share = sum(one.games for one in here) / sum(one.games for one in every)
    return TimeoutCluster(entrant, label, timeouts, all_timeouts, share, chance)


def upper_tail(every: int, late: int, here: int, late_here: int) -> float:
    """Return how likely it is that at least `late_here` of `here` are late, if chance chooses these from
    `every`, of which `late` are late: the tail of the hypergeometric distribution."""
    ways = sum(
        comb(late, count) * comb(every - late, here - count)
        for count in range(late_here, min(late, here) + 1)
    )
    return ways / comb(every, here)
