"""A match of more entrants than a table has sides: every combination of them plays a match of its own.

The matches are numbered in the order of the combinations. Match number n has the seed `SEED-n`, so it can be
played alone, and its games are numbered after those of the matches before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations
from math import comb
from typing import TYPE_CHECKING, Any, Final

from botequim import registry
from botequim.bots.entrant import Entrant
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.core.options import resolve_options
from botequim.core.titles import unique_titles
from botequim.match.spec import MatchSpec, unique_labels
from botequim.match.standings import MatchStandings, ratings_of_tables
from botequim.match.statistics import Score, share_against

if TYPE_CHECKING:
    from botequim.ratings import Ratings

MOST_TABLES: Final = 5000
PLAYERS: Final = "players"
"""The option of games whose number of players can be chosen."""


def table_size(game_name: str, options: Mapping[str, object], count: int) -> int:
    """Return how many of `count` entrants play at a table.

    If the number of players can be chosen and is not given, all play at one table; if there is no room for
    them, tables have the default number of players.
    """
    game = registry.game(game_name)
    values = dict(options)
    option = next((one for one in game.options if one.name == PLAYERS), None)
    if option is not None and PLAYERS not in values and option.accept(count) is not None:
        values[PLAYERS] = count
    return len(game.teams(resolve_options(game.name, game.options, values)))


def table_matches(
    game_name: str,
    entrants: Sequence[Entrant],
    *,
    games: int,
    seed: str,
    options: Mapping[str, object],
    **settings: Any,
) -> list[MatchSpec]:
    """Return the matches of all combinations of entrants: one, if all play at the same table.

    `games` is the number of games of each; `settings` are those of `MatchSpec.of`. Raise InputError if there
    are too many combinations, or if `MatchSpec.of` does.
    """
    size = table_size(game_name, options, len(entrants))
    if len(entrants) <= size:
        return [MatchSpec.of(game_name, entrants, games=games, seed=seed, options=options, **settings)]
    if comb(len(entrants), size) > MOST_TABLES:
        raise InputError(
            msg(
                "{count} entrants at tables of {size} would be {tables} pairings; the most are {most}. "
                "A cup of the format swiss needs fewer",
                count=len(entrants),
                size=size,
                tables=comb(len(entrants), size),
                most=MOST_TABLES,
            )
        )
    labels = unique_labels(entrants)
    matches = []
    for at, table in enumerate(combinations(range(len(entrants)), size)):
        match = MatchSpec.of(
            game_name,
            [entrants[one] for one in table],
            games=games,
            seed=f"{seed}-{at + 1}",
            options=options,
            **settings,
        )
        evidence = None if match.evidence is None else match.evidence / f"{at + 1:04}"
        own_labels = tuple(labels[one] for one in table)
        matches.append(replace(match, own_labels=own_labels, first_game=at * games, evidence=evidence))
    return matches


class RoundRobinStandings:
    """The results of several tables together."""

    def __init__(self, tables: Sequence[MatchStandings]) -> None:
        self.tables: Final = tables
        self.labels: Final = tuple(dict.fromkeys(label for table in tables for label in table.match.labels))

    @property
    def games(self) -> int:
        return sum(table.games for table in self.tables)

    def titles(self) -> Mapping[str, str]:
        """Return the titles to show, by label."""
        pairs = dict.fromkeys(self.labels, "")
        for table in self.tables:
            for label, pair in zip(table.match.labels, table.pairs, strict=True):
                pairs[label] = pair or pairs[label]
        return unique_titles(pairs)

    def scores(self) -> Mapping[str, Score]:
        """Return the results of each entrant at all its tables, by label."""
        scores = {label: Score() for label in self.labels}
        for table in self.tables:
            for label, score in zip(table.match.labels, table.scores, strict=True):
                scores[label].add_score(score)
        return scores

    def duels(self) -> Mapping[tuple[str, str], Score]:
        """Return the results of one entrant against another by (one, other).

        At a table of more than two, a game counts as won if one is ahead of the other.
        """
        duels: dict[tuple[str, str], Score] = {}
        for table in self.tables:
            labels = table.match.labels
            for one, other in permutations(range(len(labels)), 2):
                score = duels.setdefault((labels[one], labels[other]), Score())
                for deal, times in table.results.items():
                    score.add_deal([share_against(places[one], places[other]) for places in deal], times)
        return duels

    def ratings(self) -> Ratings | None:
        return ratings_of_tables(self.tables)
