"""The programs that people may play against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from botequim.bots.entrant import Entrant
from botequim.core.process import Sandbox


@dataclass(frozen=True, slots=True)
class OfferedBots:
    """The programs that the organiser offers as players."""

    entrants: Mapping[str, Mapping[str, Entrant]]
    """By game and by name."""
    sandboxes: Mapping[str, Sandbox]
    """By game."""

    def names(self, game: str) -> Sequence[str]:
        return list(self.entrants.get(game, {}))


NO_BOTS: Final = OfferedBots({}, {})
