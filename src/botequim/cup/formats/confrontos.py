"""confrontos: a league of series, each won, lost or tied as a whole.

The ranking is by confrontos won, then fewest confrontos lost, then games won, then fewest games lost;
entrants that are still tied share a place. Tied entrants of whom only some would advance play further
confrontos, for a few rounds at most, and then a coin decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from botequim.core.messages import Message, msg
from botequim.core.options import IntOption, Option, Options
from botequim.core.results import SeriesResult
from botequim.cup.format import Column, Number, Stage, StageChange, Standings, too_few
from botequim.cup.league import League, across, all_against_all, unfold
from botequim.cup.pairing import Pairing
from botequim.cup.ranking import Ranked, Rule, rows, totals

COLUMNS: Final = (
    Column("confrontos_won", msg("confrontos won")),
    Column("confrontos_tied", msg("confrontos tied")),
    Column("confrontos_lost", msg("confrontos lost")),
    Column("won", msg("won")),
    Column("drawn", msg("drawn")),
    Column("lost", msg("lost")),
    Column("faults", msg("faults")),
)


class Confrontos:
    """The format that this module describes."""

    name: Final = "confrontos"
    options: Final[tuple[Option, ...]] = (
        IntOption("meetings", 1, 1, 100, msg("how many series each pair of entrants plays")),
        IntOption(
            "further",
            3,
            0,
            100,
            msg("the maximum number of extra series between entrants tied at a cut, before a coin decides"),
        ),
    )
    changes: Final = frozenset(StageChange)

    def size(self, options: Options) -> int:
        return 2

    def problem(self, stage: Stage) -> Message | None:
        return too_few(stage, 2)

    def pairings(self, stage: Stage) -> Sequence[Pairing]:
        return waiting(stage)

    def standings(self, stage: Stage) -> Standings:
        return table(stage)


def waiting(stage: Stage) -> list[Pairing]:
    """Return the series that can be played now."""
    return stage.open(_pairings(stage)) or league_of_series(stage)[0]


def league_of_series(stage: Stage) -> tuple[list[Pairing], Ranked]:
    """Return the series that can be played now, and the current ranking."""

    def rules(results: Sequence[SeriesResult]) -> list[Rule]:
        return _rules(results, (None, *_WHY))

    def further(results: Sequence[SeriesResult]) -> list[Rule]:
        return _rules(results, (msg("by further confrontos"),) * 4)

    league = League(
        rules,
        further,
        terms=stage.terms,
        most=int(stage.options["further"]),
        matters=across(stage.cuts),
        label=msg("further confronto"),
        lot=msg("by a coin"),
    )
    return unfold(stage, _pairings(stage), league)


_WHY: Final = (msg("by confrontos lost"), msg("by games won"), msg("by games lost"))


def _pairings(stage: Stage) -> list[Pairing]:
    return all_against_all(stage, meetings=int(stage.options["meetings"]))


def table(stage: Stage) -> Standings:
    """Return the standings of a league of series. Further confrontos break ties, but are not counted."""
    _, order = league_of_series(stage)
    results = stage.results_of(_pairings(stage))
    figures = _figures(stage.entrants, results)
    return Standings(COLUMNS, rows(order, lambda name: figures[name], msg("a shared place")))


def _figures(names: Sequence[str], results: Sequence[SeriesResult]) -> dict[str, dict[str, Number]]:
    games = totals(names, results)
    winners = [(result.winner(), result.entrants) for result in results]
    wins = Counter(winner for winner, _ in winners)
    series = Counter(name for _, both in winners for name in both)
    ties = Counter(name for winner, both in winners if winner is None for name in both)
    return {
        name: {
            "confrontos_won": wins[name],
            "confrontos_tied": ties[name],
            "confrontos_lost": series[name] - wins[name] - ties[name],
            "won": games[name].won,
            "drawn": games[name].drawn,
            "lost": games[name].lost,
            "faults": games[name].faults,
        }
        for name in names
    }


def _rules(results: Sequence[SeriesResult], why: Sequence[Message | None]) -> list[Rule]:
    """Return the four rules for these series. All series of a further round are between tied entrants."""
    everybody = sorted({name for result in results for name in result.entrants})
    figures = _figures(everybody, results)

    def step(column: str, sign: int) -> Callable[[Sequence[str]], dict[str, Number]]:
        return lambda group: {name: sign * figures[name][column] if name in figures else 0 for name in group}

    steps = (("confrontos_won", 1), ("confrontos_lost", -1), ("won", 1), ("lost", -1))
    return [Rule(step(*one), reason) for one, reason in zip(steps, why, strict=True)]


FORMAT: Final = Confrontos()
