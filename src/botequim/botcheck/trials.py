"""The games in which a bot is checked: its seats, its opponents, and the options."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from botequim import registry
from botequim.core.game import AnyGame
from botequim.core.messages import Message
from botequim.core.options import Options, resolve_options
from botequim.core.player import Strategy
from botequim.core.rng import Rng
from botequim.core.wire import Restart

MakePlayer: TypeAlias = Callable[[Rng], Strategy]


@dataclass(frozen=True, slots=True)
class Trial:
    """Some consecutive games with the same seats, opponents and options."""

    bots: tuple[int, ...]
    """The seats of the bot. Each has an instance of its own."""
    others: tuple[MakePlayer, ...]
    """The players on the other seats, used in turn."""
    option_values: Mapping[str, object] = field(default_factory=dict)
    """Values of options of the game."""
    games: int = 1
    restart: Restart | None = None
    forgiven: Message | None = None
    """Why a fault here is only a warning; None if it is a failure."""

    def options(self, game: AnyGame) -> Options:
        return resolve_options(game.name, game.options, self.option_values)


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """All trials of a check."""

    alone: Trial
    """One instance among others."""
    together: Trial
    """Several instances at the same time."""
    awkward: Sequence[Trial]
    """Repeated until the bot has met every kind of position."""

    def series(self) -> Trial:
        """Return two games in the same instance."""
        return replace(self.alone, games=2, restart=Restart.SERIES)

    def new_instances(self) -> Trial:
        """Return two games, each in a new instance."""
        return replace(self.alone, games=2, restart=Restart.GAME)

    def endless(self) -> Iterator[Trial]:
        while True:
            yield from self.awkward


def built_in(game: str, name: str) -> MakePlayer:
    """Return the function that creates a built-in player of a game."""
    return registry.player(game, name)


def default_plan(game: AnyGame) -> TrialPlan:
    """Return a plan for any game: the bot on every seat in turn, against random players."""
    options = resolve_options(game.name, game.options, {})
    seats = sorted(seat for team in game.teams(options) for seat in team)
    easy = built_in(game.name, "random")
    awkward = [Trial((seat,), (easy,)) for seat in seats]
    return TrialPlan(awkward[0], Trial(tuple(seats), ()), awkward)
