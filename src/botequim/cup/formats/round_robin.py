"""round_robin: all against all, with points for each game.

Ties are broken by games won, then by points in the games between the tied entrants, then by a play-off
between them, and after the last play-off by lot. With `playoff = "cut"` there are play-offs only for ties in
which some entrants would advance and some would not; the others share a place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from botequim.core.messages import Message, msg
from botequim.core.options import ChoiceOption, IntOption, Option, Options
from botequim.core.results import SeriesResult, Total
from botequim.cup.format import Column, Number, Stage, StageChange, Standings, too_few
from botequim.cup.league import League, across, all_against_all, all_equals, no_equals, unfold
from botequim.cup.pairing import Pairing
from botequim.cup.ranking import Ranked, Rule, between, by_value, rows, totals

COLUMNS: Final = (
    Column("points", msg("points")),
    Column("won", msg("won")),
    Column("drawn", msg("drawn")),
    Column("lost", msg("lost")),
    Column("games", msg("games")),
    Column("faults", msg("faults")),
)


class RoundRobin:
    """The format that this module describes."""

    name: Final = "round_robin"
    options: Final[tuple[Option, ...]] = (
        IntOption("win", 3, 0, 100, msg("points for a win")),
        IntOption("draw", 1, 0, 100, msg("points for a draw")),
        IntOption("loss", 0, 0, 100, msg("points for a loss")),
        IntOption("meetings", 1, 1, 100, msg("how many series each pair of entrants plays")),
        ChoiceOption(
            "playoff",
            ("all", "cut", "none"),
            msg("which tied entrants play off: all, those at a cut, or none"),
        ),
        IntOption("playoff_games", 3, 1, 100_000, msg("games in a play-off")),
        IntOption("playoffs", 3, 1, 100, msg("the maximum number of play-offs, before lots decide")),
    )
    changes: Final = frozenset(StageChange)

    def size(self, options: Options) -> int:
        return 2

    def problem(self, stage: Stage) -> Message | None:
        return too_few(stage, 2)

    def pairings(self, stage: Stage) -> Sequence[Pairing]:
        return stage.open(self._pairings(stage)) or self._unfold(stage)[0]

    def standings(self, stage: Stage) -> Standings:
        order = self._unfold(stage)[1]
        # play-offs decide, but their games are not games of the league
        league = totals(stage.entrants, stage.results_of(self._pairings(stage)))

        def figures(name: str) -> dict[str, Number]:
            total = league[name]
            return {
                "points": points(total, stage.options),
                "won": total.won,
                "drawn": total.drawn,
                "lost": total.lost,
                "games": total.games,
                "faults": total.faults,
            }

        return Standings(COLUMNS, rows(order, figures, msg("equal by every rule")))

    def _pairings(self, stage: Stage) -> list[Pairing]:
        return all_against_all(stage, meetings=int(stage.options["meetings"]))

    def _unfold(self, stage: Stage) -> tuple[list[Pairing], Ranked]:
        options = stage.options

        def rules(results: Sequence[SeriesResult]) -> list[Rule]:
            league = totals(stage.entrants, results)
            return [
                by_value(lambda name: points(league[name], options)),
                by_value(lambda name: league[name].won, msg("by games won")),
                Rule(among(results, options), msg("by the games between them")),
            ]

        def further(results: Sequence[SeriesResult]) -> list[Rule]:
            return [Rule(among(results, options), msg("by a play-off"))]

        matters = {"all": all_equals, "cut": across(stage.cuts), "none": no_equals}
        league = League(
            rules,
            further,
            terms=replace(stage.terms, games=int(options["playoff_games"]), early=False),
            most=int(options["playoffs"]),
            matters=matters[str(options["playoff"])],
            label=msg("play-off"),
            lot=msg("by lot"),
        )
        return unfold(stage, self._pairings(stage), league)


def points(total: Total, options: Options) -> int:
    win, draw, loss = (int(options[name]) for name in ("win", "draw", "loss"))
    return win * total.won + draw * total.drawn + loss * total.lost


def among(results: Sequence[SeriesResult], options: Options) -> Callable[[Sequence[str]], dict[str, Number]]:
    """Return a function for the points that the members of a group won from each other in these series."""

    def value(group: Sequence[str]) -> dict[str, Number]:
        inside = totals(group, between(group, results))
        return {name: points(inside[name], options) for name in group}

    return value


FORMAT: Final = RoundRobin()
