"""The base of all champions: levels, budgets, and advice with its reasons.

A champion is chosen by name like any built-in player. `champion@easy`, `@normal`, `@hard` and `@full` set how
much it thinks, `champion@0.5s` sets the time for each move, and `champion@60` sets an amount of work (worlds
or playouts). A level that counts work makes the same moves for the same seed on machines of the same kind; a
level that counts seconds does not.
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
    """How much a champion thinks."""

    EASY = "easy"
    NORMAL = "normal"
    HARD = "hard"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Budget:
    """The limit for one move: an amount of work, or a time."""

    effort: int = 0
    """Worlds, playouts or nodes, depending on the champion. With this limit, the seed alone determines the
    move."""
    seconds: float = 0.0
    """If not 0, the champion works for this long instead."""

    def clock(self) -> Clock:
        """Return the clock of a move that begins now."""
        return Clock(self)


class Clock:
    """Measures the use of the budget of one move: `while clock.runs(done): ...`"""

    def __init__(self, budget: Budget) -> None:
        self._effort: Final = budget.effort
        self.until: Final = time.perf_counter() + budget.seconds if budget.seconds else 0.0
        """The end of the time, as `time.perf_counter` measures it; 0 if the budget is an amount of work."""

    def runs(self, done: int) -> bool:
        """Return whether the budget allows more work after `done`. Call it often."""
        if self.until:
            return time.perf_counter() < self.until
        return done < self._effort


@dataclass(frozen=True, slots=True)
class Advice:
    """A move and the reasons for it."""

    move: Any
    chances: Mapping[Any, float]
    """For each legal move: the probability of winning; a draw counts as half a win."""
    belief: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """For each piece that is not seen, by its written name: the probability that each seat holds it.

    The rest up to 1 is the probability that nobody holds it: it was not dealt, or it is in the pile.
    """
    work: int = 0
    """The amount of work that was done, in the unit of the budget's `effort`."""
    spread: Mapping[Any, float] = field(default_factory=dict)
    """The standard error of each probability that is an estimate. It measures sampling noise only, not
    whether the champion's model of the other players is right."""


def spread_of_share(share: float, tries: float) -> float:
    """Return the standard error of a share of wins in a number of tries. One win and one loss are added, so
    that a few tries never look certain."""
    share = (share * tries + 1.0) / (tries + 2.0)
    return math.sqrt(share * (1.0 - share) / (tries + 2.0))


class Champion(ABC):
    """A strategy with levels that can explain its moves."""

    levels: ClassVar[Mapping[Level, Budget]]
    default: ClassVar[Level] = Level.HARD
    most: ClassVar[int] = 10_000
    """The largest effort that a user may choose. Some champions sample all worlds at once and cannot be
    interrupted."""
    thinks: ClassVar[bool] = True
    """Whether it needs noticeable time. Then it runs in a process of its own if bots or people play too, so
    that they do not wait for it."""

    def __init__(self, rng: Rng, budget: Budget | None = None) -> None:
        self.rng: Final = rng
        self.budget = budget or self.levels[self.default]

    @classmethod
    def at(cls, level: str) -> Callable[[Rng], Self]:
        """Return a factory for a level, a time or an amount of work: `hard`, `0.5s`, `60`."""
        if _EFFORT.fullmatch(level):
            if len(level) > len(str(cls.most)) or int(level) > cls.most:
                raise UnknownName(
                    msg(
                        'level "{level}" is too much work for one move; the highest is {most}',
                        level=level,
                        most=cls.most,
                    )
                )
            return partial(cls, budget=Budget(effort=int(level)))
        match = _SECONDS.fullmatch(level)
        if match and float(match[1]) > 0:
            return partial(cls, budget=Budget(seconds=float(match[1])))
        if level not in [known.value for known in cls.levels]:
            raise UnknownName(
                msg(
                    'unknown level "{level}"; known: {known}, a time for each move (0.5s), or a '
                    "number of worlds or playouts (60)",
                    level=level,
                    known=", ".join(known.value for known in cls.levels),
                )
            )
        return partial(cls, budget=cls.levels[Level(level)])

    @abstractmethod
    def advise(self, view: Any) -> Advice:
        """Return a move with its reasons; `view` belongs to a seat that is to move."""

    def choose(self, view: Any) -> Any:
        """Return the advised move. If there is only one legal move, return it without thinking."""
        return view.legal[0] if len(view.legal) == 1 else self.advise(view).move
