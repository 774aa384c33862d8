"""A row of the table of strength: who plays whom, how often, and what must come of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from botequim.match.runner import play_match
from botequim.match.spec import MatchSpec
from botequim.match.statistics import Score

HELD_OUT = "held out"
"""Seeds that nothing was learned or tuned with begin so."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What was seen so far."""

    rate: float
    low: float
    high: float
    games: int
    faults: int = 0
    note: str = ""


Progress: TypeAlias = Callable[[Measured], None]


class Row(Protocol):
    """Anything that can be measured and judged."""

    @property
    def game(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def at_least(self) -> float: ...

    @property
    def aim(self) -> float: ...

    @property
    def minutes(self) -> float:
        """What it may take of the half hour that all rows have; what it leaves is for those after it."""

    def measure(self, *, workers: int, times: float, seconds: float, tell: Progress) -> Measured:
        """Play `times` as much as usual (1 for the quick table), but no longer than so many seconds."""


@dataclass(frozen=True, slots=True)
class Duel:
    """The first of the entrants is measured; each deal is played from every side."""

    game: str
    entrants: tuple[str, ...]
    games: int
    at_least: float
    aim: float
    minutes: float
    options: Mapping[str, object] = field(default_factory=dict)
    words: str = ""
    """What else the title says."""

    @property
    def title(self) -> str:
        first, *others = self.entrants
        against = others[0] if len(set(others)) == 1 else ", ".join(others)
        many = f" ({len(others) + 1} players)" if len(others) > 1 else ""
        return f"{first} v {against}{many}{' ' if self.words else ''}{self.words}"

    def measure(self, *, workers: int, times: float, seconds: float, tell: Progress) -> Measured:
        match = MatchSpec.of(
            self.game,
            self.entrants,
            games=int(self.games * times),
            seed=f"{HELD_OUT}/{self.game}/{self.title}",
            options=self.options,
        )
        until = time.monotonic() + seconds
        seen = Measured(0.0, 0.0, 1.0, 0)
        for table in play_match(match, workers=workers):
            if table.games:
                seen = measured(table.scores[0])
                tell(seen)
            if time.monotonic() > until:
                break
        return seen


def measured(score: Score, note: str = "") -> Measured:
    """A score as a row shows it."""
    low, high = score.interval() or (0.0, 1.0)
    return Measured(score.rate, low, high, score.games, score.faults, note)


def rows() -> Iterator[Row]:
    """All there are. A game adds a module with its ROWS here."""
    from benchmarks.strength import cubos, fives, havana, rps, uno

    for module in (cubos, havana, fives, uno, rps):
        yield from module.ROWS
    yield cubos.MORE_WORLDS
