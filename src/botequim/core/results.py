"""What is stored of a finished series: a few small values for each game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from sys import intern
from typing import Any, Final

from botequim.core.game import Outcome

PARTS: Final = 2520
"""A win in parts: every number of entrants from 1 to 10 divides it, so shares are whole numbers."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """What is kept of one game. Everything by entrant, as the pairing lists them."""

    places: tuple[int, ...]
    """1 is best; equals share a place."""
    how: str
    """The game's own word for its ending."""
    faults: tuple[int, ...] = ()
    """How many; () when there were none."""

    @classmethod
    def of(cls, outcome: Outcome, order: Sequence[int], faults: Sequence[int]) -> GameResult:
        """From an outcome and faults by team, for entrants who sat in this order."""
        places, counts = [0] * len(order), [0] * len(order)
        for team, at in enumerate(order):
            places[at] = outcome.places[team]
            counts[at] = faults[team]
        return cls(tuple(places), outcome.how, tuple(counts) if any(counts) else ())

    def share(self, at: int) -> Fraction:
        """Of the win: m who share the first place have 1/m each."""
        return Fraction(1, self.places.count(1)) if self.places[at] == 1 else Fraction(0)

    def won(self, at: int) -> bool:
        """Alone."""
        return self.places[at] == 1 and self.places.count(1) == 1

    def drawn(self, at: int) -> bool:
        """A shared first place."""
        return self.places[at] == 1 and self.places.count(1) > 1


@dataclass(frozen=True, slots=True)
class SeriesResult:
    """A finished series."""

    key: str
    entrants: tuple[str, ...]
    games: tuple[GameResult, ...]
    """In the order in which they were numbered, whichever was played first."""

    def totals(self) -> dict[str, Total]:
        """By entrant."""
        won, drawn, parts, faults = ([0] * len(self.entrants) for _ in range(4))
        for game in self.games:
            firsts = game.places.count(1)
            for at, place in enumerate(game.places):
                if place == 1:
                    parts[at] += PARTS // firsts
                    if firsts == 1:
                        won[at] += 1
                    else:
                        drawn[at] += 1
            for at, count in enumerate(game.faults):
                faults[at] += count
        return {
            name: Total(len(self.games), won[at], drawn[at], parts[at], faults[at])
            for at, name in enumerate(self.entrants)
        }

    def winner(self) -> str | None:
        """Who has the most of it; None when the best are equal."""
        totals = self.totals()
        best = max(total.parts for total in totals.values())
        ahead = [name for name, total in totals.items() if total.parts == best]
        return ahead[0] if len(ahead) == 1 else None

    def as_json(self) -> dict[str, Any]:
        """Small: endings are told once, and a game is a list of numbers."""
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
        # the same few tuples and names make up thousands of games: each is kept once
        once: dict[tuple[int, ...], tuple[int, ...]] = {}

        def kept(numbers: Sequence[int]) -> tuple[int, ...]:
            made = tuple(numbers)
            return once.setdefault(made, made)

        games = [GameResult(kept(places), hows[how], kept(faults)) for how, places, faults in value["games"]]
        return cls(value["key"], tuple(map(intern, value["entrants"])), tuple(games))


@dataclass(frozen=True, slots=True)
class Total:
    """One entrant's games, added up."""

    games: int = 0
    won: int = 0
    drawn: int = 0
    parts: int = 0
    """The shares of its wins, in parts of which a whole one has `PARTS`: whole numbers add up fast."""
    faults: int = 0

    @property
    def lost(self) -> int:
        return self.games - self.won - self.drawn

    @property
    def share(self) -> Fraction:
        """Of the wins."""
        return Fraction(self.parts, PARTS)

    def __add__(self, other: Total) -> Total:
        return Total(
            self.games + other.games,
            self.won + other.won,
            self.drawn + other.drawn,
            self.parts + other.parts,
            self.faults + other.faults,
        )
