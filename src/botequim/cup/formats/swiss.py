"""swiss: a few rounds, in each of which entrants with similar points meet; nobody is eliminated.

A series that is won is worth a point, a tied one half a point, a bye one point. By default there are as many
rounds as a knockout would have. Rematches and second byes are avoided if possible, which it always is if
there are at most half as many rounds as entrants. `botequim.cup.swiss_rounds` has the rules of pairing.

The ranking is by points, then Buchholz, then Sonneborn-Berger; entrants that are still tied share a place.

- Buchholz is the sum of the points of all opponents.
- Sonneborn-Berger is the sum of the points of all opponents that were beaten, and half the points of those
  that were tied with.
- A bye counts in both as a win against somebody with as many points as the entrant itself. Points of byes
  count like others. Byes are the only unplayed rounds: a bot that does not answer loses its games.

A late entrant plays from the next round on, and has no points for the rounds before. An entrant that leaves
is not paired any more; whoever was to meet it in this round wins by walkover, which counts like another win.
If its results are annulled, series against it count for nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from botequim.core.messages import Message, msg
from botequim.core.options import IntOption, Option, Options
from botequim.cup.format import Column, Number, Round, Stage, StageChange, Standings, too_few
from botequim.cup.matching import require_networkx
from botequim.cup.pairing import Pairing
from botequim.cup.ranking import by_value, ranked_groups, rows, totals
from botequim.cup.swiss_rounds import WIN, History, RoundRules

COLUMNS: Final = (
    Column("points", msg("points")),
    Column("buchholz", msg("Buchholz")),
    Column("sonneborn_berger", msg("Sonneborn-Berger")),
    Column("matches_won", msg("won")),
    Column("matches_tied", msg("drawn")),
    Column("matches_lost", msg("lost")),
    Column("byes", msg("byes")),
    Column("faults", msg("faults")),
)
MOST_ROUNDS: Final = 1000


class Swiss:
    """The format that this module describes."""

    name: Final = "swiss"
    options: Final[tuple[Option, ...]] = (
        IntOption("rounds", 0, 0, MOST_ROUNDS, msg("rounds; 0: as many as a knockout would have")),
    )
    changes: Final = frozenset((StageChange.LEAVING, StageChange.LATE_ENTRANT, StageChange.REPLAY))

    def size(self, options: Options) -> int:
        return 2

    def problem(self, stage: Stage) -> Message | None:
        count = len(stage.entrants)
        most = count - 1 + count % 2
        if count >= 2 and _round_count(stage) > most:
            return msg(
                "{rounds} rounds are too many for {count} entrants: after {most} rounds all have met",
                rounds=_round_count(stage),
                count=count,
                most=most,
            )
        return too_few(stage, 2)

    def pairings(self, stage: Stage) -> Sequence[Pairing]:
        return stage.open(stage.all_series(stage.rounds))

    def standings(self, stage: Stage) -> Standings:
        history = History.of(stage)
        faults = totals(stage.entrants, stage.results_of(stage.all_series(stage.rounds)))
        buchholz = {name: _buchholz(history, name) for name in stage.entrants}
        berger = {name: _sonneborn_berger(history, name) for name in stage.entrants}
        order = ranked_groups(
            stage.entrants,
            [
                by_value(lambda name: history.points[name]),
                by_value(lambda name: buchholz[name], msg("by Buchholz")),
                by_value(lambda name: berger[name], msg("by Sonneborn-Berger")),
            ],
        )

        def figures(name: str) -> dict[str, Number]:
            points = [halves for _, halves in history.meetings[name]]
            return {
                "points": Fraction(history.points[name], WIN),
                "buchholz": buchholz[name],
                "sonneborn_berger": berger[name],
                "matches_won": points.count(WIN),
                "matches_tied": points.count(1),
                "matches_lost": points.count(0),
                "byes": history.byes[name],
                "faults": faults[name].faults,
            }

        return Standings(COLUMNS, rows(order, figures, msg("a shared place")))

    # --- rounds --------------------------------------------------------------------------------------

    def rounds(self, stage: Stage) -> Sequence[Round]:
        return stage.rounds

    def length(self, stage: Stage) -> int:
        series = len(stage.all_series(stage.rounds))
        coming = _round_count(stage) - len(stage.rounds) if len(stage.staying) > 1 else 0
        return series + coming * (len(stage.staying) // 2)

    def require_installed(self) -> None:
        require_networkx()

    def needs_round(self, stage: Stage) -> bool:
        return len(stage.rounds) < _round_count(stage) and len(stage.staying) > 1 and not self.pairings(stage)

    def next_round(self, stage: Stage) -> Round:
        return RoundRules(stage).decide()

    def round_problem(self, stage: Stage, decided: Round) -> Message | None:
        return RoundRules(stage).problem(decided)


def _round_count(stage: Stage) -> int:
    return int(stage.options["rounds"]) or (len(stage.first_entrants) - 1).bit_length()


def _buchholz(history: History, name: str) -> Fraction:
    opponents = sum(history.points[other] for other, _ in history.meetings[name])
    return Fraction(opponents + history.byes[name] * history.points[name], WIN)


def _sonneborn_berger(history: History, name: str) -> Fraction:
    opponents = sum(halves * history.points[other] for other, halves in history.meetings[name])
    return Fraction(opponents + history.byes[name] * WIN * history.points[name], WIN * WIN)


FORMAT: Final = Swiss()
