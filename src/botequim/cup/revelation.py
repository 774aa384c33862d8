"""What becomes public if more games are revealed, without the results themselves.

Organisers read it before they confirm, perhaps on a screen that others see.
"""

from __future__ import annotations

from dataclasses import dataclass

from botequim.cup.config import Cup
from botequim.cup.rounds import stored_state
from botequim.cup.stage_names import stage_title
from botequim.cup.stages import CupState
from botequim.i18n import _, _n
from botequim.storage.protocol import CupStore
from botequim.storage.visibility import Visibility


@dataclass(frozen=True, slots=True)
class Revelation:
    """The games that become public, and whose winners they make known."""

    games: int
    series: int
    """The number of series whose results become known."""
    stages: tuple[str, ...] = ()
    """The stages whose winners become known."""
    ends_cup: bool = False
    """Whether the winner of the cup becomes known."""
    everything: bool = False
    """Whether all later games are public too, as they are played."""

    @classmethod
    def of(cls, cup: Cup, store: CupStore, visibility: Visibility, to: int | None) -> Revelation:
        """Return what becomes public if the first `to` games are, or all of them and all later ones."""
        after = Visibility(visibility.played, to)
        states = [stored_state(cup, store, one.results()) for one in (visibility, after)]
        return cls(
            after.visible - visibility.visible,
            _count_whole(after) - _count_whole(visibility),
            tuple(name for name in _finished_stages(states[1]) if name not in _finished_stages(states[0])),
            states[1].over and not states[0].over,
            to is None,
        )

    def sentences(self) -> list[str]:
        """Return what becomes public, for the organiser to read before it happens."""
        lines = []
        if self.games:
            games = _n("{n} game", "{n} games", self.games)
            series = _n("the result of {n} series", "the results of {n} series", self.series)
            lines.append(_("This reveals {games} and {series}.", games=games, series=series))
        else:
            lines.append(_("No game that was played is hidden."))
        if self.stages:
            stages = ", ".join(map(stage_title, self.stages))
            lines.append(_("Hidden until then: the winners of these stages: {stages}.", stages=stages))
        if self.ends_cup:
            lines.append(_("Hidden until then: the winner of the cup."))
        if self.everything:
            lines.append(_("From then on, everybody sees games while they are played."))
        lines.append(_("What is revealed cannot be hidden again."))
        return lines


def _count_whole(visibility: Visibility) -> int:
    return sum(one.whole for one in visibility.public)


def _finished_stages(state: CupState) -> tuple[str, ...]:
    return tuple(plan.name for plan in state.plans if not plan.beside and state.is_finished(plan.name))
