"""Whether a match keeps the cores busy, and what memory it takes as the games grow.

Two bare loops in two processes show what two cores are worth here at this moment; a match with two
workers against one should gain as much. `python -m benchmarks.match` prints both, measured in turns.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import time

from botequim.match.runner import play_match
from botequim.match.spec import MatchSpec

SECONDS = 2.0
GAMES = 12_000
ROUNDS = 3
AT_LEAST = 0.75


def burn(seconds: float) -> int:
    """Count for so long; how far it got."""
    count = 0
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        for _ in range(10_000):
            count += 1
    return count


def burners(processes: int) -> int:
    """Together, how far so many bare loops get."""
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        pool.map(burn, [0.1] * processes)  # until all are there
        return sum(pool.map(burn, [SECONDS] * processes, chunksize=1))


def match_seconds(workers: int, games: int = GAMES) -> float:
    """How long a match takes from when its first results are in."""
    match = MatchSpec.of("cubos", ("random", "greedy"), games=games, seed="benchmark")
    began, first = 0.0, 0
    for table in play_match(match, workers=workers):
        if not began:
            began, first = time.perf_counter(), table.games
    return (time.perf_counter() - began) * games / (games - first)


def main() -> int:
    """Measure and print; the exit code says whether the claim holds."""
    bare = best = 0.0
    for _ in range(ROUNDS):
        bare = max(bare, burners(2) / burners(1))
        best = max(best, match_seconds(1) / match_seconds(2))
    print(f"two bare loops do {bare:.2f} times the work of one")
    print(f"two workers play {best:.2f} times as fast as one")
    for games in (2_000, 8_000, 32_000):
        match_seconds(2, games)
        here = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        print(f"after {games} games: {here} MB here, {workers} MB in the largest worker")
    holds = best / bare >= AT_LEAST
    print(f"ratio: {best / bare:.2f} (at least {AT_LEAST:g}): {'holds' if holds else 'DOES NOT HOLD'}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
