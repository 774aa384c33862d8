"""Answers of the API that combine several public values. All others have the attributes of one value."""

from __future__ import annotations

from botequim.cup.format import Row
from botequim.cup.stages import StagePlan
from botequim.i18n import translate
from botequim.match.statistics import Score
from botequim.storage.visibility import PublicSeries
from botequim.web.api import models
from botequim.web.live.public import PublicSnapshot


def row_of(row: Row) -> models.Row:
    return models.Row(**row.as_json(translate))


def score_of(score: Score) -> models.Score:
    return models.Score(**score.as_json())


def stage_of(public: PublicSnapshot, plan: StagePlan) -> models.StageBrief:
    stage = None if public.content is None else public.content.stage(plan.name)
    names = plan.entrants if stage is None or stage.standings is None else stage.standings.names
    return models.StageBrief(
        name=plan.name,
        format=plan.format,
        source=plan.source,
        top=plan.top,
        beside=plan.beside,
        done=stage is not None and stage.done,
        entrants=list(names) or None,
    )


def series_of(public: PublicSnapshot, one: PublicSeries) -> models.Series:
    return models.Series(
        series=one.number,
        stage=one.stage,
        key=one.key,
        label=models.sentence(public.label(one)),
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
