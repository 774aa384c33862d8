"""Built-in players of highcard."""

from __future__ import annotations

from botequim import Rng
from highcard.rules import Show, View


class First:
    """Shows its first card."""

    def __init__(self, rng: Rng) -> None:
        pass

    def choose(self, view: View) -> Show:
        return Show(view.hand[0])


class Champion(First):
    """Shows its highest card while it is not ahead, and its lowest when it is."""

    def choose(self, view: View) -> Show:
        assert view.seat is not None
        ahead = view.wins[view.seat] > max(won for at, won in enumerate(view.wins) if at != view.seat)
        return Show(min(view.hand) if ahead else max(view.hand))
