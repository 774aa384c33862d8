"""What the referee costs: a confronto of 1000 havana games between players in this process.

The floor is a bare loop that calls the same players' `play` with the same arguments, and nothing else.
`python -m benchmarks.confronto` prints both, in turns in one run, and the best of each counts.
"""

from __future__ import annotations

import asyncio
import gc
import random
import sys
import time
from typing import Any

from botequim.core.options import settle
from botequim.core.player import InMemory
from botequim.games.havana import GAME, Play
from botequim.players.havana import Seated
from botequim.referee import play

GAMES = 1000
ROUNDS = 5
AT_MOST = 2.0
ORIGINAL = 8.5
"""Microseconds a turn that the competition's own judge was seen at, players included."""


class Course:
    """A player in the manner of the course: it looks at its tiles through a property that copies them."""

    def __init__(self) -> None:
        self._tiles: list[tuple[int, int]] = []

    @property
    def tiles(self) -> list[tuple[int, int]]:
        return list(self._tiles)

    def fitting(self, ends: tuple[int, ...]) -> list[tuple[int, int]]:
        return [tile for tile in self.tiles if not ends or tile[0] in ends or tile[1] in ends]

    @staticmethod
    def on_its_side(ends: tuple[int, ...], tile: tuple[int, int]) -> tuple[int, tuple[int, int]]:
        return (0 if not ends or ends[0] in tile else 1), tile


class Greedy(Course):
    """The heaviest tile that fits."""

    def play(self, board_extremes: tuple[int, ...], play_hist: list[Play]) -> Any:
        fitting = self.fitting(board_extremes)
        return self.on_its_side(board_extremes, max(fitting, key=sum)) if fitting else (0, None)


class Dummy(Course):
    """Any tile that fits."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.random = random.Random(seed)

    def play(self, board_extremes: tuple[int, ...], play_hist: list[Play]) -> Any:
        fitting = self.fitting(board_extremes)
        return self.on_its_side(board_extremes, self.random.choice(fitting)) if fitting else (0, None)


class Listening:
    """Notes what a player was asked, for the bare loop to ask again."""

    def __init__(self, player: Any, asked: list[Any]) -> None:
        self.player = player
        self.chair = Seated(player)
        self.asked = asked

    def choose(self, view: Any) -> Any:
        self.asked.append((self.player, list(view.hand), view.board_extremes, view.play_hist))
        return self.chair.choose(view)


def pairs() -> list[Any]:
    """The four seats: a greedy pair against a dummy pair."""
    return [Greedy(), Dummy(1), Greedy(), Dummy(2)]


async def confronto(strategies: list[Any], games: int) -> int:
    """So many games between the same players; how many turns they took."""
    players = [InMemory(strategy) for strategy in strategies]
    seats = [{"name": type(strategy).__name__} for strategy in strategies]
    drawn, *named = [settle(GAME.name, GAME.options, {"first": first}) for first in ("random", *"0123")]
    turns = 0
    for number in range(games):
        options = named[number % 4] if number else drawn
        record = await play(GAME, players, options=options, seats=seats, seed=f"confronto/{number}")
        turns += len(record.turns) - 2
    return turns


def main() -> int:
    """Measure and print; the exit code says whether the claim holds."""
    asked: list[Any] = []
    turns = asyncio.run(confronto([Listening(player, asked) for player in pairs()], GAMES))
    gc.freeze()  # what was noted is not to be looked through again and again while ours is measured
    ours = bare = float("inf")
    for _ in range(ROUNDS):
        began = time.perf_counter()
        asyncio.run(confronto([Seated(player) for player in pairs()], GAMES))
        ours = min(ours, time.perf_counter() - began)
        began = time.perf_counter()
        for player, hand, ends, history in asked:
            player._tiles = hand
            player.play(ends, history)
        bare = min(bare, time.perf_counter() - began)
    per_turn = 1e6 / turns
    print(f"havana confronto, {GAMES} games, {turns / GAMES:.1f} turns each, in this process")
    print(f"refereed:           {ours:6.3f} s  {ours * per_turn:5.2f} us a turn (the original: {ORIGINAL})")
    print(f"the players alone:  {bare:6.3f} s  {bare * per_turn:5.2f} us a turn")
    holds = ours / bare <= AT_MOST
    print(f"ratio: {ours / bare:.2f} (at most {AT_MOST:g}): {'holds' if holds else 'DOES NOT HOLD'}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
