"""The results of games and series, as they are stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from sys import intern
from typing import Any, Final

from botequim.core.game import Outcome

PARTS: Final = 2520
"""The number of parts of a win. It is divisible by 1 to 10, so shares of up to ten entrants are integers."""
MOST_CANONICAL: Final = 4096
"""How many different results of games are remembered, so that equal games use them."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """The result of one game. Everything is by entrant, in the order of the pairing."""

    places: tuple[int, ...]
    """1 is best; tied entrants share a place."""
    how: str
    """The ending, as the game names it."""
    faults: tuple[int, ...] = ()
    """The number of faults by entrant; () if there were none."""

    @classmethod
    def of(cls, outcome: Outcome, order: Sequence[int], faults: Sequence[int]) -> GameResult:
        """Return the result for an outcome and faults by team. `order` contains the entrant of each team."""
        places, counts = [0] * len(order), [0] * len(order)
        for team, at in enumerate(order):
            places[at] = outcome.places[team]
            counts[at] = faults[team]
        return cls(tuple(places), outcome.how, tuple(counts) if any(counts) else ())

    def canonical(self) -> GameResult:
        """Return the one object that equal results share: a cup has many games, but few different results."""
        return _canonical_result(self.how, len(self.places), *self.places, *self.faults)

    def share(self, at: int) -> Fraction:
        """Return the share of the win: m entrants who share the first place have 1/m each."""
        return Fraction(1, self.places.count(1)) if self.places[at] == 1 else Fraction(0)

    def is_win(self, at: int) -> bool:
        """Return whether the entrant has the first place alone."""
        return self.places[at] == 1 and self.places.count(1) == 1


# typed, because 1.0 and True, which only a damaged store contains, are equal to 1
@lru_cache(MOST_CANONICAL, typed=True)
def _canonical_result(how: str, entrants: int, *numbers: int) -> GameResult:
    """Return the result with these places, one for each entrant, and these faults."""
    return GameResult(numbers[:entrants], how, numbers[entrants:])


@dataclass(frozen=True, slots=True)
class SeriesResult:
    """A finished series."""

    key: str
    entrants: tuple[str, ...]
    games: tuple[GameResult, ...]
    """The games in the order of their numbers, which may not be the order of play."""

    def totals(self) -> dict[str, Total]:
        wins, draws, parts, faults = ([0] * len(self.entrants) for _ in range(4))
        for game in self.games:
            firsts = game.places.count(1)
            for at, place in enumerate(game.places):
                if place == 1:
                    parts[at] += PARTS // firsts
                    if firsts == 1:
                        wins[at] += 1
                    else:
                        draws[at] += 1
            for at, count in enumerate(game.faults):
                faults[at] += count
        return {
            name: Total(len(self.games), wins[at], draws[at], parts[at], faults[at])
            for at, name in enumerate(self.entrants)
        }

    def winner(self) -> str | None:
        """Return the entrant with the largest share; None if there is a tie."""
        totals = self.totals()
        best = max(total.parts for total in totals.values())
        ahead = [name for name, total in totals.items() if total.parts == best]
        return ahead[0] if len(ahead) == 1 else None

    def as_json(self) -> dict[str, Any]:
        """Return the result in a short form: each ending is written once, and a game is a list of numbers."""
        hows = sorted({game.how for game in self.games})
        number = {how: at for at, how in enumerate(hows)}
        return {
            "key": self.key,
            "entrants": list(self.entrants),
            "hows": hows,
            "games": [[number[game.how], list(game.places), list(game.faults)] for game in self.games],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> SeriesResult:
        hows = [intern(how) for how in value["hows"]]
        games = [
            _canonical_result(hows[how], len(places), *places, *faults)
            for how, places, faults in value["games"]
        ]
        return cls(value["key"], tuple(map(intern, value["entrants"])), tuple(games))


@dataclass(frozen=True, slots=True)
class Total:
    """The sum of the games of one entrant."""

    games: int = 0
    won: int = 0
    drawn: int = 0
    parts: int = 0
    """The sum of its shares of wins, in units of 1/`PARTS` of a win, because integers add up fast."""
    faults: int = 0

    @property
    def lost(self) -> int:
        return self.games - self.won - self.drawn

    @property
    def share(self) -> Fraction:
        return Fraction(self.parts, PARTS)

    def __add__(self, other: Total) -> Total:
        return Total(
            self.games + other.games,
            self.won + other.won,
            self.drawn + other.drawn,
            self.parts + other.parts,
            self.faults + other.faults,
        )
