"""A series that a cup wants played, and what is kept of it once it was.

A *series* is some games in a row between the same entrants: a confronto of 1000, three games, a best of
three. A `Pairing` says which; `game_setup` says, for each of its games, who sits where and from which seed it
is dealt, as a function of the series' own seed, so that any process can play it and anyone can check it;
`over` says when it is decided, and `result` makes the `SeriesResult` that is stored of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from botequim.core.messages import Message
from botequim.core.options import Value
from botequim.core.results import GameResult, SeriesResult
from botequim.core.rng import Rng, private
from botequim.engine.jobs import GameSetup, is_decided

SEPARATOR: Final = " | "
"""Between the names in a key; no entrant's name holds a `|`."""


class Sides(StrEnum):
    """Who sits where in the games of a series."""

    DRAWN = "drawn"
    """The seats are drawn for each game."""
    FIXED = "fixed"
    """All keep their seats through the series."""
    EVERY = "every"
    """Each deal is played from every side: the entrants move one team on each time."""


@dataclass(frozen=True, slots=True)
class Starter:
    """An option of the game that names who starts: drawn for the first deal, then each in turn."""

    option: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class SeriesRules:
    """How the games of a series are played."""

    games: int = 1
    """All of them, or at most so many when it is decided early."""
    early: bool = False
    """Best of: it ends as soon as one of two cannot be caught any more."""
    sides: Sides = Sides.DRAWN
    starter: Starter | None = None


@dataclass(frozen=True, slots=True)
class Pairing:
    """A series to be played."""

    key: str
    """Unique in its stage, and the same whenever the format is asked again."""
    entrants: tuple[str, ...]
    """Names, by team as they would sit."""
    terms: SeriesRules
    label: Message
    """What it is, for people: `semi-final 1`."""
    round: int = 1
    """Pairings of one round can be shown together; a later round waits for an earlier one."""

    def game_setup(self, number: int, seed: str) -> GameSetup:
        """How game `number` sits, when the series has this seed (`stages.series_seed`)."""
        count, terms = len(self.entrants), self.terms
        rotation = number % count if terms.sides is Sides.EVERY else 0
        deal = number // count if terms.sides is Sides.EVERY else number
        order = list(range(count))
        if terms.sides is Sides.DRAWN:
            order = Rng(private(seed, "seats", number)).shuffled(order)
        order = [order[(team + rotation) % count] for team in range(count)]
        options: dict[str, Value] = {}
        if terms.starter is not None:
            values = terms.starter.values
            first = Rng(private(seed, "starter")).below(len(values))
            options[terms.starter.option] = values[(first + deal) % len(values)]
        return GameSetup(number, tuple(order), private(seed, "deal", deal), rotation, options)

    def over(self, games: Sequence[GameResult]) -> bool:
        """Whether no more games are to be played after these."""
        left = self.terms.games - len(games)
        if left <= 0 or not self.terms.early:
            return left <= 0
        return is_decided([sum(game.won(at) for game in games) for at in range(len(self.entrants))], left)

    def result(self, games: Sequence[GameResult]) -> SeriesResult:
        """Return what is stored of this series when these are its games."""
        return SeriesResult(self.key, self.entrants, tuple(games))
