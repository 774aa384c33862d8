"""Computes ratings from games."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from math import log
from typing import Final

from botequim.ratings.fit import Model, best_fit
from botequim.ratings.games import GameCounts
from botequim.ratings.intervals import margins
from botequim.ratings.values import ANCHOR, RatedSeries, Rating, Ratings

POINTS: Final = 400 / log(10)
"""Points of rating for one unit of strength: 400 points more are odds of 10 to 1, as in Elo's scale."""


def ratings_of(series: Iterable[RatedSeries], *, anchors: Collection[str] = ()) -> Ratings:
    """Return the ratings of everybody who has played.

    The mean rating of the anchors that have played is `ANCHOR`; without any, the mean of all is.
    """
    counts = GameCounts.of(series)
    names = counts.entrants
    if not names:
        return Ratings()
    fit = best_fit(Model(counts))
    anchor_numbers = [at for at, name in enumerate(names) if name in anchors]
    zero = anchor_numbers or range(len(names))
    mean = sum(fit.strengths[at] for at in zero) / len(zero)
    halves = margins(fit, zero)
    rows = [
        Rating(name, ANCHOR + POINTS * (fit.strengths[at] - mean), POINTS * halves[at], counts.games[name])
        for at, name in enumerate(names)
    ]
    rows.sort(key=lambda row: (-row.rating, row.entrant))
    return Ratings(tuple(rows), tuple(names[at] for at in anchor_numbers))
