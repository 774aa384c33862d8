"""The ratings of a cup, from the games of all stages together."""

from __future__ import annotations

from collections.abc import Mapping

from botequim.core.results import SeriesResult
from botequim.cup.config import Cup
from botequim.cup.pairing import Sides
from botequim.cup.stages import StagePlan
from botequim.ratings import ANCHOR_PLAYER, RatedSeries, Ratings, ratings_of


def cup_ratings(cup: Cup, results: Mapping[str, Mapping[str, SeriesResult]]) -> Ratings:
    """Return the ratings after these results, by stage and key. Stages outside the ranking do not count."""
    series = [
        RatedSeries.of(result, together=_games_of_a_deal(plan, result))
        for plan in cup.plans
        if not plan.beside
        for result in results.get(plan.name, {}).values()
    ]
    return ratings_of(series, anchors=_anchors(cup))


def _games_of_a_deal(plan: StagePlan, result: SeriesResult) -> int:
    return len(result.entrants) if plan.terms.sides is Sides.EVERY else 1


def _anchors(cup: Cup) -> set[str]:
    return {entry.name for entry in cup.entrants if entry.bot == ANCHOR_PLAYER and cup.is_built_in(entry)}
