"""The speed of a bot, measured in the games of its check, and estimates for games with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from statistics import fmean, median, quantiles
from typing import Final, TypeAlias

from botequim import registry
from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.game import CHANCE, AnyGame, Outcome, View
from botequim.core.messages import Figure, Message, msg
from botequim.core.options import Options
from botequim.core.player import LocalPlayer, Player
from botequim.core.rng import Rng, private
from botequim.core.turn import Reply, Step
from botequim.engine.referee import play

STAND_INS: Final = ("random", "greedy")
"""Built-in players whose games show how many questions a game has."""
REHEARSALS: Final = 6
"""The number of games of each of these players."""
MARGIN: Final = 1.25
"""The factor by which a machine may be faster or slower at another time."""
FEW_GAMES: Final = 4

Turns: TypeAlias = Mapping[tuple[int, ...], float]
"""How often in a game each group of teams is asked at the same time."""


@dataclass(frozen=True, slots=True)
class Range:
    """A range of seconds."""

    low: float
    high: float

    def __add__(self, other: Range) -> Range:
        return Range(self.low + other.low, self.high + other.high)

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2

    def message(self) -> Message:
        """Return the range in a suitable unit."""
        if self.high < 1:
            return msg("less than 1 s")
        if self.high < 120:
            return _message(self, 1, (msg("{n} s"), msg("{low} to {high} s")))
        if self.high < 7200:
            return _message(self, 60, (msg("{n} min"), msg("{low} to {high} min")))
        return _message(self, 3600, (msg("{n} h"), msg("{low} to {high} h")))


def _message(seconds: Range, unit: float, forms: tuple[Message, Message]) -> Message:
    low, high = (_figure(value / unit) for value in (seconds.low, seconds.high))
    if low == high:
        return Message(forms[0].template, {"n": low})
    return Message(forms[1].template, {"low": low, "high": high})


def _figure(value: float) -> Figure:
    return Figure(f"{value:.0f}" if value >= 10 else f"{value:.1f}".removesuffix(".0"))


@dataclass(frozen=True, slots=True)
class Speed:
    """The times of a bot, including the overhead of sandbox and transport."""

    start: float
    """The seconds from starting an instance until its first answer."""
    answer: Range
    """The seconds of one answer in time."""
    late: float = 0.0
    """The share of questions that it did not answer in time."""
    wait: float = 0.0
    """The seconds that the referee waits for each late answer."""
    most_late: int | None = None
    """The number of late answers of a seat in a series after which it is not asked any more."""
    most_starts: int | None = None
    """The most starts of an instance of a seat in a series; None if there is no limit."""

    def starting(self, games: int, *, live_on: bool) -> float:
        """Return the seconds for starting the instances of one seat in a series of so many games."""
        if self.most_starts is not None:
            return self.start * min(games, self.most_starts)
        return self.start if live_on else self.start * games

    @classmethod
    def of(cls, starts: Sequence[float], games: Sequence[Sequence[float]]) -> Speed | None:
        """Return the speed from the first answers of fresh instances and all later answers, by game.

        Late answers are not included.
        """
        means = sorted(fmean(game) for game in games if game)
        if not means:
            return cls(median(starts), Range(0.0, 0.0)) if starts else None
        low, high = means[0], means[-1]
        if len(means) >= FEW_GAMES:
            low, _, high = quantiles(means, n=4)
        each = fmean(means)
        start = max(0.0, median(starts) - each) if starts else 0.0
        return cls(start, Range(min(low, each) / MARGIN, max(high, each) * MARGIN))


NO_TIME: Final = Speed(0.0, Range(0.0, 0.0))
"""The speed of a player that answers at once."""


async def rehearse(game: AnyGame, options: Options) -> list[Turns]:
    """Return the turns of an average game, for each of the built-in `STAND_INS`."""
    names = [name for name in STAND_INS if name in registry.player_names(game.name)]
    return [await _average(game, options, name) for name in names]


async def silent_turns(game: AnyGame, options: Options) -> list[float]:
    """Return how often each team is asked in a game if it never answers.

    It depends on the rules: some games ask again after a timeout; in others a timeout ends the seat's part,
    or the game.
    """
    teams = game.teams(options)
    name = next(name for name in STAND_INS if name in registry.player_names(game.name))
    averages = [await _average(game, options, name, silent=team) for team in range(len(teams))]
    return [
        sum(count for teams_asked, count in turns.items() if team in teams_asked)
        for team, turns in enumerate(averages)
    ]


class SilentPlayer:
    """A player whose every answer is too late."""

    async def open(self, seat: int) -> None:
        pass

    async def choose(self, view: View) -> Reply:
        raise PlayerFault(FaultKind.TIMEOUT, msg("no answer in time"))

    async def finish(self, view: View, outcome: Outcome) -> None:
        pass

    async def close(self) -> None:
        pass


async def _average(game: AnyGame, options: Options, name: str, silent: int | None = None) -> Turns:
    """Return the turns of an average game between players of that name; the team `silent` never answers."""
    team_of = {at: team for team, seats in enumerate(game.teams(options)) for at in seats}
    counts: Counter[tuple[int, ...]] = Counter()

    def note(step: Step) -> None:
        group = tuple(team_of[move.by] for move in step.turn if move.by != CHANCE)
        if group:
            counts[group] += 1

    make = registry.player(game.name, name)
    for number in range(REHEARSALS):
        seed = f"rehearsal/{number}"
        players: list[Player] = [
            SilentPlayer() if team_of[at] == silent else LocalPlayer(make(Rng(private(seed, "seat", at))))
            for at in sorted(team_of)
        ]
        await play(game, players, options=options, seats=[], seed=seed, emit=note)
    return {group: count / REHEARSALS for group, count in counts.items()}


def game_seconds(
    turns: Sequence[Turns], speeds: Sequence[Speed], late_at_most: Sequence[float] | None = None
) -> Range:
    """Return the time of a game between teams with these speeds; the instances are already running.

    `late_at_most` is the most late answers in a game by team; None for as many as there are questions.
    """
    costs = []
    for kind in turns:
        waits = [_wait(kind, team, speed, late_at_most) for team, speed in enumerate(speeds)]
        costs.append(
            (
                sum(
                    count * max(speeds[team].answer.low + waits[team] for team in group)
                    for group, count in kind.items()
                ),
                sum(
                    count * max(speeds[team].answer.high + waits[team] for team in group)
                    for group, count in kind.items()
                ),
            )
        )
    return Range(min(low for low, _ in costs), max(high for _, high in costs))


def _wait(turns: Turns, team: int, speed: Speed, late_at_most: Sequence[float] | None) -> float:
    """Return the seconds of waiting for late answers of a team, as an average over all its questions."""
    questions = sum(count for group, count in turns.items() if team in group)
    if not questions or not speed.late:
        return 0.0
    late = questions * speed.late
    if late_at_most is not None:
        late = min(late, late_at_most[team])
    return late * speed.wait / questions


def series_seconds(
    turns: Sequence[Turns],
    speeds: Sequence[Speed],
    seats: Sequence[int],
    games: tuple[int, int],
    *,
    live_on: bool,
    silent: Sequence[float] | None = None,
) -> Range:
    """Return the time of a series of at least and at most so many games; `seats` and `silent` are by team.

    `silent` is the result of `silent_turns`. Instances start at the same time, and those of the next game
    start during the current one, so starting takes extra time only if all processors are busy.
    """
    fewest, most = games
    shares = [
        inf if speed.most_late is None else speed.most_late * count / most
        for speed, count in zip(speeds, seats, strict=True)
    ]
    late_at_most = shares if silent is None else [min(pair) for pair in zip(shares, silent, strict=True)]
    game = game_seconds(turns, speeds, late_at_most)
    slowest = max(speed.starting(fewest, live_on=live_on) for speed in speeds)
    in_turn = sum(
        speed.starting(most, live_on=live_on) * count for speed, count in zip(speeds, seats, strict=True)
    )
    playing = fewest * game.low
    low = slowest + playing if live_on else max(slowest, playing)
    return Range(low, in_turn + most * game.high)
