"""What all champions have in common: levels, budgets, and advice that says why.

`champion` is asked for like any built-in player; `champion@easy`, `@normal`, `@hard` and `@full` say how hard
it thinks, `champion@0.5s` for how long, `champion@60` how much of what it counts (worlds, playouts). A level
that counts work gives the same moves under the same seed on machines of the same kind; one that counts
seconds does not.
"""

from __future__ import annotations

import math
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any, ClassVar, Final, Self

from botequim.core.errors import UnknownName
from botequim.core.messages import msg
from botequim.core.rng import Rng

_EFFORT: Final = re.compile(r"[1-9][0-9]*")
_SECONDS: Final = re.compile(r"([0-9]{1,4}(?:\.[0-9]{1,6})?)s")


class Level(StrEnum):
    """How hard a champion thinks."""

    EASY = "easy"
    NORMAL = "normal"
    HARD = "hard"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Budget:
    """What one move may take: an amount of work, or a time."""

    effort: int = 0
    """Worlds, playouts or nodes, as the game's champion counts; the move depends on nothing else."""
    seconds: float = 0.0
    """If not 0: as much work as fits into this time."""

    def clock(self) -> Clock:
        """Begin to count."""
        return Clock(self)


class Clock:
    """One move's budget as it is used up. `while clock.runs(done): ...`"""

    def __init__(self, budget: Budget) -> None:
        self._effort: Final = budget.effort
        self.until: Final = time.perf_counter() + budget.seconds if budget.seconds else 0.0
        """By `time.perf_counter`; 0 where time does not count."""

    def runs(self, done: int) -> bool:
        """Whether there is room for more after so much work. Look often: nothing interrupts what runs."""
        if self.until:
            return time.perf_counter() < self.until
        return done < self._effort


@dataclass(frozen=True, slots=True)
class Advice:
    """A move, and why."""

    move: Any
    chances: Mapping[Any, float]
    """Of each legal move: how likely it is to win, a draw counting as half."""
    belief: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """For each piece that is not seen, by its written name, how likely each seat is to hold it.

    What is missing to 1 is the chance that nobody does: that it was not dealt, or lies in the pile.
    """
    work: int = 0
    """How much was thought through, as the budget's `effort` counts."""
    spread: Mapping[Any, float] = field(default_factory=dict)
    """Of the moves whose chance is an estimate: its standard error. It says how far chance may have led it
    astray, not whether the champion is right about how others play."""


def spread_of_share(share: float, tries: float) -> float:
    """The standard error of a share of wins in so many tries; one won and one lost are counted beside them,
    so that few tries make nothing certain."""
    share = (share * tries + 1.0) / (tries + 2.0)
    return math.sqrt(share * (1.0 - share) / (tries + 2.0))


class Champion(ABC):
    """A strategy with levels that can say why."""

    levels: ClassVar[Mapping[Level, Budget]]
    default: ClassVar[Level] = Level.HARD
    most: ClassVar[int] = 10_000
    """The most work that may be asked for: some draw all worlds at once, and nothing interrupts them."""
    thinks: ClassVar[bool] = True
    """It takes its time: beside bots and people, who must not wait for it, it has a process of its own."""

    def __init__(self, rng: Rng, budget: Budget | None = None) -> None:
        self.rng: Final = rng
        self.budget = budget or self.levels[self.default]

    @classmethod
    def at(cls, level: str) -> Callable[[Rng], Self]:
        """What makes one of that level, for that time, or for that much work: `hard`, `0.5s`, `60`."""
        if _EFFORT.fullmatch(level):
            if len(level) > len(str(cls.most)) or int(level) > cls.most:
                raise UnknownName(
                    msg(
                        'level "{level}" is too much work for one move: at most {most}',
                        level=level,
                        most=cls.most,
                    )
                )
            return partial(cls, budget=Budget(effort=int(level)))
        timed = _SECONDS.fullmatch(level)
        if timed and float(timed[1]) > 0:
            return partial(cls, budget=Budget(seconds=float(timed[1])))
        if level not in [known.value for known in cls.levels]:
            raise UnknownName(
                msg(
                    'unknown level "{level}"; known: {known}, a time for each move (0.5s), or a number of '
                    "worlds or the like (60)",
                    level=level,
                    known=", ".join(known.value for known in cls.levels),
                )
            )
        return partial(cls, budget=cls.levels[Level(level)])

    @abstractmethod
    def advise(self, view: Any) -> Advice:
        """What it would do, and why; `view` is of a seat that is to move."""

    def choose(self, view: Any) -> Any:
        """The move it advises; where there is no choice it does not think."""
        return view.legal[0] if len(view.legal) == 1 else self.advise(view).move
