"""havana in the browser."""

from __future__ import annotations

from collections.abc import Sequence

from botequim.core.messages import Message, msg
from botequim.games.dominoes.controls import LineControls
from botequim.games.havana.state import View


class HavanaControls(LineControls):
    """A person at a table of havana."""

    options_for_bots = ("first", "strict")

    def situation(self, view: View) -> Sequence[Message]:
        sentences = super().situation(view)
        if len(view.legal) < 2:
            return sentences
        return [*sentences, msg("You may also pass and keep a tile that fits.")]

    def goal(self) -> Message:
        return msg(
            "Lay all your tiles: the first empty hand wins for both partners, and if nobody plays any more, "
            "the lightest hand does."
        )
