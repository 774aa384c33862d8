"""cubos in the browser."""

from __future__ import annotations

from collections.abc import Sequence

from botequim.core.messages import Message, msg
from botequim.games.cubos.rules import PASS, View
from botequim.games.dominoes.controls import LineControls


class CubosControls(LineControls):
    """A person at a table of cubos."""

    def situation(self, view: View) -> Sequence[Message]:
        sentences = super().situation(view)
        if not view.legal or PASS in view.legal:
            return sentences
        return [*sentences, msg("You may pass only if none of your tiles fits.")]

    def goal(self) -> Message:
        return msg("Lay all your tiles: the first empty hand wins for both partners.")
