"""What is revealed next, and what becomes public if more games are, without the results themselves.

Organisers read it before they confirm, perhaps on a screen that others see.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from botequim.core.messages import Message
from botequim.cup.config import Cup
from botequim.cup.rounds import stored_state
from botequim.cup.series_labels import series_labels
from botequim.cup.stage_names import stage_name, stage_title
from botequim.cup.stages import CupState
from botequim.i18n import _, _n, translate
from botequim.storage.protocol import CupStore
from botequim.storage.visibility import Visibility


@dataclass(frozen=True, slots=True)
class NextGame:
    """The game that is revealed next, without its result. Its entrants may be hidden finalists."""

    stage: str
    titles: tuple[str, ...]
    label: Message
    """The label of its series."""
    number: int
    """The number in its series, from 1."""
    left: int
    """The number of hidden games of its series."""

    @classmethod
    def of(cls, cup: Cup, store: CupStore, visibility: Visibility) -> NextGame | None:
        """Return the game that is revealed next; None if no game that was played is hidden."""
        to = visibility.next_game()
        if to is None:
            return None
        one = Visibility(visibility.played, to).public[-1]
        number = len(one.result.games)
        played = next(len(other.result.games) for other in visibility.played if other.number == one.number)
        labels = series_labels(stored_state(cup, store, store.results()), one.stage)
        label = labels.get(one.key) or cup.series_text(one.stage, one.key)
        titles = tuple(map(cup.title, one.result.entrants))
        return cls(one.stage, titles, label, number, played - number + 1)

    def text(self) -> str:
        """Return which game is next, and how many of its series are hidden."""
        return _n(
            "Next: {game}; {n} game of this series is hidden.",
            "Next: {game}; {n} games of this series are hidden.",
            self.left,
            game=self.game_text(),
        )

    def text_while_shown(self) -> str:
        """Return the same while this game is being shown move by move."""
        return _("This game is being shown: {game}.", game=self.game_text())

    def game_text(self) -> str:
        return game_text(self.stage, self.titles, self.label, self.number)


def game_text(stage: str, titles: Iterable[str], label: Message, number: int) -> str:
    """Return a game for people; `number` counts from 1."""
    return _(
        "{stage}: {names} ({label}), game {number}",
        stage=stage_name(stage),
        names=" – ".join(titles),
        label=translate(label),
        number=number,
    )


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
    next: NextGame | None = None
    """The first of the games."""

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
            NextGame.of(cup, store, visibility),
        )

    def sentences(self) -> list[str]:
        """Return what becomes public, for the organiser to read before it happens."""
        lines = [] if self.next is None else [self.next.text()]
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
