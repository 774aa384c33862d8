"""How long ratings take for a large cup, in processor seconds.

`python -m benchmarks.ratings` rates 200 entrants after 100,000 games of two, and 50 entrants after one game
of every three of them, with their intervals. That may take a few seconds, and the same games in another order
must give the same bits.
"""

from __future__ import annotations

import random
import sys
import time
from itertools import combinations
from math import exp

from botequim.core.results import GameResult, SeriesResult
from botequim.ratings import RatedSeries, Ratings, ratings_of

ENTRANTS = 200
DEALS = 50_000
TABLE_ENTRANTS = 50
MOST_SECONDS = 10.0
"""Of the processor: others may be at work here."""


def duel(rng: random.Random, one: float, other: float) -> GameResult:
    first, second, drawn = exp(one), exp(other), 0.3 * exp((one + other) / 2)
    (places,) = rng.choices([(1, 2), (2, 1), (1, 1)], [first, second, drawn])
    return GameResult(places, "end")


def duels(rng: random.Random) -> list[SeriesResult]:
    """Mirrored deals between all pairs, in turn, as a league has them."""
    strengths = [rng.gauss(0, 0.8) for _ in range(ENTRANTS)]
    pairs = list(combinations(range(ENTRANTS), 2))
    found = []
    for at, (one, other) in enumerate(pairs):
        deals = DEALS // len(pairs) + (at < DEALS % len(pairs))
        games = tuple(duel(rng, strengths[one], strengths[other]) for _ in range(2 * deals))
        found.append(SeriesResult(f"{one} | {other}", (f"bot {one}", f"bot {other}"), games))
    return found


def tables(rng: random.Random) -> list[SeriesResult]:
    """One game of every three."""
    strengths = [rng.gauss(0, 0.8) for _ in range(TABLE_ENTRANTS)]
    found = []
    for names in combinations(range(TABLE_ENTRANTS), 3):
        order = sorted(names, key=lambda name: -strengths[name] + rng.gauss(0, 1))
        places = tuple(order.index(name) + 1 for name in names)
        key = " | ".join(map(str, names))
        found.append(SeriesResult(key, tuple(f"bot {name}" for name in names), (GameResult(places, "end"),)))
    return found


def rate(results: list[SeriesResult], together: int) -> Ratings:
    return ratings_of(RatedSeries.of(one, together=together) for one in results)


def main() -> int:
    """Print the figures, and whether the claims hold."""
    rng = random.Random(1)
    failed = False
    for name, results, together in (("games of two", duels(rng), 2), ("tables of three", tables(rng), 1)):
        began = time.process_time()
        found = rate(results, together)
        spent = time.process_time() - began
        same = rate(rng.sample(results, len(results)), together) == found
        games = sum(len(one.games) for one in results)
        print(
            f"{name:15} {len(found.rows):3} entrants {games:7,} games: {spent:5.2f} s of the processor; "
            f"the same in another order: {'yes' if same else 'no'}"
        )
        failed |= not same or spent > MOST_SECONDS
    print("claims do not hold" if failed else "a few seconds, and the order does not matter")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
