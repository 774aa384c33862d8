"""A series that is to be played, and its result.

A *series* is some consecutive games between the same entrants: a confronto of 1000, three games, a best of
three. `game_setup` returns the seats and the seed of each game as a function of the seed of the series, so
that any process can play it and anyone can check it. `over` returns whether the series is decided, and
`result` makes the `SeriesResult` that is stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from botequim.core.messages import Message
from botequim.core.options import Value
from botequim.core.results import GameResult, SeriesResult
from botequim.core.rng import Rng, private
from botequim.engine.jobs import GameSetup, is_decided

SEPARATOR: Final = " | "
"""The separator of the names in a key. No name of an entrant contains a `|`."""
ROUND_SEPARATOR: Final = " || "


def round_key(number: int, entrants: Iterable[str]) -> str:
    """Return the key of a series in a round, from 1. It depends only on the round and the entrants."""
    return f"{number}{ROUND_SEPARATOR}{SEPARATOR.join(sorted(entrants))}"


def parse_round_key(key: str) -> tuple[int, list[str]] | None:
    """Return the round and the entrants of a key that `round_key` returned; None for other keys."""
    number, separator, names = key.partition(ROUND_SEPARATOR)
    if not (separator and number.isdecimal() and number.isascii() and len(number) < 10):
        return None
    return int(number), names.split(SEPARATOR)


class Sides(StrEnum):
    """The seats of the entrants in the games of a series."""

    DRAWN = "drawn"
    """The seats are drawn by lot for each game."""
    FIXED = "fixed"
    """All entrants keep their seats through the series."""
    EVERY = "every"
    """Each deal is played from every side: the entrants move one team on each time."""


@dataclass(frozen=True, slots=True)
class Starter:
    """An option of the game that chooses the starter: a random seat in the first deal, then each in turn."""

    option: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class SeriesRules:
    """How the games of a series are played."""

    games: int = 1
    """The number of games; the maximum if the series can end early."""
    early: bool = False
    """Whether the series ends as soon as it is decided, as in "best of"."""
    sides: Sides = Sides.DRAWN
    starter: Starter | None = None


@dataclass(frozen=True, slots=True)
class Pairing:
    """A series to be played."""

    key: str
    """A key that is unique in its stage and never changes."""
    entrants: tuple[str, ...]
    """The names by team."""
    terms: SeriesRules
    label: Message
    """A label for people, such as `semi-final 1`."""
    round: int = 1
    """The round in which the pairing is shown. A later round waits for an earlier one."""
    last: bool = False
    """Whether a coordinator begins it only when no other series of the stage is open, so that its games are
    stored, and revealed, after theirs. It is valid in any order. A format offers it after the others."""

    def game_setup(self, number: int, seed: str) -> GameSetup:
        """Return the setup of game `number` if the series has this seed (`stages.series_seed`)."""
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
        """Return whether no more games are to be played after these."""
        left = self.terms.games - len(games)
        if left <= 0 or not self.terms.early:
            return left <= 0
        return is_decided([sum(game.is_win(at) for game in games) for at in range(len(self.entrants))], left)

    def result(self, games: Sequence[GameResult]) -> SeriesResult:
        return SeriesResult(self.key, self.entrants, tuple(games))
