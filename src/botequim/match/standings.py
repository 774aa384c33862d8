"""The results of a match: a summary of each game, and the totals.

Only totals are stored, so memory does not grow with the number of games.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from botequim.core.titles import clean_title, unique_titles
from botequim.engine.jobs import GameSetup
from botequim.match.faults import Faults, GameFault, game_faults, silent_entrants
from botequim.match.spec import MatchSpec
from botequim.match.statistics import Score
from botequim.records.record import Record

if TYPE_CHECKING:
    from botequim.ratings import Ratings

MOST_RESULTS: Final = 100_000


@dataclass(frozen=True, slots=True)
class GameSummary:
    """The summary of one game."""

    shares: tuple[Fraction, ...]
    """By entrant."""
    places: tuple[int, ...]
    """By entrant; 1 is best."""
    faults: tuple[int, ...]
    """By entrant."""
    turns: int
    pairs: tuple[str, ...] = ()
    """By entrant: the name that it gives itself, or ""; empty if none has one."""
    kinds: tuple[GameFault, ...] = ()
    """The faults, by entrant and kind."""
    silent: frozenset[int] = frozenset()
    """The entrants that were asked and gave no answer."""
    lines: tuple[str, ...] = ()
    """The lines of its record, if the coordinator has to write it."""

    @classmethod
    def of(cls, setup: GameSetup, record: Record) -> GameSummary:
        teams = record.game.teams(record.options)
        team_of = [setup.order.index(at) for at in range(len(teams))]
        by_team = record.outcome.shares()
        shares = tuple(by_team[team] for team in team_of)
        places = tuple(record.outcome.places[team] for team in team_of)
        names = [record.seats[teams[team][0]].get("pair", "") for team in team_of]
        pairs = tuple(map(clean_title, names)) if any(names) else ()
        faulty = [move.by for turn in record.turns for move in turn if move.fault is not None]
        if not faulty:
            return cls(shares, places, (0,) * len(teams), len(record.turns), pairs)
        faults = tuple(sum(seat in teams[team] for seat in faulty) for team in team_of)
        entrant_of = {seat: setup.order[team] for team, seats in enumerate(teams) for seat in seats}
        by_seat = [entrant_of[seat] for seat in sorted(entrant_of)]
        kinds = game_faults(record, by_seat, setup.number)
        silent = silent_entrants(record, by_seat)
        return cls(shares, places, faults, len(record.turns), pairs, kinds, silent)


@dataclass(slots=True)
class MatchStandings:
    """The results of all entrants of a match so far."""

    match: MatchSpec
    scores: list[Score] = field(default_factory=list)
    turns: int = 0
    pairs: list[str] = field(default_factory=list)
    """By entrant: the name that it gives itself, or ""."""
    in_a_row: int = 1
    """The most games that one instance has played in a series."""
    faults: Faults = field(default_factory=Faults)
    results: Counter[tuple[tuple[int, ...], ...]] = field(default_factory=Counter)
    """How often each combination of places occurred in the games of a deal."""

    def __post_init__(self) -> None:
        self.scores = [Score() for _ in self.match.entrants]
        self.pairs = ["" for _ in self.match.entrants]

    @property
    def games(self) -> int:
        return self.scores[0].games

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles to show, by entrant."""
        return tuple(unique_titles(dict(zip(self.match.labels, self.pairs, strict=True))).values())

    @property
    def deals(self) -> int:
        """How many deals were played from every side."""
        return self.games // len(self.match.entrants)

    def ratings(self) -> Ratings | None:
        """Return the ratings of three or more entrants; for two, win rates say the same.

        Return None for two entrants, or if there are more than `MOST_RESULTS` different results.
        """
        return ratings_of_tables([self]) if len(self.match.entrants) > 2 else None

    def add_deal(self, games: Sequence[GameSummary]) -> None:
        for at, score in enumerate(self.scores):
            score.add_deal([game.shares[at] for game in games])
            score.faults += sum(game.faults[at] for game in games)
        places = tuple(sorted(game.places for game in games))
        if places in self.results or len(self.results) < MOST_RESULTS:
            self.results[places] += 1
        self.turns += sum(game.turns for game in games)
        for game in games:
            if game.pairs:
                self.pairs = [new or old for new, old in zip(game.pairs, self.pairs, strict=True)]
            self.faults.add(game.kinds)


def ratings_of_tables(tables: Sequence[MatchStandings]) -> Ratings | None:
    """Return the ratings of all entrants of some tables.

    Return None if a table has more than `MOST_RESULTS` different results.
    """
    from botequim.ratings import ANCHOR_PLAYER, RatedSeries, ratings_of

    if any(table.results.total() < table.scores[0].deals for table in tables):
        return None
    anchors = {
        label
        for table in tables
        for label, one in zip(table.match.labels, table.match.entrants, strict=True)
        if one.built_in and one.name == ANCHOR_PLAYER
    }
    series = [
        RatedSeries(tuple((label,) for label in table.match.labels), table.results)
        for table in tables
        if table.results
    ]
    return ratings_of(series, anchors=anchors)
