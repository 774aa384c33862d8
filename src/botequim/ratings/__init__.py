"""How strong entrants are: ratings on the scale of Elo, as a function of their games alone.

The order of games does not matter. Start with `estimate.ratings_of`; `values` has what goes in and what comes
out, `likelihood` the model, `fit` the prior and the fit, `intervals` the 95 % intervals, `texts` the words.
It depends on `core` and `i18n`.
"""

from botequim.ratings.estimate import ratings_of
from botequim.ratings.values import ANCHOR, ANCHOR_PLAYER, RatedSeries, Rating, Ratings

__all__ = ["ANCHOR", "ANCHOR_PLAYER", "RatedSeries", "Rating", "Ratings", "ratings_of"]
