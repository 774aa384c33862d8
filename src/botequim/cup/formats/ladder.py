"""ladder: entrants challenge others some places above; the winner takes the better place of the two.

The ladder begins in the order of the seeds. In one round all challengers are equally far below those they
challenge: `reach` places in the first two rounds, one place less in the next two, and so on down to one
place; then it starts again with `reach`. In the first of two such rounds, the top of the ladder is
challenged; in the second, those who were challenged before challenge others. So with `reach = 1`, each
entrant meets the neighbour above and the one below in turn. A round without a possible challenge is left out.
A tie changes nothing. By default there are as many rounds as entrants. A late entrant enters at the bottom,
in the next round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from typing import Final

from botequim.core.messages import Message, msg
from botequim.core.options import IntOption, Option, Options
from botequim.cup.format import Column, Number, Round, Row, Stage, StageChange, Standings, too_few
from botequim.cup.pairing import Pairing
from botequim.cup.ranking import totals

COLUMNS: Final = (
    Column("start", msg("place at the start")),
    Column("matches_won", msg("won")),
    Column("matches_tied", msg("drawn")),
    Column("matches_lost", msg("lost")),
    Column("faults", msg("faults")),
)
MOST_ROUNDS: Final = 1000


class Ladder:
    """The format that this module describes."""

    name: Final = "ladder"
    options: Final[tuple[Option, ...]] = (
        IntOption(
            "reach", 2, 1, 1000, msg("an entrant challenges entrants at most this many places above it")
        ),
        IntOption("rounds", 0, 0, MOST_ROUNDS, msg("rounds; 0: as many as there are entrants")),
    )
    changes: Final = frozenset((StageChange.LEAVING, StageChange.LATE_ENTRANT, StageChange.REPLAY))

    def size(self, options: Options) -> int:
        return 2

    def problem(self, stage: Stage) -> Message | None:
        return too_few(stage, 2)

    def pairings(self, stage: Stage) -> Sequence[Pairing]:
        return stage.open(_play(stage)[0])

    def standings(self, stage: Stage) -> Standings:
        series, order = _play(stage)
        results = stage.results_of(series)
        games = totals(stage.entrants, results)
        winners = Counter(result.winner() for result in results)
        ties = Counter(name for result in results if result.winner() is None for name in result.entrants)
        matches = Counter(name for result in results for name in result.entrants)

        def figures(name: str) -> dict[str, Number]:
            return {
                "start": stage.entrants.index(name) + 1,
                "matches_won": winners[name],
                "matches_tied": ties[name],
                "matches_lost": matches[name] - winners[name] - ties[name],
                "faults": games[name].faults,
            }

        rows = [Row(place, name, figures(name)) for place, name in enumerate(order, start=1)]
        return Standings(COLUMNS, tuple(rows))

    def rounds(self, stage: Stage) -> Sequence[Round]:
        tables: dict[int, list[tuple[str, ...]]] = {}
        for pairing in _play(stage)[0]:
            tables.setdefault(pairing.round, []).append(pairing.entrants)
        return [tuple(several) for several in tables.values()]

    def length(self, stage: Stage) -> int:
        return sum(len(places) for places in _challenges(stage))


def _play(stage: Stage) -> tuple[list[Pairing], list[str]]:
    """Return the series of all rounds so far, and the ladder after the finished ones.

    The first entrant of a series is the one that is challenged.
    """
    order = list(stage.entrants)
    series: list[Pairing] = []
    for number, places in enumerate(_challenges(stage), start=1):
        tables = [stage.round_series(number, (order[above], order[below])) for above, below in places]
        series += tables
        for (above, below), pairing in zip(places, tables, strict=True):
            result = stage.results.get(pairing.key)
            if result is not None and result.winner() == order[below]:
                order[above], order[below] = order[below], order[above]
        if stage.open(tables):
            break
    return series, order


def _challenges(stage: Stage) -> Iterator[list[tuple[int, int]]]:
    """Return the places of each round, from 0: the challenged one and the challenger."""
    count = len(stage.first_entrants)
    reach = min(int(stage.options["reach"]), count - 1)
    rounds = [(far, shift) for far in range(reach, 0, -1) for shift in (0, far) if _places(count, far, shift)]
    for number, distances in enumerate(islice(cycle(rounds), int(stage.options["rounds"]) or count)):
        there = count + sum(before <= number for before in stage.late.values())
        yield _places(there, *distances)


def _places(count: int, far: int, shift: int) -> list[tuple[int, int]]:
    """Return the challenges of places that are `far` apart; the places before `shift` rest."""
    blocks = range(shift, count, 2 * far)
    above = [place for first in blocks for place in range(first, first + far)]
    return [(place, place + far) for place in above if place + far < count]


FORMAT: Final = Ladder()
