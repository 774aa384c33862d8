"""Ratings as texts."""

from __future__ import annotations

from collections.abc import Callable

from botequim.i18n import _
from botequim.ratings.values import ANCHOR, ANCHOR_PLAYER, Rating, Ratings


def rating_text(rating: Rating) -> str:
    """Return a rating with half of its interval: `1557 ± 108`."""
    return f"{rating.rating:.0f} {margin_text(rating)}".rstrip()


def margin_text(rating: Rating) -> str:
    """Return half of the interval; the only anchor has none."""
    return f"± {rating.margin:.0f}" if rating.margin >= 0.5 else ""


def interval_text(rating: Rating) -> str:
    low, high = rating.interval
    return f"{low:.0f} – {high:.0f}" if rating.margin >= 0.5 else ""


def scale_text(ratings: Ratings, title: Callable[[str], str] = str) -> str:
    """Return a text about the meaning of the numbers; `title` returns the title of an entrant."""
    meaning = _(
        "400 points more mean ten wins for every loss. Ratings depend on all games and not on their order; "
        "the wider of two 95 % intervals is shown, one by deals and one by series."
    )
    return f"{_anchor_text(ratings, title)} {meaning}"


def _anchor_text(ratings: Ratings, title: Callable[[str], str]) -> str:
    names = [title(name) for name in ratings.anchors]
    if not names:
        return _("The mean of all is {anchor} points.", anchor=ANCHOR)
    *others, last = names
    if others:
        return _(
            "The average of {names} (the built-in player {player}) is set to {anchor}.",
            names=_("{names} and {last}", names=", ".join(others), last=last),
            player=ANCHOR_PLAYER,
            anchor=ANCHOR,
        )
    if last == ANCHOR_PLAYER:
        return _("{name} has {anchor} points.", name=last, anchor=ANCHOR)
    return _(
        "{name} (the built-in player {player}) has {anchor} points.",
        name=last,
        player=ANCHOR_PLAYER,
        anchor=ANCHOR,
    )
