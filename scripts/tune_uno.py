"""Styles for the champion of uno to be played on with, bred until they win no more.

`python scripts/tune_uno.py 2` (or 4, the number of players) takes about ten minutes. Each generation makes
styles around the mean of the last, plays them against the heuristic's style and against that mean,
and goes on from the best quarter. Seeds are fixed: the same numbers come out. They go into `ours` of
`botequim.search.uno_search`.
"""

from __future__ import annotations

import random
import sys

from botequim.search.uno import FOLLOWERS, STYLE
from botequim.search.uno_contest import contest
from botequim.search.uno_search import theirs

GENERATIONS = 60
MADE, KEPT = 32, 8
DEALS = 3000
NARROWEST = 1.5


def main() -> None:
    """Breed, and print the mean now and then."""
    players = int(sys.argv[1])
    rng = random.Random(players)
    others = [theirs()] * (players - 1)
    mean = [number / 5 for number in theirs()]
    width = [20.0 if at < FOLLOWERS else 5.0 for at in range(STYLE)]
    for generation in range(GENERATIONS):
        middle = [round(number) for number in mean]
        made = [[rng.gauss(*one) for one in zip(mean, width, strict=True)] for _ in range(MADE)]
        won = []
        for at, style in enumerate(made):
            numbers = [round(number) for number in style]
            seed = generation * MADE + at + 1
            deals = DEALS * 2 // players
            against = contest([numbers, *others], deals, seed)[0]
            won.append(against + contest([numbers, *[middle] * (players - 1)], deals, seed)[0])
        best = sorted(range(MADE), key=lambda at: -won[at])[:KEPT]
        for at in range(STYLE):
            column = [made[one][at] for one in best]
            centre = sum(column) / KEPT
            spread = (sum((number - centre) ** 2 for number in column) / (KEPT - 1)) ** 0.5
            width[at] = max(NARROWEST, 0.7 * width[at] + 0.3 * spread)
            mean[at] = 0.3 * mean[at] + 0.7 * centre
        if generation % 5 == 4:
            numbers = [round(number) for number in mean]
            share = contest([numbers, *others], 10_000, 1_000_000 + generation)[0]
            print(f"{generation + 1}: {share:.4f} {numbers}", flush=True)


if __name__ == "__main__":
    main()
