"""What is public, as the API has it. Sentences are in the language that is spoken while this lasts."""

from __future__ import annotations

from typing import Any

from botequim.cup.curtain import PublicSeries
from botequim.cup.format import Row
from botequim.cup.stages import StagePlan
from botequim.i18n import say
from botequim.statistics import Score
from botequim.web.api import models
from botequim.web.live.public import FaultSeen, GameSeen, Public, entrant_key


def names_in(public: Public, plan: StagePlan) -> list[str] | None:
    """Who takes part in a stage, if that is known."""
    standings = public.content.stage(plan.name).standings if public.content is not None else None
    return list(standings.names if standings is not None else plan.entrants) or None


def pace_of(public: Public) -> models.Pace:
    known = public.pace
    return models.Pace(
        state=known.state.value,
        games=known.games,
        stage=known.stage,
        finished=known.finished,
        known=known.known,
    )


def brief_of(public: Public) -> dict[str, Any]:
    return {
        "cup": public.slug,
        "name": public.cup.name,
        "game": public.cup.game,
        "pace": pace_of(public),
        "page": public.address,
    }


def entrant_brief(public: Public, name: str) -> models.EntrantBrief:
    entry = public.entry(name)
    assert entry is not None
    return models.EntrantBrief(
        name=name,
        key=entrant_key(name),
        title=public.title(name),
        authors=list(entry.authors),
        null=entry.null,
        page=public.entrant_address(name),
    )


def row_of(row: Row) -> models.Row:
    return models.Row(
        place=row.place,
        entrant=row.entrant,
        figures={name: float(value) for name, value in row.figures.items()},
        why=None if row.why is None else say(row.why),
    )


def score_of(score: Score) -> models.Score:
    return models.Score(
        games=score.games,
        won=score.won,
        drawn=score.drawn,
        lost=score.lost,
        rate=score.rate if score.games else None,
        interval=score.interval() if score.games else None,
    )


def series_of(public: Public, one: PublicSeries) -> models.Series:
    label = public.label(one)
    return models.Series(
        series=one.number,
        stage=one.stage,
        key=one.key,
        label=None if label is None else say(label),
        entrants=list(one.result.entrants),
        whole=one.whole,
        winner=one.result.winner() if one.whole else None,
        totals=[
            models.Total(
                entrant=name,
                games=total.games,
                won=total.won,
                drawn=total.drawn,
                lost=total.lost,
                share=float(total.share),
                faults=total.faults,
            )
            for name, total in one.result.totals().items()
        ],
        games=len(one.result.games),
    )


def game_of(seen: GameSeen) -> models.Game:
    result = seen.result
    return models.Game(
        series=seen.series.number,
        game=seen.number,
        stage=seen.series.stage,
        label=None if seen.label is None else say(seen.label),
        entrants=list(seen.entrants),
        places=list(result.places),
        faults=list(result.faults) or [0] * len(result.places),
        how=result.how,
        page=seen.address,
        record=f"{seen.address}.jsonl",
        one_page=f"{seen.address}.html",
        gif=f"{seen.address}.gif",
    )


def fault_of(seen: FaultSeen) -> models.Fault:
    return models.Fault(
        series=seen.series,
        game=seen.game,
        move=seen.turn,
        stage=seen.stage,
        entrant=seen.entrant,
        seat=seen.seat,
        kind=seen.kind,
        why=say(seen.why),
        page=seen.address,
    )
