"""Ratings on the scale of Elo, as a function of games.

The order of games does not matter. Start with `estimate.ratings_of`; `values` has its input and output,
`likelihood` the model, `fit` the prior and the fit, `intervals` the 95 % intervals, `texts` the words. The
package depends on `core` and `i18n`.
"""

from botequim.ratings.estimate import ratings_of
from botequim.ratings.values import ANCHOR, ANCHOR_PLAYER, RatedSeries, Rating, Ratings

__all__ = ["ANCHOR", "ANCHOR_PLAYER", "RatedSeries", "Rating", "Ratings", "ratings_of"]
