"""What the referee costs: a confronto of 1000 havana games between the course's players in this process.

The floor is a bare loop that calls the same players' `play` with the same arguments, and nothing else.
`python -m benchmarks.confronto` prints both. They take turns in one run, and of every fifty games the best
time counts: on a shared machine hardly any thousand goes by undisturbed.
"""

from __future__ import annotations

import asyncio
import gc
import random
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from botequim.core.options import resolve_options
from botequim.core.player import LocalPlayer
from botequim.engine.referee import play
from botequim.games.havana.host.basic_players import DummyPlayer, GreedyPlayer
from botequim.games.havana.players import CoursePlayerAdapter
from botequim.games.havana.rules import GAME

GAMES = 1000
LAP = 50
ROUNDS = 15
AT_MOST = 2.0
ORIGINAL = 8.5
"""Microseconds a turn that the competition's own judge was seen at, players included."""


class Listening:
    """Notes what a player was asked, for the bare loop to ask again."""

    def __init__(self, player: Any, asked: list[Any]) -> None:
        self.player = player
        self.chair = CoursePlayerAdapter(player)
        self.asked = asked

    def choose(self, view: Any) -> Any:
        self.asked.append((self.player, list(view.hand), view.board_extremes, view.play_hist))
        return self.chair.choose(view)


def pairs() -> list[Any]:
    """The four seats: a greedy pair against a dummy pair."""
    random.seed("confronto")  # the dummies use the common generator, as a student would
    return [GreedyPlayer(1, "Ana"), DummyPlayer(2, "Rui"), GreedyPlayer(3, "Eva"), DummyPlayer(4, "Ivo")]


async def confronto(strategies: list[Any], lap: Callable[[], None]) -> None:
    """1000 games between the same players; `lap` is called before the first and after every fifty."""
    players = [LocalPlayer(strategy) for strategy in strategies]
    seats = [{"name": type(strategy).__name__} for strategy in strategies]
    drawn, *named = [
        resolve_options(GAME.name, GAME.options, {"first": first}) for first in ("random", *"0123")
    ]
    lap()
    for number in range(GAMES):
        options = named[number % 4] if number else drawn
        await play(GAME, players, options=options, seats=seats, seed=f"confronto/{number}")
        if (number + 1) % LAP == 0:
            lap()


def refereed() -> list[float]:
    """The time of each lap."""
    times: list[float] = []
    asyncio.run(
        confronto(
            [CoursePlayerAdapter(player) for player in pairs()], lambda: times.append(time.perf_counter())
        )
    )
    return [after - before for before, after in pairwise(times)]


def alone(laps: list[list[Any]]) -> list[float]:
    """The same of the bare loop."""
    times = []
    for asked in laps:
        began = time.perf_counter()
        for player, hand, ends, history in asked:
            player._tiles = hand
            player.play(ends, history)
        times.append(time.perf_counter() - began)
    return times


def main() -> int:
    """Measure and print; the exit code says whether the claim holds."""
    asked: list[Any] = []
    bounds: list[int] = []
    listening = [Listening(player, asked) for player in pairs()]
    asyncio.run(confronto(listening, lambda: bounds.append(len(asked))))
    laps = [asked[first:end] for first, end in pairwise(bounds)]
    gc.freeze()  # what was noted is not to be looked through again and again while ours is measured
    rounds = [(refereed(), alone(laps)) for _ in range(ROUNDS)]
    ours, bare = (sum(map(min, zip(*times, strict=True))) for times in zip(*rounds, strict=True))
    per_turn = 1e6 / len(asked)
    print(f"havana confronto, {GAMES} games, {len(asked) / GAMES:.1f} turns each, in this process")
    print(f"refereed:           {ours:6.3f} s  {ours * per_turn:5.2f} us a turn (the original: {ORIGINAL})")
    print(f"the players alone:  {bare:6.3f} s  {bare * per_turn:5.2f} us a turn")
    holds = ours / bare <= AT_MOST
    print(f"ratio: {ours / bare:.2f} (at most {AT_MOST:g}): {'holds' if holds else 'DOES NOT HOLD'}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
