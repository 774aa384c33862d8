"""A series that a cup wants played, and what is kept of it once it was.

A *series* is some games in a row between the same entrants: a confronto of 1000, three games, a best of
three. A `Pairing` says which; `sitting` says, for each of its games, who sits where and from which seed it
is dealt, as a function of the series' own seed, so that any process can play it and anyone can check it;
`over` says when it is decided. A `Result` is what a finished one leaves: a few small values a game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from sys import intern
from typing import Any, Final

from botequim.core.game import Outcome
from botequim.core.messages import Message
from botequim.core.options import Value
from botequim.core.rng import Rng, private

SEPARATOR: Final = " | "
"""Between the names in a key; no entrant's name holds a `|`."""
PARTS: Final = 2520
"""What every number of seats, 1 to 10, divides."""


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
class Terms:
    """How the games of a series are played."""

    games: int = 1
    """All of them, or at most so many when it is decided early."""
    early: bool = False
    """Best of: it ends as soon as one of two cannot be caught any more."""
    sides: Sides = Sides.DRAWN
    starter: Starter | None = None


@dataclass(frozen=True, slots=True)
class Sitting:
    """How one game of a series sits down."""

    number: int
    """From 0."""
    order: tuple[int, ...]
    """By team of the game: which of the pairing's entrants it is."""
    seed: str
    """Of the game. Nothing else of the cup follows from it, so a record may show it at once."""
    turned: int = 0
    """Games of one deal differ in this. A bot that has played the deal may not play it again: start it anew
    before, or play all deals with `turned` 0 first, then all with 1, with fresh instances."""
    options: Mapping[str, Value] = field(default_factory=dict)
    """Of the game, on top of the cup's."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """A series to be played."""

    key: str
    """Unique in its stage, and the same whenever the format is asked again."""
    entrants: tuple[str, ...]
    """Names, by team as they would sit."""
    terms: Terms
    label: Message
    """What it is, for people: `semi-final 1`."""
    round: int = 1
    """Pairings of one round can be shown together; a later round waits for an earlier one."""

    def sitting(self, number: int, seed: str) -> Sitting:
        """How game `number` sits, when the series has this seed (`stages.series_seed`)."""
        count, terms = len(self.entrants), self.terms
        turned = number % count if terms.sides is Sides.EVERY else 0
        deal = number // count if terms.sides is Sides.EVERY else number
        order = list(range(count))
        if terms.sides is Sides.DRAWN:
            order = Rng(private(seed, "seats", number)).shuffled(order)
        order = [order[(team + turned) % count] for team in range(count)]
        options: dict[str, Value] = {}
        if terms.starter is not None:
            values = terms.starter.values
            first = Rng(private(seed, "starter")).below(len(values))
            options[terms.starter.option] = values[(first + deal) % len(values)]
        return Sitting(number, tuple(order), private(seed, "deal", deal), turned, options)

    def over(self, games: Sequence[GameResult]) -> bool:
        """Whether no more games are to be played after these."""
        left = self.terms.games - len(games)
        if left <= 0 or not self.terms.early or len(self.entrants) != 2:
            return left <= 0
        won = [sum(game.won(at) for game in games) for at in range(2)]
        return abs(won[0] - won[1]) > left


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
class Result:
    """A finished series."""

    key: str
    entrants: tuple[str, ...]
    games: tuple[GameResult, ...]
    """By number, as `Pairing.sitting` has it."""

    @classmethod
    def of(cls, pairing: Pairing, games: Sequence[GameResult]) -> Result:
        return cls(pairing.key, pairing.entrants, tuple(games))

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
    def from_json(cls, value: Mapping[str, Any]) -> Result:
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
