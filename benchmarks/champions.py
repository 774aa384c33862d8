"""Whether champions keep to the rules, their time and their memory.

`python -m benchmarks.champions [GAME ...]`: each champion makes 10,000 moves at the levels that count work
and 200 at full, against itself. None may be against the rules, none over its time by more than 50 ms
(counted in processor time, for others may be at work here), and the process must stay under 300 MB.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import time
from typing import Any

from botequim import registry
from botequim.core.options import resolve_options
from botequim.core.rng import Rng
from botequim.search.champion import Champion, Level

MOVES = 10_000
FULL_MOVES = 200
OVER = 0.05
MEGABYTES = 300


def moves_of(game_name: str, level: Level, count: int) -> tuple[int, float, int]:
    """Illegal moves, the longest time over the budget, and the peak of memory in MB."""
    game = registry.game(game_name)
    options = resolve_options(game.name, game.options, {})
    seats = sorted(seat for team in game.teams(options) for seat in team)
    illegal, longest, made, number = 0, 0.0, 0, 0
    while made < count:
        rng = Rng(f"safety/{number}")
        players: Any = [
            registry.player(game_name, f"champion@{level}")(Rng(f"{number}/{at}")) for at in seats
        ]
        seconds = players[0].budget.seconds
        number += 1
        state = game.start(options)
        while to_move := game.to_move(state):
            moves = {}
            for seat in to_move:
                if seat < 0:
                    moves[seat] = game.chance(state, rng)
                    continue
                view = game.view(state, seat)
                began = time.process_time()
                moves[seat] = players[seat].choose(view)
                if seconds:
                    longest = max(longest, time.process_time() - began - seconds)
                made += len(view.legal) > 1
                illegal += game.check(state, seat, moves[seat]) is not None
            state = game.apply(state, moves)
    return illegal, longest, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def levels_of(game_name: str) -> list[tuple[Level, int]]:
    """The levels, and how many moves are made at each."""
    champion: Any = registry.player_class(game_name, "champion")
    assert issubclass(champion, Champion)
    working = [level for level, budget in champion.levels.items() if not budget.seconds]
    timed = [level for level, budget in champion.levels.items() if budget.seconds]
    return [(level, MOVES // len(working)) for level in working] + [(level, FULL_MOVES) for level in timed]


def main() -> int:
    """Measure and print; the exit code says whether all of it holds."""
    names = sys.argv[1:] or [
        name for name in registry.game_names() if "champion" in registry.player_names(name)
    ]
    failed = False
    for name in names:
        for level, count in levels_of(name):
            # a process of its own: the peak of memory is that of this level
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                illegal, over, memory = pool.apply(moves_of, (name, level, count))
            holds = not illegal and over <= OVER and memory <= MEGABYTES
            failed |= not holds
            late = f"at most {max(over, 0) * 1000:.0f} ms over, " if level is Level.FULL else ""
            print(
                f"{name} {level}: {count} moves, {illegal} illegal, {late}{memory} MB"
                f"{'' if holds else '  DOES NOT HOLD'}",
                flush=True,
            )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
